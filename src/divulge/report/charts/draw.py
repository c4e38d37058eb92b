"""A chart as SVG that takes its colours from the page it stands on, light or dark."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from divulge._support.wording import visible
from divulge.report.charts.parts import SVG
from divulge.report.charts.theme import ANYWHERE, PALETTE, Spec
from divulge.report.charts.views import rendered

_NAMES = {colour: name for name, colour in PALETTE.items()}
_LONG = re.compile(r"-?\d+\.\d{3,}")
_INHERITED = ("fill", "fill-opacity", "stroke", "stroke-width", "text-anchor", "font-size", "font-weight")
_KEPT = {
    *("d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "viewBox", "transform", "opacity"),
    *("stroke-opacity", "stroke-miterlimit", "stroke-dasharray", *_INHERITED),
}


def draw(spec: Spec, label: str) -> str:
    """The chart as SVG text: colours as variables, presentation attributes only, no ids, a spoken name."""
    try:
        root = rendered(spec)
    except (LookupError, TypeError, ValueError, ArithmeticError):  # it has something that is not usual here
        root = _by_vega(spec)
    _tidy(root)
    root.attrib |= {"role": "img", "aria-label": label, "font-family": "sans-serif"}
    ElementTree.register_namespace("", SVG)
    return visible(ElementTree.tostring(root, encoding="unicode"))


def _by_vega(spec: Spec) -> ElementTree.Element:
    """The chart as Vega itself draws it; the first in a process waits most of a second for it to start."""
    import vl_convert

    # vl-convert brings this font along, so that every machine measures text alike; the page sets its own.
    config = {**spec["config"], "font": "Liberation Sans"}
    return ElementTree.fromstring(
        vl_convert.vegalite_to_svg({**spec, "config": config}, allowed_base_urls=[])
    )


def _tidy(element: ElementTree.Element) -> None:
    """Leave what shows: no classes but that of marks, no frames, no empty groups, nothing said twice."""
    for child in list(element):
        if child.get("class") not in ("background", "foreground"):
            _tidy(child)
            if len(child) or child.tag != f"{{{SVG}}}g":
                continue
        element.remove(child)
    mark = {"class": "mark"} if "role-mark" in element.get("class", "") else {}
    element.attrib = mark | {
        name: _themed(value)
        for name, value in element.attrib.items()
        if name in _KEPT and (name, value) != ("opacity", "1")
    }
    _hoist(element)


def _hoist(group: ElementTree.Element) -> None:
    """What all children of a group have in common is said once, by the group."""
    for name in _INHERITED:
        found = {child.get(name) for child in group}
        if len(found) == 1 and None not in found:
            group.set(name, str(found.pop()))
            for child in group:
                del child.attrib[name]


def _themed(value: str) -> str:
    if value in _NAMES:
        name = _NAMES[value]
        return f"var(--dv-{name}, {ANYWHERE.get(name, value)})"
    return _LONG.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
