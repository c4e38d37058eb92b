"""Pictures of what an attacker believes after observing: bars, a matrix, or a map of places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.wording import number, percent
from divulge.report.charts.theme import PADDING, Spec, chart, labels, names_at, shaded_cells
from divulge.report.shared.tables import Document, ReportTable, table

#: Where one shade ends and the next begins, in parts of the largest probability or of the range of errors.
PROBABILITIES, ERRORS = (0.02, 0.1, 0.25, 0.5, 0.75), (1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6)
READINGS = {
    "bars": "Bars are probabilities after this observation, strokes those before it.",
    "matrix": "Each column adds up to 100%. A stronger colour is more probable.",
    "map": "On the left, a stronger colour is more probable. On the right, it means that more error remains.",
}
MOST_SAID = 12  # columns of a map or a matrix that still have room for numbers
LABEL = 0.12  # of the width: the room of a number, which no stroke may run through
SIDE = 330  # the longest side of a map in pixels

Cells = list[dict[str, Any]]


def belief(document: Document) -> Spec | None:
    """The posterior of the secret, in the form that fits it."""
    found = document["belief"]
    return None if found is None else FORMS[found["form"]](found)


def reading(document: Document) -> str:
    """How to read the picture of a document's belief."""
    found = document["belief"]
    if found is None:
        return ""
    sentences = [READINGS[found["form"]], found["note"]]
    if found["form"] == "bars":
        sentences.insert(0, f"After the observation {found['observations'][0]}.")
    if found["left_out"]:
        sentences.append(f"The {found['left_out']:,} least likely secrets are left out.")
    return " ".join(filter(None, sentences))


def belief_table(document: Document) -> ReportTable:
    """Each secret with its probability before and after the observations that are drawn."""
    found = document["belief"]
    if found is None:
        return table({}, [])
    after = {f"after {name}": "share" for name in labels(found["observations"]).values()}
    head = {"secret": "text", "before": "share", **after}
    rows = zip(found["secrets"], found["prior"], *found["posterior"], strict=True)
    return table(head, ([*row] for row in rows))


def _bars(found: Document) -> Spec:
    """The likeliest secrets after one observation; a stroke is how likely each was before."""
    names = labels(found["secrets"])
    most = max(max(found["prior"]), max(found["posterior"][0]))
    points = [
        {
            "secret": names[name],
            "before": before,
            "after": after,
            "said": percent(after),
            "end": before if after < before < after + LABEL * most else after,
        }
        for name, before, after in zip(found["secrets"], found["prior"], found["posterior"][0], strict=True)
    ]
    across = {
        "type": "quantitative",
        "scale": {"domain": [0, most], "nice": False},
        "axis": {"title": "probability", "format": "~%", "tickCount": 5},
    }
    return chart(
        data={"values": points},
        width=480,
        height={"step": 20},
        padding={**PADDING, "right": 60},
        encoding={"y": names_at("secret", list(names.values()))},
        layer=[
            {"mark": {"type": "bar", "size": 12}, "encoding": {"x": {"field": "after", **across}}},
            {"mark": {"type": "tick", "size": 17}, "encoding": {"x": {"field": "before", **across}}},
            {
                "mark": {"type": "text", "align": "left", "dx": 6},
                "encoding": {"x": {"field": "end", **across}, "text": {"field": "said"}},
            },
        ],
    )


def _matrix(found: Document) -> Spec:
    """A row for each secret and a column for each observation."""
    names, columns = labels(found["secrets"], 18), labels(found["observations"], 12)
    cells = [
        {"row": row, "column": column, "said": percent(value), "shade": _shade(value, PROBABILITIES)}
        for column, posterior in zip(columns.values(), found["posterior"], strict=True)
        for row, value in zip(names.values(), posterior, strict=True)
    ]
    said = len(columns) <= MOST_SAID
    steps = max(26, min(110, 600 // len(columns))), max(15, min(38, 220 // len(names)))
    across = _letters("column", columns.values(), "observation", "top")
    up = names_at("row", list(names.values()))
    return chart(data={"values": cells}, **_heat(up, across, steps, said=said))


def _map(found: Document) -> Spec:
    """Two maps: how likely each place is after the middle one is reported, and the error after each."""
    columns = found["columns"]
    rows = len(found["secrets"]) // columns
    step = max(8, min(44, SIDE // max(columns, rows)))
    likely, errors = found["posterior"][0], found["errors"]
    seen = found["secrets"].index(found["observations"][0])
    parts = {
        f"Probability after column {seen // rows + 1}, row {seen % rows + 1}": [
            (percent(one), _shade(one / max(likely), PROBABILITIES)) for one in likely
        ],
        "Remaining error, by reported place": [
            (number(round(one, 2)), _shade((one - min(errors)) / (max(errors) - min(errors) or 1), ERRORS))
            for one in errors
        ],
    }
    panels = []
    for title, values in parts.items():
        cells = [
            {"column": str(place // rows + 1), "row": str(place % rows + 1), "said": said, "shade": shade}
            for place, (said, shade) in enumerate(values)
        ]
        across = _letters("column", [str(one + 1) for one in range(columns)], "column", "bottom")
        up = _letters("row", [str(one + 1) for one in reversed(range(rows))], "row", "left")
        heat = _heat(up, across, (step, step), said=step >= 36)
        panels.append(
            {
                "title": {"text": title, "frame": "group"},
                "data": {"values": cells},
                "resolve": {"scale": {"color": "independent"}},  # of cells, and of the numbers on them
                **heat,
            }
        )
    return chart(hconcat=panels, spacing=36)


FORMS: Mapping[str, Any] = {"bars": _bars, "matrix": _matrix, "map": _map}


def _letters(field: str, names: Any, title: str, orient: str) -> Spec:
    every = list(names)
    shown = every[:: 1 + len(every) // 14]
    axis = {"title": title, "domain": False, "orient": orient, "labelAngle": 0, "values": shown}
    return {"field": field, "type": "nominal", "sort": every, "axis": axis}


def _shade(part: float, bounds: Sequence[float]) -> int:
    """Which of six shades a part of the largest has, the lightest 0."""
    return sum(part >= bound for bound in bounds)


def _heat(up: Spec, across: Spec, steps: tuple[int, int], *, said: bool) -> Spec:
    """Cells in six shades, so many pixels wide and high, with their numbers where there is room."""
    wide, high = steps
    return {
        "width": {"step": wide},
        "height": {"step": high},
        "encoding": {"y": up, "x": across},
        "layer": shaded_cells(0.95 * wide, 0.92 * high, size=11, said=said),
    }
