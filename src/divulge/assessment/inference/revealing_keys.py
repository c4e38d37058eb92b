"""What keys tell about a sensitive attribute: the sets that tell a value, beyond chance and within it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.inference.asked.approximate_questions import asked_roughly
from divulge.assessment.inference.asked.sensitive_questions import (
    AskedValues,
    SensitiveAnswers,
    asked_values,
    many_asked,
)
from divulge.assessment.inference.asked.text_parts import asked_by_part
from divulge.assessment.inference.concerned_people import FEW_KEYS, ConcernedPeople, ways_asked
from divulge.assessment.inference.findings_memo import FindingsMemo
from divulge.assessment.inference.key_set_findings import FlaggedSets, KeySetFindings, Told, all_sets
from divulge.assessment.inference.revealing_groups import SMALLEST, Bar
from divulge.assessment.inference.telling_sets import SetCounts, frequencies
from divulge.assessment.scope import Scope
from divulge.engines.coded_table import code_of
from divulge.errors import EmptySource, Undefined
from divulge.table.codes import Codes

Keys = tuple[str, ...]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
Made = TypeVar("Made")
MANY = 200_000  # records from which on sets that are alike are better counted than looked up


@dataclass(frozen=True, eq=False)
class Inference:
    """A sensitive attribute asked through several key sets, the first of which has all keys."""

    scope: Scope
    target: str
    key_sets: Sequence[Keys]
    attributes: int  # sensitive attributes that are asked about altogether
    bars: tuple[Bar, ...]

    @cached_property
    def asked(self) -> list[AskedValues]:
        """The ways in which the attribute is asked about."""
        memo = self.scope.data.memo("@asked values")
        partition = self.scope.partitions.get(self.target)
        key = self.target, id(partition)
        if key not in memo:
            answers = SensitiveAnswers(*self._frequencies())
            hierarchy = self.scope.data.hierarchies.get(self.target)
            found = asked_values(answers, partition, hierarchy, self.target)
            found += [*asked_roughly(answers), *asked_by_part(answers)]
            known = [replace(one, known=True) for one in found if one.unknown is not None]
            memo[key] = [*found, *known], partition
        ways: list[AskedValues] = memo[key][0]
        return ways

    @property
    def in_common(self) -> float:
        """The share of the different answers that some other way to ask puts together with others."""
        column, records, code = self._frequencies()
        used = SensitiveAnswers(column, records, code).used
        together = np.zeros(len(used), bool)
        for one in self.asked:
            number = one.of_code[used]
            values = np.bincount(number, minlength=one.values)
            together |= one.news[number] & (values[number] > 1)
        return float(together.mean()) if len(used) else 1.0

    @property
    def people_repeat(self) -> bool:
        """Whether people have several records."""
        rows, there = self.scope.rows, self.scope.people_there
        return there is not None and there.weights is None if rows is None else rows.person is not None

    def _frequencies(self) -> tuple[Codes, npt.NDArray[Any], int | None]:
        """The attribute's codes, how many records have each, and the code of what is suppressed."""
        column, records = frequencies(self.scope, self.target)
        mark = self.scope.data.suppressed
        return column, records, None if mark is None else code_of(column, mark)

    def readable(self) -> tuple[Inference, str | None]:
        """The same with the key sets that can be read where the records are, and why others cannot."""
        if self.scope.rows is not None:
            return self, None
        able, reason = list[Keys](), None
        for keys in self.key_sets:
            try:
                self._said(keys)
                able.append(keys)
            except Undefined as undefined:
                reason = undefined.message
        if not able:
            raise Undefined(reason or "nothing could be counted")
        return replace(self, key_sets=able), reason

    def beyond_chance(self, bar: Bar) -> Told | None:
        """The people that chance does not explain; the fewest keys that tell so stand for all."""
        return self._concerned.told(self._beyond(bar))

    def within_chance(self, bar: Bar) -> Told | None:
        """The people of sets of three or more, by all keys, that tell no more than chance would make.

        They are those who do have one value: shares by weight that chance explains say nothing about them.
        """
        return self._concerned.told([self._by_all_keys(lambda said: self._within(said, bar))])

    def _within(self, said: KeySetFindings, bar: Bar) -> FlaggedSets:
        beyond = said.beyond(bar, self._values, self._tests)
        by_way = zip(beyond.ways, beyond.flags, ways_asked(self.asked, beyond.ways), strict=True)
        flags = [
            ~flag & (one.size >= SMALLEST) & (not asked.rough) & (not asked.known) & (not one.by_weight)
            for one, flag, asked in by_way
        ]
        return FlaggedSets(said.keys, beyond.ways, flags)

    def of_every_size(self, bar: Bar) -> Told | None:
        """The people whom chance does not explain, and those of all sets that tell by all keys.

        One who is alone is a set.
        """
        return self._concerned.told([*self._beyond(bar), self._by_all_keys(lambda said: all_sets(said, bar))])

    def _beyond(self, bar: Bar) -> list[FlaggedSets]:
        """What chance does not explain, by each key set."""
        values, tests = self._values, self._tests
        others = [said.beyond(bar, values, tests) for said in self.findings[1:]]
        return [self._by_all_keys(lambda said: said.beyond(bar, values, tests)), *others]

    def _by_all_keys(self, flagged: Callable[[KeySetFindings], FlaggedSets]) -> FlaggedSets:
        """Sets of all keys; counts may hold alike ones once, so that only rows say whom these are about."""
        found = flagged(self.findings[0])
        return flagged(self._said(self.key_sets[0])) if found.any else found

    def at_least(self, bar: Bar, *, within: bool, any_size: bool) -> Iterator[int]:
        """Numbers of people whom single key sets tell about, all of whom the key sets together tell about.

        Those that are known already come first, then all keys. ``within`` asks for those within chance as
        well, ``any_size`` for all whom all keys tell about.
        """
        few = sorted(self.key_sets[1:], key=lambda keys: self._address(keys) not in self._memo)
        known = sum(self._address(keys) in self._memo for keys in few)
        for place, keys in enumerate([*few[:known], self.key_sets[0], *few[known:]]):
            said = self._counted if place == known else self._said(keys)
            yield said.beyond(bar, self._values, self._tests).least
            if place == known and (any_size or within):
                yield (all_sets(said, bar) if any_size else self._within(said, bar)).least

    @property
    def quick(self) -> bool:
        """Whether each record is a person, at hand, and as much worth as any other."""
        rows = self.scope.rows
        alike = rows is not None and rows.person is None and self.scope.stands_for is None
        return alike and not self.scope.stars_fit

    @cached_property
    def _counted(self) -> KeySetFindings:
        """What all keys tell; of many records by counts of sets, alike ones held once."""
        keys, scope = self.key_sets[0], self.scope
        there = scope.people_there is not None
        if there or self.target in scope.partitions or scope.data.records < MANY or len(keys) <= FEW_KEYS:
            return self._said(keys)
        if self._address(keys) in self._memo:
            return self._said(keys)
        try:
            counts = scope.question(keys, self.target).counts.in_cells()
        except EmptySource:
            return self._said(keys)
        said = KeySetFindings(keys, self._sets.by_cells(counts))
        if counts.decode is not None:  # classes are in the order of sets of rows
            self._hold(said)
        return said

    @cached_property
    def _concerned(self) -> ConcernedPeople:
        return ConcernedPeople(self.scope, self.target, self._frequencies()[0], self.asked)

    @cached_property
    def _sets(self) -> SetCounts:
        column = self._frequencies()[0]
        return SetCounts(self.scope, self.target, column, self.asked, self.bars, self.key_sets[0])

    @property
    def small_sets(self) -> bool:
        """Whether people are alone, or with one other, on all keys."""
        ways = self.findings[0].by_bar[self.bars[0]]
        return any(0 < one.smallest < SMALLEST for one in ways)

    @cached_property
    def _values(self) -> int:
        return max(many_asked(self.asked), 1)

    @cached_property
    def _tests(self) -> int:
        there = self.scope.people_there
        weighed = self._sets.weights is not None or (there is not None and there.weights_differ)
        return self.attributes * len(self.key_sets) * (2 if weighed else 1)

    def _said(self, keys: Keys) -> KeySetFindings:
        """The sets that tell something, for each way to ask; remembered for when other keys are changed."""
        said = self._memo.get(self._address(keys))
        if said is None:
            rows = self.scope.rows
            found = self._sets.by_counts(keys) if rows is None else self._sets.by_rows(rows, keys)
            said = KeySetFindings(keys, found)
            self._hold(said)
        return said

    def _hold(self, said: KeySetFindings) -> None:
        """Remember what keys tell, and what its address has by id, which would be given to another."""
        scope, rows = self.scope, self.scope.rows
        groups = [scope.partitions.get(name) for name in (*said.keys, self.target)]
        self._memo.hold(self._address(said.keys), said, (groups, rows and rows.person))

    @cached_property
    def findings(self) -> list[KeySetFindings]:
        """What each key set tells; of all keys, where they are counted here, without whose rows these are."""
        counted = self.quick and self.scope.held_here
        others = [self._said(keys) for keys in self.key_sets[1:]]
        return [self._counted if counted else self._said(self.key_sets[0]), *others]

    @cached_property
    def _memo(self) -> FindingsMemo:
        found: FindingsMemo = self.scope.data.memo(("@telling", self.scope.data.missing)).setdefault(
            "findings", FindingsMemo()
        )
        return found

    def _address(self, keys: Keys) -> tuple[Any, ...]:
        """What it depends on what some keys tell."""
        groups = tuple(id(self.scope.partitions.get(name)) for name in keys)
        return keys, groups, self._about

    @cached_property
    def _about(self) -> tuple[Any, ...]:
        scope = self.scope
        group, person = id(scope.partitions.get(self.target)), id(scope.rows and scope.rows.person)
        weighed = scope.data.weights, scope.population, scope.stars_fit, scope.originals
        return self.target, group, self.bars, scope.sample, person, weighed
