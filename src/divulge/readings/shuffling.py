"""Unrelated data of the same shape: targets assigned at random to the same classes, by record or by person.

The assignment depends on the seed, on class sizes, on how frequent target values are and on the order of
these, if they have one; never on the order of records, or on where a value comes first. Names only part
values that are alike in all this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import draws
from divulge.counting.counts import Counts, Integers, JointCounts, Repeated
from divulge.counting.least_left import alike_counted, may_leave_least
from divulge.engines.base import Dealing
from divulge.engines.memory.counting import RecordClasses
from divulge.readings.shuffled_tables import counts_of, dealt_table
from divulge.table.codes import narrow

BLOCK = 1 << 22  # cells of tables dealt at once
ROUNDS = 4  # in which classes, targets and people learn what company they keep
Signs = npt.NDArray[np.uint64]


def shuffles(
    counts: Counts, times: int, seed: int, own: Dealing | None = None, *, least_left: bool = False
) -> Iterator[JointCounts]:
    """Counts with the same classes and targets, assigned at random ``times`` times.

    ``own`` is an engine's own way, which draws other numbers and is taken where records are many. Where it
    only matters which class leaves ``least_left`` unknown, others may be missing.
    """
    if own is not None and dealt_by(own, counts):
        given = counts.size, counts.multiplicity, counts.target_weight.astype(np.int64), _places(counts)
        values = list(counts.target_values)
        return counts_of(
            (replace(one, target_values=values) for one in own.deal(*given, times, seed)), counts
        )
    rng = np.random.default_rng(seed)
    if counts.repeated is not None:
        dealt = _by_person(counts, counts.repeated, times, rng)
    elif dealt_by_margins(counts):
        dealt = _by_margins(counts, times, rng, least_left)
    else:
        dealt = _by_record(counts, times, rng)
    return counts_of(dealt, counts)


def dealt_by_margins(counts: Counts) -> bool:
    """Whether drawing cell by cell is cheaper than shuffling records."""
    return counts.records > 20 * counts.classes * len(counts.target_values)


def dealt_by(own: Dealing, counts: Counts) -> bool:
    """Whether an engine's own way is taken: where many records would be shuffled one by one."""
    return counts.repeated is None and counts.records >= own.records and not dealt_by_margins(counts)


def exchangeable(counts: Counts) -> int:
    """How many can be exchanged: records that share a class, or people with equally many records."""
    if counts.repeated is None:
        return int(counts.add_up(counts.size * (counts.size > 1)))
    often = np.bincount(counts.repeated.records_each)
    return int(often[often > 1].sum())


