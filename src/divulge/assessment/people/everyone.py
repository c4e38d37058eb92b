"""Everyone there is: a table of the population, and how many of its people share what rows show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.people.copies import LookCopied, by_repetition
from divulge.assessment.people.copies_there import repeated, without_roles
from divulge.assessment.people.people import CodedRows, first_of_each
from divulge.errors import PartitionError
from divulge.questions.data import Data
from divulge.roles.person_numbers import numbering_people
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations, common_codes, packed
from divulge.table.partition import Partition

Numbers = npt.NDArray[Any]
ELSEWHERE = "\0elsewhere"  # the group of values that no group of the table has


class _Rows(NamedTuple):
    """Different rows of the population: which they are, how many records each stands for, and whose."""

    first: Numbers
    times: Numbers
    person: Numbers | None


@dataclass(frozen=True, eq=False)
class Everyone:
    """A table of the population; its identifiers tell people apart where some are known."""

    data: Data
    keys: tuple[str, ...]  # attributes that are asked about
    identifiers: tuple[str, ...] = ()

    @classmethod
    def beside(cls, data: Data, sample: Data, declared: Sequence[str] = ()) -> Everyone:
        """A table of the population of a sample.

        People are told apart by the identifiers of the sample, else by those that are ``declared``, which a
        release may have lost, or by what is called the number of a person.
        """
        whole, schema = data.one_by_one(), sample.schema
        known = set(whole.schema.attributes)
        keys = tuple(key for key in schema.quasi_identifiers if key in known)
        told_apart = schema.identifiers if known.issuperset(schema.identifiers) else ()
        told_apart = told_apart or tuple(name for name in declared if name in known)
        return cls(whole, keys, told_apart or numbering_people(whole, keys))

    @cached_property
    def people(self) -> int:
        """How many people there are."""
        if not self.identifiers:
            return self.data.records
        return len(np.unique(packed(self._coded(self.identifiers), self.data.records)))

    @cached_property
    def looks_copied(self) -> LookCopied | None:
        """Whether rows look pasted, or as if each person had one for every year: by how often keys occur."""
        if self.identifiers or not self.keys:
            return None
        found = by_repetition(*repeated(without_roles(self.data), self.keys), lambda distinct: False)
        return found if found is not None and found.times > 1 else None

    def alike(self, rows: CodedRows, keys: Sequence[str], numbers: Numbers, bound: int) -> Numbers:
        """How many people have the values of each set of rows; ``numbers`` has the set of each row.

        Values are the same where they read the same. What a row does not show, such as a suppressed cell,
        nobody has.
        """
        shown = np.full(bound, -1)
        shown[numbers] = np.arange(len(numbers))
        sets = np.flatnonzero(shown >= 0)
        held = self._held(keys)
        both = [
            common_codes(rows.column(key).take(shown[sets]), self._grouped(key, rows, held.first))
            for key in keys
        ]
        words = packed([(np.concatenate(pair), size) for *pair, size in both], len(sets) + len(held.first))
        _, place = np.unique(words, return_inverse=True)
        mine, there, times = place[: len(sets)], place[len(sets) :], held.times
        if held.person is not None:
            once = first_of_each(there, held.person)
            there, times = there[once], times[once]
        found = np.zeros(bound, np.int64)
        people = np.bincount(there, weights=times, minlength=len(words))
        found[sets] = people[mine].astype(np.int64)
        return found

    def _coded(self, attributes: Sequence[str]) -> list[tuple[Numbers, int]]:
        return coded(self.data.column(name) for name in attributes)

    def _held(self, keys: Sequence[str]) -> _Rows:
        """Rows that differ on the keys, or by person; those on all keys are held once."""
        return self._by_keys if set(keys) <= set(self.keys) else self._different(tuple(keys))

    @cached_property
    def _by_keys(self) -> _Rows:
        return self._different(self.keys)

    def _different(self, keys: tuple[str, ...]) -> _Rows:
        found = combinations(self._coded((*keys, *self.identifiers)), self.data.records)
        if not self.identifiers:
            return _Rows(found.first, np.bincount(found.number), None)
        person = combinations(self._coded(self.identifiers), self.data.records).number[found.first]
        return _Rows(found.first, np.ones(len(found.first), np.int64), person)

    def _grouped(self, key: str, rows: CodedRows, chosen: Numbers) -> Codes:
        """An attribute of some rows, in the groups that the table's values are counted in."""
        column, partition = self.data.column(key).take(chosen), rows.partitions.get(key)
        if partition is None:
            return column
        try:
            return partition.apply(column, attribute=key)
        except PartitionError:  # groups made of the table's own values, of which the population has more
            return _by_values(column, rows.data.column(key), partition, key)


def _by_values(column: Codes, known: Codes, partition: Partition, key: str) -> Codes:
    """An attribute in groups of values that are known; all other values are in a group of their own."""
    places = partition.locate(known, attribute=key).tolist()
    group = {str(value): place for value, place in zip(known.values, places, strict=True) if place}
    names = [*partition.domains, ELSEWHERE]
    table = [MISSING, *(group.get(str(value), len(names)) for value in column.values)]
    return column.recode(np.array(table), names)
