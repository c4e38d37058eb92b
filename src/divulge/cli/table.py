"""Plain tables for the terminal: aligned columns, no colour, nothing wider than its content."""

from __future__ import annotations

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
