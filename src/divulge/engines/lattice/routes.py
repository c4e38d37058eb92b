"""The ways through the lattice of subsets: by NumPy, or by compiled loops. They find the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.lattice import MOST, RowClasses, Settled, SubsetLoops
from divulge._support.threads import ahead, cores
from divulge.counting.counts import Floats, Integers
from divulge.counting.statistics import xlog2x
from divulge.engines.lattice.rows import DistinctRows, Words

HEAD = 4  # first attributes, whose subsets are shared out to threads
SLAB = 12  # the most last attributes whose subsets one thread finds in one go

Step = Callable[[int, int], None]  # told how many parts are done, of how many


class SubsetSums(NamedTuple):
    """Sums and minima over the classes of each subset, and the subsets: their last attribute is bit 0.

    What is left unknown of targets is a row for each target.
    """

    classes: Integers
    unique: Integers
    least: Integers
    uncertainty: Floats  # n log2 n
    target: Floats  # n H(X|y)
    least_target: Floats
    masks: Words

    @classmethod
    def nothing(cls, places: int, targets: int) -> SubsetSums:
        """As long as no class has been counted."""
        classes, unique, least = np.zeros(places, np.int64), np.zeros(places, np.int64), np.full(places, MOST)
        left, least_left = np.zeros((targets, places)), np.full((targets, places), np.inf)
        masks = np.zeros(places, np.uint64)
        return cls(classes, unique, least, np.zeros(places), left, least_left, masks)

    @classmethod
    def joined(cls, parts: Sequence[SubsetSums]) -> SubsetSums:
        """The same subsets for one target after the other."""
        target, least = (np.concatenate([part[place] for part in parts]) for place in (4, 5))
        return parts[0]._replace(target=target, least_target=least)

    def at(self, places: Integers, masks: Words) -> SubsetSums:
        """What was found in some places, which are these subsets."""
        return SubsetSums._make([*(one[..., places] for one in self[:-1]), masks])


def plain(table: DistinctRows, largest: int) -> SubsetSums:
    """Every subset by sorting the class numbers of a smaller one with the codes of one more attribute."""
    codes, last = [table.codes(a) for a in range(table.attributes)], table.attributes - 1

    def visit(numbers: Integers, attribute: int, mask: int, left: int) -> Iterator[tuple[Any, ...]]:
        for a in range(attribute, table.attributes):
            _, finer = np.unique(numbers * (int(table.mask[a]) + 1) + codes[a], return_inverse=True)
            yield *_statistics(finer, table), mask | 1 << (last - a)
            if left > 1:
                yield from visit(finer, a + 1, mask | 1 << (last - a), left - 1)

    return gathered(visit(np.zeros(len(table.words), np.int64), 0, 0, largest))


def gathered(rows: Iterable[tuple[Any, ...]]) -> SubsetSums:
    """What was found of one subset after the other."""
    *whole, left, least_left, masks = zip(*rows, strict=True)
    targets = [np.reshape(one, (len(masks), -1)).T.astype(np.float64) for one in (left, least_left)]
    return SubsetSums._make([*map(np.array, whole), *targets, np.array(masks, np.uint64)])


def _statistics(numbers: Integers, table: DistinctRows) -> tuple[Any, ...]:
    """What is found of one subset, by the class of each row."""
    size = np.bincount(numbers, weights=table.times).astype(np.int64)
    bits, left = xlog2x(size), list[Floats]()
    for which, wide in enumerate(table.target_bits.tolist()):
        cells, place = np.unique(numbers << wide | table.target(which), return_inverse=True)
        inside = xlog2x(np.bincount(place, weights=table.times))
        left.append(np.maximum(bits - np.bincount(cells >> wide, weights=inside), 0.0))
    whole = len(size), int((size == 1).sum()), int(size.min()), float(bits.sum())
    return *whole, [float(one.sum()) for one in left], [float(one.min()) for one in left]


class _Node(NamedTuple):
    """A subset of the first attributes, its classes, and how many attributes may be added from one on."""

    classes: RowClasses
    settled: Settled
    attribute: int
    mask: int
    left: int


def _of_rows(numbers: npt.NDArray[Any], classes: RowClasses) -> npt.NDArray[Any]:
    """What the rows of some classes have, in their order."""
    return numbers.take(classes.rows.view(np.int64))


def compiled(table: DistinctRows, largest: int, step: Step) -> SubsetSums:
    """Every subset by compiled loops: a thread takes some of the first attributes and any of the others."""
    last, rows = table.attributes - 1, len(table.words)
    head = max(min(HEAD, table.attributes - table.tail), table.attributes - SLAB, table.apart)
    others = np.arange(1 << (table.attributes - head), dtype=np.uint64)
    loops = SubsetLoops(
        *(rows, table.shift, table.mask, table.below, table.differ, table.logs),
        *(table.target_shift, table.target_bits, table.tail),
    )
    depth = min(largest, table.attributes - head - table.tail) + 1
    rooms, own = [loops.room(depth) for _ in range(cores())], loops.room(0)
    low = np.ascontiguousarray(table.words[:, -1])
    codes = [(table.codes(a), int(table.mask[a]) + 1) for a in range(head)]

    def nodes(classes: RowClasses, settled: Settled, attribute: int, mask: int, left: int) -> Iterator[_Node]:
        yield _Node(classes, settled, attribute, mask, left)
        for a in range(attribute, head if left > 1 else 0):
            finer, now = loops.refine(classes, settled, _of_rows(codes[a][0], classes), own)
            yield from nodes(finer, now, a + 1, mask | 1 << (last - a), left - 1)

    def work(node: _Node) -> SubsetSums:
        # Where one more is all that may be added, a first attribute is added here.
        single = range(node.attribute, head) if node.left == 1 else range(0)
        found, room = SubsetSums.nothing(len(others) + len(single), loops.targets), rooms.pop()
        classes = node.classes._replace(rows=_of_rows(low, node.classes))
        loops.explore(classes, node.settled, head, node.left, found, room)
        for place, a in enumerate(single, len(others)):
            values, possible = _of_rows(codes[a][0], node.classes), codes[a][1]
            loops.count_finer(classes, node.settled, values, possible, found, place, room)
        rooms.append(room)
        masks = np.append(others, np.array([1 << (last - a) for a in single], np.uint64))
        places = np.flatnonzero(np.bitwise_count(masks) <= node.left)
        return found.at(places, masks[places] | np.uint64(node.mask))

    everyone = RowClasses(
        np.arange(rows, dtype=np.uint64), table.times.astype(np.uint32), np.array([0, rows], np.int32)
    )
    parts, of = [], sum(math.comb(head, size) for size in range(min(largest, head + 1)))
    for part in ahead(work, nodes(everyone, Settled(0, 0, MOST, 0.0), 0, 0, largest)):
        parts.append(part)
        step(len(parts), of)
    found = SubsetSums(*(np.concatenate(some, axis=-1) for some in zip(*parts, strict=True)))
    chosen = np.flatnonzero(found.masks)  # the empty subset is none
    return found.at(chosen, found.masks[chosen])
