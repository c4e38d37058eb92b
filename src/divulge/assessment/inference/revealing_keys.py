"""What keys tell about a sensitive attribute: the sets that tell a value, beyond chance and within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.approximate_questions import asked_roughly
from divulge.assessment.inference.revealing_groups import Bar, Telling, telling
from divulge.assessment.inference.sensitive_questions import AskedValues, asked_values, many_asked
from divulge.assessment.inference.weighted_groups import by_weight, telling_by_weight, useful
from divulge.assessment.people.candidate_sets import CandidateSets, candidate_sets
from divulge.assessment.people.people import CodedRows, PeopleTable
from divulge.assessment.scope import Scope
from divulge.counting.counts import JointCounts
from divulge.engines.coded_table import code_of
from divulge.errors import Undefined
from divulge.questions.question import Question
from divulge.table.codes import Codes
from divulge.table.packing import ranked

Keys = tuple[str, ...]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
LEVEL = 0.01  # the probability from which on chance does not explain something
SMALLEST = 3  # people in a set that tells by chance and counts; smaller ones are picked out anyway


@dataclass(frozen=True)
class Told:
    """People about whom a value is told: how many, in how many sets, by which keys, against what guess."""

    people: int = field(repr=False)
    sets: int
    keys: Keys
    guess: float
    alone: bool  # whether other key sets tell about nobody else
    by_weight: bool = False  # whether only shares by weight tell so
    rows: Flags | None = field(default=None, compare=False, repr=False)  # of these people, if at hand


@dataclass(frozen=True, eq=False)
class Inference:
    """A sensitive attribute asked through several key sets, the first of which has all keys."""

    scope: Scope
    target: str
    key_sets: Sequence[Keys]
    attributes: int  # sensitive attributes that are asked about altogether
    bars: tuple[Bar, ...]

    @property
    def asked(self) -> list[AskedValues]:
        """The ways in which the attribute is asked about."""
        memo = self.scope.data.memo("@asked values")
        partition = self.scope.partitions.get(self.target)
        key = self.target, id(partition)
        if key not in memo:
            column, records = frequencies(self.scope, self.target)
            hierarchy = self.scope.data.hierarchies.get(self.target)
            mark = self.scope.data.suppressed
            code = None if mark is None else code_of(column, mark)
            found = asked_values(column, records, partition, hierarchy, self.target, code)
            memo[key] = [*found, *asked_roughly(column, records, code)], partition
        ways: list[AskedValues] = memo[key][0]
        return ways

    def readable(self) -> tuple[Inference, str | None]:
        """The same with the key sets that can be read where the records are, and why others cannot."""
        if self.scope.rows is not None:
            return self, None
        able, reason = list[Keys](), None
        for keys in self.key_sets:
            try:
                self._telling(keys, self.bars[0])
                able.append(keys)
            except Undefined as undefined:
                reason = undefined.message
        if not able:
            raise Undefined(reason or "nothing could be counted")
        return replace(self, key_sets=able), reason

    def beyond_chance(self, bar: Bar) -> Told | None:
        """The people that chance does not explain; the fewest keys that tell so stand for all."""
        found = []
        for keys in self.key_sets:
            ways = self._telling(keys, bar)
            flags = [one.beyond(self._values, self._tests, LEVEL) for one in ways]
            if any(flag.any() for flag in flags):
                found.append((keys, ways, flags))
        return self._told(found)

    def within_chance(self, bar: Bar) -> Told | None:
        """The people of sets of three or more, by all keys, that tell no more than chance would make.

        They are those who do have one value: shares by weight that chance explains say nothing about them.
        """
        keys = self.key_sets[0]
        ways = self._telling(keys, bar)[: len(self.asked)]
        flags = [
            ~one.beyond(self._values, self._tests, LEVEL) & (one.size >= SMALLEST) & (not asked.rough)
            for one, asked in zip(ways, self.asked, strict=True)
        ]
        return self._told([(keys, ways, flags)]) if any(flag.any() for flag in flags) else None

    def of_every_size(self, bar: Bar) -> Told | None:
        """The people of all sets that tell, by all keys, whatever chance makes; one who is alone is a set."""
        keys = self.key_sets[0]
        ways = self._telling(keys, bar)
        flags = [np.ones(len(one.owner), bool) for one in ways]
        return self._told([(keys, ways, flags)]) if any(flag.any() for flag in flags) else None

    @property
    def small_sets(self) -> bool:
        """Whether people are alone, or with one other, on all keys."""
        return any(0 < one.smallest < SMALLEST for one in self._telling(self.key_sets[0], self.bars[0]))

    @property
    def _values(self) -> int:
        return max(many_asked(self.asked), 1)

    @property
    def _tests(self) -> int:
        return self.attributes * len(self.key_sets) * (1 if self._weights is None else 2)

    @property
    def _weights(self) -> npt.NDArray[np.float64] | None:
        """How many people each row stands for, where that differs: shares are then read by weight too."""
        rows, weights = self.scope.rows, self.scope.stands_for
        return weights if rows is not None and useful(weights, rows.times) else None

    def _told(self, found: Sequence[tuple[Keys, list[Telling], list[Flags]]]) -> Told | None:
        if not found:
            return None
        keys, ways, flags = min(found, key=lambda one: len(one[0]))
        people = np.concatenate([one.people[flag] for one, flag in zip(ways, flags, strict=True)])
        shares = np.concatenate([one.overall[flag] for one, flag in zip(ways, flags, strict=True)])
        sets = {int(owner) for one, flag in zip(ways, flags, strict=True) for owner in one.owner[flag]}
        guess = float(np.average(shares, weights=people))
        everyone, rows = self._union(found)
        alone = len(found) == 1 or self._union([(keys, ways, flags)])[0] == everyone
        by_weight = not any(flag.any() for flag in flags[: len(self.asked)])
        return Told(everyone, len(sets), keys, guess, alone, by_weight, rows)

    def _union(self, found: Sequence[tuple[Keys, list[Telling], list[Flags]]]) -> tuple[int, Flags | None]:
        """The people concerned, each once, and their rows; without rows, as many as the worst key set has."""
        rows = self.scope.rows
        if rows is None:
            most = max(
                max(int(one.people[flag].sum()) for one, flag in zip(ways, flags, strict=True))
                for _, ways, flags in found
            )
            return most, None
        hit, own = np.zeros(rows.data.source.records, bool), rows.own(self.target)
        for keys, ways, flags in found:
            chosen, numbers, places = placed(rows, keys, self.target)
            by_way = self.asked * (len(ways) // len(self.asked))  # once more by weight
            for asked, one, flag in zip(by_way, ways, flags, strict=True):
                if not flag.any():
                    continue
                hit[chosen] |= one.holds(asked, places[numbers[chosen]], asked.of_code[own[chosen]], flag)
        return rows.distinct(hit), hit

    def _telling(self, keys: Keys, bar: Bar) -> list[Telling]:
        """The sets that tell something, for each way to ask; remembered for when other keys are changed."""
        scope = self.scope
        memo = scope.data.memo("@telling")
        grouped = [scope.partitions.get(name) for name in (*keys, self.target)]
        groups, person = tuple(map(id, grouped)), id(scope.rows and scope.rows.person)
        weighed = scope.data.weights, scope.population, scope.stars_fit, scope.originals
        key = keys, self.target, groups, self.bars, scope.sample, person, weighed
        if key not in memo:
            rows = scope.rows
            found = self._by_counts(keys) if rows is None else self._by_rows(rows, keys)
            memo[key] = found, grouped, rows
        told: list[Telling] = memo[key][0][bar]
        return told

    def _by_counts(self, keys: Keys) -> dict[Bar, list[Telling]]:
        """What is told where records are counted elsewhere."""
        scope = self.scope
        partitions = {name: part for name, part in scope.partitions.items() if name in keys}
        counts = Question(scope.data, keys, (self.target,), partitions).counts
        column, _ = frequencies(scope, self.target)
        tables = [_from_counts(counts.in_cells(), column.values, one) for one in self.asked]
        return self._told_by(tables, [])

    def _by_rows(self, rows: CodedRows, keys: Keys) -> dict[Bar, list[Telling]]:
        """What is told by those who show the same, or by all who fit what is known of a person.

        The latter count for people who have the value that they tell, if those who would show the same
        without suppression tell it too: otherwise whoever believes it is as often mistaken.
        """
        shown, own = rows.data.column(self.target).codes, rows.own(self.target)
        candidates = candidate_sets(rows, keys, self.target)
        if candidates is None:
            kept = rows.showing(keys, self.target)
            return self._of_sets(rows, *rows.sets(keys), slice(None) if kept is None else kept, shown)
        chosen, numbers = candidates.chosen, candidates.unsuppressed(keys)
        alike = self._of_sets(rows, numbers, int(numbers.max()) + 1, chosen, own)
        codes = [(one.numbered(shown), one.numbered(own), one.values) for one in self.asked]
        tables = [candidates.table(*one) for one in codes]
        weighed = self._weighed(rows, tables, numbers, chosen, shown, candidates)
        found = self._told_by(tables, weighed)
        places, sets = ranked(numbers[chosen])[0], candidates.number[chosen]
        for bar, ways in found.items():
            by_way = (self.asked * 2)[: len(ways)]  # once more by weight
            for i, (one, plain, asked) in enumerate(zip(ways, alike[bar], by_way, strict=True)):
                value = asked.of_code[own[chosen]]
                ways[i] = one.concerning(asked, sets, value, plain.holds(asked, places, value))
        return found

    def _of_sets(
        self, rows: CodedRows, numbers: Numbers, bound: int, chosen: Any, shown: Numbers
    ) -> dict[Bar, list[Telling]]:
        """What sets of rows tell that do not overlap."""
        own = rows.own(self.target)
        tables = [rows.table(numbers, bound, one.numbered(shown), one.values, chosen) for one in self.asked]
        if rows.originals is not None:
            having = [rows.sizes(one.numbered(own), one.values, chosen) for one in self.asked]
            tables = [replace(one, having=people) for one, people in zip(tables, having, strict=True)]
        return self._told_by(tables, self._weighed(rows, tables, numbers, chosen, shown))

    def _weighed(
        self,
        rows: CodedRows,
        tables: Sequence[PeopleTable],
        numbers: Numbers,
        chosen: Any,
        shown: Numbers,
        candidates: CandidateSets | None = None,
    ) -> list[PeopleTable]:
        """The tables by weight, where records have weights that differ."""
        weights, own = self._weights, rows.own(self.target)
        if weights is None:
            return []
        return [
            by_weight(
                table, rows, weights, numbers, one.numbered(shown), chosen, one.numbered(own), candidates
            )
            for table, one in zip(tables, self.asked, strict=True)
        ]

    def _told_by(
        self, tables: Sequence[PeopleTable], weighed: Sequence[PeopleTable]
    ) -> dict[Bar, list[Telling]]:
        """The sets of tables that tell something, and those that do so by weight."""
        sample = self.scope.sample
        return {
            bar: [
                *(telling(one, asked, bar, sample) for one, asked in zip(tables, self.asked, strict=True)),
                *(
                    telling_by_weight(one, other, asked, bar, sample)
                    for one, other, asked in zip(tables, weighed, self.asked, strict=False)
                ),
            ]
            for bar in self.bars
        }


def frequencies(scope: Scope, attribute: str) -> tuple[Codes, npt.NDArray[Any]]:
    """An attribute's codes as they are counted, and how many records have each."""
    if scope.rows is None:
        return scope.data.frequencies(attribute)
    column = scope.rows.data.column(attribute)
    return column, np.bincount(column.codes, weights=scope.rows.data.times, minlength=column.cardinality)


