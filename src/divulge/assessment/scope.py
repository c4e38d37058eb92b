"""What an audit is about: data with roles, the partitions in force, and the questions asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.seeds import SEED
from divulge._support.threads import cached_property
from divulge.alignment.elsewhere import counted_there
from divulge.assessment.people.everyone import Everyone
from divulge.assessment.people.originals import OriginalValues
from divulge.assessment.people.people import CodedRows, rows_of
from divulge.assessment.people.people_there import PeopleThere
from divulge.assessment.people.sample import SampleShare
from divulge.counting.counts import RECORD, Beside
from divulge.errors import Undefined
from divulge.measures import Measure, get
from divulge.policy import MOST_PEOPLE, Population, too_many
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.readings.chance import PERMUTATIONS
from divulge.readings.reading import AtChance, Reading
from divulge.table.partition import Partition

THREADS_PAY = 100_000  # rows from which on several threads find something sooner than one


@dataclass(frozen=True, eq=False)
class Scope:
    """Data with roles, and how their values are grouped; a question asked twice is counted once."""

    data: Data
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    seed: int = SEED
    given_up: frozenset[str] = frozenset()  # attributes that nobody outside would see
    population: Population | None = None  # what the table is a sample of, where that was said
    everyone: Everyone | None = None  # a table of the population, where there is one
    household: str | None = None  # an attribute that people who live together share
    beside: Mapping[str, Beside] = field(default_factory=dict)  # tables that targets are compared with
    stars_fit: bool = False  # whether a suppressed cell fits any value, and is no value of its own
    drawn: int | None = None  # people of the table before records were left out of it
    originals: OriginalValues | None = None  # the values behind each record of a release, where known
    as_everybody: bool = False  # whether the table is taken for all people, though it is a sample of them
    _asked: dict[Any, Question] = field(default_factory=dict, repr=False)
    _read: bool = field(default=False, repr=False)  # whether the columns were read for another scope already

    def __post_init__(self) -> None:
        # Read once for all questions; they could otherwise be answered from rows that stand for many records.
        if not self._read:
            self.data.read_ahead([*self.keys, *self.sensitive])
        _ = self.at_hand

    @property
    def keys(self) -> tuple[str, ...]:
        """What the attacker is taken to know: the quasi-identifiers."""
        return self.data.schema.quasi_identifiers

    @cached_property
    def answers(self) -> dict[Any, Any]:
        """What was found for a check, by its question."""
        return {}

    @property
    def records(self) -> int:
        """The records that are counted by the quasi-identifiers together."""
        return self.question(self.keys).records

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.data.schema.sensitive

    @property
    def targets(self) -> tuple[str, ...]:
        """What the attacker is taken to be after: who it is, then each sensitive attribute."""
        return (RECORD, *self.sensitive)

    @cached_property
    def others(self) -> tuple[str, ...]:
        """Attributes without a role, the weights left out."""
        schema = self.data.schema
        given = {*schema.identifiers, *self.keys, *self.sensitive, self.data.weights}
        return tuple(name for name in schema.attributes if name not in given)

    def asked_alone(self, target: str) -> list[str]:
        """The attributes that may tell about a target, each on its own."""
        keys = [*self.keys, *self.others, *(() if target == RECORD else self.sensitive)]
        return [key for key in keys if key != target]

    @cached_property
    def compared(self) -> int:
        """How many readings an audit holds against chance: each attribute, and all keys, on each target."""
        return max(sum(len(self.asked_alone(target)) + 1 for target in self.sensitive), 1)

    def question(
        self, keys: Sequence[str], target: Sequence[str] | str = RECORD, *, among: Sequence[str] = ()
    ) -> Question:
        """What do these keys tell about the target? ``among`` has all that is known, if keys are a part."""
        target = (target,) if isinstance(target, str) else tuple(target)
        asked = (tuple(keys), target, tuple(among))
        if asked not in self._asked:
            used = {*keys, *target}
            partitions = {name: part for name, part in self.partitions.items() if name in used}
            self._asked[asked] = Question(
                self.data,
                tuple(keys),
                target,
                partitions,
                tuple(among),
                self.beside.get(target[0]) if len(target) == 1 else None,
            )
        return self._asked[asked]

    def count_targets(self) -> None:
        """Count all quasi-identifiers with each sensitive attribute, as classes are known then."""
        for name in self.sensitive:
            with suppress(Undefined):
                _ = self.question(self.keys, name).counts

    def alone(self, key: str, target: str = RECORD) -> Question:
        """What does one attribute tell, on the records that the quasi-identifiers together are read on?"""
        return self.question([key], target, among=self.keys)

    def reading(
        self,
        measure: str | Measure,
        question: Question,
        parameters: Mapping[str, Any] | None = None,
        permutations: int | None = None,
    ) -> Reading:
        """A measure's value on a question, with chance when it is asked for."""
        return self.read([(measure, parameters or {})], question, permutations)[0]

    def read(
        self,
        measures: Sequence[tuple[str | Measure, Mapping[str, Any]]],
        question: Question,
        permutations: int | None = None,
        most: int = PERMUTATIONS,
    ) -> list[Reading]:
        """Several measures on one question, sharing counts and shuffles, ``most`` of them unless given."""
        pairs = [(get(m) if isinstance(m, str) else m, given) for m, given in measures]
        shuffles = AtChance(question, pairs, permutations, self.seed, most=most)
        return [Reading(one, given, question, shuffles) for one, given in pairs]

    @cached_property
    def rows(self) -> CodedRows | None:
        """The records row by row, with whom they are about; None where they are counted elsewhere."""
        weighed = self.at_hand if self.data.weights is not None else None  # a row for each weight
        found = rows_of(weighed or self.data, self.partitions, [*self.keys, *self.sensitive])
        if found is None or not self.stars_fit:
            return found
        return replace(found, stars_fit=True, originals=self.originals)

    @cached_property
    def people_there(self) -> PeopleThere | None:
        """Whom records are about where these stay: people with several, or of different weights.

        None where rows say it, and where every record is a person like any other.
        """
        several = self.data.people < self.data.records
        weighed = self.data.sample_weights is not None and self.population is None
        if self.rows is not None or not (several or weighed):
            return None
        if self.data.missing == "wildcard" or not counted_there(self.data):
            return None
        if self.stars_fit or self.everyone is not None or (self.population and self.population.weight):
            raise Undefined("people have several records, or weights, which are counted where they are")
        memo = self.data.memo("@people there")
        asked = (*self.keys, *self.sensitive)
        found: PeopleThere | None = next(
            (one for known, one in memo.items() if set(asked) <= set(known)), None
        )
        if found is None:
            found = memo[asked] = PeopleThere.of(self.data, asked)
        return found

    @cached_property
    def people(self) -> int:
        """How many people there are, copies of a record counted once."""
        return self.data.people if self.rows is None else self.rows.distinct(slice(None))

    @cached_property
    def sample(self) -> SampleShare:
        """Which share of a population was drawn: as said, by its weights, or else all of it."""
        if self.as_everybody:
            return SampleShare()
        drawn = self.people if self.drawn is None else self.drawn
        if self.everyone is not None:
            return SampleShare(min(drawn / self.everyone.people, 1.0))
        if self.population is not None and self.population.weight is None:
            return SampleShare(self.population.share(drawn) or 1.0)
        there = None if self.rows is not None else self.people_there
        weights = (
            self.stands_for if there is None or there.weights is None else np.array([there.weights.total])
        )
        if weights is not None and float(weights.sum()) > MOST_PEOPLE:
            raise too_many("The weights together")
        return SampleShare() if weights is None else SampleShare(min(self.people / float(weights.sum()), 1.0))

    @cached_property
    def stands_for(self) -> npt.NDArray[np.float64] | None:
        """How many people of the population each row stands for; None where no weights say so.

        A person stands for as many as their records weigh on average, here shared out among these; in a group
        everyone counts whole (:attr:`person_stands_for`), however many of their records are in it.
        """
        if self.rows is None:
            return None
        data, person = self.rows.data, self.rows.person
        named = data.sample_weights if self.population is None else self.population.weight
        found = None if named is None else replace(data, weights=named).record_weights()
        if found is None or person is None:
            return found
        shared: npt.NDArray[np.float64] = found / np.bincount(person)[person]
        return shared

    @cached_property
    def person_stands_for(self) -> npt.NDArray[np.float64] | None:
        """How many people the person of each row stands for; None where no weights say so."""
        if self.stands_for is None or self.rows is None or self.rows.person is None:
            return self.stands_for
        summed: npt.NDArray[Any] = np.bincount(self.rows.person, weights=self.stands_for)
        return summed[self.rows.person]

    def without(self, attribute: str) -> Scope:
        """The same data with an attribute given up; an identifier still tells people apart."""
        named = attribute in self.data.schema.identifiers
        data = self.data if named else self.data.without(attribute)
        return replace(self, data=data, given_up=self.given_up | {attribute}, _asked={}, _read=True)

    def grouped(self, attribute: str, partition: Partition) -> Scope:
        """The same data with an attribute's values in wider groups."""
        beside = {name: one for name, one in self.beside.items() if name != attribute}
        partitions = {**self.partitions, attribute: partition}
        return replace(self, partitions=partitions, beside=beside, _asked={}, _read=True)

    @cached_property
    def at_hand(self) -> Data | None:
        """The data as rows here, which may stand for many records each; None where those are too many."""
        held = self.data.looked_at([*self.keys, *self.sensitive])
        if held is None or held.weights is None:
            return held
        return held.one_by_one()  # each record has a weight of its own

    @property
    def held_here(self) -> bool:
        """Whether the data are rows in memory, which several threads may look at."""
        return self.at_hand is self.data and self.data.subset_search is None

    @property
    def threads_pay(self) -> bool:
        """Whether they are so many that threads share them out: of few rows, threads wait for each other."""
        return self.held_here and self.rows_at_hand >= THREADS_PAY

    @property
    def rows_at_hand(self) -> int:
        """How many rows there are at hand, or else how many records there are."""
        return self.data.records if self.at_hand is None else self.at_hand.source.records

    def leaving_out(self, rows: npt.NDArray[np.bool_]) -> Scope:
        """The same data without some rows of those at hand, which were drawn all the same."""
        held = self.at_hand or self.data
        drawn = self.people if self.drawn is None else self.drawn
        return replace(self, data=held.taking(np.flatnonzero(~rows)), drawn=drawn, _asked={}, _read=False)

    def records_of(self, rows: npt.NDArray[np.bool_]) -> int:
        """The records that some of the rows at hand stand for."""
        times = (self.at_hand or self.data).times
        return int(np.count_nonzero(rows) if times is None else times[rows].sum())

    def share(self, rows: npt.NDArray[np.bool_]) -> float:
        """The share of the records that some of the rows at hand stand for."""
        return self.records_of(rows) / max(self.data.records, 1)

    def starring(self, attribute: str, rows: npt.NDArray[np.bool_]) -> Scope:
        """The same data with one attribute suppressed in some rows of those at hand."""
        held = self.at_hand or self.data
        return replace(self, data=held.starring(attribute, rows), _asked={}, _read=False)
