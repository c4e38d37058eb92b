"""Charts of what was released of each target, beside what was requested and what fits the baseline."""

from __future__ import annotations

from collections.abc import Sequence

from divulge._support.wording import percent
from divulge.report.charts.theme import PALETTE, Spec, chart, names_at
from divulge.report.release.tables import losing, title
from divulge.report.release.wording import released_of, shortened
from divulge.report.shared.formats import NOTHING, bound
from divulge.report.shared.tables import Document

MOST_BARS = 24
PADDING = {"left": 4, "top": 4, "bottom": 4, "right": 24}  # a page may set wider letters
FIELDS = ("requested", "released", "fitting")
MARKS: dict[str, Spec] = {
    "requested": {"type": "bar", "size": 16, "color": PALETTE["heat-2"]},
    "released": {"type": "bar", "size": 8, "color": PALETTE["accent"]},
    "fitting": {"type": "tick", "size": 20},
}


def released(document: Document) -> Spec | None:
    """What was released of each target."""
    targets = [document["by_target"][place] for place in _drawn(document)]
    if not targets:
        return None
    said = [f"{released_of(one)}{_part(one)}" for one in targets]
    return chart(padding=PADDING, **_bars(targets, said, width=400, most=_most([document])))


def released_by_test(document: Document) -> Spec | None:
    """What was released of each target under each test by itself."""
    alone = document.get("each") or ()
    chosen = _drawn(document)
    if not alone or not chosen:
        return None
    most = _most(alone)
    panels = []
    for place, one in enumerate(alone):
        targets = [one["by_target"][target] for target in chosen]
        said = [_share(target) for target in targets]
        bars = _bars(targets, said, width=110, most=most, named=place == 0)
        panels.append({"title": {"text": title(one), "frame": "group"}, **bars})
    return chart(padding=PADDING, hconcat=panels, spacing=14)


def _drawn(document: Document) -> list[int]:
    """The places of the targets that are drawn: those that lose most, and of which figures may be said."""
    by_target = document["by_target"]
    return [place for place in losing(document, MOST_BARS) if by_target[place]["requested"] is not None]


def _most(documents: Sequence[Document]) -> float:
    found = (one[field] for document in documents for one in document["by_target"] for field in FIELDS)
    return max(bound(value) for value in found if value is not None)


def _part(target: Document) -> str:
    return "" if target["share"] is None else f", {percent(target['share'])}"


def _share(target: Document) -> str:
    return NOTHING if target["share"] is None else percent(target["share"])


def _bars(
    targets: Sequence[Document], said: Sequence[str], *, width: int, most: float, named: bool = True
) -> Spec:
    """A light bar for what was requested, a dark one for what was released, a stroke for what would fit."""
    names = shortened(one["target"] for one in targets)
    points = [
        {"target": names[one["target"]], "said": words, **{field: bound(one[field]) for field in FIELDS}}
        for one, words in zip(targets, said, strict=True)
    ]
    across = {
        "type": "quantitative",
        "scale": {"domain": [0, most], "nice": False},
        "axis": {"title": "records", "format": ",~f", "tickCount": max(2, width // 80)},
    }
    upright = names_at("target", list(names.values()))
    if not named:
        upright["axis"] = None
    words = {"type": "text", "align": "left", "dx": 8}
    return {
        "data": {"values": points},
        "width": width,
        "height": {"step": 26},
        "encoding": {"y": upright},
        "layer": [
            *({"mark": MARKS[field], "encoding": {"x": {"field": field, **across}}} for field in FIELDS),
            {"mark": words, "encoding": {"text": {"field": "said"}, "x": {"value": width}}},
        ],
    }
