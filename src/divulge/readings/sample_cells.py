"""A sample as estimates read it: the cells of its table, and what was drawn with what.

What was drawn is a *unit*: a record, or a person with all records of that person. Every estimate is a
function of the mass in cells, and its error follows from how that changes when a unit is left out. So ten
records of one person, or one of ten times the weight, do not count as ten independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._support.special_functions import gamma_exceeded, normal_below
from divulge._support.threads import cached_property
from divulge.counting.counts import JointCounts
from divulge.errors import Undefined

Numbers = npt.NDArray[Any]
BLOCK = 1 << 18  # cells filled at once
NOTHING = 1e-9  # mass below which nothing is left but a rounding error


@dataclass(frozen=True, eq=False)
class SamplePart:
    """Mass by cell, by class or by value, and what each unit has of it.

    ``total`` is by code. The others are by entry: the mass of its code, what its unit has of that, and
    whether it is the first entry of its unit with that code.
    """

    total: Numbers
    here: Numbers
    own: Numbers
    first: Numbers

    @cached_property
    def others(self) -> Numbers:
        """The mass of each entry's code without its unit."""
        return _left(self.here - self.own)


@dataclass(frozen=True, eq=False)
class SampleCells:
    """Entries: the mass that a unit has in a cell, which is a class and a value of the target.

    Units that look alike are held once; ``times`` says how many there are.
    """

    unit: Numbers
    owner: Numbers  # the class of each entry
    target: Numbers
    mass: Numbers
    times: Numbers  # by unit

    @classmethod
    def of(cls, table: npt.ArrayLike) -> SampleCells:
        """From a table of counts, a row for each value of the target: every record is a unit."""
        counts = np.asarray(table, dtype=np.float64)
        x, y = np.nonzero(counts)
        return cls(np.arange(len(x)), y, x, np.ones(len(x)), counts[x, y])

    @classmethod
    def of_counts(cls, counts: JointCounts) -> SampleCells:
        """From joint counts; classes that are held once stand for as many as there are."""
        if counts.cells is None:
            raise Undefined("every record is its own target")
        owner, target, cell = counts.cells.owner, counts.cells.target, counts.cells.count
        if counts.multiplicity is not None:
            times = counts.multiplicity[owner]
            first = np.cumsum(counts.multiplicity) - counts.multiplicity  # a class of its own for each
            copy = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
            owner = np.repeat(first[owner], times) + copy
            target, cell = np.repeat(target, times), np.repeat(cell, times)
        return cls(np.arange(len(cell)), owner, target, np.ones(len(cell)), cell.astype(np.float64))

    @classmethod
    def of_units(cls, unit: Numbers, owner: Numbers, target: Numbers, weight: Numbers) -> SampleCells:
        """From records: whose each is, its class, its target value and its weight.

        Weights are taken relative to their mean, so that mass adds up to the number of records.
        """
        _, unit = np.unique(unit, return_inverse=True)
        _, owner = np.unique(owner, return_inverse=True)
        _, target = np.unique(target, return_inverse=True)
        values = int(target.max()) + 1
        pair = (unit * (int(owner.max()) + 1) + owner) * values + target
        _, first, entry = np.unique(pair, return_index=True, return_inverse=True)
        mass = np.bincount(entry, weights=weight * (len(weight) / weight.sum()))
        return cls(unit[first], owner[first], target[first], mass, np.ones(int(unit.max()) + 1))

    # -- how many --------------------------------------------------------------------------------

    @cached_property
    def often(self) -> Numbers:
        """How many units each entry stands for."""
        return self.times[self.unit]

    @property
    def units(self) -> float:
        return float(self.times.sum())

    @cached_property
    def records(self) -> float:
        """The mass of all: their number, since weights are relative to their mean."""
        return float(self.often @ self.mass)

    @cached_property
    def unit_mass(self) -> Numbers:
        return self.by_unit(self.mass)

    @cached_property
    def effective(self) -> float:
        """As many records, drawn one by one, as say as much at least (Kish)."""
        return self.records**2 / float(self.times @ self.unit_mass**2)

    @property
    def alike(self) -> bool:
        """Whether every unit is one record, and none weighs more than another."""
        return len(self.unit) == len(self.times) and float(np.ptp(self.mass)) < NOTHING

    # -- parts -----------------------------------------------------------------------------------

    @cached_property
    def cells(self) -> SamplePart:
        return self._part(self.owner * (int(self.target.max()) + 1) + self.target)

    @cached_property
    def classes(self) -> SamplePart:
        return self._part(self.owner)

    @cached_property
    def values(self) -> SamplePart:
        return self._part(self.target)

    def _part(self, codes: Numbers) -> SamplePart:
        _, code = np.unique(codes, return_inverse=True)
        total = np.bincount(code, weights=self.often * self.mass)
        if len(self.unit) == len(self.times):  # each unit has one entry
            return SamplePart(total, total[code], self.mass, np.ones(len(code), np.bool_))
        _, first, pair = np.unique(self.unit * len(total) + code, return_index=True, return_inverse=True)
        one = np.zeros(len(code), np.bool_)
        one[first] = True
        return SamplePart(total, total[code], np.bincount(pair, weights=self.mass)[pair], one)

    # -- means and errors ------------------------------------------------------------------------

    def by_unit(self, of_entries: Numbers) -> Numbers:
        """Sums over the entries of each unit."""
        return np.bincount(self.unit, weights=of_entries, minlength=len(self.times))

    def mean(self, of_entries: Numbers) -> float:
        """The mean over all mass."""
        return float((self.often * self.mass) @ of_entries) / self.records

    def error(self, of_entries: Numbers) -> float:
        """The standard error of that mean, units being drawn one by one."""
        off = self.by_unit(self.mass * (of_entries - self.mean(of_entries)))
        return math.sqrt(float(self.times @ off**2)) / self.records

    def left_out(self, of_parts: Callable[..., Numbers], *parts: SamplePart) -> tuple[float, float]:
        """A function of entropies with each unit left out in turn: its mean, and its jackknife error."""
        found = of_parts(*(self.without(part) for part in parts))
        mean = float(self.times @ found) / self.units
        spread = float(self.times @ (found - mean) ** 2) / self.units
        return mean, math.sqrt((self.units - 1) * spread)

    def without(self, part: SamplePart) -> Numbers:
        """The entropy of a part in nats with each unit left out in turn."""
        change = self.by_unit(part.first * (xlogx(part.others) - xlogx(part.here)))
        left = self.records - self.unit_mass
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(left) - (xlogx(part.total).sum() + change) / left

    # -- information -----------------------------------------------------------------------------

    @property
    def entropy(self) -> float:
        """H(X) in nats."""
        return entropy(self.values)

    @property
    def information(self) -> float:
        """I(X;Y) in nats."""
        return self.entropy + entropy(self.classes) - entropy(self.cells)

    @property
    def rate(self) -> float | None:
        """The discrimination rate I(X;Y) / H(X) of this very table; None where there is nothing to tell."""
        if len(self.values.total) < 2:
            return None
        return float(min(max(self.information / self.entropy, 0.0), 1.0))

    def missed(self, part: SamplePart) -> float:
        """By how much an entropy is too small on average: half the sum of var(p)/p over its cells.

        For records drawn one by one that is the number of cells less one over 2 n, as Miller and Madow say.
        """
        share = part.here / self.records
        squares = float((part.first * self.often) @ (part.own**2 / share))
        return (squares - float(self.times @ self.unit_mass**2)) / (2 * self.records**2)


