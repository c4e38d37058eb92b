"""The marks of a chart, drawn from rows and scales: bars, ticks, points, lines, rules and text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from divulge.report.charts.parts import Drawing, NotDrawn, Scale, element, only, text
from divulge.report.charts.theme import Spec

Row = Mapping[str, Any]
Span = tuple[float, float]
_PLACES = {"size", "width", "height", "thickness", "shape", "align", "dx", "dy", "fontSize"}
_LOOKS = {"type", "color", "fill", "stroke", "strokeWidth", "strokeDash", "filled", "fillOpacity", "opacity"}
_SIZES = {"bar": ("size", "size"), "rect": ("width", "height"), "tick": ("thickness", "size")}  # in x and y
_FLAT = ("point", "line", "rule", "text")
_OUTLINES = {  # of points, from their left end on, by half their width and by all of it
    "circle": "a{0:.2f},{0:.2f},0,1,1,{1:.2f},0a{0:.2f},{0:.2f},0,1,1,-{1:.2f},0",
    "diamond": "l{0:.2f},-{0:.2f}l{0:.2f},{0:.2f}l-{0:.2f},{0:.2f}Z",
    "stroke": "h{1:.2f}",
}


class Layer(NamedTuple):
    """A mark, what it encodes, the rows it is drawn from, and the scales that they lie on."""

    mark: Spec
    encoding: Spec
    rows: Sequence[Row]
    scales: Mapping[str, Scale]

    def dress(self, row: Row) -> dict[str, Any]:
        """The colours and strokes of a row's mark."""
        mark, colour = self.mark, self.mark.get("color")
        if by_field := self.encoding.get("color"):
            if by_field["legend"] is not None:
                raise NotDrawn("a legend")
            domain, colours = by_field["scale"]["domain"], by_field["scale"]["range"]
            colour = colours[domain.index(row[by_field["field"]])]
        outlined = mark["type"] in ("point", "line", "rule") and not mark.get("filled")
        stroke = mark.get("stroke", colour if outlined else None)
        return {
            "fill": mark.get("fill", None if outlined else colour),
            "fill_opacity": mark.get("fillOpacity"),
            "opacity": mark.get("opacity"),
            "stroke": stroke,
            "stroke_width": mark["strokeWidth"] if stroke else None,
            "stroke_dasharray": ",".join(map(str, mark.get("strokeDash", ()))) or None,
        }

    def span(self, axis: str, row: Row) -> Span | None:
        """From where to where a mark reaches: from 0 or x2, or around its place; None without a value."""
        kind, stated, scale = self.mark["type"], self.encoding[axis], self.scales[axis]
        value = stated["value"] if "value" in stated else row[stated["field"]]
        if value is None:
            return None
        place = float(value) if "value" in stated else scale.place(value)
        if kind in ("bar", "rule") and not scale.names:
            return scale.place(0 if kind == "bar" else row[self.encoding["x2"]["field"]]), place
        half = 0 if kind in _FLAT else self.mark[_SIZES[kind]["xy".index(axis)]] / 2
        return place - half, place + half


def draw_marks(layer: Layer) -> list[Drawing]:
    """The marks of a layer, one for each row that has a value, or one line through all of them."""
    kind = layer.mark["type"]
    only(layer.mark, _LOOKS | _PLACES, kind)
    only(layer.encoding, {"x", "y", "color", "text", *(["x2"] if kind == "rule" else [])}, kind)
    spans = [(row, layer.span("x", row), layer.span("y", row)) for row in layer.rows]
    found = [(row, x, y) for row, x, y in spans if x and y]
    bands = {x if layer.scales["x"].names else y for _, x, y in found}
    stacked = "color" in layer.encoding and len(bands) < len(found)
    if kind == "bar" and (stacked or layer.scales["x"].names == layer.scales["y"].names):
        raise NotDrawn("bars that are stacked, or lie between numbers")
    if kind == "text":
        return [_text(layer, row, x[0], y[0]) for row, x, y in found]
    if kind == "line":
        points = sorted(((x[0], y and y[0]) for _, x, y in spans if x), key=lambda point: point[0])
        path = "".join(
            f"{'M' if before is None else 'L'}{x:.2f},{y:.2f}"  # it begins anew after a gap
            for (_, before), (x, y) in pairwise([(0, None), *points])
            if y is not None
        )
        return [Drawing(element("path", d=path, **layer.dress(row))) for row, _, _ in found[:1]]
    return [Drawing(element("path", d=_outline(layer.mark, x, y), **layer.dress(row))) for row, x, y in found]


def _outline(mark: Spec, x: Span, y: Span) -> str:
    """The path around a symbol or a rectangle; a rule is one without a height."""
    if mark["type"] == "point":
        wide = math.sqrt(mark["size"])
        around = _OUTLINES[mark.get("shape", "circle")].format(wide / 2, wide)
        return f"M{x[0] - wide / 2:.2f},{y[0]:.2f}{around}"
    (left, right), (top, bottom) = sorted(x), sorted(y)
    return f"M{left:.2f},{top:.2f}h{right - left:.2f}v{bottom - top:.2f}h{left - right:.2f}Z"


def _text(layer: Layer, row: Row, x: float, y: float) -> Drawing:
    mark, words, colour = layer.mark, row[layer.encoding["text"]["field"]], layer.dress(row)["fill"]
    place, where = (x + mark.get("dx", 0), y + mark.get("dy", 0)), f"{mark.get('align', 'center')} middle"
    return text(words, *place, colour, mark["fontSize"], where, opacity=mark.get("opacity"))
