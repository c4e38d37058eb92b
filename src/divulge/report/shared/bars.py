"""A distribution as small bars in a line of a table: plain SVG, without an engine for charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from divulge.report.shared.formats import bound, cell, clipped

WIDTH, GAP, HEIGHT = 11, 2, 26  # of a bar and between two, and of all, in pixels


def bars(distribution: Mapping[str, Any], name: str) -> Markup:
    """The bars side by side, the highest of full height; what is almost nothing has a line of its own."""
    found = distribution["bars"]
    highest = max((bound(bar["share"]) for bar in found), default=0.0) or 1.0
    drawn = [_bar(place, bar, highest) for place, bar in enumerate(found)]
    wide = len(found) * (WIDTH + GAP)
    label = escape(f"Distribution of {clipped(name, 60)}: {', '.join(_said(bar) for bar in found)}")
    return Markup(
        f'<svg class="bars" role="img" aria-label="{label}" width="{wide}" height="{HEIGHT}" '
        f'viewBox="0 0 {wide} {HEIGHT}">{"".join(drawn)}</svg>'
    )


def bar_labels(distribution: Mapping[str, Any]) -> str:
    """What each bar is, in words, where values are shown."""
    return ", ".join(f"{bar['label']} {_said(bar)}" for bar in distribution["bars"] if bar["label"])


def _bar(place: int, bar: Mapping[str, Any], highest: float) -> str:
    share = bar["share"]
    high = 1 if isinstance(share, str) else round(HEIGHT * share / highest, 1)
    rest = ' class="rest"' if bar["label"] == "other values" else ""
    title = escape(": ".join(filter(None, [clipped(bar["label"] or "", 60), _said(bar)])))
    return (
        f'<rect{rest} x="{place * (WIDTH + GAP)}" y="{HEIGHT - high:g}" width="{WIDTH}" height="{high:g}">'
        f"<title>{title}</title></rect>"
    )


def _said(bar: Mapping[str, Any]) -> str:
    return cell(bar["share"], "share").replace(".0%", "%")
