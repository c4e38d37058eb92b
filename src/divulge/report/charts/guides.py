"""What stands around the marks of a chart: axes with their grids, legends and titles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from divulge.report.charts import parts
from divulge.report.charts.marks import Layer, symbol
from divulge.report.charts.parts import (
    Box,
    Element,
    NotDrawn,
    Scale,
    at,
    element,
    joined,
    shifted,
    text,
)
from divulge.report.charts.theme import Spec

_AXIS = {
    "title",
    "values",
    "format",
    "tickCount",
    "grid",
    "domain",
    "orient",
    "labelAngle",
    "minExtent",
    "labels",
}


class View(NamedTuple):
    """What is drawn, its box, and the legends that are still to be placed: where, what, its box."""

    elements: list[Element]
    box: Box
    legends: list[tuple[str, Element, Box]]


def titled(view: View, title: Any, config: Spec) -> View:
    """A view with its title above it."""
    if title is None:
        return view
    stated = {"text": title} if isinstance(title, str) else title
    style = {"offset": 4, "frame": "bounds", **config["title"], **stated}
    parts.only(style, {"text", "frame", "offset", *config["title"]}, "title")
    left = 0 if style["frame"] == "group" else view.box[0]
    size, weight = style["fontSize"], style["fontWeight"]
    top = view.box[1] - style["offset"] - size
    said = text(style["text"], left, top, style["color"], size, "left top", font_weight=weight)
    return View([*view.elements, said.element], joined([view.box, said.box]), view.legends)


def axes(axis: str, layers: Sequence[Layer], config: Spec) -> Iterator[tuple[Element, Element, Box]]:
    """The grid of an axis, its labels, and the box around those; nothing where no axis is wanted."""
    uses = [use for layer in layers if {"field", "datum"} & (use := layer.encoding.get(axis, {})).keys()]
    if all(use.get("axis", {}) is None for use in uses):
        return
    scale, flat = layers[0].scales[axis], axis == "x"
    names, across = scale.kind == "names", layers[0].scales["y" if flat else "x"].length
    own = {name: value for use in uses for name, value in (use.get("axis") or {}).items()}
    parts.only(own, _AXIS | config["axis"].keys(), "axis")
    style = {
        "grid": not names,
        "orient": "bottom" if flat else "left",
        "domain": True,
        **config["axis"],
        **own,
    }
    if (flat and names and style["labelAngle"] != 0) or style["labelLimit"] or style["orient"] == "right":
        raise NotDrawn("an axis of this kind")
    away, side = (1, "top") if style["orient"] == "bottom" else (-1, "bottom")

    def point(along: float, aside: float) -> tuple[float, float]:
        return (along, aside) if flat else (aside, along)

    said = _ticks(scale, style)
    look = style["labelColor"], style["labelFontSize"], f"center {side}" if flat else "right middle"
    shown = said if style.get("labels", True) else []
    labels = [text(words, *point(place, away * style["labelPadding"]), *look) for place, words in shown]
    while flat and not names and any(one.box[2] >= after.box[0] for one, after in pairwise(labels)):
        labels = labels[::2]
    drawn, nothing = [element("g", [label.element for label in labels])], (0.0, 0.0, 0.0, 0.0)
    edge = joined([nothing, *(label.box for label in labels)])[flat + (2 if away > 0 else 0)]
    extent = away * max(style.get("minExtent", 0), abs(edge))
    corner = point(scale.length, extent)
    boxes = [joined([nothing, (*corner, *corner)]), *(label.box for label in labels)]
    if style["domain"]:
        line = {"x2" if flat else "y2": scale.length, "stroke": style["domainColor"]}
        drawn.append(element("line", stroke_width=1, **line))
    if title := style.get("title", ", ".join(dict.fromkeys(use.get("field", "") for use in uses))):
        place = point(scale.length / 2, extent + away * style["titlePadding"])
        look = (
            style["titleColor"],
            style["titleFontSize"],
            f"center {side}" if flat else "center bottom upright",
        )
        made = text(title, *place, *look, font_weight=style["titleFontWeight"])
        drawn.append(made.element)
        boxes.append(made.box)
    spots = [point(math.floor(place + 0.5), 0) for place, _ in said] if style["grid"] else []
    line = {"y2" if flat else "x2": across, "stroke": style["gridColor"]}
    lines = [element("line", transform=at(*spot), stroke_width=1, **line) for spot in spots]
    foot = across if away > 0 else 0
    grid = element("g", lines, transform=at(0.5, 0.5))
    yield grid, element("g", drawn, transform=at(0.5, foot + 0.5)), shifted(joined(boxes), 0, foot)


def _ticks(scale: Scale, style: Spec) -> list[tuple[float, str]]:
    """Where the labels of an axis stand, and what they say."""
    if scale.kind == "names":
        return [(scale.place(name), str(name)) for name in style.get("values", scale.domain)]
    count: float = style.get("tickCount", math.ceil(scale.length / 40))
    low, high = scale.domain
    step = parts.step_between(low, high, count) if scale.kind == "linear" else 1
    form: str = style.get("format", f",.{max(0, -math.floor(math.log10(step) + 1e-9))}f")
    stated = "values" in style or scale.kind == "log"
    values: Sequence[float] = style["values"] if stated else parts.ticks(low, high, count)
    return [(scale.place(value), parts.written(value, form)) for value in values]


def legends(layers: Sequence[Layer], config: Spec) -> Iterator[tuple[str, Element, Box]]:
    """The legend of the first layer in which looks depend on a field."""
    for layer in layers:
        uses = [use for name in ("color", "shape") if "field" in (use := layer.encoding.get(name, {}))]
        if not uses or any(use.get("legend", {}) is None for use in uses):
            continue
        style, field = dict(config["legend"]), uses[0]["field"]
        for use in uses:
            style |= use.get("legend", {})
        parts.only(style, config["legend"].keys(), "legend")
        if style["title"] is not None or any(use["field"] != field for use in uses):
            raise NotDrawn("a legend with a title, or two of them")
        x, y, entries, boxes = 0, 0, [], []
        for name in uses[0]["scale"]["domain"]:
            kind = {"bar": "square", "rect": "square", "line": "stroke"}.get(layer.mark["type"])
            outline = symbol(kind or layer.look("shape", {field: name}) or "circle", style["symbolSize"])
            dress = {**layer.dress({field: name}), "opacity": None, "stroke_width": 1.5}
            label = text(str(name), x + 16, y + 6, style["labelColor"], style["labelFontSize"], "left middle")
            entries += [element("path", transform=at(x + 6, y + 6), d=outline, **dress), label.element]
            boxes.append((x, y, math.ceil(label.box[2]), y + 12))
            x, y = (boxes[-1][2] + 10, y) if style["direction"] == "horizontal" else (x, y + 14)
        yield style["orient"], element("g", entries), joined(boxes)
        return


def with_legends(view: View) -> View:
    """A view with its legends around it."""
    elements, box = list(view.elements), view.box
    for orient, made, size in view.legends:
        above, below = (0, math.floor(box[1]) - 18 - size[3]), (0, math.ceil(box[3]) + 18)
        place = {"top": above, "bottom": below, "right": (math.ceil(box[2]) + 18, 0)}[orient]
        made.set("transform", at(*place))
        elements.append(made)
        box = joined([box, shifted(size, *place)])
    return View(elements, box, [])
