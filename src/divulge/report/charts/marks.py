"""The marks of a chart, drawn from rows and scales: bars, ticks, rules, lines, points and text."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from divulge.report.charts.parts import Drawing, NotDrawn, Scale, at, element, only, text, written
from divulge.report.charts.theme import Spec

Row = Mapping[str, Any]
Span = tuple[float, float]
_CHANNELS = {"x", "y", "x2", "y2", "color", "shape", "text", "tooltip"}
_LOOKS = {
    *("type", "color", "fill", "stroke", "strokeWidth", "strokeDash", "opacity", "fillOpacity", "filled")
}
_TEST = re.compile(r"datum\.(\w+) (===|!==|>=|<=|>|<) (null|-?[\d.]+)")
_ORDERS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_OUTLINES = {
    "circle": "M{0:.2f},0A{0:.2f},{0:.2f},0,1,1,-{0:.2f},0A{0:.2f},{0:.2f},0,1,1,{0:.2f},0",
    "square": "M-{0:.2f},-{0:.2f}h{1:.2f}v{1:.2f}h-{1:.2f}Z",
    "diamond": "M-{0:.2f},0L0,-{0:.2f}L{0:.2f},0L0,{0:.2f}Z",
    "triangle-up": "M0,-{2:.2f}L-{0:.2f},{2:.2f}L{0:.2f},{2:.2f}Z",
    "stroke": "M-{0:.2f},0L{0:.2f},0",
}


class Layer(NamedTuple):
    """A mark, what it encodes, the rows it is drawn from, and the scales that they lie on."""

    mark: Spec
    encoding: Spec
    rows: Sequence[Row]
    scales: Mapping[str, Scale]

    def look(self, channel: str, row: Row) -> Any:
        """What a row looks like: by the value of a field, by a test, or as the mark says."""
        found = self.encoding.get(channel, {})
        if "field" in found:
            return dict(zip(found["scale"]["domain"], found["scale"]["range"], strict=True))[
                row[found["field"]]
            ]
        passed = (one["value"] for one in found.get("condition", ()) if holds(one["test"], row))
        return next(passed, found.get("value", self.mark.get(channel)))

    def dress(self, row: Row) -> dict[str, Any]:
        """The colours and strokes of a row's mark."""
        mark, kind, colour = self.mark, self.mark["type"], self.look("color", row)
        outlined = not mark.get("filled", kind not in ("point", "line", "rule"))
        stroke = mark.get("stroke", colour if outlined else None)
        return {
            "fill": mark.get("fill", None if outlined else colour),
            "stroke": stroke,
            "stroke_width": mark.get("strokeWidth", 1 if kind == "rule" else 2) if stroke else None,
            "stroke_dasharray": ",".join(map(str, mark.get("strokeDash", ()))) or None,
            "opacity": mark.get("opacity", 0.7 if kind in ("point", "circle", "square") else None),
            "fill_opacity": mark.get("fillOpacity"),
        }

    def place(self, channel: str, row: Row) -> float | None:
        """Where a row lies on an axis, None where it has no value."""
        found = self.encoding[channel]
        if "value" in found:
            return float(found["value"])
        value = found["datum"] if "datum" in found else row[found["field"]]
        return None if value is None else self.scales[channel[0]].place(value)

    def span(self, axis: str, row: Row) -> Span | None:
        """From where to where a mark reaches: between two fields, over a band, from 0, or just there."""
        mark, scale, ranged = self.mark, self.scales[axis], self.encoding.keys() & {"x2", "y2"}
        long = mark["type"] in ("bar", "rect")
        if axis not in self.encoding:
            whole = long or (mark["type"] == "rule" and not ranged)
            return (0, scale.length) if whole else (scale.length / 2, scale.length / 2)
        start = self.place(axis, row)
        end = self.place(f"{axis}2", row) if f"{axis}2" in ranged else start
        if start is None or end is None:
            return None
        if f"{axis}2" in ranged or not long:
            return start, end
        if scale.kind != "names":
            return start, scale.place(min(max(0, scale.domain[0]), scale.domain[1]))
        band = scale.step * (0.9 if mark["type"] == "bar" else 1)
        size: Any = mark.get({"x": "width", "y": "height"}[axis], mark.get("size", band))
        half = (band * size["band"] if isinstance(size, dict) else size) / 2
        return start - half, start + half


def holds(test: str, row: Row) -> bool:
    """Whether a row passes a test such as `datum.shade >= 4`, where null counts as 0."""
    parts = _TEST.fullmatch(test)
    if parts is None:
        raise NotDrawn(f"test {test}")
    value, other = row[parts[1]], None if parts[3] == "null" else float(parts[3])
    if parts[2] in _ORDERS:
        return bool(_ORDERS[parts[2]](value or 0, other or 0))
    return (value == other) == (parts[2] == "===")


