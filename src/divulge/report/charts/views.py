"""A Vega-Lite chart laid out and drawn as SVG: layers on the scales they share, views beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from divulge.report.charts.guides import View, axes, legends, titled, with_legends
from divulge.report.charts.marks import Layer, Row, draw_marks, holds
from divulge.report.charts.parts import (
    Box,
    Element,
    NotDrawn,
    Scale,
    at,
    element,
    joined,
    only,
    rounded_out,
    shifted,
    text,
)
from divulge.report.charts.theme import Spec

_WHOLE = {"$schema", "background", "padding", "config"}
_LAYER = {"layer", "mark", "data", "encoding", "transform"}
_USED = {"field", "type", "scale", "axis", "sort", "datum", "value"}


def rendered(spec: Spec) -> Element:
    """The chart as an SVG element; what it says that is not known here is refused."""
    padding: Any = spec.get("padding", 0)
    inside = {name: spec[name] for name in spec.keys() - _WHOLE}
    elements, box, _ = with_legends(_drawn(inside, spec["config"], shared=True))
    pads = (
        padding if isinstance(padding, dict) else dict.fromkeys(("left", "top", "right", "bottom"), padding)
    )
    left, top = math.ceil(-box[0]) + pads["left"], math.ceil(-box[1]) + pads["top"]
    width, height = left + math.ceil(box[2]) + pads["right"], top + math.ceil(box[3]) + pads["bottom"]
    inner = element("g", elements, transform=at(left, top), fill="none", stroke_miterlimit=10)
    return element("svg", [inner], width=width, height=height, viewBox=f"0 0 {width} {height}")


def _drawn(spec: Spec, config: Spec, *, shared: bool) -> View:
    """A view, or several in rows and columns; legends that are shared wait for the whole."""
    if "facet" in spec:
        return _facet(spec, config)
    way = next((name for name in ("concat", "hconcat", "vconcat") if name in spec), None)
    if way is None:
        view = _plotted(_layers({name: spec[name] for name in spec.keys() - {"title"}}, config), config)
        return titled(view if shared else with_legends(view), spec.get("title"), config)
    only(spec, {way, "columns", "spacing", "resolve"}, "concat")
    shared = spec.get("resolve", {}).get("scale", {}).get("color") == "shared"
    views = [_drawn(part, config, shared=shared) for part in spec[way]]
    columns = 1 if way == "vconcat" else spec.get("columns", len(views))
    return _beside(views, [view.box for view in views], columns, spec.get("spacing", 20))


def _beside(views: Sequence[View], boxes: Sequence[Box], columns: int, spacing: Any) -> View:
    """Views in a grid, whose columns and rows are as large as the largest box in them."""
    gaps = spacing if isinstance(spacing, dict) else {"column": spacing, "row": spacing}
    across = [boxes[start::columns] for start in range(min(columns, len(boxes)))]
    down = [boxes[start : start + columns] for start in range(0, len(boxes), columns)]
    offsets: tuple[list[float], list[float]] = [0.0], [0.0]
    for way, (lines, gap) in enumerate(((across, gaps["column"]), (down, gaps["row"]))):
        for before, after in pairwise(lines):
            reach, room = max(box[way + 2] for box in before), max(-box[way] for box in after)
            offsets[way].append(offsets[way][-1] + math.ceil(reach) + gap + max(0, math.ceil(room)))
    places = [(offsets[0][place % columns], offsets[1][place // columns]) for place in range(len(views))]
    elements = [
        element("g", view.elements, transform=at(*place)) for view, place in zip(views, places, strict=True)
    ]
    box = joined(shifted(view.box, *place) for view, place in zip(views, places, strict=True))
    return View(elements, box, views[0].legends)


def _facet(spec: Spec, config: Spec) -> View:
    """A view for each value of a field, side by side; only the first has names on its upright axis."""
    only(spec, {"facet", "spec", "data", "spacing"}, "facet")
    only(spec["facet"], {"column"}, "facet")
    column, head = spec["facet"]["column"], config["header"]
    if column["title"] is not None:
        raise NotDrawn("the title of a facet")
    layers = _layers({"data": spec["data"], **spec["spec"]}, config)
    views: list[View] = []
    field, width, size = column["field"], layers[0].scales["x"].length, head["labelFontSize"]
    for name in _ordered([row[field] for row in spec["data"]["values"]], column.get("sort", "ascending")):
        own = [layer._replace(rows=[row for row in layer.rows if row[field] == name]) for layer in layers]
        elements, box, found = _plotted(own, config, upright=not views)
        bold = {"font_weight": head["labelFontWeight"]}
        label = text(name, width / 2, -10 - size, head["labelColor"], size, "center top", **bold)
        views.append(View([*elements, label.element], joined([box, label.box]), found))
    return _beside(views, [(0, 0, width + 1, 0)] * len(views), len(views), spec.get("spacing", 20))


def _layers(spec: Spec, config: Spec) -> list[Layer]:
    """The layers of a view on the scales that they share."""
    inside = {name: spec[name] for name in spec.keys() - {"width", "height"}}
    layers = list(_flat(inside, config, {}, []))
    sizes = {"x": spec.get("width"), "y": spec.get("height")}
    scales = {axis: _scale(axis, size, layers) for axis, size in sizes.items()}
    return [layer._replace(scales=scales) for layer in layers]


def _flat(spec: Spec, config: Spec, outer: Spec, rows: Sequence[Row]) -> Iterator[Layer]:
    """Every layer with what it inherits."""
    only(spec, _LAYER, "view")
    encoding, rows = dict(outer), spec["data"]["values"] if "data" in spec else rows
    for channel, part in spec.get("encoding", {}).items():
        inherited = outer.get(channel, {}) if "field" in part or "datum" in part else {}
        encoding[channel] = {**inherited, **part}
    for step in spec.get("transform", ()):
        rows = [row for row in rows if holds(step["filter"], row)]
    for layer in spec.get("layer", ()):
        yield from _flat(layer, config, encoding, rows)
    if "mark" in spec:
        yield Layer({**config.get(spec["mark"]["type"], {}), **spec["mark"]}, encoding, rows, {})


def _scale(axis: str, size: Any, layers: Sequence[Layer]) -> Scale:
    """The scale of an axis over all layers."""
    channels = (axis, f"{axis}2")
    uses = [(layer, layer.encoding[name]) for layer in layers for name in channels if name in layer.encoding]
    stated = {name: value for _, use in uses for name, value in (use.get("scale") or {}).items()}
    only({name: None for _, use in uses for name in use}, _USED, axis)
    only(stated, {"type", "domain", "nice", "zero", "clamp"}, "scale")
    values = [row[use["field"]] for layer, use in uses if "field" in use for row in layer.rows]
    values += [use["datum"] for _, use in uses if "datum" in use]
    kind, domain = stated.get("type", "linear"), stated.get("domain")
    if any(use.get("type") in ("nominal", "ordinal") for _, use in uses):
        order = next((use["sort"] for _, use in uses if "sort" in use), "ascending")
        kind, domain = "names", domain or _ordered(values, order)
    elif domain is None:
        lines = axis == "x" and all(layer.mark["type"] == "line" for layer in layers)
        from_zero = stated.get("zero", not lines) and kind == "linear"
        numbers = [value for value in values if value is not None] + [0] * from_zero
        domain = min(numbers), max(numbers)
    if kind != "names" and stated.get("nice", "domain" not in stated):
        domain = rounded_out(*domain)
    if kind not in ("names", "linear", "log") or None in domain:
        raise NotDrawn(f"{kind} scale")
    length = size["step"] * len(domain) if isinstance(size, dict) else float(size)
    return Scale(kind, domain, length, axis == "y", stated.get("clamp", False))


def _ordered(values: Sequence[Any], order: Any) -> list[Any]:
    """The different values in the order that is asked for; None is that of the rows."""
    different = list(dict.fromkeys(values))
    if order is None or order == "ascending":
        return different if order is None else sorted(different)
    places = {name: place for place, name in enumerate(order)}
    return sorted(different, key=lambda name: places[name])


def _plotted(layers: Sequence[Layer], config: Spec, *, upright: bool = True) -> View:
    """The marks of a view over its grid, with its axes."""
    scales, grids, elements = layers[0].scales, [], []
    boxes: list[Box] = [(0, 0, scales["x"].length, scales["y"].length)]
    for axis in "xy":
        for grid, labels, box in axes(axis, layers, config):
            grids.append(grid)
            if upright or axis == "x":
                elements.append(labels)
                boxes.append(box)
    for layer in layers:
        marks = list(draw_marks(layer))
        elements.append(element("g", [mark.element for mark in marks], **{"class": "role-mark"}))
        boxes += [mark.box for mark in marks]
    return View(grids + elements, joined(boxes), list(legends(layers, config)))