def entropy(part: SamplePart) -> float:
    """In nats."""
    records = float(part.total.sum())
    return math.log(records) - float(xlogx(part.total).sum()) / records


def _left(mass: Numbers) -> Numbers:
    return np.where(mass > NOTHING, mass, 0.0)


def xlogx(mass: Numbers) -> Numbers:
    """m ln m, 0 for 0."""
    return mass * np.log(np.where(mass > 0, mass, 1.0))


class RareCells(NamedTuple):
    """Squares of moves of the rate, downwards and upwards, beyond those that the jackknife allows for."""

    down: float
    up: float


def rare_cells(sample: SampleCells, z: float) -> RareCells:
    """How far the rate moves if cells of few records hold more in truth, at z standard errors.

    The error of the jackknife comes from the records that were drawn. A cell that nobody was drawn from adds
    nothing to it, although up to 3.7 records may be expected there, and one of them may carry much of the
    rate. So each cell is filled up to the upper limit of its Poisson mean, and squares of the moves are added
    up, as Zou and Donner do with the limits of a sum; what the jackknife allows for already is taken off. Of
    units that are not alike, counts are in effective records.
    """
    values, classes = sample.values.total, sample.classes.total
    _, value = np.unique(sample.target, return_inverse=True)
    _, owner = np.unique(sample.owner, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    owner, value, mass = owner[order], value[order], (sample.often * sample.mass)[order]
    scale, rate = sample.records / sample.effective, sample.information / sample.entropy
    whole = tuple(float(xlogx(part.total).sum()) for part in (sample.values, sample.classes, sample.cells))
    many = max(BLOCK // len(values), 1)
    down = up = 0.0
    for first in range(0, len(classes), many):
        here = slice(*np.searchsorted(owner, [first, first + many]))
        rows = len(classes[first : first + many])
        place = (owner[here] - first) * len(values) + value[here]
        cells = np.bincount(place, weights=mass[here], minlength=rows * len(values)).reshape(rows, -1)
        classes_here = classes[first : first + many, None]

        def moved(more: Numbers, cells: Numbers = cells, own: Numbers = classes_here) -> Numbers:
            """By how much the rate moves with more in each cell, one cell at a time."""
            records = sample.records + more
            of_value, of_class, of_cell = (
                np.log(records) - (total + xlogx(part + more) - xlogx(part)) / records
                for total, part in zip(whole, (values, own, cells), strict=True)
            )
            return np.asarray((of_value + of_class - of_cell) / of_value - rate)

        count = cells / scale
        to_limit, allowed = moved(scale * _missed(count, z)), moved(scale * z * np.sqrt(count))
        open_ = np.maximum(to_limit**2 - allowed**2, 0.0)
        down += float(open_[to_limit < 0].sum())
        up += float(open_[to_limit > 0].sum())
    return RareCells(down, up)


def _missed(count: Numbers, z: float) -> Numbers:
    """By how much the upper limit of a Poisson mean is above each count."""
    different, place = np.unique(count, return_inverse=True)
    limits = gamma_exceeded(different + 1, float(normal_below(-z)))
    return np.asarray((limits - different)[place].reshape(count.shape))
