"""The two tables of an anatomy read together: what they say of keys and sensitive values jointly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.engines.opening import open_source
from divulge.errors import SourceError, UnknownAttribute
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data, read
from divulge.source.base import Source
from divulge.table.codes import Codes, as_number, narrow

RECORD, WEIGHT = "anatomy record", "anatomy weight"


@dataclass(frozen=True, eq=False)
class AnatomyPair:
    """Records with keys and a group, and how often each group has each sensitive value."""

    keys: Mapping[str, Codes]
    group: npt.NDArray[np.int64]  # of each record, from 0 on
    sensitive: str
    values: Codes  # a value for each line of the second table
    line_group: npt.NDArray[np.int64]
    count: npt.NDArray[np.float64]

    def data(self) -> Data:
        """Every record with every sensitive value of its group, weighted by how likely it is.

        A record counts as one person, and its weights add up to 1: readings about the sensitive attribute are
        those of someone who knows both tables and nothing more.
        """
        order = np.argsort(self.line_group, kind="stable")
        starts = np.searchsorted(self.line_group[order], np.arange(self.group.max() + 2))
        sizes = np.diff(starts)
        rows = np.repeat(np.arange(len(self.group)), sizes[self.group])
        first = np.repeat(starts[self.group], sizes[self.group])
        within = np.arange(len(rows)) - np.repeat(
            np.cumsum(sizes[self.group]) - sizes[self.group], sizes[self.group]
        )
        lines = order[first + within]
        totals = np.bincount(self.line_group, self.count)
        weight = self.count[lines] / totals[self.line_group[lines]]
        known, codes = np.unique(weight, return_inverse=True)
        columns = {
            RECORD: Codes(narrow(rows + 1, len(self.group)), range(1, len(self.group) + 1)),
            **{name: one.take(rows) for name, one in self.keys.items()},
            self.sensitive: self.values.take(lines),
            WEIGHT: Codes(narrow(codes + 1, len(known)), known.tolist()),
        }
        return read(
            WorkingTable.of(columns),
            identifiers=RECORD,
            quasi_identifiers=list(self.keys),
            sensitive=self.sensitive,
            weights=WEIGHT,
        )

    def estimate(self, value: object, where: Mapping[str, Callable[[Any], bool]]) -> float:
        """How many people have a sensitive value and keys of a kind, as estimated from the two tables.

        In each group, its count of the value times the share of its records whose keys fit.

        >>> keys = {"age": [22, 45, 40], "group": [1, 2, 2]}
        >>> ill = {"group": [1, 2, 2], "disease": ["flu", "aids", "flu"], "count": [1, 1, 1]}
        >>> read_anatomy(keys, ill).estimate("aids", {"age": lambda age: age >= 42})
        0.5
        """
        fits = np.ones(len(self.group), bool)
        for name, test in where.items():
            if name not in self.keys:
                raise UnknownAttribute(name, list(self.keys), "the table of keys")
            column = self.keys[name]
            told = [False, *(bool(test(one)) for one in column.values)]
            fits &= np.asarray(told)[column.codes]
        share = np.bincount(self.group, fits) / np.bincount(self.group)
        asked = np.asarray([one is not None and str(one) == str(value) for one in self.values.values_of()])
        return float((self.count * share[self.line_group])[asked].sum())


def read_anatomy(
    keys: object, sensitive: object, *, group: str = "group", count: str = "count"
) -> AnatomyPair:
    """The two tables that anatomy releases, given as anything that can be read as a table."""
    first, second = (open_source(one) for one in (keys, sensitive))
    for source, needed in ((first, (group,)), (second, (group, count))):
        for name in needed:
            if name not in source.attributes:
                raise UnknownAttribute(name, source.attributes, source.name)
    others = [name for name in second.attributes if name not in (group, count)]
    if len(others) != 1:
        raise SourceError(
            f"{second.name} has {len(others)} attributes beside '{group}' and '{count}'; it should have 1.",
            hint="It lists the groups, the sensitive values and how often each group has each.",
        )
    kept = [name for name in first.attributes if name != group]
    groups, lines = _alike(first.encode([group])[group], second.encode([group])[group], first)
    values = second.encode(others)[others[0]]
    numbers = np.asarray([as_number(one) for one in second.encode([count])[count].values_of()])
    sizes = np.bincount(groups, minlength=int(lines.max()) + 1)
    if not np.array_equal(np.bincount(lines, np.nan_to_num(numbers, nan=-1), len(sizes)), sizes):
        raise SourceError(
            f"The counts of {second.name} do not add up to the records of each group in {first.name}.",
            hint="Give the two tables of one release.",
        )
    return AnatomyPair(first.encode(kept), groups, others[0], values, lines, numbers)


def _alike(one: Codes, other: Codes, source: Source) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The groups of both tables in the same numbers."""
    places: dict[str, int] = {}
    found = [
        [places.setdefault(str(value), len(places)) for value in codes.values_of()] for codes in (one, other)
    ]
    if "None" in places and None in (*one.values_of(), *other.values_of()):
        raise SourceError(f"A record of {source.name} has no group.", hint="Every record needs one.")
    return np.asarray(found[0], np.int64), np.asarray(found[1], np.int64)