def placed(rows: CodedRows, keys: Keys, target: str) -> tuple[Any, Any, Any]:
    """Which rows count, the set of each, and the place that sets have in a table."""
    candidates = candidate_sets(rows, keys, target)
    if candidates is not None:
        counted: Any = np.arange(rows.data.source.records)[candidates.chosen]
        return counted, candidates.number, np.arange(candidates.sets)
    kept = rows.showing(keys, target)
    chosen: Any = np.arange(rows.data.source.records) if kept is None else kept
    numbers, bound = rows.sets(keys)
    used = np.flatnonzero(np.bincount(numbers[chosen], minlength=bound))
    places = np.zeros(bound, np.int64)
    places[used] = np.arange(len(used))
    return chosen, numbers, places


def _from_counts(counts: JointCounts, values: Sequence[object], asked: AskedValues) -> PeopleTable:
    """Joint counts as a table of values that are asked about."""
    cells = counts.cells
    assert cells is not None
    codes = {_spelled(value): code for code, value in enumerate(values, 1)}
    place = np.asarray([0 if value is None else codes[_spelled(value)] for value in counts.target_values])
    value = asked.of_code[place[cells.target]]
    word, cell = np.unique(cells.owner * asked.values + value, return_inverse=True)
    count = np.bincount(cell, weights=cells.count).astype(np.int64)
    times = np.ones(len(counts.size), np.int64) if counts.multiplicity is None else counts.multiplicity
    margin = (
        counts.target_weight
        if counts.margin is not None
        else np.bincount(cells.target, weights=cells.count * times[cells.owner], minlength=len(place))
    )
    having = np.bincount(asked.of_code[place], weights=margin, minlength=asked.values)
    owner, value = word // asked.values, word % asked.values
    return PeopleTable(counts.size, times, owner, value, count, having, counts.records)


def _spelled(value: object) -> tuple[str, str]:
    return type(value).__name__, str(value)
