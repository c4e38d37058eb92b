"""What keys tell about a sensitive attribute: the sets that tell a value, beyond chance and within it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.inference.approximate_questions import asked_roughly
from divulge.assessment.inference.asked_cells import from_counts
from divulge.assessment.inference.findings_memo import FindingsMemo
from divulge.assessment.inference.key_set_findings import FlaggedSets, KeySetFindings, Told, all_sets
from divulge.assessment.inference.revealing_groups import SMALLEST, Bar, Telling, telling
from divulge.assessment.inference.sensitive_questions import (
    AskedValues,
    SensitiveAnswers,
    asked_values,
    many_asked,
)
from divulge.assessment.inference.set_members import PlacedSets, placed, rows_in_cells
from divulge.assessment.inference.text_parts import asked_by_part
from divulge.assessment.inference.told_there import people_tables, people_told
from divulge.assessment.inference.weighted_groups import by_weight, telling_by_weight, useful
from divulge.assessment.people.candidate_sets import CandidateSets, candidate_sets
from divulge.assessment.people.people import CodedRows
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.scope import Scope
from divulge.engines.coded_table import code_of
from divulge.errors import Undefined
from divulge.questions.question import Question
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import ranked

Keys = tuple[str, ...]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]
Made = TypeVar("Made")
MANY = 200_000  # records from which on sets that are alike are better counted than looked up
FEW_KEYS = 2  # of a key set of which it is remembered whom it tells about


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
        found = [said.beyond(bar, self._values, self._tests) for said in self.findings]
        return self._told([one for one in found if one.any])

    def within_chance(self, bar: Bar) -> Told | None:
        """The people of sets of three or more, by all keys, that tell no more than chance would make.

        They are those who do have one value: shares by weight that chance explains say nothing about them.
        """
        return self._told([self._within(self._said(self.key_sets[0]), bar)])

    def _within(self, said: KeySetFindings, bar: Bar) -> FlaggedSets:
        beyond = said.beyond(bar, self._values, self._tests)
        by_way = zip(beyond.ways, beyond.flags, self._by_way(beyond.ways), strict=True)
        flags = [
            ~flag & (one.size >= SMALLEST) & (not asked.rough) & (not asked.known) & (not one.by_weight)
            for one, flag, asked in by_way
        ]
        return FlaggedSets(said.keys, beyond.ways, flags)

    def _by_way(self, ways: Sequence[Telling]) -> list[AskedValues]:
        """What each way asks: the same once more by weight, and by what people's own records show."""
        return self.asked * (len(ways) // len(self.asked))

    def of_every_size(self, bar: Bar) -> Told | None:
        """The people whom chance does not explain, and those of all sets that tell by all keys.

        One who is alone is a set.
        """
        beyond = [said.beyond(bar, self._values, self._tests) for said in self.findings]
        return self._told([*beyond, all_sets(self._said(self.key_sets[0]), bar)])

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
        there = self.scope.people_there is not None
        if there or self.target in self.scope.partitions or self.scope.data.records < MANY:
            return self._said(self.key_sets[0])
        cells = self.scope.question(self.key_sets[0], self.target).counts.in_cells()
        tables = self._by_value(from_counts(cells, self._column.values))
        return KeySetFindings(self.key_sets[0], self._told_by(self._of_everyone(tables), []))

    @property
    def _column(self) -> Codes:
        return frequencies(self.scope, self.target)[0]

    @property
    def small_sets(self) -> bool:
        """Whether people are alone, or with one other, on all keys."""
        ways = self._said(self.key_sets[0]).by_bar[self.bars[0]]
        return any(0 < one.smallest < SMALLEST for one in ways)

    @cached_property
    def _values(self) -> int:
        return max(many_asked(self.asked), 1)

    @cached_property
    def _tests(self) -> int:
        there = self.scope.people_there
        weighed = self._weights is not None or (there is not None and there.weights_differ)
        return self.attributes * len(self.key_sets) * (2 if weighed else 1)

    @cached_property
    def _weights(self) -> npt.NDArray[np.float64] | None:
        """How many people each row stands for, where that differs: shares are then read by weight too."""
        rows, weights = self.scope.rows, self.scope.person_stands_for
        return weights if rows is not None and useful(weights, rows.times) else None

    def _told(self, found: Sequence[FlaggedSets]) -> Told | None:
        found = [one for one in found if one.any]
        if not found:
            return None
        fewest = min(found, key=lambda one: len(one.keys))
        people = np.concatenate([one.people[flag] for one, flag in fewest.pairs])
        shares = np.concatenate([one.overall[flag] for one, flag in fewest.pairs])
        owner = np.concatenate([one.owner[flag] for one, flag in fewest.pairs])
        times = np.concatenate([one.times[flag] for one, flag in fewest.pairs])
        sets = int(times[np.unique(owner, return_index=True)[1]].sum())
        values = np.concatenate([one.value[flag] for one, flag in fewest.pairs])
        having, several = float(np.average(shares, weights=people)), np.unique(values).size > 1
        everyone, rows = self._union(found)
        everyone = min(everyone, self.scope.people)  # where missing values fit any, groups overlap
        alone = len(found) == 1 or self._union([fewest])[0] == everyone
        by_weight = not any(flag.any() for one, flag in fewest.pairs if not one.by_weight)
        each = tuple((one.keys, one.least) for one in found)
        by_way = zip(self._by_way(fewest.ways), fewest.flags, strict=True)
        kinds = {(asked.kind, asked.known) for asked, flag in by_way if flag.any()}
        kind = next(one for one in ("value", "range", "part") if one in {kind for kind, _ in kinds})
        known = all(known for _, known in kinds)
        return Told(everyone, sets, fewest.keys, having, several, alone, by_weight, rows, each, kind, known)

    def _union(self, found: Sequence[FlaggedSets]) -> tuple[int, Flags | None]:
        """The people concerned, each once, and their rows; without rows, as many as the worst key set has."""
        rows = self.scope.rows
        if self.scope.people_there is not None:
            return people_told(self.scope, self.target, self._column, self.asked, found), None
        if rows is None:
            return max(max(int(way.people[flag].sum()) for way, flag in one.pairs) for one in found), None
        hit = np.zeros(rows.data.source.records, bool)
        for one in found:
            hit |= self._rows(rows, one)
        return rows.having(hit), hit

    def _rows(self, rows: CodedRows, one: FlaggedSets) -> Flags:
        """The rows of the people about whom a key set tells; of few keys remembered for other changes."""
        if one.rows is not None:
            return np.unpackbits(one.rows, count=rows.data.source.records).view(bool)
        if len(one.keys) > FEW_KEYS:
            return self._in_sets(rows, one)
        told = [(asked, *pair) for asked, pair in zip(self._by_way(one.ways), one.pairs, strict=True)]
        hit = rows_in_cells(rows, one.keys, self.target, [each for each in told if each[2].any()])
        hit = self._in_sets(rows, one) if hit is None else hit
        one.rows = np.packbits(hit)
        return hit

    def _in_sets(self, rows: CodedRows, one: FlaggedSets) -> Flags:
        shared: PlacedSets | None = None
        own = rows.own(self.target)
        hit = np.zeros(len(own), bool)
        for asked, (way, flag) in zip(self._by_way(one.ways), one.pairs, strict=True):
            if not flag.any():
                continue
            owner, value = way.owner[flag], way.value[flag]
            if asked.by_two:
                banded = value < asked.bands
                owner = np.concatenate([owner, owner[banded]])
                value = np.concatenate([value, value[banded] + 1])
            if way.placed is None and shared is None:
                shared = placed(rows, one.keys, self.target, lone=way.lone)
            sets = way.placed or shared
            assert sets is not None
            holding = partial(sets.holding_within, asked) if asked.limit else sets.holding
            told = holding(owner, value, asked.numbered(own))
            if way.about is not None:
                told[sets.chosen] &= way.about
            hit |= told
        return hit

    def _said(self, keys: Keys) -> KeySetFindings:
        """The sets that tell something, for each way to ask; remembered for when other keys are changed."""
        scope, memo, address = self.scope, self._memo, self._address(keys)
        said = memo.get(address)
        if said is None:
            rows = scope.rows
            found = self._by_counts(keys) if rows is None else self._by_rows(rows, keys)
            # What the address has by its id is kept beside, since the id would else be given to another.
            groups = [scope.partitions.get(name) for name in (*keys, self.target)]
            said = KeySetFindings(keys, found)
            memo.hold(address, said, (groups, rows and rows.person))
        return said

    @cached_property
    def findings(self) -> list[KeySetFindings]:
        """What each key set tells."""
        return [self._said(keys) for keys in self.key_sets]

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

    def _by_counts(self, keys: Keys) -> dict[Bar, list[Telling]]:
        """What is told where records are counted elsewhere."""
        scope = self.scope
        if scope.people_there is not None:
            return self._told_by(*people_tables(scope, keys, self.target, self._column, self.asked))
        partitions = {name: part for name, part in scope.partitions.items() if name in keys}
        counts = Question(scope.data, keys, (self.target,), partitions).counts
        cells = counts.in_cells()
        tables = self._by_value(from_counts(cells, self._column.values))
        return self._told_by(self._of_everyone(tables), [])

    def _among(self, chosen: Any, tables: list[PeopleTable]) -> list[PeopleTable]:
        """The tables of some rows; of all rows they know how common values are."""
        return tables if isinstance(chosen, slice) else self._of_everyone(tables)

    def _of_everyone(self, tables: Sequence[PeopleTable]) -> list[PeopleTable]:
        """The tables with how common values are among everyone: who is in no set has a value, too."""
        return [
            replace(table, having=having, people=people)
            for table, (having, people) in zip(tables, self._everyone, strict=True)
        ]

    @cached_property
    def _everyone(self) -> list[tuple[Numbers, int]]:
        """How many people have each value, for each way to ask, and how many there are."""
        rows, target = self.scope.rows, self.target
        if rows is not None and (rows.person is not None or rows.originals is not None):
            own = rows.own(target)
            return self._each(lambda one: rows.of_everyone(one.numbered(own), one.values, target))
        records = frequencies(self.scope, target)[1].astype(np.int64)
        if self.scope.data.missing == "drop":
            records[MISSING] = 0
        counted = self._each(lambda one: np.bincount(one.of_code, records, one.values).astype(np.int64))
        return [(having, int(records.sum())) for having in counted]

    def _by_rows(self, rows: CodedRows, keys: Keys) -> dict[Bar, list[Telling]]:
        """What is told by those who show the same, or by all who fit what is known of a person.

        The latter count for people who have the value that they tell, if those who would show the same
        without suppression tell it too: otherwise an attacker who believes it is as often mistaken.
        """
        shown, own = rows.data.column(self.target).codes, rows.own(self.target)
        candidates = candidate_sets(rows, keys, self.target)
        if candidates is None:
            kept = rows.showing(keys, self.target)
            unweighted = self._weights is None and rows.originals is None
            few = unweighted and kept is None and len(keys) <= FEW_KEYS
            whole = rows.few_cells(keys, self.target, self._beside(rows)) if few else None
            if whole is not None:
                return self._told_by(self._by_value(whole), [])
            chosen = slice(None) if kept is None else kept
            if unweighted and (apart := rows.apart(keys, self.target, chosen)) is not None:
                tables = self._by_value(rows.of_several(apart, self.target, chosen))
                found = self._told_by(self._among(chosen, tables), [])
                return {bar: [replace(one, lone=True) for one in ways] for bar, ways in found.items()}
            return self._of_sets(rows, *rows.sets(keys), chosen, shown)
        chosen, numbers = candidates.chosen, candidates.unsuppressed(keys)
        alike = self._of_sets(rows, numbers, int(numbers.max()) + 1, chosen, own)
        made = self._each(lambda one: candidates.table(one.numbered(shown), one.numbered(own), one.values))
        tables = self._among(chosen, made)
        weighed = self._weighed(rows, tables, numbers, chosen, shown, candidates)
        found = self._told_by(tables, weighed)
        places, sets = ranked(numbers[chosen])[0], candidates.number[chosen]
        for bar, ways in found.items():
            by_way = (self.asked * 2)[: len(ways)]  # once more by weight
            for i, (one, plain, asked) in enumerate(zip(ways, alike[bar], by_way, strict=True)):
                value = asked.of_code[own[chosen]]
                ways[i] = one.concerning(asked, sets, value, plain.holds(asked, places, value))
            ways += self._by_own_record(rows, candidates, bar)
        return found

    def _beside(self, rows: CodedRows) -> list[str]:
        """What else is asked about: other targets, then keys, those of fewest values first."""
        keys = sorted(self.key_sets[0], key=lambda key: rows.column(key).cardinality)
        return [*(name for name in self.scope.sensitive if name not in rows.partitions), *keys]

    def _by_own_record(self, rows: CodedRows, candidates: CandidateSets, bar: Bar) -> list[Telling]:
        """What those who show the same tell about the people whom they fit, who may be more than they are."""
        shown, own = rows.data.column(self.target).codes, rows.own(self.target)
        chosen, classes = candidates.chosen, candidates.fits.classes
        numbers = np.zeros(len(shown), np.int64)
        numbers[chosen] = candidates.alike
        sets = PlacedSets(chosen, candidates.alike, np.arange(classes), classes)

        def fitted(one: AskedValues) -> PeopleTable:
            having = rows.sizes(one.numbered(own), one.values, chosen)
            table = rows.table(numbers, classes, one.numbered(shown), one.values, chosen)
            return replace(table, size=np.maximum(candidates.people_fitted, table.size), having=having)

        tables = self._each(fitted)
        found = []
        for one, wide in zip(self.asked, self._among(chosen, tables), strict=True):
            found.append(replace(telling(wide, one, bar, self.scope.sample), placed=sets))
        return found

    def _of_sets(
        self, rows: CodedRows, numbers: Numbers, bound: int, chosen: Any, shown: Numbers
    ) -> dict[Bar, list[Telling]]:
        """What sets of rows tell that do not overlap."""
        own = rows.own(self.target)
        if rows.person is None and rows.originals is None:
            tables = self._by_value(rows.by_code(numbers, bound, self.target, chosen))
        else:
            tables = self._each(
                lambda one: rows.table(numbers, bound, one.numbered(shown), one.values, chosen)
            )
        if rows.originals is not None:
            having = self._each(lambda one: rows.sizes(one.numbered(own), one.values, chosen))
            tables = [replace(one, having=people) for one, people in zip(tables, having, strict=True)]
        tables = self._among(chosen, tables)
        return self._told_by(tables, self._weighed(rows, tables, numbers, chosen, shown))

    def _by_value(self, table: PeopleTable) -> list[PeopleTable]:
        """A table by the codes of the attribute as one for each way to ask about them."""
        return self._each(lambda one: table if one.plain else table.regrouped(one.of_code, one.values))

    def _each(self, made: Callable[[AskedValues], Made]) -> list[Made]:
        """What is made for each way to ask; once for those that number values alike."""
        found = dict[int, Made]()
        for one in self.asked:
            if id(one.of_code) not in found:
                found[id(one.of_code)] = made(one)
        return [found[id(one.of_code)] for one in self.asked]

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
        counted = rows.kept((), self.target)
        everyone = slice(None) if counted is None else counted
        return [
            by_weight(
                table,
                rows,
                weights,
                numbers,
                one.numbered(shown),
                chosen,
                everyone,
                one.numbered(own),
                candidates,
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
                    replace(telling_by_weight(one, other, asked, bar, sample), by_weight=True)
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
    return column, column.frequencies(scope.rows.data.times)
