"""Who could be meant by the original values of a person: the released records that fit, suppressed or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.people.class_sums import ClassSets, SetCells, set_cells
from divulge.assessment.people.originals import OriginalValues
from divulge.assessment.people.people import CodedRows, first_of_each
from divulge.assessment.people.people_table import PeopleTable
from divulge.attacks.linkage.candidates import ANYTHING, SharedAttribute
from divulge.counting.counts import JointCounts
from divulge.counting.wildcard import TOO_MANY
from divulge.errors import Undefined
from divulge.table.packing import combinations, of_matrix, packed

Numbers = npt.NDArray[Any]
LOOKED_UP = 150_000_000  # original values that are looked up among released ones: some ten seconds
LONG_TO_FIND = 3  # keys from which on the sets that were found last are kept
MOST = 20_000_000  # released classes that fit, and their values, over all sets: some seconds


@dataclass(frozen=True, eq=False)
class CandidateSets:
    """Sets of released records that fit what is known of a person; a record may be in several.

    Suppressing a cell of a record adds it to sets, and takes it from none. That alone would count a record
    without any key as company for everybody, though it is hardly ever theirs. A record can be nobody's whom
    it does not fit: so a person is in company with no more people than their own record fits.
    """

    rows: CodedRows
    chosen: Any  # the rows that count
    number: Numbers  # for each row the set of those who could be its person; 0 where it does not count
    alike: Numbers  # for each row that counts the class of those who show the same
    fits: ClassSets  # which classes are in which set

    @property
    def sets(self) -> int:
        return len(self.fits)

    @cached_property
    def sizes(self) -> Numbers:
        """How many people are in each set."""
        return self._people(np.zeros_like(self.number), 1).number

    def unsuppressed(self, keys: Sequence[str]) -> Numbers:
        """For each row the class of those who would show the same if no cell were suppressed.

        Where no record shows what a suppressed cell had, they are those with the same original value.
        """
        originals = self.rows.originals
        assert originals is not None
        columns = []
        for key in keys:
            one, codes = originals.shared[key], originals.unsuppressed(key)
            columns.append((codes, one.released.cardinality))
            unseen = np.where(one.layer[codes] == ANYTHING, originals.known(key), 0)
            columns.append((unseen, one.other.cardinality))
        return combinations(columns, len(self.number)).number

    @cached_property
    def people_fitted(self) -> Numbers:
        """How many people each class of records that show the same may belong to."""
        return self._fitted(np.ones(len(self.number), np.int64)).astype(np.int64)

    def _fitted(self, weights: Numbers) -> Numbers:
        """What the people weigh that each class may belong to, everyone once."""
        sets, weight, person = self.number[self.chosen], weights[self.chosen], self.rows.person
        if person is None:
            return self.fits.spread(np.bincount(sets, weight, self.sets))
        once = first_of_each(sets, person[self.chosen])
        people = self.fits.spread(np.bincount(sets[once], weight[once], self.sets))
        return people - self._fitted_again(person[self.chosen], sets, weight)

    def _fitted_again(self, persons: Numbers, sets: Numbers, weight: Numbers) -> Numbers:
        """What people with several records weigh in a class beyond the first time that they fit it."""
        bound = int(persons.max()) + 1
        each = set_cells(sets, persons, np.ones_like(sets), bound)
        several = np.bincount(each.column)[each.column] > 1
        held = self.fits.taken(each.row[several])
        if len(held.members) > MOST:
            raise Undefined(TOO_MANY)
        whose = np.repeat(each.column[several], np.diff(held.starts))
        found = set_cells(held.members, whose, np.ones_like(whose), bound)
        each_weighs = np.zeros(bound, weight.dtype)
        each_weighs[persons] = weight
        return np.bincount(found.row, (found.number - 1) * each_weighs[found.column], self.fits.classes)

    def company(self, weights: Numbers | None) -> tuple[Numbers, Numbers, Numbers | None]:
        """For each row the number of its company, how many people that is, and for how many they stand.

        ``weights`` has what the person of each row stands for.
        """
        pair = self._pairs
        set_of, class_of = self.number[self.chosen][pair.first], self.alike[pair.first]
        numbers = np.zeros(len(self.number), np.int64)
        numbers[self.chosen] = pair.number
        sizes = np.minimum(self.sizes[set_of], self.people_fitted[class_of])
        if weights is None:
            return numbers, sizes, None
        showing = self._people(np.zeros_like(self.number), 1, weights).number
        return numbers, sizes, np.minimum(showing[set_of], self._fitted(weights)[class_of])

    @cached_property
    def _pairs(self) -> Any:
        """The combinations of a set and a class that people and their records are in."""
        columns = [(self.number[self.chosen], self.sets), (self.alike, self.fits.classes)]
        return combinations(columns, len(self.alike))

    def counts(self, repeated: bool) -> JointCounts:
        """Companies as counts of records, with how many people they are if people have several records."""
        pair = self._pairs
        set_of, class_of = self.number[self.chosen][pair.first], self.alike[pair.first]
        showing = self.fits.added_up(np.bincount(self.alike))
        fitted = self.fits.spread(np.bincount(self.number[self.chosen], minlength=self.sets))
        size, people = np.minimum(showing[set_of], fitted[class_of]), self.company(None)[1]
        own = np.bincount(pair.number)
        return JointCounts(size, None, subjects=people if repeated else None, own=own, overlapping=True)

    def table(self, codes: Numbers, own: Numbers, values: int) -> PeopleTable:
        """Sets by the value that records show; ``own`` has what people have, shown or suppressed."""
        found = self._people(codes, values)
        having = self.rows.sizes(own, values, self.chosen)
        people = self.rows.distinct(self.chosen)
        once = np.ones(self.sets, np.int64)
        return PeopleTable(self.sizes, once, *found, having, people)

    def by_value(self, numbers: Numbers, codes: Numbers, values: int) -> SetCells:
        """Numbers of rows that count, added up over sets and values."""
        shown = set_cells(self.alike, codes, numbers, values)
        self._affordable(shown.row)
        return self.fits.joined(shown, values)

    def _people(self, codes: Numbers, values: int, weights: Numbers | None = None) -> SetCells:
        """How many people of each set show each value, everyone once; or what these weigh."""
        codes = codes[self.chosen].astype(np.int64)
        weight = np.ones(len(codes), np.int64) if weights is None else weights[self.chosen]
        if self.rows.person is None:
            return self.by_value(weight, codes, values)
        person = self.rows.person[self.chosen]
        first = first_of_each(self.alike * values + codes, person)
        once = np.zeros_like(weight)
        once[first] = weight[first]
        found = self.by_value(once, codes, values)
        again = self._again(first, codes, person, weight, values)
        place = np.searchsorted(found.row * values + found.column, again.row * values + again.column)
        found.number[place] -= again.number
        return found

    def _again(
        self, first: Numbers, codes: Numbers, person: Numbers, weight: Numbers, values: int
    ) -> SetCells:
        """What people with several records weigh in a set with a value beyond the first time."""
        label = combinations([(person[first], int(person.max()) + 1), (codes[first], values)], len(first))
        several = np.bincount(label.number)[label.number] > 1
        classes, labels = self.alike[first][several], label.number[several]
        self._affordable(classes)
        times = self.fits.joined(
            set_cells(classes, labels, np.ones_like(labels), len(label.first)), len(label.first)
        )
        whose = first[label.first][times.column]
        return set_cells(times.row, codes[whose], (times.number - 1) * weight[whose], values)

    def _affordable(self, classes: Numbers) -> None:
        """Refuse to add up too many entries of classes over sets."""
        if self.fits.work(np.bincount(classes, minlength=self.fits.classes)) > MOST:
            raise Undefined(TOO_MANY)


def candidate_sets(rows: CodedRows, keys: Sequence[str], target: str | None = None) -> CandidateSets | None:
    """The sets for these keys; None where no cell of them is suppressed, or originals are not known."""
    if rows.originals is None:
        return None
    kept = rows.kept(keys, target)
    nobody = kept is not None and not len(kept)
    if nobody or not rows.hidden(keys):
        return None
    chosen: Any = slice(None) if kept is None else kept
    if len(keys) < LONG_TO_FIND:
        return _sets(rows, rows.originals, keys, chosen)
    memo = rows.data.memo("@candidates")
    asked = rows.originals, tuple(keys), None if kept is None else target
    found: CandidateSets | None = memo.get(asked)
    if found is None:
        found = _sets(rows, rows.originals, keys, chosen)
        memo.clear()
        memo[asked] = found
    return found


def _sets(rows: CodedRows, originals: OriginalValues, keys: Sequence[str], chosen: Any) -> CandidateSets:
    shared = [originals.shared[key] for key in keys]
    known = [originals.known(key)[chosen] for key in keys]
    shown = [_shown(one)[chosen] for one in shared]
    records = len(known[0])
    persons = combinations(((a, b.other.cardinality) for a, b in zip(known, shared, strict=True)), records)
    classes = combinations(
        ((a, b.released.cardinality + 1) for a, b in zip(shown, shared, strict=True)), records
    )
    whose, which = zip(
        *_pairs(shared, [a[persons.first] for a in known], [a[classes.first] for a in shown]), strict=True
    )
    one, other = np.concatenate(whose), np.concatenate(which)
    fits = ClassSets.of_pairs(one, other, len(classes.first))
    # Who could be one of the same records is in the same set: the sum of random numbers tells.
    labels = np.random.default_rng(0).integers(1 << 63, size=len(classes.first), dtype=np.uint64)
    _, first, place = np.unique(fits.added_up(labels), return_index=True, return_inverse=True)
    number = np.zeros(rows.data.source.records, np.int64)
    number[chosen] = place[persons.number]
    return CandidateSets(rows, chosen, number, classes.number, fits.taken(first))


def _shown(shared: SharedAttribute) -> Numbers:
    """What each released record shows, from 1 on; 0 where that is nothing."""
    return np.where(shared.layers() == ANYTHING, 0, shared.released.codes.astype(np.int64) + 1)


def _pairs(
    shared: Sequence[SharedAttribute], known: Sequence[Numbers], shown: Sequence[Numbers]
) -> Iterator[tuple[Numbers, Numbers]]:
    """Combinations of original values and the released ones that they fit, kind by kind of suppression.

    In a kind, released values of a key lie in one layer or are suppressed, so that what is known fits one
    combination of them at most.
    """
    layers = np.stack(
        [np.where(a > 0, b.layer[a - 1], ANYTHING) for a, b in zip(shown, shared, strict=True)], axis=1
    )
    kinds = combinations(of_matrix(layers), len(layers))
    if len(kinds.first) * len(known[0]) > LOOKED_UP:
        raise Undefined(TOO_MANY)
    found = 0
    for kind, layer in enumerate(layers[kinds.first].tolist()):
        classes = np.flatnonzero(kinds.number == kind)
        used = [place for place, one in enumerate(layer) if one != ANYTHING]
        owned = [shared[place].owner[layer[place]][known[place]] for place in used]
        persons = (
            np.flatnonzero(np.logical_and.reduce([one > 0 for one in owned]))
            if used
            else np.arange(len(known[0]))
        )
        columns = (
            (np.concatenate([one[persons], shown[place][classes]]), shared[place].released.cardinality + 1)
            for place, one in zip(used, owned, strict=True)
        )
        word = packed(columns, len(persons) + len(classes))
        mine, theirs = word[: len(persons)], word[len(persons) :]
        order = np.argsort(theirs)
        place_of = np.minimum(np.searchsorted(theirs[order], mine), len(order) - 1)
        hit = theirs[order][place_of] == mine
        found += int(hit.sum())
        if found > MOST:
            raise Undefined(TOO_MANY)
        yield persons[hit], classes[order[place_of[hit]]]
