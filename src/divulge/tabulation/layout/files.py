"""Tables written as files: a line for each cell, and a mark where nothing is published."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from divulge.tabulation.layout.linked import Flags, Numbers, TableLayout

MOST_DECIMALS = 12
MEAN_OF = "mean of "
MARK = "x"  # a cell that is not published


def column_of(value: str | None, statistic: str) -> str:
    """What the numbers of a table are called in its file.

    >>> column_of("income", "sum"), column_of("income", "mean"), column_of(None, "count")
    ('income', 'mean of income', 'count')
    """
    if value is None:
        return "count"
    return f"{MEAN_OF}{value}" if statistic == "mean" else value


def lines_of(
    layout: TableLayout,
    value: Numbers,
    suppressed: Flags,
    *,
    name: str,
    adds_up: bool = True,
    why: Sequence[str] | None = None,
) -> str:
    """A table as CSV, a line for each cell; ``why`` is the steward's reason for each mark."""
    digits = decimals(value[~suppressed]) if adds_up else None
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*layout.attributes, name, *(["status"] if why is not None else [])])
    for places in np.ndindex(layout.cells.shape):
        cell = int(layout.cells[places])
        labels = [one.labels[place] for one, place in zip(layout.dimensions, places, strict=True)]
        shown = MARK if suppressed[cell] else written(float(value[cell]), digits)
        lines.writerow([*labels, shown, *([why[cell]] if why is not None else [])])
    return text.getvalue()


def decimals(numbers: Numbers) -> int:
    """How many decimals numbers that add up have, beyond what adding them up left.

    >>> decimals(np.array([229_529_860_215.962, 84932855184.23401])), decimals(np.array([12.0, 0.1 + 0.2]))
    (3, 1)
    """
    noise = 4e-15 * np.abs(numbers).max(initial=0.0)
    for digits in range(MOST_DECIMALS):
        if (np.abs(numbers - np.round(numbers, digits)) <= noise).all():
            return digits
    return MOST_DECIMALS


def written(number: float, digits: int | None = None) -> str:
    """A number of a cell with as many decimals: whole ones whole; nothing where a mean has no records.

    >>> written(12.0), written(0.1 + 0.2), written(float("nan"))
    ('12', '0.3', '')
    >>> written(229_529_860_215.7), written(229_529_860_215.7, 1)
    ('229529860216', '229529860215.7')
    """
    if number != number:
        return ""
    if float(number).is_integer() and abs(number) < 2**53:
        return str(int(number))
    if digits is None or abs(number) * 10**digits < 1e12:
        return f"{number:.12g}"
    return str(round(number, digits))
