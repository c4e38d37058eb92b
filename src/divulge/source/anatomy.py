"""The two tables of an anatomy read as one: every record with every sensitive value of its group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.errors import SourceError, TooMuch, UnknownAttribute
from divulge.source.base import Source, check_asked
from divulge.table.codes import Codes, as_number, narrow

#: Attributes that nobody released: whose each row is, and how likely its sensitive value; and the
#: person of the original whom a record of a release is about.
RECORD, WEIGHT = "anatomy record", "anatomy weight"
PERSON = "person of the original"
ADDED = RECORD, WEIGHT, PERSON
MOST_ROWS = 50_000_000
_PAIR = "Give the two tables of one release."
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AnatomySource:
    """Records with keys and a group, each as often as its group has different sensitive values.

    ``RECORD`` says whose a row is, ``WEIGHT`` how likely the value is by the two tables: the share of the
    group that has it. The weights of a record add up to 1.
    """

    name: str
    keys: Source
    group: str
    sensitive: str
    record_group: Integers  # of each record, from 0 on
    values: Codes  # a value for each line of the second table
    line_group: Integers
    count: npt.NDArray[np.float64]

    @property
    def key_names(self) -> list[str]:
        """The attributes of the first table but for the group."""
        return [name for name in self.keys.attributes if name != self.group]

    @property
    def attributes(self) -> tuple[str, ...]:
        return (RECORD, *self.key_names, self.group, self.sensitive, WEIGHT)

    @property
    def records(self) -> int:
        return int(self._lines_of_group[self.record_group].sum())

    @property
    def _lines_of_group(self) -> Integers:
        return np.bincount(self.line_group, minlength=int(self.record_group.max()) + 1)

    @cached_property
    def _rows(self) -> tuple[Integers, Integers]:
        """For each row the record that it is of, and the line of the second table that has its value."""
        order = np.argsort(self.line_group, kind="stable")
        many = self._lines_of_group
        first = np.concatenate([[0], np.cumsum(many)])[:-1]
        times = many[self.record_group]
        record = np.repeat(np.arange(len(times)), times)
        within = np.arange(len(record)) - np.repeat(np.cumsum(times) - times, times)
        return record, order[np.repeat(first[self.record_group], times) + within]

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = check_asked(attributes, self.attributes)
        record, line = self._rows
        held = self.keys.encode([name for name in wanted if name in self.keys.attributes])
        found = {name: one.take(record) for name, one in held.items()}
        if RECORD in wanted:
            people = len(self.record_group)
            found[RECORD] = Codes(narrow(record + 1, people), range(1, people + 1))
        if self.sensitive in wanted:
            found[self.sensitive] = self.values.take(line)
        if WEIGHT in wanted:
            share = self.count / np.bincount(self.line_group, self.count)[self.line_group]
            shares, codes = np.unique(share[line], return_inverse=True)
            found[WEIGHT] = Codes(narrow(codes + 1, len(shares)), shares.tolist())
        return {name: found[name] for name in wanted}


def join_anatomy(keys: Source, second: Source, group: str | None = None, count: str | None = None) -> Source:
    """The two tables that an anatomy releases as one.

    Unless named, the group is the attribute that both have, and the counts are what adds up to the records
    of each group.
    """
    group = _group(keys, second) if group is None else _known(group, keys, second)
    others = [name for name in second.attributes if name != group]
    if len(others) != 2:
        raise SourceError(
            f"{second.name} has {len(others)} attributes beside '{group}'; it should have 2.",
            hint="It lists the groups, the sensitive values and how often each group has each.",
        )
    record_group, line_group = _alike(keys.encode([group])[group], second.encode([group])[group], keys)
    sizes = np.bincount(record_group, minlength=int(line_group.max()) + 1)
    columns = second.encode(others)
    counts = {name: _numbers(columns[name]) for name in others if count in (None, name)}
    fitting = [name for name, numbers in counts.items() if _adds_up(numbers, line_group, sizes)]
    if not fitting:
        raise SourceError(
            f"The counts of {second.name} do not add up to the records of each group in {keys.name}.",
            hint=_PAIR,
        )
    counted = fitting[-1]
    [sensitive] = [name for name in others if name != counted]
    twice = {RECORD, WEIGHT, sensitive} & {*keys.attributes}
    if twice:
        raise SourceError(f"{keys.name} has an attribute '{min(twice)}', which it may not have.", hint=_PAIR)
    made = AnatomySource(
        f"{keys.name} with {second.name}",
        keys,
        group,
        sensitive,
        record_group,
        columns[sensitive],
        line_group,
        counts[counted],
    )
    if made.records > MOST_ROWS:
        raise TooMuch(
            f"{made.name} would make {made.records:,} rows, one for each record and value of its group; the "
            f"limit is {MOST_ROWS:,}.",
            hint="Make smaller groups, with l instead of groups.",
        )
    return made


def _group(keys: Source, second: Source) -> str:
    shared = [name for name in second.attributes if name in keys.attributes]
    if len(shared) != 1:
        raise SourceError(
            f"{keys.name} and {second.name} have {len(shared)} attributes in common; an anatomy has 1, the "
            "group.",
            hint=_PAIR,
        )
    return shared[0]


def _known(group: str, *sources: Source) -> str:
    for source in sources:
        if group not in source.attributes:
            raise UnknownAttribute(group, source.attributes, source.name)
    return group


def _numbers(column: Codes) -> npt.NDArray[np.float64]:
    return np.asarray([as_number(value) for value in [None, *column.values]], np.float64)[column.codes]


def _adds_up(counts: npt.NDArray[np.float64], line_group: Integers, sizes: Integers) -> bool:
    sums = np.bincount(line_group, np.nan_to_num(counts, nan=-1), len(sizes))
    return bool((counts > 0).all() and np.array_equal(sums, sizes))


def _alike(one: Codes, other: Codes, source: Source) -> tuple[Integers, Integers]:
    """The groups of both tables in the same numbers."""
    places: dict[str, int] = {}
    tables = [
        np.asarray([places.setdefault(str(value), len(places)) for value in codes.values], np.int64)
        for codes in (one, other)
    ]
    if not (one.codes.all() and other.codes.all()):
        raise SourceError(f"A record of {source.name} has no group.", hint="Every record needs one.")
    found = [table[codes.codes - 1] for table, codes in zip(tables, (one, other), strict=True)]
    used = np.unique(np.concatenate(found))
    first, second = (np.searchsorted(used, numbers) for numbers in found)
    return first, second
