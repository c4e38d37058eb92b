"""A question to the data: what do these keys tell about this target? Its answer is joint counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from divulge.afar import Afar, asked_afar
from divulge.codes import MISSING, Codes, narrow
from divulge.counts import RECORD, Compared, JointCounts
from divulge.data import Data
from divulge.engines.memory.counting import count, value_of
from divulge.errors import EmptySource, SchemaError, listing
from divulge.ground import levels_of, ranks_of
from divulge.partition import Bins, Partition
from divulge.reduced import CellsNeeded
from divulge.small_counts import hidden
from divulge.wildcard import overlap
from divulge.wording import in_words, many

Rows = npt.NDArray[np.int64]
AT_ONCE = 16  # keys read together; counting may be done before the last of many is reached


@dataclass(frozen=True)
class Beside:
    """Another table's values of the target, as the released ones have them, and how often it has each.

    ``undefined`` says why its values cannot be told by the released ones, if they cannot.
    """

    name: str
    weights: Mapping[str | None, float]  # by how a value reads; None for missing
    undefined: str | None = None
    ambiguous: bool = False  # a value of the other table may be behind several released ones

    def aligned(self, values: Sequence[object]) -> Compared:
        """The same in the order of some values, those that only this table has last."""
        texts = [None if value is None else str(value) for value in values]
        here = set(texts)
        others = [text for text, weight in self.weights.items() if text not in here and weight > 0]
        weight = np.asarray([self.weights.get(text, 0.0) for text in (*texts, *others)], np.float64)
        return Compared(self.name, [*values, *others], weight, self.undefined)


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
            raise SchemaError("No keys were given.", hint="Name the attributes an attacker may know.")
        subject = () if self.about_records else self.target
        self.data.schema.check([*self.keys, *subject, *self.among])
        for part, of in ((self.keys, "keys"), (subject, "targets")):
            twice = sorted({name for name in part if part.count(name) > 1})
            if twice:
                raise SchemaError(
                    f"{listing(twice)} stands twice among the {of}.", hint="Name each attribute once."
                )
        both = [name for name in subject if name in self.keys]
        if both:
            raise SchemaError(
                f"{listing(both)} is both a key and the target: knowing it already tells it.",
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

    @property
    def about_records(self) -> bool:
        return self.target == (RECORD,)

    @property
    def target_name(self) -> str:
        return ", ".join(self.target)

    @cached_property
    def counts(self) -> JointCounts:
        """Joint counts for readings over the whole table; classes that look alike may be held once."""
        if self.afar is None:
            return self._count(compact=True)
        self._refuse_nothing()
        counts = self._compared(self.afar.counts)
        return counts.with_ground(**self._ground(counts))

    @cached_property
    def classes(self) -> JointCounts:
        """Joint counts in which every class stands for itself and can be named."""
        if self.afar is not None:
            raise CellsNeeded
        if self.counts.decode is not None:
            return self.counts
        return self._count(compact=False)

    def named(self, value: Callable[[JointCounts], object], most: int | None) -> JointCounts:
        """Joint counts in which classes can be named: all, or those worst by a value where they are too many.

        ``value`` reads something of every class, as measures do by class.
        """
        return self.classes if self.afar is None else self.afar.named(self.counts, value, most)

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

    @cached_property
    def suppressed_records(self) -> int:
        """Records on which all that the attacker knows is suppressed: they form no class."""
        if self.afar is not None:
            return self.afar.suppressed
        return 0 if self._suppressed is None else self._number(self._suppressed)

    @cached_property
    def dropped_records(self) -> int:
        """Records left out because a key or the target is missing."""
        if self.afar is not None:
            return self.afar.dropped
        return self._held.records - self.suppressed_records - self.records

    @cached_property
    def records(self) -> int:
        """Records that are counted."""
        if self.afar is not None:
            return self.afar.records
        return self._held.records if self._rows is None else self._number(self._rows)

    def suppressed_codes(self) -> dict[str, list[int]]:
        """The codes that mark suppressed cells among those that are counted, for each key that has some."""
        codes = {key: self._held.suppressed_code(key) for key in self.keys if key not in self.partitions}
        return {key: [code] for key, code in codes.items() if code is not None}

    def missing_records(self, attribute: str) -> int:
        """Records without a value of a key or the target, whether they are counted or not."""
        if self.afar is not None:
            return self.data.records - self.data.summary(attribute).present
        return self._number(self._held.column(attribute).codes == MISSING)

    @cached_property
    def _held(self) -> Data:
        """The data as they are counted: with many records, those that are alike may be held once."""
        attributes = (*self.keys, *(() if self.about_records else self.target), *self._marked)
        if self.data.distant and self.data.weights is not None and self.about_records:
            return self.data  # every record is its own value, and has its own weight
        few = len(attributes) <= AT_ONCE or self.data.distant
        return self.data.condensed(attributes) if few else self.data

    @cached_property
    def afar(self) -> Afar | None:
        """The counting where the records are; None where it is done here."""
        return (
            asked_afar(self._held, self.keys, self.target, self.partitions, self.known)
            if self._held.distant and self.beside is None
            else None
        )

    @property
    def times(self) -> npt.NDArray[np.int64] | None:
        """How many records each row that is counted stands for; None where each is one."""
        times = self._held.times
        return times if times is None or self._rows is None else times[self._rows]

    def _number(self, rows: npt.NDArray[Any]) -> int:
        """How many records the rows (numbers or a mask) stand for."""
        if self._held.times is not None:
            return int(self._held.times[rows].sum())
        return int(rows.sum()) if rows.dtype == bool else len(rows)

    @cached_property
    def _marked(self) -> tuple[str, ...]:
        """What is known besides the keys, where suppression may leave records out."""
        others = tuple(name for name in self.known if name not in self.keys)
        return others if others and all(self.data.suppresses(name) for name in self.known) else ()

    @cached_property
    def _suppressed(self) -> npt.NDArray[np.bool_] | None:
        mask: npt.NDArray[np.bool_] | None = None
        if len(self.known) > len(self.keys) and not self._marked:
            return None  # something known is never suppressed
        for key in self.known:
            code = self._held.suppressed_code(key)
            if code is None:
                return None
            hidden = self._held.column(key).codes == code
            mask = hidden if mask is None else mask & hidden
            if not mask.any():
                return None
        return mask

    @cached_property
    def _rows(self) -> Rows | None:
        """The rows that are counted; None for all of them."""
        keep: npt.NDArray[np.bool_] | None = None if self._suppressed is None else ~self._suppressed
        if self._held.missing == "drop":
            for name in (*self.keys, *(() if self.about_records else self.target)):
                there = self._held.column(name).codes != MISSING
                keep = there if keep is None else keep & there
        return None if keep is None or keep.all() else np.flatnonzero(keep)

    # -- counting -------------------------------------------------------------------------------

    def _count(self, *, compact: bool) -> JointCounts:
        self._held.load([*self.keys[:AT_ONCE], *(() if self.about_records else self.target)])
        self._refuse_nothing()
        target = self._target
        weights = self._held.record_weights()
        counts = count(
            self.column,
            self.keys,
            target,
            records=self.records,
            times=self.times,
            weights=weights if weights is None or self._rows is None else weights[self._rows],
            subject=None if self.about_records else self.subject,
            compact=compact and self._held.missing != "wildcard",
            memo=None if self.partitions or self._rows is not None else self._held.memo(self.target_name),
        )
        if self.about_records and self.subject is not None and counts.cells is not None:
            counts = replace(counts, subjects=np.diff(counts.cells.start))
        counts = self._compared(replace(counts, keys=self.keys, target=self.target_name))
        counts = replace(counts, ground=self._ground(counts))
        if self._held.missing == "wildcard":
            counts = overlap(counts, {key: self.column(key) for key in self.keys})
        return counts

    def _refuse_nothing(self) -> None:
        if self.records == 0:
            raise EmptySource(
                f"No record is left to count: of {self._held.records}, {self.suppressed_records} are "
                f"suppressed and {self.dropped_records} have missing values."
            )

    def column(self, attribute: str) -> Codes:
        """A key or target as it is counted: on the records that count, its values in their domains."""
        if attribute not in self._prepared:
            if attribute in self.keys:
                place = self.keys.index(attribute)
                self._held.load(self.keys[place : place + AT_ONCE])
            column = self._counted(attribute)
            if attribute in self.partitions:
                column = self.partitions[attribute].apply(column, attribute=attribute)
            self._prepared[attribute] = column
        return self._prepared[attribute]

    def _counted(self, attribute: str) -> Codes:
        """An attribute on the records that are counted, its values as they came."""
        column = self._held.column(attribute)
        return column if self._rows is None else column.take(self._rows)

    @cached_property
    def _prepared(self) -> dict[str, Codes]:
        return {}

    @cached_property
    def _target(self) -> Codes | None:
        if self.about_records:
            return self.subject
        return joined([self.column(name) for name in self.target])

    @cached_property
    def subject(self) -> Codes | None:
        """The person of each record; None where every record is a person of its own.

        Records without an identifier count as one person: who they are is not known, and taking them
        for many would promise a crowd that may not be there.
        """
        identifiers = self._held.schema.identifiers
        if not identifiers or self._rows is not None:
            return self._people(identifiers)
        memo = self._held.memo("@subject")
        if identifiers not in memo:
            memo[identifiers] = self._people(identifiers)
        return cast("Codes | None", memo[identifiers])

    def _people(self, identifiers: Sequence[str]) -> Codes | None:
        if not identifiers:
            return None
        subject = joined([self._counted(name) for name in identifiers])
        people = np.count_nonzero(np.bincount(subject.codes))
        return None if people == self.records else subject

    def _compared(self, counts: JointCounts) -> JointCounts:
        """The counts with the table that their classes are compared with, where it is another one."""
        if self.beside is None or self.about_records:
            return counts
        return replace(counts, compared=self.beside.aligned(counts.target_values))

    def _ground(self, counts: JointCounts) -> dict[str, Any]:
        """What is known of how the target's values lie to each other."""
        if self.about_records or len(self.target) != 1:
            return {}
        values = list(counts.target_values if counts.compared is None else counts.compared.values)
        name = self.target[0]
        ground: dict[str, Any] = {}
        ranks = ranks_of(values, self._declared_order(name))
        if ranks is not None:
            ground["order"] = sorted(range(len(values)), key=ranks.__getitem__)
            ground["ranks"] = ranks
        if name in self.data.hierarchies and name not in self.partitions:
            hierarchy = self.data.hierarchies[name]
            column = self.column(name) if self.afar is None else self.data.frequencies(name)[0]
            hierarchy.level(1).locate(column, attribute=name)  # says how many are not covered
            ground["levels"] = levels_of(values, hierarchy, attribute=name)
        return ground

    def _declared_order(self, name: str) -> Sequence[object] | None:
        partition = self.partitions.get(name)
        if isinstance(partition, Bins):
            return list(partition.domains)
        return None if partition is not None else self.data.orders.get(name)


def joined(columns: Sequence[Codes]) -> Codes:
    """Several attributes as one, whose values are the combinations that occur."""
    if len(columns) == 1:
        return columns[0]
    width = len(columns)
    rows, numbers = np.unique(np.stack([c.codes for c in columns], axis=1), axis=0, return_inverse=True)
    values = [tuple(value_of(columns[i], int(row[i])) for i in range(width)) for row in rows]
    return Codes(narrow(numbers.ravel() + 1, len(values)), values)