def _by_margins(counts: Counts, times: int, rng: np.random.Generator, least_left: bool) -> Iterator[Integers]:
    """Tables drawn cell by cell, many at once; small classes first, so that others may be left undrawn."""
    sizes, places = _sizes(counts), _places(counts)
    targets = counts.target_weight.astype(np.int64)[places]
    at_once = max(1, BLOCK // (len(sizes) * len(targets)))
    if least_left and times <= at_once and alike_counted(sizes, targets, times):
        sizes = sizes[may_leave_least(sizes, targets, times)]
    for first in range(0, times, at_once):
        yield from drawn_tables(sizes, places, targets, min(at_once, times - first), rng)


def drawn_tables(
    sizes: Integers, places: Integers, targets: Integers, times: int, rng: np.random.Generator
) -> Integers:
    """So many tables of classes by target values, drawn without replacement; ``places`` are the columns.

    The classes may be the smallest of more.
    """
    if draws.draws_tables(int(targets.sum())):
        return draws.tables(sizes, places, targets, times, rng)
    tables = np.empty((times, len(sizes), len(targets)), np.int64)
    left = np.tile(targets[:, None], times)
    for row in np.argsort(sizes, kind="stable"):
        wanted, rest = np.full(times, sizes[row]), left.sum(axis=0)
        for value, place in enumerate(places[:-1]):
            rest -= left[value]
            tables[:, row, place] = drawn = rng.hypergeometric(left[value], rest, wanted)
            left[value] -= drawn
            wanted -= drawn
        tables[:, row, places[-1]] = wanted
        left[-1] -= wanted
    return tables


def _by_record(counts: Counts, times: int, rng: np.random.Generator) -> Iterator[Integers | JointCounts]:
    sizes, places = _sizes(counts), _places(counts)
    order = np.argsort(sizes, kind="stable").astype(np.uint32)
    owner = RecordClasses(np.repeat(order, sizes[order]), len(sizes))
    codes = narrow(places + 1, len(places))
    dealt = np.repeat(codes, counts.target_weight.astype(np.int64)[places])
    for _ in range(times):
        rng.shuffle(dealt)
        yield dealt_table(owner, dealt, counts.target_values)


def _by_person(
    counts: Counts, repeated: Repeated, times: int, rng: np.random.Generator
) -> Iterator[Integers | JointCounts]:
    """People exchange all their target values with someone who has as many records."""
    groups = _groups(repeated, _ranks(counts))
    owner = np.concatenate([classes.ravel() for classes, _ in groups])
    classes = RecordClasses(owner, int(owner.max()) + 1).squeezed()
    for _ in range(times):
        dealt = [_exchanged(targets, rng).ravel() for _, targets in groups]
        codes = narrow(np.concatenate(dealt).astype(np.int64) + 1, len(counts.target_values))
        yield dealt_table(classes, codes, counts.target_values)


def _exchanged(targets: Integers, rng: np.random.Generator) -> Integers:
    if len(targets) == 1:
        return targets
    return rng.permuted(targets[rng.permutation(len(targets))], axis=1)


def _groups(repeated: Repeated, named: Integers) -> list[tuple[Integers, Integers]]:
    """People by how many records they have: the classes and the targets of each, a row for a person.

    Rows are brought into an order that does not depend on codes or the order of records.
    """
    often = repeated.records_each[repeated.person]
    targets = repeated.target
    classes, ranks = _ranked(repeated, named)
    order = np.argsort(repeated.person, kind="stable")
    back = np.zeros(int(ranks.max()) + 1, np.int64)
    back[ranks] = targets
    groups = []
    for many in np.unique(often):
        rows = order[often[order] == many]
        own = np.sort(classes[rows].reshape(-1, many), axis=1)
        had = np.sort(ranks[rows].reshape(-1, many), axis=1)
        if len(own) == 1:  # nobody to exchange with: what goes with what is kept
            groups.append((classes[rows][None, :], targets[rows][None, :]))
        else:
            groups.append((own[np.lexsort(own.T[::-1])], back[had[np.lexsort(had.T[::-1])]]))
    return groups


def _ranked(repeated: Repeated, named: Integers) -> tuple[Integers, Integers]:
    """Classes and targets numbered anew by the company they keep, whatever their codes were.

    What still shares a sign in the end could stand for one another, were it not for the order of targets:
    these go by their rank then, and classes by the company of targets that have their rank as a sign.
    """
    often = [np.bincount(side).astype(np.uint64) for side in _sides(repeated)]
    owner, target, _ = _signed(repeated, often)
    told = np.zeros(len(owner), np.uint64)
    if len(np.unique(owner)) < len(owner):
        told = _signed(repeated, [often[0], named[: len(target)].astype(np.uint64), often[2]])[0]
    return _by_sign(repeated.owner, owner, told), _by_sign(repeated.target, target, named[: len(target)])


def _sides(repeated: Repeated) -> tuple[Integers, Integers, Integers]:
    return repeated.owner, repeated.target, repeated.person


def _signed(repeated: Repeated, signs: list[Signs]) -> list[Signs]:
    """Signs of classes, targets and people that tell their company apart, from those they start with.

    Again and again a record takes the signs of its class, target and person, and each of these the sum over
    its records.
    """
    sides = _sides(repeated)
    for _ in range(ROUNDS):
        record = sum(
            (
                _mixed(sign[side] + np.uint64(place))
                for place, (sign, side) in enumerate(zip(signs, sides, strict=True))
            ),
            np.zeros(len(sides[0]), np.uint64),
        )
        signs = [_added_up(side, _mixed(record), len(sign)) for side, sign in zip(sides, signs, strict=True)]
    return signs


def _mixed(signs: Signs) -> Signs:
    """Numbers whose bits are spread, so that sums of them tell apart what is added up."""
    signs = (signs ^ (signs >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    signs = (signs ^ (signs >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return signs ^ (signs >> np.uint64(31))


def _added_up(side: Integers, signs: Signs, many: int) -> Signs:
    total = np.zeros(many, np.uint64)
    np.add.at(total, side, signs)
    return total


def _by_sign(codes: Integers, signs: Signs, then: npt.NDArray[Any]) -> Integers:
    """Codes numbered anew: by how many records have them, then by their sign, then by what else tells."""
    rank = np.empty(len(signs), np.int64)
    rank[np.lexsort((then, signs, np.bincount(codes, minlength=len(signs))))] = np.arange(len(rank))
    return rank[codes]


def _sizes(counts: Counts) -> Integers:
    return counts.size if counts.multiplicity is None else np.repeat(counts.size, counts.multiplicity)


def _places(counts: Counts) -> Integers:
    """Target values by how frequent they are; then by their order, if they have one, or by name."""
    return np.lexsort((_ranks(counts), counts.target_weight))


def _ranks(counts: Counts) -> Integers:
    """The rank of each target value, all different: by their order, if they have one, then by name."""
    values, order = counts.target_values, counts.ground.get("order")
    among: Any = np.zeros(len(values), np.int64) if order is None else np.argsort(order)
    ranks = counts.ground.get("ranks", among)[: len(values)]  # a table beside may have more values
    key = list(zip(ranks, map(str, values), strict=True))
    rank = np.empty(len(values), np.int64)
    rank[sorted(range(len(values)), key=key.__getitem__)] = np.arange(len(values))
    return rank
