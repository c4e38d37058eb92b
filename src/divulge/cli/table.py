"""Plain tables for the terminal: aligned columns, no colour, nothing wider than its content."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

WIDTH = 80


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Lines of a table with a rule under its head.

    >>> print(*aligned(["key", "n"], [["age", "12"], ["zip", "3"]], right=[1]), sep="\\n")
    key   n
    ---  --
    age  12
    zip   3
    """
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def number(value: float) -> str:
    """A number for reading: whole numbers whole, others with four digits that matter.

    >>> [number(v) for v in (3, 0.7001736, 12.5, 1.5e-05, float("inf"))]
    ['3', '0.7002', '12.5', '1.5e-05', 'inf']
    """
    if isinstance(value, int):
        return str(value)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.1f}"
    return f"{value:.3g}"
