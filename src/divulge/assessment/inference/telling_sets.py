"""What the sets of one key set tell of a sensitive attribute, counted by rows or where the records are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.inference.asked.asked_cells import from_counts
from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.inference.concerned_people import FEW_KEYS, ways_asked
from divulge.assessment.inference.revealing_groups import Bar, Telling, telling, tellings
from divulge.assessment.inference.set_members import PlacedSets
from divulge.assessment.inference.told_there import people_tables
from divulge.assessment.inference.weighted_groups import by_weight, telling_by_weight, useful
from divulge.assessment.people.candidate_sets import CandidateSets, candidate_sets
from divulge.assessment.people.people import CodedRows
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.scope import Scope
from divulge.counting.counts import JointCounts
from divulge.questions.question import Question
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import ranked

Keys = tuple[str, ...]
Numbers = npt.NDArray[Any]
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class SetCounts:
    """The sets of people that tell something, by each way to ask about an attribute."""

    scope: Scope
    target: str
    column: Codes  # of the target
    asked: Sequence[AskedValues]
    bars: tuple[Bar, ...]
    all_keys: Keys

    def by_counts(self, keys: Keys) -> dict[Bar, list[Telling]]:
        """What is told where records are counted elsewhere."""
        scope = self.scope
        if scope.people_there is not None:
            return self._told_by(*people_tables(scope, keys, self.target, self.column, self.asked))
        partitions = {name: part for name, part in scope.partitions.items() if name in keys}
        counts = Question(scope.data, keys, (self.target,), partitions).counts
        return self.by_cells(counts.in_cells())

    def by_cells(self, cells: JointCounts) -> dict[Bar, list[Telling]]:
        """What is told by counts of sets in which each record is a person; alike sets may be held once."""
        tables = self._by_value(from_counts(cells, self.column.values))
        return self._told_by(self._of_everyone(tables), [])

    def by_rows(self, rows: CodedRows, keys: Keys) -> dict[Bar, list[Telling]]:
        """What is told by those who show the same, or by all who fit what is known of a person.

        The latter count for people who have the value that they tell, if those who would show the same
        without suppression tell it too: otherwise an attacker who believes it is as often mistaken.
        """
        shown, own = rows.data.column(self.target).codes, rows.own(self.target)
        candidates = candidate_sets(rows, keys, self.target)
        if candidates is None:
            unweighted = self.weights is None and rows.originals is None
            few = unweighted and len(keys) <= FEW_KEYS and rows.shown_by_cells(keys, self.target)
            if few and (cells := self._counted_alone(rows, keys)) is not None:
                return self.by_cells(cells)
            whole = rows.few_cells(keys, self.target, self._beside(rows)) if few else None
            if whole is not None:
                tables = self._by_value(whole)
                everyone = whole.people == rows.data.records
                return self._told_by(tables if everyone else self._of_everyone(tables), [])
            kept = rows.showing(keys, self.target)
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
            by_way = ways_asked(self.asked, ways)
            for i, (one, plain, asked) in enumerate(zip(ways, alike[bar], by_way, strict=True)):
                value = asked.of_code[own[chosen]]
                ways[i] = one.concerning(asked, sets, value, plain.holds(asked, places, value))
            ways += self._by_own_record(rows, candidates, bar)
        return found

    def _counted_alone(self, rows: CodedRows, keys: Keys) -> JointCounts | None:
        """The counts of a single key, where each record is a person: its rates were read from them."""
        scope = self.scope
        plain = rows.person is None and rows.times is None and scope.data.weights is None
        if len(keys) > 1 or not plain or rows.data is not scope.data or self.target in scope.partitions:
            return None
        if rows.showing(keys, self.target) is not None:
            return None
        question = scope.alone(keys[0], self.target)
        return question.counts.in_cells() if question.records == scope.data.records else None

    def _beside(self, rows: CodedRows) -> list[str]:
        """What else is asked about: other targets, then keys, those of fewest values first."""
        keys = sorted(self.all_keys, key=lambda key: rows.column(key).cardinality)
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

    def _of_everyone(self, tables: Sequence[PeopleTable]) -> list[PeopleTable]:
        """The tables with how common values are among everyone: who is in no set has a value, too."""
        return [
            replace(table, having=having, people=people)
            for table, (having, people) in zip(tables, self._everyone, strict=True)
        ]

    def _among(self, chosen: Any, tables: list[PeopleTable]) -> list[PeopleTable]:
        """The tables of some rows; of all rows they know how common values are."""
        return tables if isinstance(chosen, slice) else self._of_everyone(tables)

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

    @cached_property
    def weights(self) -> npt.NDArray[np.float64] | None:
        """How many people each row stands for, where that differs: shares are then read by weight too."""
        rows, weights = self.scope.rows, self.scope.person_stands_for
        return weights if rows is not None and useful(weights, rows.times) else None

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
        weights, own = self.weights, rows.own(self.target)
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
        asked = [tellings(one, way, self.bars, sample) for one, way in zip(tables, self.asked, strict=True)]
        return {
            bar: [
                *(ways[place] for ways in asked),
                *(
                    replace(telling_by_weight(one, other, way, bar, sample), by_weight=True)
                    for one, other, way in zip(tables, weighed, self.asked, strict=False)
                ),
            ]
            for place, bar in enumerate(self.bars)
        }


def frequencies(scope: Scope, attribute: str) -> tuple[Codes, npt.NDArray[Any]]:
    """An attribute's codes as they are counted, and how many records have each."""
    if scope.rows is None:
        return scope.data.frequencies(attribute)
    column = scope.rows.data.column(attribute)
    return column, column.frequencies(scope.rows.data.times)
