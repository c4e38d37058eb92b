"""A sample whose records stay elsewhere: known are the sizes of classes, and how many classes have each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from divulge.errors import ParameterError
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.table.partition import Partition
from divulge.uniques.sample import NONE, Integers, Sample, refuse_wildcards
from divulge.uniques.size_counts import SizeCounts

MOST_RECORDS = 100_000_000  # that are looked at one by one; of more only class sizes are read
NOT_HERE = "there are too many records to bring them over, and the model needs their values"


@dataclass(frozen=True, eq=False)
class SizedSample(Sample):
    """Classes by size: each size that occurs is held as one class of one unit, and stands for many."""

    classes: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    counted: int = 0

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
            classes,
            question.records,
        )

    @property
    def records(self) -> int:
        return self.counted

    @property
    def units(self) -> int:
        return int((self.class_sizes * self.classes).sum())

    @property
    def times(self) -> Integers:
        return self.class_sizes * self.classes

    def size_counts(self, people: float) -> SizeCounts:
        return SizeCounts(self.class_sizes, self.classes, people)


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
    question = Question(data, tuple(keys), ("@record",), partitions)
    return SizedSample.of_sizes(question)
