"""Tables as files: a line for each cell, marks where nothing is published, and tables of others read back."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from divulge.errors import PartitionError, SourceError, UnknownAttribute, listing
from divulge.table.hierarchy import SEPARATORS, Hierarchy, read_text
from divulge.tabulation.layout.dimensions import TOTAL, Dimension
from divulge.tabulation.layout.linked import Flags, LinkedTables, Numbers, TableLayout

MARK = "x"  # a cell that is not published
MARKS = {"x", "*", "c", "..", ":", "...", "-", "n/a", "na", "", "suppressed", "(c)", "#"}
TOTALS = {"total", "all", "sum", "gesamt", "insgesamt", "ensemble", "overall", "margin"}
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A table as it was published: cells with a number, cells with a mark, and cells that are not there.

    ``unit`` is the smallest step between its numbers: they may be rounded by half of it.
    """

    tables: LinkedTables
    value: Numbers  # not a number where a cell has a mark
    suppressed: Flags
    unit: float
    negative: bool
    absent: int


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


def read_published(
    path: str | os.PathLike[str],
    by: Sequence[str] = (),
    value: str | None = None,
    hierarchies: dict[str, Hierarchy] | None = None,
) -> PublishedTable:
    """A table from a CSV file: a line for each cell, or rows and columns.

    A file that has columns of all the names in ``by`` has a line for each cell. Otherwise the first column
    has the categories of rows, the first line those of columns.
    """
    try:
        text = read_text(path, "the published table")
    except PartitionError as error:
        raise SourceError(error.message, hint=error.hint) from None
    separator = max(SEPARATORS, key=lambda one: text.split("\n", 1)[0].count(one))
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(map(str.strip, row))]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise SourceError(f"{Path(path).name} has no cells.", hint="The first line has names.")
    head, *body = [[part.strip() for part in row] for row in rows]
    if any(len(row) != len(head) for row in body):
        raise SourceError(f"{Path(path).name} has lines of different lengths.")
    texts = [name for place, name in enumerate(head) if not all(_shown(row[place]) for row in body)]
    texts = [name for name in texts if name != "status"]
    if not by and 1 < len(texts) == len([name for name in head if name != "status"]) - 1:
        by = texts  # a line for each cell: all columns but one are categories
    if by and set(by) <= set(head):
        names, cells = list(by), _long(head, body, by, value)
    else:
        if len(by) not in (0, 2):
            missing = next(name for name in by if name not in head)
            raise UnknownAttribute(missing, head, "the published table")
        names = list(by) or [head[0] or "rows", "columns"]
        cells = {
            (row[0], column): shown for row in body for column, shown in zip(head[1:], row[1:], strict=True)
        }
    return _table(Path(path).name, names, cells, hierarchies or {})


def _shown(text: str) -> bool:
    """Whether a text is a number or a mark."""
    return text.casefold() in MARKS or _NUMBER.fullmatch(text.replace(",", "")) is not None


def _long(
    head: list[str], body: list[list[str]], by: Sequence[str], value: str | None
) -> dict[tuple[str, ...], str]:
    others = [name for name in head if name not in by and name != "status"]
    if value is None and len(others) != 1:
        raise SourceError(
            f"Beside {listing(list(by))} there are {len(others)} columns.", hint="Name one with --value."
        )
    chosen = value or others[0]
    if chosen not in head:
        raise UnknownAttribute(chosen, head, "the published table")
    places = [head.index(name) for name in by]
    found: dict[tuple[str, ...], str] = {}
    for row in body:
        key = tuple(row[place] for place in places)
        if key in found:
            raise SourceError("A cell is repeated in the published table.", hint="Give each cell one line.")
        found[key] = row[head.index(chosen)]
    return found


def _table(
    name: str, names: Sequence[str], cells: dict[tuple[str, ...], str], hierarchies: dict[str, Hierarchy]
) -> PublishedTable:
    dimensions, renamed = [], []
    for place, attribute in enumerate(names):
        labels = list(dict.fromkeys(key[place] for key in cells))
        totals = [label for label in labels if label.casefold() in TOTALS]
        rename = {totals[0]: TOTAL} if totals else {}
        dimensions.append(
            _dimension(attribute, [one for one in labels if one not in rename], bool(totals), hierarchies)
        )
        renamed.append(rename)
    tables = LinkedTables.of({name: dimensions})
    [layout] = tables.layouts
    value = np.full(len(tables), np.nan)
    seen, digits = np.zeros(len(tables), np.bool_), 0
    for key, shown in cells.items():
        labels = [rename.get(label, label) for rename, label in zip(renamed, key, strict=True)]
        places = tuple(one.labels.index(label) for one, label in zip(dimensions, labels, strict=True))
        cell = int(layout.cells[places])
        seen[cell] = True
        number = shown.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", shown) else shown
        if _NUMBER.fullmatch(number):
            value[cell] = float(number)
            if "e" not in number.casefold():
                digits = max(digits, len(number.partition(".")[2]))
        elif shown.casefold() not in MARKS:
            raise SourceError(
                "A cell of the published table is neither a number nor a mark.",
                hint=f"Marks are {', '.join(sorted(MARKS - {''}))}, or nothing.",
            )
    hidden = np.isnan(value)
    return PublishedTable(
        tables, value, hidden, 10.0**-digits, bool((value[~hidden] < 0).any()), int((~seen).sum())
    )


def _dimension(
    attribute: str, labels: list[str], total: bool, hierarchies: dict[str, Hierarchy]
) -> Dimension:
    hierarchy = hierarchies.get(attribute)
    if hierarchy is not None:
        fine = [label for label in labels if label in hierarchy.values]
        groups = {name for level in hierarchy.groups for name in level}
        odd = [label for label in labels if label not in hierarchy.values and label not in groups]
        if odd:
            raise SourceError(
                f"{len(odd)} categories of '{attribute}' in the published table are not in its hierarchy.",
                hint="Add them to the hierarchy.",
            )
        return Dimension.of_hierarchy(hierarchy, fine)
    return Dimension.flat(attribute, labels, total=TOTAL if total else None)
