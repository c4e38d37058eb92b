"""Charts of what attributes and their values reveal."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import percent
from divulge.report.audit import tables
from divulge.report.charts.theme import PALETTE, RATES, Spec, chart, labels, names_at, shaded_cells
from divulge.report.shared.formats import NOTHING
from divulge.report.shared.tables import Document, target_title

FEWEST_ATTRIBUTES, MOST_ATTRIBUTES = 5, 20
MOST_TARGETS = 6
SHADES = (0.02, 0.1, 0.25, 0.5, 0.75)  # where one shade ends and the next begins; below the first it is small
SHAPES = {  # of the rates of a value: shape and colour
    "discrimination rate": ("circle", PALETTE["accent"]),
    "ITPR": ("square", PALETTE["muted"]),
    "largest share of one target value": ("triangle-up", PALETTE["ink"]),
}


def attributes(document: Document) -> Spec | None:
    """What every attribute reveals about every target, most first, with the number in the cell."""
    *rows, together = tables.attributes(document).rows or [[]]
    rows = rows[: drawn_attributes(document)] + ([together] if together else [])
    titles = [tables.column_title(target["target"]) for target in document["targets"][:MOST_TARGETS]]
    names, columns = labels(row[0] for row in rows), labels(titles)
    cells = [
        {
            "attribute": names[row[0]],
            "target": columns[title],
            "said": NOTHING if value is None else percent(max(value, 0.0)),
            "shade": None if value is None else sum(value >= bound for bound in SHADES),
        }
        for row in rows
        for title, value in zip(titles, row[1:], strict=False)
    ]
    if all(one["shade"] is None for one in cells):
        return None
    return heat_map(cells, list(names.values()), list(columns.values()))


def drawn_attributes(document: Document) -> int:
    """How many attributes the chart has: those that reveal something, and no more than fit."""
    rows = tables.attributes(document).rows[:-1]
    telling = sum(tables.largest(row) >= SHADES[0] for row in rows)
    return min(len(rows), MOST_ATTRIBUTES, max(telling, FEWEST_ATTRIBUTES))


def heat_map(cells: list[dict[str, Any]], rows: list[str], columns: list[str], narrowest: int = 110) -> Spec:
    """Cells of an attribute and a target, each with what is said in it and a shade from 0 to 5, or none."""
    wide = max(narrowest, 8 * max(map(len, columns)))
    column = {
        "field": "target",
        "type": "nominal",
        "sort": columns,
        "axis": {"title": None, "domain": False, "orient": "top", "labelAngle": 0},
    }
    return chart(
        data={"values": cells},
        width={"step": wide},
        height={"step": 24},
        encoding={"y": names_at("attribute", rows), "x": column},
        layer=shaded_cells(0.97 * wide, 0.9 * 24),
    )


def values(document: Document) -> Spec | None:
    """What single values of the worst attributes reveal, where values are shown."""
    blocks = [block for block in document["values"] if block["lines"]]
    if not blocks or not document["shows_values"]:
        return None
    return chart(
        concat=[_value_level(block) for block in blocks],
        columns=2,
        spacing=36,
        resolve={"scale": {"shape": "shared", "color": "shared"}},
    )


def _value_level(block: Document) -> Spec:
    names = labels(str(line["label"]) for line in block["lines"])
    fields = ("discrimination_rate", "itpr", "share_of_top")
    points = [
        {"value": names[str(line["label"])], "rate": line[field], "measure": measure}
        for line in block["lines"]
        for field, measure in zip(fields, SHAPES, strict=True)
        if line[field] is not None
    ]
    title = f"{block['attribute']}, {target_title(block['target'])}"
    measure = {"field": "measure", "type": "nominal"}
    shapes, colours = ([look[part] for look in SHAPES.values()] for part in (0, 1))
    return {
        "title": labels([title], longest=40)[title],
        "data": {"values": points},
        "width": 250,
        "height": {"step": 18},
        "mark": {"type": "point", "size": 46, "opacity": 1, "strokeWidth": 1.5},
        "encoding": {
            "y": names_at("value", list(names.values()), grid=True, labelPadding=12),
            "x": {
                "field": "rate",
                "type": "quantitative",
                "scale": {"domain": [0, 1], "clamp": True},
                "axis": RATES,
            },
            "shape": {**measure, "scale": {"domain": list(SHAPES), "range": shapes}},
            "color": {**measure, "scale": {"domain": list(SHAPES), "range": colours}},
        },
    }
