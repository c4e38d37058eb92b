"""The records whose uniqueness is asked: their classes on some attributes, and what they are a sample of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many, records
from divulge.api import ask
from divulge.errors import ParameterError, SchemaError
from divulge.policy.population import Population
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations, packed

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Records one by one: the attributes they are looked for by, their class, and how many people share it.

    Where identifiers say that several records are about one person, a class counts people.
    """

    name: str
    whole: int  # records of the table, those left out among them
    keys: tuple[str, ...]
    columns: Sequence[Codes]
    rows: Integers  # of the table, one for each record that counts
    class_of: Integers
    class_sizes: Integers
    weights: Floats | None

    @classmethod
    def of(cls, data: Data, keys: Sequence[str]) -> Sample:
        """The records that count; suppressed cells and missing values are values like others."""
        data = data.one_by_one()
        question = ask(data, keys=keys)
        columns = [question.column(key) for key in keys]
        number = combinations(coded(columns), len(columns[0].codes)).number
        rows = np.flatnonzero(question.rows_in(np.ones(len(question.classes.size), np.bool_)))
        people, weights = _people(question, number), _weights(data, rows)
        return cls(data.source.name, data.records, tuple(keys), columns, rows, number, people, weights)

    @property
    def records(self) -> int:
        return len(self.class_of)

    @cached_property
    def sizes(self) -> Integers:
        """How many people share the class of each record."""
        return self.class_sizes[self.class_of]


def _people(question: Question, number: Integers) -> Integers:
    """How many people each class has."""
    person = question.subject
    if person is None:
        return np.bincount(number)
    classes = int(number.max(initial=0)) + 1
    pairs = combinations([(number, classes), (person.codes, person.cardinality)], len(number)).first
    return np.bincount(number[pairs], minlength=classes)


def _weights(data: Data, rows: Integers) -> Floats | None:
    weights = data.record_weights()
    if weights is None:
        return None
    weights = weights[rows]
    few = int((weights < 1).sum())
    if few:
        raise ParameterError(
            f"{records(few)} of {many(len(weights))} have a weight below 1, less than one person.",
            hint="A weight says how many people of the population a record stands for.",
        )
    return weights


def people_alike(sample: Sample, population: Data) -> Integers:
    """How many people of a population table share the values of each class of the sample.

    Values are the same where they read the same. A class with fewer people than the sample has is refused:
    the table cannot be the population that the sample was drawn from.
    """
    lacking = [key for key in sample.keys if key not in population.schema.attributes]
    if lacking:
        raise SchemaError(
            f"The population table lacks {', '.join(lacking)}.",
            hint="Name attributes that both tables have with --keys.",
        )
    whole = population.one_by_one()
    keyed = zip(sample.keys, sample.columns, strict=True)
    both = [_together(column, whole.column(key)) for key, column in keyed]
    together = [(np.concatenate(pair), bound) for *pair, bound in both]
    words = packed(together, sample.records + whole.records)
    values, place = np.unique(words, return_inverse=True)
    people = np.bincount(place[sample.records :], minlength=len(values))
    first = np.zeros(len(sample.class_sizes), np.int64)
    first[sample.class_of] = place[: sample.records]
    found = people[first]
    short = found < sample.class_sizes
    if short.any():
        raise ParameterError(
            f"The population table lacks people of the sample: {many(int(short.sum()))} of "
            f"{many(len(found))} groups have fewer people there than here.",
            hint="It must contain everyone in the table, with values written alike; "
            "generalized values are compared by 'divulge compare --population'.",
        )
    return found


def _together(one: Codes, other: Codes) -> tuple[Integers, Integers, int]:
    """The codes of two columns in common numbers, and how many there are."""
    number: dict[str, int] = {}
    tables = []
    for column in (one, other):
        codes = [number.setdefault(str(value), len(number) + 1) for value in column.values]
        tables.append(np.array([MISSING, *codes], np.int64))
    return tables[0][one.codes], tables[1][other.codes], len(number) + 1


def population_size(sample: Sample, given: Population | None) -> float | None:
    """How many people the sample was drawn from: as given, by its weights, or None where nobody said."""
    if given is not None and given.weight is None:
        share = given.share(sample.records)
        return None if share is None else sample.records / share
    return None if sample.weights is None else float(sample.weights.sum())
