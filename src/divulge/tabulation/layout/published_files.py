"""Published tables read from files: a line for each cell, or rows and columns; several of them are linked."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from divulge.errors import PartitionError, SourceError, UnknownAttribute, listing
from divulge.table.hierarchy import SEPARATORS, Hierarchy, read_text
from divulge.tabulation.layout.dimensions import TOTAL, Dimension
from divulge.tabulation.layout.files import MEAN_OF
from divulge.tabulation.layout.linked import Flags, LinkedTables, Numbers

MARKS = {"x", "*", "c", ".", "..", ":", "...", "-", "–", "n/a", "na", "", "suppressed", "(c)", "#"}
NOTHING = {"-", "–", ""}  # beside another mark these say in many tables that there is nothing
TOTALS = {"total", "all", "sum", "gesamt", "insgesamt", "ensemble", "overall", "margin"}
REPEATED = "A cell is repeated in the published table."
MOST_DIGITS = 12  # that programs write of a number at least
_BELOW = re.compile(r"(<=|<|≤)\s*(\d+(?:\.\d+)?)")  # a mark that says how much a cell is at most
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """Tables as they were published: cells with a number, cells with a mark, and cells that are not there.

    ``unit`` is the smallest step between its numbers: they may be rounded by half of it.
    """

    tables: LinkedTables
    value: Numbers  # not a number where a cell has a mark
    suppressed: Flags
    unit: float
    absent: Flags  # cells that are not in a file
    nothing: Flags  # cells that are perhaps said to be empty: a dash or no text, where others have a mark
    below: Numbers  # what a mark such as <5 says that a cell is less than; infinite for others
    up_to: Numbers  # the same for a mark such as <=4, which the cell may be
    column: str | None  # what the numbers are called, where there is a line for each cell

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole and none is below 0."""
        return self.unit == 1 and not (self.value < 0).any()

    @property
    def roundings(self) -> Numbers:
        """How many units each number may be off: half of one, or of its twelfth digit."""
        twelfth = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(self.value), self.unit))) - (MOST_DIGITS - 1))
        return 0.5 * np.fmax(np.round(twelfth / self.unit), 1.0)


class _File(NamedTuple):
    """A file's attributes, what it shows of each cell, and what it calls totals."""

    names: list[str]
    column: str | None
    cells: dict[tuple[str, ...], str]
    totals: list[dict[str, str]]
    dimensions: list[Dimension]
    alike: dict[str, dict[str, str]]  # by attribute, what groups that are no level of their own stand for


