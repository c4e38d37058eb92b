"""What a drawn chart is put together from: elements, text of a known width, scales and numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
Element = ElementTree.Element
Box = tuple[float, float, float, float]  # left, top, right, bottom
# How wide signs are in usual sans-serif fonts, in thousandths of their size; others are 556.
_NARROW = {"'ijl": 222, " !,./:;I[\\]ft|": 278, "()-`r{}": 333, '"*': 370, "Jcksvxyz^": 500}
_WIDE = {
    "+<=>~": 584,
    "FTZ": 611,
    "&ABEKPSVXY": 667,
    "CDHNRUw": 722,
    "GOQ": 778,
    "Mm": 833,
    "%": 889,
    "W@…": 980,
}
_WIDTHS = {sign: width for signs, width in {**_NARROW, **_WIDE}.items() for sign in signs}
_SHIFTS = {"top": 0.79, "middle": 0.3, "bottom": -0.21}
_ANCHORS = {"left": ("start", 0.0), "center": ("middle", 0.5), "right": ("end", 1.0)}
_FORMAT = re.compile(r"(,?)(?:\.(\d+))?(~?)([fgd%]?)")


class NotDrawn(ValueError):
    """A specification says something that only the full renderer of Vega-Lite draws."""


class Drawing(NamedTuple):
    """An element and the box that it fills."""

    element: Element
    box: Box


class Scale(NamedTuple):
    """A linear or logarithmic scale between two numbers, or names beside each other."""

    kind: str
    domain: Sequence[Any]
    length: float
    rising: bool  # from the foot of the chart up
    clamp: bool

    @property
    def step(self) -> float:
        return self.length / len(self.domain)

    def place(self, value: Any) -> float:
        """How many pixels from the left or from the top a value lies."""
        if self.kind == "names":
            return (self.domain.index(value) + 0.5) * self.step
        low, high = self.domain
        value = min(max(value, low), high) if self.clamp else value
        low, high, value = (math.log(x) if self.kind == "log" else x for x in (low, high, value))
        share = (value - low) / (high - low) if high != low else 0.5
        return self.length * (1 - share if self.rising else share)


def only(part: Mapping[str, Any], known: Set[str], where: str) -> None:
    """Refuse a part of a specification that says more than is known how to draw."""
    if unknown := part.keys() - known:
        raise NotDrawn(f"{where}: {', '.join(sorted(unknown))}")


def joined(boxes: Iterable[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def shifted(box: Box, x: float, y: float) -> Box:
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y


def at(x: float, y: float) -> str:
    return f"translate({x:.10g},{y:.10g})"


def element(name: str, children: Iterable[Element] = (), **attributes: Any) -> Element:
    """An SVG element; an underscore in the name of an attribute is a dash, and None leaves it out."""
    said = {key.replace("_", "-"): str(value) for key, value in attributes.items() if value is not None}
    made = Element(f"{{{SVG}}}{name}", said)
    made.extend(children)
    return made


def text(words: str, x: float, y: float, colour: str, size: float, where: str, **more: Any) -> Drawing:
    """A line of text at a point, such as `left top` or `center bottom upright`, which reads from below."""
    align, baseline, *upright = where.split()
    shift, (anchor, before) = math.floor(_SHIFTS[baseline] * size + 0.5), _ANCHORS[align]
    width = sum(_WIDTHS.get(sign, 556 if sign < "\u2000" else 1000) for sign in words) * size / 1000
    left, top = -before * width, shift - math.floor(0.8 * size + 0.5)
    place = f"{at(x, y)} rotate(-90) {at(0, shift)}" if upright else at(x, y + shift)
    made = element("text", transform=place, text_anchor=anchor, fill=colour, font_size=f"{size:g}px", **more)
    made.text = words
    box = (top, -left - width, top + size, -left) if upright else (left, top, left + width, top + size)
    return Drawing(made, shifted(box, x, y))


def step_between(low: float, high: float, count: float) -> float:
    """The step of about so many ticks: 1, 2 or 5 times a power of ten.

    >>> step_between(0, 1800, 4), step_between(0, 4, 11)
    (500.0, 0.5)
    """
    raw = (high - low or 1) / max(1, count)
    power = 10.0 ** math.floor(math.log10(raw))
    factors = (factor for factor, bound in ((10, 50), (5, 10), (2, 2)) if (raw / power) ** 2 >= bound)
    return power * next(factors, 1)


def ticks(low: float, high: float, count: float) -> list[float]:
    """About so many round numbers between two."""
    step = step_between(low, high, count)
    least, most = math.ceil(round(low / step, 9)), math.floor(round(high / step, 9))
    return [float(f"{number * step:.12g}") for number in range(least, most + 1)]


def rounded_out(low: float, high: float) -> tuple[float, float]:
    """The domain widened to round numbers."""
    before = 0.0
    while high > low and (step := step_between(low, high, 10)) != before:
        low, high, before = math.floor(low / step) * step, math.ceil(high / step) * step, step
    return float(f"{low:.12g}"), float(f"{high:.12g}")


def written(value: float, form: str) -> str:
    """A number in a format of d3.

    >>> [written(*pair) for pair in ((0.25, ".2~f"), (1234.6, ",.0f"), (0.5, ".0%"), (1e-5, "~g"), (-2, "d"))]
    ['0.25', '1,235', '50%', '0.00001', '−2']
    """
    parts = _FORMAT.fullmatch(form)
    size = abs(value) * (100 if form.endswith("%") else 1)
    exponent = math.floor(math.log10(size)) if size else 0
    if parts is None or not -7 < exponent < 6:
        raise NotDrawn(f"format {form}")
    comma, digits, trim, kind = parts.groups()
    precision = 0 if kind == "d" else int(digits or (6 if kind else 12))
    precision = max(0, precision - 1 - exponent) if kind in ("g", "") else precision
    said = f"{size:{comma}.{precision}f}"
    said = said.rstrip("0").rstrip(".") if (trim or not kind) and "." in said else said
    return ("−" if value < 0 and said.strip("0.,") else "") + said + ("%" if kind == "%" else "")
