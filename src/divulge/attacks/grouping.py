"""What keys tell about a sensitive attribute whose values are taken in groups."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np

from divulge.attacks.certainty import certain_people, everyone
from divulge.attacks.outcome import AttackReading, mean_rate, reading
from divulge.attacks.questions import AttackQuestion, ask, ask_each, suppressed_keys
from divulge.counting.counts import Cells, JointCounts
from divulge.errors import DivulgeError
from divulge.questions.data import Data
from divulge.table.codes import Codes, narrow
from divulge.table.partition import Partition


@dataclass(frozen=True)
class Grouping:
    """The readings of each key, and of all together, under one partition of a sensitive attribute."""

    target: str
    name: str
    domains: int
    readings: list[AttackReading]
    certain: int | None = field(repr=False)  # people whose group is certain to someone who knows all keys
    records: int | None = field(repr=False)  # of so many
    silent: tuple[str, ...] = ()  # keys that are suppressed on every record

    @property
    def rate(self) -> float | None:
        """The mean discrimination rate of the keys alone; those that are suppressed tell nothing."""
        return mean_rate(self.readings, self.silent)

    @property
    def adjusted(self) -> float | None:
        """The same beyond chance."""
        alone = [one for one in self.readings if one.single]
        found = [one.adjusted for one in alone if one.adjusted is not None]
        return fmean([*found, *(0.0 for one in alone if one.keys[0] in self.silent)]) if found else None

    @property
    def share(self) -> float:
        """The share of records whose group is certain."""
        return 0.0 if not self.records else (self.certain or 0) / self.records

    def to_dict(self) -> dict[str, Any]:
        together = self.readings[-1]
        return {
            "target": self.target,
            "partition": self.name,
            "domains": self.domains,
            "discrimination_rate": self.rate,
            "adjusted": self.adjusted,
            "together": together.discrimination_rate,
            "together_adjusted": together.adjusted,
            "certain": self.certain,
            "of": self.records,
            "undefined": together.undefined if self.rate is None else None,
        }


def group(
    released: Data, target: str, name: str, partition: Partition, *, show_values: bool, seed: int
) -> Grouping:
    """Read every key, and all together, under a partition of the target."""
    asked = ask_each(released, target)
    title = f"{target} ({name})"
    readings = [_under(one, title, partition, show_values=show_values, seed=seed) for one in asked]
    domains, silent = len(partition.domains), tuple(suppressed_keys(released))
    together = ask(released, released.schema.quasi_identifiers, target)
    if readings[-1].undefined is not None or together.undefined is not None:
        return Grouping(target, name, domains, readings, None, None, silent)
    certain = certain_people(together, merged(together.fitting, together, partition))
    return Grouping(target, name, domains, readings, certain, everyone(together), silent)


def merged(counts: JointCounts, asked: AttackQuestion, partition: Partition) -> JointCounts:
    """Counts of a question with target values in their domains; no record is counted again."""
    column = asked.question.column(asked.target)
    partition.locate(column, attribute=asked.target)  # says how many records are not covered
    used = column.used()
    domain = partition.apply(Codes(narrow(used, column.cardinality), column.values), attribute=asked.target)
    kept, place = np.unique(domain.codes, return_inverse=True)
    values = domain.values_of(kept)
    assert counts.cells is not None
    word, cell = np.unique(counts.cells.owner * len(kept) + place[counts.cells.target], return_inverse=True)
    count = np.bincount(cell, weights=counts.cells.count).astype(np.int64)
    weight = np.bincount(cell, weights=counts.cells.weight) if counts.weighted else count
    start = np.append(np.flatnonzero(np.diff(word // len(kept), prepend=-1)), len(word))
    cells = Cells(start, word % len(kept), count, weight)
    margin = None if counts.margin is None else np.bincount(place, weights=counts.margin)
    return replace(counts, cells=cells, target_values=values, margin=margin, ground={}, _statistics={})


def _under(
    asked: AttackQuestion, title: str, partition: Partition, *, show_values: bool, seed: int
) -> AttackReading:
    try:
        counts = merged(asked.counts, asked, partition)
    except DivulgeError as error:
        return AttackReading(asked.keys, title, undefined=error.message.removesuffix("."))
    named = (lambda: merged(asked.question.classes, asked, partition)) if show_values else None
    found = reading(asked.keys, title, counts, named=named, seed=seed)
    return asked.as_told(found, lambda counts: merged(counts, asked, partition))
