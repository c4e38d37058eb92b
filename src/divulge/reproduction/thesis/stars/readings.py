"""The ten measures of the star tables, each as the risk that it reads of a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from divulge.api import measure
from divulge.attacks.record_linkage import fellegi_sunter
from divulge.attacks.record_linkage.account import RecordLinkage, link
from divulge.attacks.record_linkage.structure import oriented, structure_linkage, structure_of
from divulge.errors import DivulgeError, Undefined
from divulge.questions.data import read
from divulge.uniques.account import uniqueness

Columns = Mapping[str, Sequence[Any]]
PERSON = "person"
GROUPS = 8  # that records are divided into where tables are linked by their structure


@dataclass(frozen=True)
class StarCase:
    """A released table, its original in the same order where the reader has it, and what is asked of them."""

    released: Columns
    original: Columns | None
    keys: tuple[str, ...]
    partitions: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # of originals and released values
    epsilon: float | None = None  # of the mechanism, where that was said

    def of(self, rows: Sequence[int]) -> StarCase:
        """Only some of the records."""
        original = None if self.original is None else _rows(self.original, rows)
        return StarCase(
            _rows(self.released, rows), original, self.keys, _rows(self.partitions, rows), self.epsilon
        )


def k_anonymity(one: StarCase) -> float:
    """One over the size of the smallest group."""
    return 1 / _measured(one, "k_anonymity")


def epsilon(one: StarCase) -> float:
    """What the mechanism promises; it is no property of the table."""
    if one.epsilon is None:
        raise Undefined("epsilon is not said")
    return one.epsilon


def simple_uniqueness(one: StarCase) -> float:
    """The share of people who are unique by all keys."""
    return _measured(one, "uniqueness")


def special_uniqueness(one: StarCase) -> float:
    """The share of people who are unique by some of the keys already."""
    found = uniqueness(dict(one.released), keys=list(one.keys), special=True)
    assert found.minimal is not None
    few = found.minimal.owner[found.minimal.sizes < len(one.keys)]
    return len(np.unique(few)) / found.minimal.records


def distance_linkage(one: StarCase) -> float:
    """The share of people whose own original is the nearest one."""
    found = _linkage(one).distance
    assert found is not None
    return found.linked / found.of


def interval_disclosure(one: StarCase) -> float:
    """The share of people whose original numbers all lie near the released ones."""
    found = _linkage(one).intervals
    if found is None:
        raise Undefined("there is no number")
    return found.all


def probabilistic_linkage(one: StarCase) -> float:
    """The share of people whose own original agrees best; nobody where no values agree."""
    found = _linkage(one)
    assert found.rows is not None
    try:
        return float(fellegi_sunter.link_chances(found.model, *found.columns, found.rows).mean())
    except Undefined:
        return 0.0


def other_linkage(one: StarCase) -> float:
    """The share of people found by guessing in groups that both tables imply, whatever their attributes."""
    original = _original(one)
    both = [(read(dict(table)), list(one.keys)) for table in (original, one.released)]
    ours, theirs = (structure_of(oriented(*table), GROUPS) for table in both)
    rows = np.arange(both[0][0].records)
    return structure_linkage(ours, theirs, (rows, rows), GROUPS)["rank"].linked


def discrimination_rate(one: StarCase) -> float:
    """What released values say about the original ones, or about who it is where there is no original."""
    return _rate(one, {})


def semantic_rate(one: StarCase) -> float:
    """The same, about domains of values where a partition is given."""
    return _rate(one, one.partitions)


READINGS: Mapping[str, Callable[[StarCase], float]] = {
    "k-anonymity": k_anonymity,
    "epsilon": epsilon,
    "Simple U": simple_uniqueness,
    "Special U": special_uniqueness,
    "D-b linkage": distance_linkage,
    "Itv linkage": interval_disclosure,
    "Prob linkage": probabilistic_linkage,
    "O record linkage": other_linkage,
    "DR": discrimination_rate,
    "SeDR": semantic_rate,
}


def read_risk(name: str, one: StarCase) -> float | None:
    """The risk that a measure reads; None where it cannot be read."""
    try:
        return READINGS[name](one)
    except DivulgeError:
        return None


def _measured(one: StarCase, name: str) -> float:
    value = measure(dict(one.released), name, keys=list(one.keys)).value
    assert value is not None
    return float(value)


def _rate(one: StarCase, partitions: Mapping[str, Sequence[Any]]) -> float:
    released = {name: partitions.get(f"released {name}", one.released[name]) for name in one.keys}
    original = {
        f"original {name}": partitions.get(f"original {name}", values)
        for name, values in (one.original or {}).items()
    }
    value = measure(
        {**released, **original},
        "discrimination_rate",
        keys=list(one.keys),
        target=list(original) or "@record",
    ).value
    return float(value or 0.0)


def _linkage(one: StarCase) -> RecordLinkage:
    original = _original(one)
    who = {PERSON: list(range(len(original[one.keys[0]])))}
    return link({**original, **who}, {**one.released, **who}, keys=list(one.keys), by=PERSON)


def _original(one: StarCase) -> Columns:
    if one.original is None:
        raise Undefined("the original is not given")
    return one.original


def _rows(columns: Columns, rows: Sequence[int]) -> Columns:
    return {name: [values[row] for row in rows] for name, values in columns.items()}
