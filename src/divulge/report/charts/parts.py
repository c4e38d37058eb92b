"""What a drawn chart is put together from: elements in their boxes, text of a known width, and scales."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
Element = ElementTree.Element
Box = tuple[float, float, float, float]  # left, top, right, bottom

# How wide signs are in usual sans-serif fonts, in thousandths of their size; others are 556.
_NARROW = {"'ijl": 222, " !,./:;I[\\]ft|": 278, "()-`r{}": 333, '"*': 370, "Jcksvxyz^": 500}
_WIDE = {"+<=>~": 584, "FTZ": 611, "&ABEKPSVXY": 667, "CDHNRUw": 722, "GOQ": 778, "Mm": 833, "%": 889}
_WIDTHS = {sign: width for signs, width in {**_NARROW, **_WIDE, "W@…": 980}.items() for sign in signs}
_SHIFTS = {"top": 0.79, "middle": 0.3, "bottom": -0.21}
_ANCHORS = {"left": ("start", 0.0), "center": ("middle", 0.5), "right": ("end", 1.0)}


class NotDrawn(ValueError):
    """A specification says something that only the full renderer of Vega-Lite draws."""


def only(part: Mapping[str, Any], known: Set[str], where: str) -> None:
    """Refuse a part of a specification that says more than is known how to draw."""
    if unknown := part.keys() - known:
        raise NotDrawn(f"{where}: {', '.join(sorted(unknown))}")


class Scale(NamedTuple):
    """Names beside each other, or numbers from that at the left or the top to that at the other end."""

    domain: Sequence[Any]
    length: float
    names: bool

    def place(self, value: Any) -> float:
        """How many pixels from the left or from the top a value lies."""
        if self.names:
            return (self.domain.index(value) + 0.5) * self.length / len(self.domain)
        first, last = self.domain
        return float(self.length * (value - first) / (last - first))


class Drawing(NamedTuple):
    """An element and the box that it fills; what stays inside of the axes needs none."""

    element: Element
    box: Box = (0.0, 0.0, 0.0, 0.0)


def at(x: float, y: float) -> str:
    return f"translate({x:.10g},{y:.10g})"


def element(name: str, children: Iterable[Element] = (), **attributes: Any) -> Element:
    """An SVG element; an underscore in the name of an attribute is a dash, and None leaves it out."""
    said = {key.replace("_", "-"): str(value) for key, value in attributes.items() if value is not None}
    made = Element(f"{{{SVG}}}{name}", said)
    made.extend(children)
    return made


def grouped(drawings: Iterable[Drawing], **attributes: Any) -> Drawing:
    """Drawings as one, in the box around theirs."""
    elements, boxes = zip(*drawings, strict=True)
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    box = min(lefts), min(tops), max(rights), max(bottoms)
    return Drawing(element("g", elements, **attributes), box)


def moved(drawing: Drawing, x: float, y: float) -> Drawing:
    """A drawing at another place."""
    left, top, right, bottom = drawing.box
    box = left + x, top + y, right + x, bottom + y
    return Drawing(element("g", [drawing.element], transform=at(x, y)), box)


def text(words: Any, x: float, y: float, colour: str, size: float, where: str, **more: Any) -> Drawing:
    """A line of text at a point, such as `left top` or `center bottom upright`, which reads from below."""
    if not isinstance(words, str):
        raise NotDrawn("words that are more than a string")
    align, baseline, *upright = where.split()
    shift, (anchor, before) = math.floor(_SHIFTS[baseline] * size + 0.5), _ANCHORS[align]
    width = sum(_WIDTHS.get(sign, 556 if sign < "\u2000" else 1000) for sign in words) * size / 1000
    left, top = -before * width, shift - math.floor(0.8 * size + 0.5)
    right, bottom = left + width, top + size
    place = f"{at(x, y)} rotate(-90) {at(0, shift)}" if upright else at(x, y + shift)
    made = element("text", transform=place, text_anchor=anchor, fill=colour, font_size=f"{size:g}px", **more)
    made.text = words
    box = (top, -right, bottom, -left) if upright else (left, top, right, bottom)
    return Drawing(made, (x + box[0], y + box[1], x + box[2], y + box[3]))
