"""The records that make a table risky: those in small classes, and those whose class gives a value away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.people import Rows, persons
from divulge.assessment.scope import Scope
from divulge.data import Data
from divulge.packing import ranked

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


def leaves_some(rows: Mask, company: Numbers) -> bool:
    """Whether, some rows left out, others remain that are counted."""
    return bool((~rows & (company < LARGEST)).any())


def people_alike(scope: Scope) -> Numbers:
    """For each row how many people are in its class; a row that is not counted is in no class too small."""
    rows = _people(scope)
    kept = rows.kept(scope.keys, None)
    counted: Any = slice(None) if kept is None else kept
    numbers, bound = rows.sets(scope.keys)
    alike = np.full(len(numbers), LARGEST, np.int64)
    alike[counted] = rows.sizes(numbers, bound, counted)[numbers[counted]]
    return alike


def _people(scope: Scope) -> Rows:
    """The rows at hand, with whom they are about."""
    data = at_hand(scope)
    if scope.rows is not None and scope.rows.data is data:
        return scope.rows
    named = data.schema.identifiers
    several = bool(named) and data.people < data.records
    return Rows(data, scope.partitions, persons(data, named) if several else None)


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
    """The rows, of those counted, in classes that give a value away."""
    rows = Rows(at_hand(scope), scope.partitions)
    kept = rows.kept(scope.keys, target)
    counted: Any = slice(None) if kept is None else kept
    numbers, classes = ranked(rows.sets(scope.keys)[0])
    column = rows.column(target)
    values, several = column.codes.astype(np.int64)[counted], column.cardinality
    times = None if rows.times is None else rows.times[counted]
    told = np.zeros(len(numbers), bool)
    word, place = np.unique(numbers[counted] * several + values, return_inverse=True)
    count = np.bincount(place, weights=times)
    owner, value = word // several, word % several
    size = np.bincount(numbers[counted], weights=times, minlength=classes)
    share = np.bincount(values, weights=times, minlength=several) / max(size.sum(), 1)
    if np.count_nonzero(share) < 2:
        return told
    certain = count / size[owner]
    tells = (certain >= SURE) & (certain - share[value] >= GAIN)
    tells |= alike & (certain == 1)
    telling = np.zeros(classes, bool)
    telling[owner[tells]] = True
    told[counted] = telling[numbers[counted]]
    return told
