"""Tables written as files: a line for each cell, and a mark where nothing is published."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from divulge.tabulation.layout.linked import Flags, Numbers, TableLayout

MARK = "x"  # a cell that is not published


def lines_of(
    layout: TableLayout, value: Numbers, suppressed: Flags, *, name: str, why: Sequence[str] | None = None
) -> str:
    """A table as CSV, a line for each cell; ``why`` is the steward's reason for each mark."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*layout.attributes, name, *(["status"] if why is not None else [])])
    for places in np.ndindex(layout.cells.shape):
        cell = int(layout.cells[places])
        labels = [one.labels[place] for one, place in zip(layout.dimensions, places, strict=True)]
        shown = MARK if suppressed[cell] else written(float(value[cell]))
        lines.writerow([*labels, shown, *([why[cell]] if why is not None else [])])
    return text.getvalue()


def written(number: float) -> str:
    """A number of a cell: whole ones whole; nothing where a mean has no records.

    >>> written(12.0), written(0.1 + 0.2), written(float("nan"))
    ('12', '0.3', '')
    """
    if number != number:
        return ""
    return str(int(number)) if float(number).is_integer() and abs(number) < 2**53 else f"{number:.12g}"