def draw_marks(layer: Layer) -> Iterator[Drawing]:
    """All marks of a layer."""
    kind, encoding = layer.mark["type"], layer.encoding
    known, draw = _KINDS[kind]
    only(layer.mark, _LOOKS | known, kind)
    only(encoding, _CHANNELS, kind)
    named = [axis for axis in "xy" if axis not in encoding or layer.scales[axis].kind == "names"]
    spans = [(row, layer.span("x", row), layer.span("y", row)) for row in layer.rows]
    if kind in ("bar", "rule") and not encoding.keys() & {"x2", "y2"}:
        bands = [x if named == ["x"] else y for _, x, y in spans]
        if not named or ("field" in encoding.get("color", {}) and len(set(bands)) < len(bands)):
            raise NotDrawn(f"{kind} between two scales of numbers, or stacked")
    if kind == "line":
        yield from _lines(layer, spans)
        point = layer.mark.get("point", False)
        spans = spans if point else []
        dots = {"color": layer.mark.get("color"), **(point if isinstance(point, dict) else {})}
        layer = layer._replace(mark={"type": "circle", "opacity": 1, **dots})
    yield from (draw(layer, row, x, y) for row, x, y in spans if x and y)


def _lines(layer: Layer, spans: Sequence[tuple[Row, Span | None, Span | None]]) -> Iterator[Drawing]:
    """Lines from left to right, one for each colour, broken where a value is missing."""
    stepped = {"linear": False, "step-after": True}[layer.mark.get("interpolate", "linear")]
    for colour in dict.fromkeys(layer.look("color", row) for row in layer.rows):
        own = [(x[0], y and y[0], row) for row, x, y in spans if x and layer.look("color", row) == colour]
        path, before = "", None
        for x, y, _ in sorted(own, key=lambda point: point[0]):
            if y is not None:
                corner = f"L{x:.2f},{before:.2f}" if stepped and before is not None else ""
                path += f"{corner}{'M' if before is None else 'L'}{x:.2f},{y:.2f}"
            before = y
        if path:
            xs, ys, dress = (
                [x for x, _, _ in own],
                [y for _, y, _ in own if y is not None],
                layer.dress(own[0][2]),
            )
            wide = dress["stroke_width"]
            box = (min(xs) - wide, min(ys) - wide, max(xs) + wide, max(ys) + wide)
            yield Drawing(element("path", d=path, **dress), box)


def symbol(shape: str, size: float) -> str:
    """The outline of a symbol around its middle."""
    return _OUTLINES[shape].format(math.sqrt(size) / 2, math.sqrt(size), math.sqrt(3 * size) / 4)


def _symbol(layer: Layer, row: Row, x: Span, y: Span) -> Drawing:
    size, dress = layer.mark.get("size", 30), layer.dress(row)
    shape = layer.look("shape", row) or ("square" if layer.mark["type"] == "square" else "circle")
    made = element("path", transform=at(x[0], y[0]), d=symbol(shape, size), **dress)
    reach = math.sqrt(size) / 2 + (dress["stroke_width"] or 0)
    return Drawing(made, (x[0] - reach, y[0] - reach, x[0] + reach, y[0] + reach))


def _rectangle(layer: Layer, row: Row, x: Span, y: Span) -> Drawing:
    (left, right), (top, bottom) = sorted(x), sorted(y)
    path = f"M{left:.2f},{top:.2f}h{right - left:.2f}v{bottom - top:.2f}h{left - right:.2f}Z"
    return Drawing(element("path", d=path, **layer.dress(row)), (left, top, right, bottom))


def _tick(layer: Layer, row: Row, x: Span, y: Span) -> Drawing:
    long, thick = layer.mark["size"] / 2, layer.mark["thickness"] / 2
    wide, high = (long, thick) if layer.mark.get("orient") == "horizontal" else (thick, long)
    return _rectangle(layer, row, (x[0] - wide, x[0] + wide), (y[0] - high, y[0] + high))


def _rule(layer: Layer, row: Row, x: Span, y: Span) -> Drawing:
    made = element("line", transform=at(x[0], y[0]), x2=x[1] - x[0], y2=y[1] - y[0], **layer.dress(row))
    return Drawing(made, (min(x), min(y), max(x), max(y)))


def _text(layer: Layer, row: Row, x: Span, y: Span) -> Drawing:
    mark, said, dress = layer.mark, layer.encoding.get("text", {}), layer.dress(row)
    words = row[said["field"]] if "field" in said else said.get("value", mark.get("text"))
    words = words if isinstance(words, str) else written(words, said["format"])
    left, top = x[0] + mark.get("dx", 0), y[0] + mark.get("dy", 0)
    where = f"{mark.get('align', 'center')} {mark.get('baseline', 'middle')}"
    more = {"font_weight": mark.get("fontWeight"), "opacity": dress["opacity"]}
    return text(words, left, top, dress["fill"], mark["fontSize"], where, **more)


_KINDS: Mapping[str, tuple[set[str], Callable[[Layer, Row, Span, Span], Drawing]]] = {
    "bar": ({"size", "orient"}, _rectangle),
    "rect": ({"width", "height"}, _rectangle),
    "tick": ({"size", "thickness", "orient"}, _tick),
    "rule": (set(), _rule),
    "line": ({"point", "interpolate"}, _symbol),
    "text": ({"text", "align", "baseline", "dx", "dy", "fontSize", "fontWeight"}, _text),
    **dict.fromkeys(("point", "circle", "square"), ({"shape", "size"}, _symbol)),
}
