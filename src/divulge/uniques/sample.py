"""The records whose uniqueness is asked: their classes on some attributes, and what they are a sample of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden, hidden_whole
from divulge._support.threads import cached_property
from divulge._support.wording import capitalized, many, records, some
from divulge.api import ask
from divulge.counting.counts import RECORD
from divulge.errors import ParameterError, SchemaError
from divulge.policy.population import Population
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.roles.person_numbers import numbering_people
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import Column, coded, combinations, common_codes, packed, ranked
from divulge.table.partition import Partition
from divulge.uniques.size_counts import SizeCounts

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
MOST_RECORDS = 100_000_000  # that are looked at one by one; of more only class sizes are read
NOT_HERE = "there are too many records to bring them over, and the model needs their values"
NONE: Mapping[str, Partition] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Sample:
    """Units one by one: the attributes they are looked for by, their class, and how many people share it.

    A unit is a record. Where identifiers say that several records are about one person, those with the same
    values are one unit, so that a class counts people. It weighs what its person does: the mean of the
    weights of all their records.
    """

    name: str
    whole: int  # records of the table, those left out among them
    keys: tuple[str, ...]
    identifiers: tuple[str, ...]
    columns: Sequence[Codes]
    rows: Integers  # of the table, one for each record that counts
    unit_of: Integers  # the unit of each of them
    class_of: Integers  # by unit
    class_sizes: Integers
    weights: Floats | None  # by unit
    partitions: Mapping[str, Partition] = field(default_factory=dict)  # groups that values are counted in
    persons: Integers | None = None  # by unit, whom it is about; None where each is about someone else
    drawn: int = 0  # people of the whole table, those of suppressed records too: the sampled share is theirs

    @classmethod
    def of(cls, data: Data, keys: Sequence[str], partitions: Mapping[str, Partition] = NONE) -> Sample:
        """The records that count; suppressed cells and missing values are values like others.

        Under partitions, keys are known by the groups that their values are in.
        """
        return cls.of_question(ask(one_by_one(data, keys), keys=keys, partitions=partitions))

    @classmethod
    def of_question(cls, question: Question, person: Integers | None = None) -> Sample:
        """The records that a question counts, one by one, in the groups of its partitions.

        ``person`` numbers whom each row of the data is about, where that is not by identifiers.
        """
        data, keys = question.data, question.keys
        refuse_wildcards(data)
        columns = [question.column(key) for key in keys]
        rows = np.flatnonzero(question.rows_in(np.ones(len(question.classes.size), np.bool_)))
        subject = question.subject
        about: Column | None = None if subject is None else (subject.codes, subject.cardinality)
        if person is not None:
            about = person[rows], int(person.max(initial=0)) + 1
        first, unit_of = _units(columns, about)
        columns = [column.take(first) for column in columns]
        number = combinations(coded(columns), len(first)).number
        weights, drawn = sampling_weights(data, rows), data.people if person is None else _distinct(person)
        if about is not None and weights is not None:
            weights = _of_people(data, persons(data) if person is None else person)[rows]
        return cls(
            data.source.name,
            data.records,
            tuple(keys),
            data.schema.identifiers,
            columns,
            rows,
            unit_of,
            number,
            np.bincount(number),
            None if weights is None else weights[first],
            question.partitions,
            None if about is None else about[0][first].astype(np.int64),
            drawn,
        )

    @property
    def records(self) -> int:
        """Records that count."""
        return len(self.rows)

    @property
    def units(self) -> int:
        """Records, those of one person with the same values once."""
        return len(self.class_of)

    @property
    def people(self) -> int:
        """People who count, one for each record unless identifiers say otherwise."""
        return self.units if self.persons is None else _distinct(self.persons)

    @property
    def stands_for(self) -> float | None:
        """How many people of the population these are by their weights; None where there are none."""
        if self.weights is None:
            return None
        once = slice(None) if self.persons is None else np.unique(self.persons, return_index=True)[1]
        return float(self.weights[once].sum())

    @property
    def times(self) -> Integers | None:
        """How many units each of those held stands for; None where each is one."""
        return None

    def add_up(self, of_units: Floats) -> float:
        """The sum over all units."""
        return float((of_units if self.times is None else of_units * self.times).sum())

    def check_listed(self) -> None:
        """Refuse to list records one by one where they are not here."""

    def size_counts(self, people: float) -> SizeCounts:
        """Classes by size, drawn from so many people."""
        return SizeCounts.of(self.class_sizes, people)

    @cached_property
    def sizes(self) -> Integers:
        """How many people share the class of each unit."""
        return self.class_sizes[self.class_of]

    def households(self, column: Codes) -> Integers:
        """The household of each unit; a person without one lives alone."""
        first = np.zeros(self.units, np.int64)
        first[self.unit_of[::-1]] = self.rows[::-1]
        home = column.codes[first].astype(np.int64)
        return np.where(home == MISSING, -1 - np.arange(len(home)), home)


@dataclass(frozen=True, eq=False)
class SizedSample(Sample):
    """Classes by size: each size that occurs is held as one class of one unit, and stands for many."""

    classes: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    counted: int = field(default=0, repr=False)

    @classmethod
    def of_sizes(cls, question: Question) -> SizedSample:
        """The sizes of the classes that a question counts, by people where some have several records."""
        data, counts = question.data, question.counts
        refuse_wildcards(data)
        often = np.ones(len(counts.people), np.int64) if counts.multiplicity is None else counts.multiplicity
        sizes, place = np.unique(counts.people, return_inverse=True)
        classes = np.bincount(place, weights=often).astype(np.int64)
        none = np.zeros(0, np.int64)
        return cls(
            data.source.name,
            data.records,
            question.keys,
            data.schema.identifiers,
            (),
            none,
            none,
            np.arange(len(sizes)),
            sizes.astype(np.int64),
            None,
            question.partitions,
            drawn=data.people,
            classes=classes,
            counted=question.records,
        )

    @property
    def records(self) -> int:
        return self.counted

    @property
    def units(self) -> int:
        return int((self.class_sizes * self.classes).sum())

    @property
    def people(self) -> int:
        return min(self.units, self.drawn)  # someone in several classes is several units

    @property
    def times(self) -> Integers:
        return self.class_sizes * self.classes

    def size_counts(self, people: float) -> SizeCounts:
        return SizeCounts(self.class_sizes, self.classes, people)

    def check_listed(self) -> None:
        raise ParameterError(
            "There are too many records to list each of them.", hint="Name fewer attributes with --keys."
        )


def sized_sample(
    data: Data, keys: Sequence[str], partitions: Mapping[str, Partition] = NONE, **given: object
) -> SizedSample | None:
    """Class sizes of records that are too many to be looked at one by one; None where they are not.

    ``given`` is what was asked that needs each record: an error where something is.
    """
    needed = [name for name, value in {**given, "weights": data.weights}.items() if value]
    if (needed or data.records <= MOST_RECORDS) and data.at_hand(keys) is not None:
        return None
    if needed:
        raise ParameterError(
            f"There are too many records to bring them over, and {needed[0]} needs each of them.",
            hint="Leave it out, or name fewer attributes with --keys, or those that have fewer values.",
        )
    question = Question(data, tuple(keys), (RECORD,), partitions)
    return SizedSample.of_sizes(question)


def refuse_wildcards(data: Data) -> None:
    """Refuse data in which a missing value fits any value."""
    if data.missing == "wildcard":
        raise ParameterError(
            "Uniqueness cannot be counted where a missing value fits any value.",
            hint="Count missing values as a value, or drop such records: --missing value or drop.",
        )


def one_by_one(data: Data, attributes: Sequence[str]) -> Data:
    """Some attributes with a row for each record, brought over from where the records are."""
    here = data.at_hand(attributes)
    if here is None:
        raise ParameterError(
            "There are too many records to bring them over.",
            hint="Name fewer attributes with --keys, or those that have fewer values.",
        )
    return here.one_by_one()


def _units(columns: Sequence[Codes], person: Column | None) -> tuple[Integers, Integers]:
    """The first record of every unit, and the unit of every record."""
    records = len(columns[0].codes)
    if person is None:
        return np.arange(records), np.arange(records)
    return combinations([*coded(columns), person], records)


def sampling_weights(data: Data, rows: Integers) -> Floats | None:
    """How many people some records stand for, at least one each; None where there are no weights."""
    weights = data.record_weights()
    if weights is None:
        return None
    weights = weights[rows]
    few = int((weights < 1).sum())
    if few:
        raise ParameterError(
            capitalized(
                f"{records(few)} of {many(len(weights))} have a weight below 1, less than one person."
            ),
            hint="A weight says how many people of the population a record stands for.",
        )
    return weights


def _of_people(data: Data, person: Integers) -> Floats:
    """What the person of each record weighs: the mean of the weights of all their records."""
    found: Floats = (np.bincount(person, data.record_weights()) / np.bincount(person))[person]
    return found


def persons(data: Data) -> Integers:
    """A number for the person that each record is about, by identifiers."""
    return combinations(coded(map(data.column, data.schema.identifiers)), data.records).number


def _distinct(numbers: Integers) -> int:
    return len(np.unique(numbers))


def people_alike(
    sample: Sample, population: Data, told_apart: Sequence[str] | None = None
) -> KnownPopulation:
    """How many people of a population table share the values of each class of the sample.

    They are ``told_apart`` by the identifiers of the sample, or what is called their number, unless given.
    Values are the same where they read the same. A class with fewer people than the sample has is refused:
    the table cannot be the population that the sample was drawn from.
    """
    lacking = [key for key in sample.keys if key not in population.schema.attributes]
    if lacking:
        raise SchemaError(
            f"The population table lacks {', '.join(lacking)}.",
            hint="Name attributes that both tables have with --keys.",
        )
    if told_apart is None:
        there_too = set(sample.identifiers) <= {*population.schema.attributes}
        own = sample.identifiers if there_too else ()
        told_apart = own or numbering_people(population, sample.keys)
    named = list(told_apart)
    whole = one_by_one(population, [*sample.keys, *named])
    keyed = zip(sample.keys, sample.columns, strict=True)
    both = [common_codes(column, _grouped(sample, whole, key)) for key, column in keyed]
    together = [(np.concatenate(pair), bound) for *pair, bound in both]
    words = packed(together, sample.units + whole.records)
    values, place = np.unique(words, return_inverse=True)
    there = place[sample.units :]
    person: Integers | None = None
    if named:  # people, not records
        person, bound = ranked(packed(coded(whole.column(name) for name in named), whole.records))
        once = combinations([(there, len(values)), (person, bound)], whole.records).first
        there, person = there[once], person[once]
    people = np.bincount(there, minlength=len(values))
    first = np.zeros(len(sample.class_sizes), np.int64)
    first[sample.class_of] = place[: sample.units]
    found = people[first]
    short = found < sample.class_sizes
    if short.any():
        raise ParameterError(
            f"The population table lacks people of the sample: {some(int(short.sum()), 'group')} "
            "have fewer people there than here.",
            hint="It must contain everyone in the table, with values written alike; "
            "generalized values are compared by 'divulge compare --population'.",
        )
    unique = people[there] == 1
    everyone, alone = (len(there), int(unique.sum()))
    if person is not None:  # who is in several classes is one person all the same
        everyone, alone = _distinct(person), _distinct(person[unique])
    here = found[sample.class_of] == 1
    unique_here = int(here.sum()) if sample.persons is None else _distinct(sample.persons[here])
    more = bool((people > 0).sum() > len(found))
    return KnownPopulation(found, everyone, alone, unique_here, more)


def _grouped(sample: Sample, whole: Data, key: str) -> Codes:
    """An attribute of the population in the groups that the sample's is counted in."""
    column = whole.column(key)
    return sample.partitions[key].apply(column, attribute=key) if key in sample.partitions else column


