"""The records that make a table risky: those in small classes, and those whose class gives a value away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.assessment.scope import Scope
from divulge.data import Data

LARGEST = 1 << 62
SURE, GAIN = 0.9, 1 / 3  # share of a class with one value, and how far beyond its share in the table
ROUNDS = 3  # without some records, others may be given away

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Concerned:
    """Which records are taken to be risky: in classes of fewer people, or that give a value away."""

    smallest: int
    told: bool = False
    alike: bool = False

    def rows(self, scope: Scope, company: Numbers | None = None) -> Mask:
        """The rows at hand; how many people are in the class of each may be known already."""
        found = (people_alike(scope) if company is None else company) < self.smallest
        return given_away(scope, found, alike=self.alike) if self.told else found


def at_hand(scope: Scope) -> Data:
    """The rows that are asked about, which have to be here."""
    if scope.at_hand is None:
        raise ValueError("records that are counted elsewhere cannot be picked")
    return scope.at_hand


def share_of_records(scope: Scope, rows: Mask) -> float:
    """The share of the records that some rows stand for."""
    times = at_hand(scope).times
    return float(rows.mean() if times is None else times[rows].sum() / times.sum())


def people_alike(scope: Scope) -> Numbers:
    """For each row how many people are in its class."""
    data = at_hand(scope)
    numbers, classes = _numbered(scope, scope.keys)
    people = np.bincount(numbers, weights=data.times, minlength=classes)
    named = data.schema.identifiers
    if named and data.people < data.records:
        person, several = _numbered(scope, named)
        people = np.bincount(np.unique(numbers * several + person) // several, minlength=classes)
    return people[numbers].astype(np.int64)


def given_away(scope: Scope, left_out: Mask, *, alike: bool) -> Mask:
    """The rows, those left out among them, of classes that give a sensitive value away.

    In such a class nearly all have one value that is far less frequent in the table; or, where it is asked
    for, all are ``alike`` in whatever value.
    """
    found = left_out.copy()
    for _ in range(ROUNDS):
        kept = np.flatnonzero(~found)
        if not len(kept):
            break
        rest = scope.leaving_out(found)
        told = np.zeros(len(kept), bool)
        for target in scope.sensitive:
            told |= _told(rest, target, alike=alike)
        if not told.any():
            break
        found[kept[told]] = True
    return found


def _told(scope: Scope, target: str, *, alike: bool) -> Mask:
    numbers, classes = _numbered(scope, scope.keys)
    values, several = _numbered(scope, (target,))
    times = at_hand(scope).times
    word, place = np.unique(numbers * several + values, return_inverse=True)
    count = np.bincount(place, weights=times)
    owner, value = word // several, word % several
    size = np.bincount(numbers, weights=times, minlength=classes)
    share = np.bincount(values, weights=times, minlength=several) / size.sum()
    if np.count_nonzero(share) < 2:
        return np.zeros(len(numbers), bool)
    certain = count / size[owner]
    tells = (certain >= SURE) & (certain - share[value] >= GAIN)
    tells |= alike & (certain == 1)
    told = np.zeros(classes, bool)
    told[owner[tells]] = True
    return np.asarray(told[numbers])


def _numbered(scope: Scope, attributes: tuple[str, ...]) -> tuple[Numbers, int]:
    """A number for the combination of values of each row, and how many numbers there are."""
    data = at_hand(scope)
    numbers, bound = np.zeros(data.source.records, np.int64), 1
    for name in attributes:
        column = data.column(name)
        if name in scope.partitions:
            column = scope.partitions[name].apply(column, attribute=name)
        if bound * column.cardinality > LARGEST:
            numbers, bound = _ranked(numbers)
        numbers = numbers * column.cardinality + column.codes
        bound *= column.cardinality
    return _ranked(numbers)


def _ranked(numbers: Numbers) -> tuple[Numbers, int]:
    used, places = np.unique(numbers, return_inverse=True)
    return places.astype(np.int64), len(used)