def read_published(
    paths: Sequence[str | os.PathLike[str]],
    by: Sequence[str] = (),
    value: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> PublishedTable:
    """Tables from CSV files: a line for each cell, or rows and columns; cells that two have are one.

    A file that has columns of names in ``by`` has a line for each cell. Otherwise the first column has the
    categories of rows, the first line those of columns.
    """
    files: dict[str, _File] = {}
    for path in paths:
        name = Path(path).name
        files[name if name not in files else str(path)] = _read(path, by, value, hierarchies or {})
    return _table(files)


def _read(
    path: str | os.PathLike[str], by: Sequence[str], value: str | None, hierarchies: Mapping[str, Hierarchy]
) -> _File:
    head, body = _rows(path)
    if value is not None and value not in head and f"{MEAN_OF}{value}" in head:
        value = f"{MEAN_OF}{value}"
    columns = [name for name in head if name != "status"]
    texts = [name for name in columns if not all(_shown(row[head.index(name)]) for row in body)]
    if not by and 1 < len(texts) == len(columns) - 1:
        by = texts  # a line for each cell: all columns but one are categories
    names = [name for name in by if name in head]
    if len(by) == 2 and names == columns[:1] and len(columns) > 2 and value not in head:
        names = []  # rows and columns, where the first line begins with the name of the rows
    if names:
        column, cells = _long(head, body, names, value)
    else:
        if len(by) not in (0, 2):
            raise UnknownAttribute(by[0], head, "the published table")
        names, column = list(by) or [head[0] or "rows", "columns"], None
        cells = {
            (row[0], column): shown for row in body for column, shown in zip(head[1:], row[1:], strict=True)
        }
        if len(cells) < len(body) * (len(head) - 1):
            raise SourceError(REPEATED, hint="Give each row and each column a name of its own.")
    totals, dimensions = [], []
    for place, attribute in enumerate(names):
        labels = list(dict.fromkeys(key[place] for key in cells))
        named = [label for label in labels if label.casefold() in TOTALS][:1]
        totals.append(dict.fromkeys(named, TOTAL))
        kept = [label for label in labels if label not in named]
        dimensions.append(_dimension(attribute, kept, bool(named), hierarchies))
    alike = {one.attribute: _alike(one, hierarchies.get(one.attribute)) for one in dimensions}
    return _File(names, column, cells, totals, dimensions, alike)


def _rows(path: str | os.PathLike[str]) -> tuple[list[str], list[list[str]]]:
    """The first line of a file, and the others."""
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
    return head, body


def _shown(text: str) -> bool:
    """Whether a text is a number or a mark."""
    marked = text.casefold() in MARKS or _BELOW.fullmatch(text) is not None
    return marked or _NUMBER.fullmatch(text.replace(",", "")) is not None


def _long(
    head: list[str], body: list[list[str]], by: Sequence[str], value: str | None
) -> tuple[str, dict[tuple[str, ...], str]]:
    """What the numbers are called, and what is shown of each cell."""
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
            raise SourceError(REPEATED, hint="Give each cell one line.")
        found[key] = row[head.index(chosen)]
    return chosen, found


def _table(files: Mapping[str, _File]) -> PublishedTable:
    """All files as linked tables; a cell that one of them publishes is published."""
    tables = LinkedTables.of({name: one.dimensions for name, one in files.items()})
    value, seen = np.full(len(tables), np.nan), np.zeros(len(tables), np.bool_)
    nothing, marked, digits = np.zeros(len(tables), np.bool_), False, 0
    below, up_to = np.full(len(tables), np.inf), np.full(len(tables), np.inf)
    for layout, one in zip(tables.layouts, files.values(), strict=True):
        for key, text in one.cells.items():
            labels = [names.get(label, label) for names, label in zip(one.totals, key, strict=True)]
            places = [_place(of, label, one) for of, label in zip(one.dimensions, labels, strict=True)]
            cell = int(layout.cells[tuple(places)])
            seen[cell] = True
            shown = _number(text)
            if shown is None:
                nothing[cell] |= text in NOTHING
                marked |= text not in NOTHING
                if said := _BELOW.fullmatch(text):
                    ends = below if said[1] == "<" else up_to
                    ends[cell] = min(ends[cell], float(said[2]))
                continue
            if value[cell] == value[cell] and value[cell] != float(shown):
                raise SourceError(
                    f"Two tables publish different numbers of one cell: {tables.said(cell)}.",
                    hint="Attack each by itself if they are about different things.",
                )
            value[cell] = float(shown)
            digits = max(digits, 0 if "e" in shown.casefold() else len(shown.partition(".")[2]))
    hidden = np.isnan(value)
    empty = nothing & hidden & marked
    column = next((one.column for one in files.values() if one.column is not None), None)
    return PublishedTable(tables, value, hidden, 10.0**-digits, ~seen, empty, below, up_to, column)


def _place(of: Dimension, label: str, file: _File) -> int:
    """Where a category is; a group of one category is that category."""
    return of.labels.index(label if label in of.labels else file.alike[of.attribute][label])


def _number(text: str) -> str | None:
    """A number without commas; None for a mark."""
    number = text.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", text) else text
    if _NUMBER.fullmatch(number):
        return number
    if text.casefold() in MARKS or _BELOW.fullmatch(text):
        return None
    raise SourceError(
        "A cell of the published table is neither a number nor a mark.",
        hint=f"Marks are {', '.join(sorted(MARKS - {''}))}, <5, or nothing.",
    )


def _alike(dimension: Dimension, hierarchy: Hierarchy | None) -> dict[str, str]:
    """Groups of a hierarchy that have one category, or all of them, and so are that or the total."""
    found: dict[str, str] = {}
    leaves = dimension.labels[: dimension.leaves]
    for level in () if hierarchy is None else hierarchy.groups:
        groups = dict(zip(hierarchy.values, level, strict=True)) if hierarchy else {}
        for group in {*level} - {*dimension.labels}:
            below = frozenset(leaf for leaf in leaves if groups[leaf] == group)
            same = [
                label
                for place, label in enumerate(dimension.labels)
                if below
                == frozenset(leaves[leaf] for leaf, up in enumerate(dimension.ancestors) if place in up)
            ]
            if same:
                found[group] = same[0]
    return found


def _dimension(
    attribute: str, labels: list[str], total: bool, hierarchies: Mapping[str, Hierarchy]
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