@dataclass(frozen=True, eq=False)
class KnownPopulation:
    """By class of the sample the people alike in the population, all people there, those of them who are
    unique, as many of these as are in the sample, and whether some classes of theirs are not."""

    alike: Integers
    people: int = field(repr=False)
    unique: int = field(repr=False)
    unique_here: int = field(repr=False)
    has_more_classes: bool = False

    def to_dict(self, class_sizes: Integers) -> dict[str, Any]:
        """The part of a document that a table of the whole population gives, for classes of these sizes."""
        shares = class_sizes / self.alike
        return {
            "unique": hidden(self.unique_here, of=int(class_sizes.sum())),
            "unique_in_population": self._unique(self.unique_here),
            "k_map": int(self.alike.min()),
            "delta_presence": {
                "least": 0.0 if self.has_more_classes else float(shares.min()),
                "largest": float(shares.max()),
            },
        }

    def _unique(self, here: int) -> int | str:
        """All who are unique there; how few of them are not in the table, or are not unique, is not said."""
        said = hidden(self.unique, of=self.people)
        return said if isinstance(said, str) else hidden_whole(said, [here])


def given_population(
    table: Data, population: object | None, size: int | None, fraction: float | None
) -> Population | None:
    """What the table is a sample of, where a number says it; refuses more than one answer."""
    said = {
        "a population table": population,
        "its size": size,
        "a fraction": fraction,
        "weights": table.weights,
    }
    given = [name for name, value in said.items() if value is not None]
    if len(given) > 1:
        raise ParameterError(
            f"The population is given by {' and by '.join(given)}.",
            hint="Give one of them; the others follow.",
        )
    if fraction is not None and not 0 < fraction <= 1:
        raise ParameterError(
            f"The sampled fraction is {fraction}.", hint="It lies above 0 and is at most 1, such as 0.05."
        )
    if size is not None and size < 1:
        raise ParameterError(f"The population is {size} people.", hint="Give how many people there are.")
    return None if size is None and fraction is None else Population(size=size, fraction=fraction)


def population_size(sample: Sample, given: Population | None) -> float | None:
    """How many people the sample was drawn from: as given, by its weights, or None where nobody said."""
    if given is not None and given.weight is None:
        share = given.share(sample.drawn)
        if given.size is not None:
            return float(given.size)
        return None if share is None else sample.drawn / share
    return sample.stands_for
