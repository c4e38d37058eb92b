"""Joint counts from sorted words on the card; classes that are alike are brought over once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from divulge.counting.counts import Integers
from divulge.engines.gpu.arrays import Arrays, OnCard, fetched
from divulge.engines.gpu.words import WordRows, begins, bits_of

KINDS_PAY = 1 << 16  # classes from which alike ones are looked for


class HeldKinds(NamedTuple):
    """Classes with their cells, and how often each stands; here, not on the card."""

    size: Integers
    often: Integers
    cells_of: Integers
    target: Integers  # codes
    records: Integers  # of each cell


def class_sizes(xp: Arrays, rows: WordRows) -> tuple[Integers, Integers]:
    """The different sizes of classes, and how many classes have each."""
    new = begins(xp, rows.words)
    after = xp.append(new[1:], xp.ones(1, bool))
    alone = new & after
    if rows.times is not None:
        alone &= rows.times == 1
    single = int(xp.count_nonzero(alone))
    if rows.times is None:
        sizes = xp.flatnonzero(after & ~new) - xp.flatnonzero(new & ~after) + 1
    else:
        starts = xp.flatnonzero(new)
        sizes = rows.sums(xp, starts)[~alone[starts]]
    size, often = (fetched(xp, one) for one in xp.unique(sizes, return_counts=True))
    if single:
        size, often = np.append(1, size), np.append(single, often)
    return size.astype(np.int64), often.astype(np.int64)


class _Cells(NamedTuple):
    """Cells on the card, class by class."""

    start: OnCard  # of each class, and the end of all
    target: OnCard
    records: OnCard


def _cells(xp: Arrays, rows: WordRows, target_bits: int) -> _Cells:
    starts = xp.flatnonzero(begins(xp, rows.words))
    words, count = rows.words[starts], rows.sums(xp, starts)
    first = xp.flatnonzero(begins(xp, words, target_bits))
    target = (words & np.uint64((1 << target_bits) - 1)).astype(np.int64)
    return _Cells(xp.append(first, xp.asarray([len(words)], dtype=first.dtype)), target, count)


def every_class(xp: Arrays, rows: WordRows, target_bits: int) -> HeldKinds:
    """All classes, one by one, in the order of their codes."""
    return _brought(xp, _cells(xp, rows, target_bits), None)


def class_kinds(xp: Arrays, rows: WordRows, target_bits: int, targets: int) -> HeldKinds:
    """Classes with as many records of the same target values held once."""
    new = begins(xp, rows.words, target_bits)
    alone = new & xp.append(new[1:], xp.ones(1, bool))
    if rows.times is not None:
        alone &= rows.times == 1
    single = rows.words[alone] & np.uint64((1 << target_bits) - 1)
    tally = fetched(xp, frequencies(xp, single, targets))
    others = WordRows(rows.words[~alone], None if rows.times is None else rows.times[~alone], rows.bits)
    codes = np.flatnonzero(tally)
    lone = HeldKinds(*[np.ones(len(codes), np.int64)] * 5)._replace(often=tally[codes], target=codes)
    if not len(others.words):
        return lone
    cells = _cells(xp, others, target_bits)
    rest = _brought(xp, cells, _alike(xp, cells) if len(cells.start) > KINDS_PAY else None)
    return HeldKinds(*(np.concatenate(pair) for pair in zip(lone, rest, strict=True)))


def dealt_at_random(
    xp: Arrays, sizes: OnCard, values: OnCard, targets: int, seed: int, number: int
) -> HeldKinds:
    """Classes of these sizes, to whose records values are assigned at random, alike ones held once.

    Records are put in the order of numbers drawn for each: the same for the same seed and number of the
    shuffle, whatever counts them.
    """
    below, records = bits_of(targets), len(values)
    drawn = _mixed(xp.arange(records).astype(np.uint64) + np.uint64(_start(seed, number)))
    drawn = xp.sort(_mixed(drawn) << np.uint64(below) | values)
    owner = xp.zeros(records, np.uint64)
    owner[xp.cumsum(sizes)[:-1]] = 1
    words = xp.cumsum(owner) << np.uint64(below) | drawn & np.uint64((1 << below) - 1)
    rows = WordRows(xp.sort(words), None, bits_of(len(sizes)) + below)
    return class_kinds(xp, rows, below, targets)


def _start(seed: int, number: int) -> int:
    """Where the numbers of a shuffle begin: far from those of any other."""
    found = np.array([seed % (1 << 64)], np.uint64)
    for more in (0, number):
        found = _mixed(found + np.uint64(more))
    return int(found[0])


def frequencies(xp: Arrays, codes: OnCard, cardinality: int) -> OnCard:
    """How often each code occurs: sorted, since adding up in few places makes threads wait for each other."""
    edges = xp.searchsorted(xp.sort(codes), xp.arange(cardinality + 1).astype(codes.dtype))
    edges[-1] = len(codes)  # one beyond the last code need not fit the type of codes
    return xp.diff(edges).astype(np.int64)


def _alike(xp: Arrays, cells: _Cells) -> tuple[OnCard, OnCard] | None:
    """One class of each kind, and how many are of it; None where hashes were the same of different ones."""
    start, many = cells.start, len(cells.start) - 1
    signs = xp.zeros(len(cells.target) + 1, np.uint64)
    xp.cumsum(_mixed(_mixed(cells.target.astype(np.uint64)) + cells.records.astype(np.uint64)), out=signs[1:])
    sign = signs[start[1:]] - signs[start[:-1]]  # sums wrap around, and differences with them
    order = xp.argsort(sign)
    first = xp.flatnonzero(begins(xp, sign[order]))
    number = xp.diff(xp.append(first, xp.asarray([many], dtype=first.dtype)))
    chosen = xp.empty(many, np.int64)
    chosen[order] = order[first][xp.cumsum(begins(xp, sign[order])) - 1]
    wide = start[1:] - start[:-1]
    if not bool((wide == wide[chosen]).all()):
        return None
    owner = xp.zeros(len(cells.target), np.int64)
    owner[start[1:-1]] = 1
    owner = xp.cumsum(owner)
    same = xp.arange(len(cells.target)) - start[owner] + start[chosen[owner]]
    if not bool(((cells.target == cells.target[same]) & (cells.records == cells.records[same])).all()):
        return None
    return order[first], number


def _mixed(signs: OnCard) -> OnCard:
    """Numbers whose bits are spread, so that sums of them tell apart what is added up."""
    signs = (signs ^ (signs >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(0x9E3779B97F4A7C15)
    signs = (signs ^ (signs >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return signs ^ (signs >> np.uint64(31))


def _brought(xp: Arrays, cells: _Cells, chosen: tuple[OnCard, OnCard] | None) -> HeldKinds:
    """Classes brought over: some, as often as they stand, or all of them."""
    if chosen is None:
        start, target, count = (fetched(xp, one).astype(np.int64, copy=False) for one in cells)
        often = np.ones(len(start) - 1, np.int64)
    else:
        which, often = chosen
        lengths = cells.start[which + 1] - cells.start[which]
        start = xp.append(xp.zeros(1, np.int64), xp.cumsum(lengths))
        owner = xp.zeros(int(start[-1]), np.int64)
        owner[start[1:-1]] = 1
        owner = xp.cumsum(owner)
        place = xp.arange(len(owner)) - start[owner] + cells.start[which[owner]]
        start, target, count, often = (
            fetched(xp, one) for one in (start, cells.target[place], cells.records[place], often)
        )
    return HeldKinds(np.add.reduceat(count, start[:-1]), often, np.diff(start), target, count)
