"""A question to the data: what do these keys tell about this target? Its answer is counts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden, hidden_part
from divulge._support.threads import cached_property
from divulge._support.wording import in_words, many
from divulge.counting.counts import RECORD, Beside, Counts, Integers, JointCounts
from divulge.counting.statistics import Statistic
from divulge.counting.wildcard import overlap
from divulge.engines.base import Counted, Request, SelectedRows
from divulge.errors import SchemaError, Undefined, listing
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.partition import Partition

MOST_PAIRS = 20_000_000  # of classes that suppressed cells make fit each other: some seconds


@dataclass(frozen=True, eq=False)
class Question:
    """Keys, a target (one attribute, several together, or @record) and partitions of their values.

    Keys may be a part of what an attacker knows: then ``among`` names all of it, and a record is left out
    where all of that is suppressed. Otherwise a suppressed cell is a value like any other.
    """

    data: Data
    keys: tuple[str, ...]
    target: tuple[str, ...]
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    among: tuple[str, ...] = ()
    beside: Beside | None = None  # the table that classes are compared with, if not the one counted

    def __post_init__(self) -> None:
        if not self.keys:
            raise SchemaError(
                "No keys given.",
                hint="Name the attributes an attacker may know: keys, or quasi-identifiers.",
            )
        subject = () if self.about_records else self.target
        self.data.schema.check([*self.keys, *subject, *self.among])
        for part, of in ((self.keys, "keys"), (subject, "targets")):
            twice = sorted({name for name in part if part.count(name) > 1})
            if twice:
                raise SchemaError(
                    f"{listing(twice)} is repeated in the {of}.", hint="Name each attribute once."
                )
        both = [name for name in subject if name in self.keys]
        if both:
            raise SchemaError(
                f"{listing(both)} is both a key and the target.",
                hint="Leave it out of one of them.",
            )
        if self.data.weights in (*self.keys, *subject):
            raise SchemaError(f"'{self.data.weights}' holds the weights and cannot be a key or the target.")
        self.data.schema.check(self.partitions)
        idle = [name for name in self.partitions if name not in (*self.keys, *subject)]
        if idle:
            raise SchemaError(
                f"A partition is given for {listing(idle)}, which is neither a key nor the target here.",
                hint=f"Keys are {listing(self.keys)}; the target is {self.target_name}.",
            )

    def with_keys(self, keys: tuple[str, ...]) -> Question:
        """The same question to an attacker who uses only some of the keys that they know."""
        kept = {name: one for name, one in self.partitions.items() if name in (*keys, *self.target)}
        return replace(self, keys=keys, partitions=kept, among=self.among or self.keys)

    def with_everyone_alike(self) -> Question:
        """The same; where its keys are suppressed in all records, these are one group and not left out."""
        if not all(map(self.data.suppresses, self.keys)) or self.records or not self.suppressed_records:
            return self
        return replace(self, data=replace(self.data, suppressed=None))

    @property
    def about_records(self) -> bool:
        return self.target == (RECORD,)

    @property
    def target_name(self) -> str:
        return ", ".join(self.target)

    @cached_property
    def counts(self) -> Counts:
        """Counts for readings over the whole table; classes that look alike may be held once."""
        return self.counted.counts

    @property
    def classes(self) -> JointCounts:
        """Joint counts in which every class stands for itself and can be named; Undefined if too many."""
        return self.counted.classes

    @cached_property
    def fitting(self) -> JointCounts:
        """Joint counts of classes with all who could belong to them: a suppressed cell fits any value.

        Classes then overlap. Suppressed cells that fit too many to be compared are counted as a value.
        """
        codes = {} if self.rows_at_hand is None else self.suppressed_codes()
        if codes and not self.counts.overlapping:
            columns = {key: self.column(key) for key in self.keys}
            with suppress(Undefined):
                return overlap(self.classes, columns, anything=codes, most=MOST_PAIRS)
        return self.counts.in_cells()

    def rows_in(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The rows that are in some of the ``classes``, which come in the order of their codes."""
        return self.counted.rows.rows_in(chosen)

    def named(self, statistic: Statistic, most: int | None) -> JointCounts:
        """Joint counts in which classes can be named: all, or those worst by a statistic if too many."""
        return self.counted.worst(statistic, most)

    @property
    def compared_with(self) -> str:
        """The table whose target values those of classes are compared with, in words."""
        if self.beside is not None:
            return self.beside.name
        if self.records == self.data.records:
            return "this table"
        shown = hidden(self.records, of=self.data.records)
        if isinstance(shown, str):
            return f"the records of this table that are counted ({in_words(shown)})"
        return f"the {many(shown)} records of this table that are counted"

    # -- which records --------------------------------------------------------------------------

    @property
    def known(self) -> tuple[str, ...]:
        """All that the attacker knows: the keys, and those that they are taken from."""
        return tuple(dict.fromkeys((*self.keys, *self.among)))

    @property
    def suppressed_records(self) -> int:
        """Records on which all that the attacker knows is suppressed: they form no class."""
        return self.counted.suppressed

    @property
    def dropped_records(self) -> int:
        """Records left out because a key or the target is missing."""
        return self.counted.dropped

    @property
    def records(self) -> int:
        """Records that are counted."""
        return self.counted.records

    @property
    def counted_at_least(self) -> int | None:
        """The fewest records that may be counted, where so few were left out that an output says no more."""
        said = hidden_part(self.records, of=self.data.records)
        return int(said[1:]) + 1 if isinstance(said, str) and said.startswith(">") else None

    def missing_records(self, attribute: str) -> int:
        """Records without a value of a key or the target, whether they are counted or not."""
        return self.counted.missing(attribute)

    # -- row by row -------------------------------------------------------------------------------

    @property
    def rows_at_hand(self) -> SelectedRows | None:
        """The records that are counted, row by row; None where they stay where they are."""
        return self.counted.rows_at_hand

    def suppressed_codes(self) -> dict[str, list[int]]:
        """The codes that mark suppressed cells among those that are counted, for each key that has some."""
        return self.counted.rows.suppressed_codes()

    @property
    def times(self) -> Integers | None:
        """How many records each row that is counted stands for; None where each is one."""
        return self.counted.rows.times

    @property
    def subject(self) -> Codes | None:
        """The person of each record; None where every record is a person of its own."""
        return self.counted.rows.subject

    def column(self, attribute: str) -> Codes:
        """A key or target as it is counted: on the records that count, its values in their domains."""
        return self.counted.rows.column(attribute)

    # -- counting -------------------------------------------------------------------------------

    @cached_property
    def counted(self) -> Counted:
        """The question as the engine of the data counts it, once however often it is asked."""
        return self.data.engine.count(self.request)

    @property
    def request(self) -> Request:
        """The question in the terms of engines."""
        known = self.known
        if len(known) > len(self.keys) and not all(map(self.data.suppresses, known)):
            known = ()  # something known is never suppressed, so no record is left out
        [target, *others] = self.target
        plain = not others and target not in self.partitions
        return Request(
            self.keys,
            self.target,
            self.partitions,
            known,
            self.data.conventions,
            self.beside,
            self.data.orders.get(target) if plain else None,
            self.data.hierarchies.get(target) if plain else None,
        )
