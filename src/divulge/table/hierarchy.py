"""Ever coarser partitions of one attribute."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from divulge._support.notebook import table_view
from divulge.errors import PartitionError, counted
from divulge.limits.ordinary_files import refuse_unreadable_text
from divulge.table.argus_files import TREE, tree_rows
from divulge.table.partition import HIERARCHY, Partition

SEPARATORS = (";", "\t", ",")
_SHAPE = "Each row is a value, then its group at level 1, 2 and so on up to the top."


@dataclass(frozen=True)
class Hierarchy:
    """For each value its group at level 1, 2, ...; values once together stay together.

    A value "" says where missing values belong; without it they stay missing at every level.

    >>> zips = Hierarchy.of([("47677", "476**", "*"), ("47905", "479**", "*")], attribute="zip")
    >>> list(zips.level(1).domains)
    ['476**', '479**']
    """

    attribute: str
    values: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]  # one row per level, one name per value
    path: str | None = field(default=None, compare=False, repr=False)  # the file it was read from

    def _repr_html_(self) -> str:
        head = ["value", *(f"level {level}" for level in range(1, len(self.groups) + 1))]
        return table_view(f"Hierarchy of {self.attribute}", head, zip(self.values, *self.groups, strict=True))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, attribute: str, separator: str | None = None) -> Hierarchy:
        """A hierarchy from a file without header: value;level 1;level 2;... as ARX writes them.

        A file whose name ends in .hrc is a tree of codes as ARGUS has it.
        """
        text = read_text(path, f"the hierarchy of '{attribute}'")
        if Path(path).suffix.lower() == TREE:
            found = cls.of(tree_rows(text), attribute=attribute)
        else:
            found = cls.from_text(text, attribute=attribute, separator=separator, where=f" in {path}")
        return replace(found, path=os.fspath(path))

    @classmethod
    def from_text(
        cls, text: str, *, attribute: str, separator: str | None = None, where: str = ""
    ) -> Hierarchy:
        """A hierarchy from the text of a file as ARX writes it."""
        if separator is not None and len(separator) != 1:
            raise PartitionError(f"The separator in the hierarchy of '{attribute}' is not one character.")
        if not text.strip():
            return cls.of([], attribute=attribute)  # which says what a hierarchy looks like
        chosen = separator or max(SEPARATORS, key=lambda s: _agreement(text, s))
        try:
            return cls.of(_rows(text, chosen), attribute=attribute)
        except csv.Error as error:
            raise PartitionError(
                f"The hierarchy of '{attribute}'{where} cannot be split into columns: {error}.",
                hint="Check its quotation marks: each needs a closing one.",
            ) from None

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]], *, attribute: str) -> Hierarchy:
        """A hierarchy from rows of a value and its groups, the finest first."""
        numbered = [(number, _trimmed(row)) for number, row in enumerate(rows, 1)]
        numbered = [(number, row) for number, row in numbered if row]
        if not numbered:
            raise PartitionError(f"The hierarchy of '{attribute}' is empty.", hint=_SHAPE)
        width = Counter(len(row) for _, row in numbered).most_common(1)[0][0]
        if width < 2:
            raise PartitionError(
                f"The hierarchy of '{attribute}' has only one column.",
                hint=f"{_SHAPE} Columns are separated by a semicolon, a tab or a comma.",
            )
        odd = [number for number, row in numbered if len(row) != width or "" in row[1:]]
        if odd:
            raise PartitionError(
                f"Most of the {len(numbered)} rows in the hierarchy of '{attribute}' have {width} columns. "
                f"Shorter, longer or with a gap: {counted(len(odd), 'row')}, first row {odd[0]}.",
                hint=_SHAPE,
            )
        groups: dict[str, tuple[str, ...]] = {}
        torn = {row[0] for _, row in numbered if groups.setdefault(row[0], row[1:]) != row[1:]}
        if torn:
            raise PartitionError(
                f"The hierarchy of '{attribute}' has {counted(len(torn), 'value')} on several rows "
                "with different groups.",
                hint="Keep one row for each value.",
            )
        hierarchy = cls(attribute, tuple(groups), tuple(zip(*groups.values(), strict=True)))
        hierarchy._check_coarser()
        return hierarchy

    @property
    def levels(self) -> int:
        """How many levels there are above the values themselves."""
        return len(self.groups)

    def level(self, n: int) -> Partition:
        """The partition at one level; at level 0 each value is alone."""
        if not isinstance(n, int) or not 0 <= n <= self.levels:
            raise PartitionError(
                f"The hierarchy of '{self.attribute}' has no level {n!r}.",
                hint=f"Its levels are the whole numbers from 0 (the values themselves) to {self.levels}.",
            )
        if n == 0:
            return Partition({value: (value,) for value in self.values if value}, called=HIERARCHY)
        domains: dict[str, list[object]] = {}
        for value, name in zip(self.values, self.groups[n - 1], strict=True):
            domains.setdefault(name, []).append(value)
        return Partition({name: tuple(values) for name, values in domains.items()}, called=HIERARCHY)

    def _check_coarser(self) -> None:
        for level in range(1, self.levels):
            fine, coarse = self.groups[level - 1], self.groups[level]
            parents: dict[str, set[str]] = {}
            for name, parent in zip(fine, coarse, strict=True):
                parents.setdefault(name, set()).add(parent)
            split = {name for name, above in parents.items() if len(above) > 1}
            if split:
                values = sum(name in split for name in fine)
                raise PartitionError(
                    f"The hierarchy of '{self.attribute}' does not get coarser at each level: "
                    f"level {level + 1} splits {counted(len(split), 'group')} "
                    f"of level {level} ({counted(values, 'value')}).",
                    hint="Values in one group must stay together; different groups need different names.",
                )


def read_text(path: str | os.PathLike[str], what: str) -> str:
    refuse_unreadable_text(Path(path))
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PartitionError(
            f"There is no file {path} to read {what} from.",
            hint="A path starts from the current folder, or inside a TOML file from that file's folder.",
        ) from None
    except IsADirectoryError:
        raise PartitionError(f"{path} is a folder; {what} should be a file.") from None
    except OSError as error:
        raise PartitionError(f"The file {path} with {what} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise PartitionError(
            f"The file {path} with {what} is not UTF-8 text, from byte {error.start} on.",
            hint="Save it as UTF-8.",
        ) from None
    if not text.strip():
        raise PartitionError(f"The file {path}, which should hold {what}, is empty.")
    return text


def _rows(text: str, separator: str) -> list[list[str]]:
    # Strict, because otherwise a quotation mark left open swallows the rest of the file in silence.
    return list(csv.reader(io.StringIO(text), delimiter=separator, strict=True))


def _agreement(text: str, separator: str) -> float:
    """How many columns the separator makes beyond the first, times the share of rows that agree on them."""
    try:
        widths = Counter(len(row) for row in _rows(text, separator) if row)
    except csv.Error:
        return 0
    width, rows = widths.most_common(1)[0]
    return (width - 1) * rows / widths.total()


def _trimmed(row: Sequence[object]) -> tuple[str, ...]:
    """The cells as text, without the empty ones that trailing separators leave behind."""
    cells = [str(cell) for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return tuple(cells)
