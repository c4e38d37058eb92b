"""The look that charts share: a palette whose colours become CSS variables, and settings without clutter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from divulge._support.wording import shortened

Spec = dict[str, Any]

#: The colours a chart may use. A page gives each a value of its own, in light and in dark.
PALETTE = {
    "ink": "#17212b",
    "muted": "#52606d",
    "line": "#d9dfe5",
    "accent": "#1d5c88",
    "soft": "#8fb4cf",
    "heat-0": "#f1f5f9",
    "heat-1": "#dbe8f2",
    "heat-2": "#b9d3e6",
    "heat-3": "#86b1d0",
    "heat-4": "#34709d",
    "heat-5": "#164a70",
    "on-low": "#17212c",
    "on-high": "#ffffff",
}

#: What stands in where a page gives none: legible on white and on dark paper alike.
ANYWHERE = {
    "ink": "currentColor",
    "muted": "currentColor",
    "line": "#8080804d",
    "accent": "#3d84b8",
    "soft": "#8fb4cf",
}

#: The axes of what runs from 0 to 1.
RATES: Spec = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".6~g", "title": None}
SHARES: Spec = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".0%", "title": None}

#: Around a chart; more at the right where a page may set wider letters there.
PADDING: Spec = {"left": 4, "top": 4, "right": 4, "bottom": 4}

FONT_SIZE = 12
LONGEST_LABEL = 26


def chart(**parts: Any) -> Spec:
    """A Vega-Lite specification in the common look."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "transparent",
        "padding": PADDING,
        "config": _CONFIG,
        **parts,
    }


def labels(names: Iterable[str], longest: int = LONGEST_LABEL) -> dict[str, str]:
    """What stands beside a mark for each name: printable, not long, and different for different names.

    Long names are cut in the middle.

    >>> list(labels(["age", "when someone was first admitted", "when someone was first seen"]).values())
    ['age', 'when someone …rst admitted', 'when someone …s first seen']
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        clean = "".join(sign if sign.isprintable() else "\ufffd" for sign in name) or "(no name)"
        label = shortened(clean, longest)
        again = 2
        while label in found.values():
            label = f"{shortened(clean, longest - 6)} ({again})"
            again += 1
        found[name] = label
    return found


def names_at(field: str, names: list[str], **axis: Any) -> Spec:
    """An upright axis of names in the given order, with room enough in the widest of the usual fonts."""
    room = 14 + 7 * max(map(len, names), default=0)
    return {
        "field": field,
        "type": "nominal",
        "sort": names,
        "axis": {"title": None, "domain": False, "minExtent": room, **axis},
    }


def shares_up_to(most: float, title: str) -> Spec:
    """Scale and axis of shares that end a little above the largest, with two to six round labels.

    >>> found = shares_up_to(0.46, "share of records")
    >>> found["scale"], found["axis"]["values"]
    ({'domain': [0, 0.5]}, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    """
    step = next(step for step in STEPS if most <= 5 * step or step == STEPS[-1])
    end = round(max(2, math.ceil(2 * most / step - CLOSE)) * step / 2, 5)
    values = [round(place * step, 5) for place in range(math.floor(end / step + CLOSE) + 1)]
    form = ".0%" if step >= 0.01 else ".1%" if step >= 0.001 else ".2%"
    axis = {"title": title, "format": form, "values": values, "domain": False}
    return {"scale": {"domain": [0, end]}, "axis": axis}


STEPS = tuple(round(k * unit, 4) for unit in (1e-4, 1e-3, 1e-2, 1e-1) for k in (1, 2, 5))[:-1]
CLOSE = 1e-9


def shaded_cells(width: float, height: float, *, size: int = FONT_SIZE, said: bool = True) -> list[Spec]:
    """The layers of a heat map: a cell in one of six shades, or in none, under its words."""
    steps = range(6)
    shades = [*(PALETTE[f"heat-{step}"] for step in steps), "none"]
    inks = [*(PALETTE["on-low" if step < 4 else "on-high"] for step in steps), PALETTE["ink"]]
    cell, words = (
        {
            "field": "shade",
            "type": "ordinal",
            "scale": {"domain": [*steps, None], "range": colours},
            "legend": None,
        }
        for colours in (shades, inks)
    )
    square = {"type": "rect", "width": width, "height": height}
    text = {
        "mark": {"type": "text", "fontSize": size},
        "encoding": {"text": {"field": "said"}, "color": words},
    }
    return [{"mark": square, "encoding": {"color": cell}}, *([text] if said else [])]


_CONFIG: Spec = {
    "aria": False,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": PALETTE["ink"],
        "labelFontSize": FONT_SIZE,
        "titleColor": PALETTE["muted"],
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "titlePadding": 10,
        "gridColor": PALETTE["line"],
        "domainColor": PALETTE["line"],
        "tickColor": PALETTE["line"],
        "labelPadding": 6,
        "labelLimit": 0,
        "labelFlush": False,
        "ticks": False,
    },
    "title": {"color": PALETTE["ink"], "fontSize": FONT_SIZE, "fontWeight": "bold", "anchor": "start"},
    "legend": {
        "labelColor": PALETTE["ink"],
        "labelFontSize": FONT_SIZE,
        "labelLimit": 0,
        "orient": "top",
        "direction": "vertical",
        "title": None,
        "symbolSize": 70,
    },
    "tick": {"color": PALETTE["ink"], "thickness": 2, "opacity": 1},
    "bar": {"color": PALETTE["accent"]},
    "line": {"strokeWidth": 2},
    "point": {"opacity": 1},
    "text": {"color": PALETTE["ink"], "fontSize": FONT_SIZE},
}
