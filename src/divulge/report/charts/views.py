"""A Vega-Lite chart laid out and drawn as SVG: layers over their axes, views beside each other.

Every axis says its domain, its values and its title. What else there is to Vega-Lite is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from xml.etree.ElementTree import Element

from divulge.report.charts.marks import Layer, draw_marks
from divulge.report.charts.parts import Drawing, NotDrawn, Scale, at, element, grouped, moved, only, text
from divulge.report.charts.theme import Spec

_WHOLE = {"$schema", "background", "padding", "config"}
_VIEW = {"title", "width", "height", "data", "encoding", "layer"}
_AXIS = {"title", "values", "format", "grid", "domain", "orient", "labelAngle", "minExtent"}
_SIDES = {"x bottom": (1, "top"), "x top": (-1, "bottom"), "y left": (-1, "bottom upright")}
_FORMATS: Mapping[str, Callable[[float], str]] = {  # as Vega calls them; it rounds halves up
    ".6~g": "{:g}".format,
    ".0%": lambda value: f"{math.floor(100 * value + 0.5)}%",
    **{form: f"{{:{form}}}".format for form in (".1%", ".2%")},
}
_PLACED = {"field", "value"}
_COLOURED = {"field", "type", "scale", "legend"}


def rendered(spec: Spec) -> Element:
    """The chart as an SVG element; what it says that is not known here is refused."""
    inside, pads = {name: spec[name] for name in spec.keys() - _WHOLE}, spec["padding"]
    drawn, box = (_concat if "concat" in inside else _view)(inside, spec["config"])
    left, top = math.ceil(-box[0]) + pads["left"], math.ceil(-box[1]) + pads["top"]
    width, height = left + math.ceil(box[2]) + pads["right"], top + math.ceil(box[3]) + pads["bottom"]
    inner = element("g", [drawn], transform=at(left, top), fill="none", stroke_miterlimit=10)
    return element("svg", [inner], width=width, height=height, viewBox=f"0 0 {width} {height}")


def _concat(spec: Spec, config: Spec) -> Drawing:
    """Views in a grid, whose columns and rows are as large as the largest view in them."""
    only(spec, {"concat", "columns", "spacing"}, "concat")
    views, columns, gaps = [_view(part, config) for part in spec["concat"]], spec["columns"], spec["spacing"]
    across = [views[start::columns] for start in range(min(columns, len(views)))]
    down = [views[start : start + columns] for start in range(0, len(views), columns)]
    lefts, tops = [0.0], [0.0]
    for way, (starts, lines, gap) in enumerate(((lefts, across, gaps["column"]), (tops, down, gaps["row"]))):
        for before, after in pairwise(lines):
            reach, room = max(one.box[way + 2] for one in before), max(-one.box[way] for one in after)
            starts.append(starts[-1] + math.ceil(reach) + gap + max(0, math.ceil(room)))
    return grouped(moved(view, lefts[n % columns], tops[n // columns]) for n, view in enumerate(views))


def _view(spec: Spec, config: Spec) -> Drawing:
    """The marks of a view over its grid, with axes and a title."""
    only(spec, _VIEW, "view")
    sizes, stated = {"x": spec["width"], "y": spec["height"]}, spec["encoding"]
    scales = {name: _scale(name, stated[name], size) for name, size in sizes.items()}
    axes = [_axis(name, stated[name]["axis"], scales, config["axis"]) for name in scales]
    marks = [draw_marks(layer) for layer in _layers(spec, scales, config)]
    view = grouped([*axes, *(grouped(some, **{"class": "role-mark"}) for some in marks if some)])
    if "title" not in spec:
        return view
    size, (left, top, *_) = config["title"]["fontSize"], view.box
    look = config["title"]["color"], size, "left top"
    title = text(spec["title"], left, top - 4 - size, *look, font_weight=config["title"]["fontWeight"])
    return grouped([view, title])


def _scale(name: str, stated: Spec, size: int | Spec) -> Scale:
    """The scale of an axis: its names from the left or the top, or its numbers from the left or the foot."""
    names = {"nominal": True, "quantitative": False}[stated["type"]]
    only(stated, {"field", "type", "axis", "sort" if names else "scale"}, name)
    only(stated.get("scale", {}), {"domain"}, "scale")
    domain = stated["sort"] if names else stated["scale"]["domain"][:: -1 if name == "y" else 1]
    return Scale(domain, size["step"] * len(domain) if isinstance(size, dict) else float(size), names)


def _layers(spec: Spec, scales: Mapping[str, Scale], config: Spec) -> Iterator[Layer]:
    """Every layer with the rows and places that it inherits from its view."""
    for layer in spec["layer"]:
        only(layer, {"data", "mark", "encoding"}, "layer")
        encoding = dict(spec["encoding"])
        for channel, own in layer.get("encoding", {}).items():
            only(own, _PLACED if channel in scales else _COLOURED, channel)
            encoding[channel] = {**encoding.get(channel, {}), **own} if "field" in own else own
        mark = {**config.get(layer["mark"]["type"], {}), **layer["mark"]}
        yield Layer(mark, encoding, layer.get("data", spec.get("data"))["values"], scales)


def _axis(name: str, stated: Spec, scales: Mapping[str, Scale], config: Spec) -> Drawing:
    """An axis: its grid over the whole view, and its labels, line and title beside it."""
    only(stated, _AXIS, "axis")
    flat, scale, (width, height) = name == "x", scales[name], (scales["x"].length, scales["y"].length)
    usual = {"grid": not scale.names, "domain": True, "orient": "bottom" if flat else "left", "minExtent": 0}
    style = {**usual, **config, **stated}
    away, side = _SIDES[f"{name} {style['orient']}"]
    if flat and scale.names and style["labelAngle"] != 0:
        raise NotDrawn("names on edge")

    def point(along: float, aside: float) -> tuple[float, float]:
        return (along, aside) if flat else (aside, along)

    values = stated.get("values", scale.domain) if scale.names else stated["values"]
    written = str if scale.names else _FORMATS[style["format"]]
    places = {value: scale.place(value) for value in values}
    look = style["labelColor"], style["labelFontSize"], f"center {side}" if flat else "right middle"
    aside = away * style["labelPadding"]
    labels = [text(written(value), *point(place, aside), *look) for value, place in places.items()]
    reach = away * max(style["minExtent"], *(abs(label.box[flat + 1 + away]) for label in labels))
    line: Spec = {f"{name}2": scale.length, "stroke": style["domainColor"], "stroke_width": 1}
    right, bottom = point(scale.length, reach)
    box = min(0, right), min(0, bottom), max(0, right), max(0, bottom)
    drawn = [*labels, Drawing(element("line", **line) if style["domain"] else element("g"), box)]
    if style["title"] is not None:
        place = point(scale.length / 2, reach + away * style["titlePadding"])
        look = style["titleColor"], style["titleFontSize"], f"center {side}"
        drawn.append(text(style["title"], *place, *look, font_weight=style["titleFontWeight"]))
    sharp = at(0.5, 0.5)  # lines of one pixel lie on pixels
    beside = moved(grouped(drawn, transform=sharp), 0, height if style["orient"] == "bottom" else 0)
    across = {"stroke": style["gridColor"], "stroke_width": 1} | ({"y2": height} if flat else {"x2": width})
    spots = [point(math.floor(place + 0.5), 0) for place in places.values()] if style["grid"] else []
    grid = element("g", [element("line", transform=at(*spot), **across) for spot in spots], transform=sharp)
    return grouped([Drawing(grid, (0, 0, width, height)), beside])
