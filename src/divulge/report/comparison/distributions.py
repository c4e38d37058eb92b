"""The distributions of original and release, drawn over each other: a chart for each release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from divulge._support.wording import percent
from divulge.report.charts.theme import PALETTE, Spec, chart, labels, names_at
from divulge.report.comparison.side_by_side import named
from divulge.report.shared.formats import bound, cell, clipped, listing
from divulge.report.shared.tables import Chart, Document, ReportTable, TableColumn

MOST_DRAWN = 4  # releases with a chart of their own
MOST_PANELS = 12
ACROSS, WIDTH, STEP, LABEL = 3, 145, 15, 14
READING = (
    "Wide bars are the original, narrow bars the release; each bar is a share of all records. "
    "Attributes that moved most come first. Shares are rounded down to five records, so that a value that "
    "fewer than five people have shows no bar."
)


def distribution_charts(document: Document) -> tuple[Chart, ...]:
    """A chart for each of the first releases in which a distribution moved."""
    return tuple(
        Chart(f"distributions_{place}", f"Distributions in {clipped(name, 60)}", READING, *_of(place - 1))
        for place, (name, release) in enumerate(named(document)[:MOST_DRAWN], start=1)
        if moved(release)
    )


def moved(release: Document) -> list[Document]:
    """The attributes whose distribution is drawn: those that moved and show something, furthest first."""
    found = [one for one in _alone(release) if bound(one["total_variation"] or 0) and not _all_hidden(one)]
    return sorted((one for one in found if one.get("shares")), key=lambda one: -bound(one["total_variation"]))


def undrawn(document: Document) -> list[tuple[str, str]]:
    """What there is to say of attributes that are not drawn, release by release."""
    found = []
    for place, (name, release) in enumerate(named(document)):
        still = [one for one in _alone(release) if one["total_variation"] == 0]
        same, grouped = (
            [one["attributes"][0] for one in still if (one.get("recoding_loss") is not None) == merged]
            for merged in (False, True)
        )
        hidden = [one["attributes"][0] for one in _alone(release) if _all_hidden(one)]
        parts = [f"suppressed in every record: {listing(hidden, most=20)}"] * bool(hidden)
        parts += [f"grouped, shares unchanged: {listing(grouped, most=20)}"] * bool(grouped)
        parts += [f"no change in {listing(same, most=20)}"] * bool(same)
        left = [one["attributes"][0] for one in moved(release)[MOST_PANELS if place < MOST_DRAWN else 0 :]]
        parts += [f"not drawn here, but in the JSON document: {listing(left)}"] * bool(left)
        found += [(name, "; ".join(parts))] * bool(parts)
    return found


def _all_hidden(found: Document) -> bool:
    return any(one["label"] == "suppressed" and one["released"] == 1 for one in found.get("shares") or ())


def _alone(release: Document) -> list[Document]:
    return [one for one in (release["loss"] or {}).get("distributions") or () if len(one["attributes"]) == 1]


def _of(place: int) -> tuple[Any, Any]:
    """The chart and the table of the release at a place."""
    return (
        lambda document: _spec(moved(document["releases"][place])[:MOST_PANELS]),
        lambda document: _table(moved(document["releases"][place])),
    )


def _spec(found: list[Document]) -> Spec | None:
    if not found:
        return None
    titles = labels((one["attributes"][0] for one in found), longest=20)
    return chart(
        concat=[_panel(titles[one["attributes"][0]], one) for one in found],
        columns=ACROSS,
        spacing={"row": 22, "column": 26},
    )


def _panel(title: str, found: Document) -> Spec:
    shown = labels((one["label"] for one in found["shares"]), longest=LABEL)
    bars = [{**one, "label": shown[one["label"]]} for one in found["shares"]]
    most = max(max(one["original"], one["released"]) for one in bars) or 1.0
    value = {
        "field": "original",
        "type": "quantitative",
        "scale": {"domain": [0, most]},
        "axis": {"values": [0, most], "format": ".0%", "title": None, "grid": False},
    }
    wide = {"type": "bar", "size": STEP - 3, "color": PALETTE["soft"]}
    narrow = {"type": "bar", "size": 5, "color": PALETTE["accent"]}
    return {
        "title": f"{title}: {_distance(found['total_variation'])} moved",
        "data": {"values": bars},
        "width": WIDTH,
        "height": {"step": STEP},
        "encoding": {"y": names_at("label", list(shown.values()), minExtent=12 + 7 * LABEL), "x": value},
        "layer": [{"mark": wide}, {"mark": narrow, "encoding": {"x": {"field": "released"}}}],
    }


def _distance(value: float | str) -> str:
    return cell(value, "share") if isinstance(value, str) else percent(value)


def _table(found: list[Document]) -> ReportTable:
    head = (TableColumn("attribute"), TableColumn("value"))
    rows = [list(row) for one in found for row in _rows(one)]
    return ReportTable((*head, TableColumn("original", "share"), TableColumn("release", "share")), rows)


def _rows(found: Document) -> Iterator[tuple[Any, ...]]:
    for one in found["shares"]:
        yield found["attributes"][0], one["label"], one["original"], one["released"]
