"""Every combination of levels of quasi-identifiers on the card: what becomes of classes at each of them.

Attributes are raised one after the other, and rows that are alike then are held once. As soon as the rows,
once for every combination of levels that is left, fit, all of these are sorted together, each with the number
of its combination above its key. Sums are of whole numbers, so that no order of adding up changes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from divulge._compiled.generalization import CellTables, LevelTables, NodeSums, TargetTables
from divulge.counting.statistics import xlog2x
from divulge.engines.gpu.arrays import Arrays, OnCard, fetched, free_bytes
from divulge.engines.gpu.kernels import KINDS_ON_CARD, ClassBound, beyond_bounds, node_sums, target_sums
from divulge.engines.gpu.words import WORD_BITS, CardColumns, WordRows, begins, bits_of, condensed, in_order

WORK = 4_000_000_000_000  # classes times combinations of levels: some minutes
TOGETHER = 1 << 27  # rows that are sorted together, and combinations times attributes' values that are summed
PAYS = 100_000_000  # classes times combinations from which the card is faster
ROW = 160  # bytes on the card for each of them
_SIZE, _RISK = 0, 1  # kinds of bounds; ``_compiled/generalization.c`` has the list


class LevelQuestion(NamedTuple):
    """Classes at the levels of their values, and what is asked of those at every combination of levels."""

    fields: LevelTables
    targets: Sequence[TargetTables]
    criteria: Sequence[tuple[int, int, int, float]]
    keys: Any
    sizes: Any
    cells: Sequence[CellTables]
    limit: int
    entropy_loss: bool
    few: int


def level_search(card: CardColumns, asked: LevelQuestion) -> Callable[[NodeSums], Iterator[int]] | None:
    """What finds every combination of levels, and says how many are done; None where the card cannot."""
    free, wide = free_bytes(card.xp), max((len(one.share) for one in asked.targets), default=1)
    rows = max([len(asked.keys), *(len(one.value) for one in asked.cells)])
    if rows * math.prod(int(one) + 1 for one in asked.fields.height) < PAYS:
        return None
    own = {kind for kind, target, _, _ in asked.criteria if target >= 0}
    if not own <= KINDS_ON_CARD or any(one.weight is not None for one in asked.cells):
        return None
    if asked.keys.shape[1] > 1 or _key_bits(asked.fields) + bits_of(wide) >= WORD_BITS:
        return None
    if free is not None and 4 * rows * ROW > free:
        return None
    together = TOGETHER if free is None else min(TOGETHER, max(free // (4 * ROW), 1))

    def find(found: NodeSums) -> Iterator[int]:
        yield from _Levels(card.xp, asked, found, together).visit(_tables(card.xp, asked), 0, 0)

    return find


def _key_bits(fields: LevelTables) -> int:
    return max(
        int(shift) + int(mask).bit_length() for shift, mask in zip(fields.shift, fields.mask, strict=True)
    )


class _Table(NamedTuple):
    """Rows of keys, with a target's value below each, and how many bits that takes."""

    rows: WordRows
    below: int


def _tables(xp: Arrays, asked: LevelQuestion) -> list[_Table]:
    """The classes of the values themselves: a table for each target, or one of classes alone."""
    keys, bits = xp.asarray(asked.keys[:, 0]), _key_bits(asked.fields)
    if not asked.targets:
        order = xp.argsort(keys)
        return [_Table(WordRows(keys[order], xp.asarray(asked.sizes)[order], bits), 0)]
    tables = []
    for target, cells in zip(asked.targets, asked.cells, strict=True):
        below = bits_of(len(target.share))
        owner = xp.asarray(np.repeat(np.arange(len(asked.keys)), np.diff(cells.start)))
        words = keys[owner] << np.uint64(below) | xp.asarray(cells.value.astype(np.uint64))
        tables.append(_Table(in_order(xp, words, xp.asarray(cells.times), bits + below), below))
    return tables


class _Levels:
    """The search through all combinations of levels."""

    def __init__(self, xp: Arrays, asked: LevelQuestion, found: NodeSums, together: int) -> None:
        self.xp, self.asked, self.found, self.together = xp, asked, found, together
        self.shape = [int(height) + 1 for height in asked.fields.height]
        records = int(asked.sizes.sum())
        self.scale = 2.0 ** (61 - math.ceil(math.log2(max(records * math.log2(max(records, 2)), 2))))
        self.at = [self._from_values(place) for place in range(len(self.shape))]
        self.margins = [
            np.bincount(one.value, weights=one.times, minlength=len(target.share)).astype(np.int64)
            for one, target in zip(asked.cells, asked.targets, strict=True)
        ]

    def _from_values(self, place: int) -> Any:
        """The code of each value of an attribute at each level, a row for each."""
        fields = self.asked.fields
        wide, start = int(fields.mask[place]) + 1, int(fields.table[place])
        rows = [np.arange(wide)]
        for level in range(int(fields.height[place])):
            rows.append(fields.up[start + level * wide : start + (level + 1) * wide][rows[-1]])
        return self.xp.asarray(np.stack(rows).astype(np.uint64))

    def visit(self, tables: list[_Table], depth: int, first: int) -> Iterator[int]:
        """All combinations from an attribute on; ``first`` is the number of the first of them."""
        rest = math.prod(self.shape[depth:])
        if depth == len(self.shape) or self._fit(tables, rest):
            self._together(tables, depth, first, rest)
            yield first + rest
            return
        each = rest // self.shape[depth]
        for level in range(self.shape[depth]):
            if level:
                tables = [self._raised(one, depth, level - 1) for one in tables]
            yield from self.visit(tables, depth + 1, first + level * each)

    def _fit(self, tables: Sequence[_Table], rest: int) -> bool:
        bits = bits_of(rest) + max(one.rows.bits for one in tables)
        widest = int(self.asked.fields.mask.max()) + 1
        rows = max(len(one.rows.words) for one in tables)
        return rest * max(rows, widest) <= self.together and bits <= WORD_BITS

    def _raised(self, table: _Table, place: int, level: int) -> _Table:
        """One attribute one level up, rows that are alike then held once."""
        fields, words = self.asked.fields, table.rows.words
        wide = int(fields.mask[place]) + 1
        start = int(fields.table[place]) + level * wide
        up = self.xp.asarray(fields.up[start : start + wide].astype(np.uint64))
        shift = np.uint64(int(fields.shift[place]) + table.below)
        mask = np.uint64(wide - 1)
        words = words & ~(mask << shift) | up[words >> shift & mask] << shift
        return table._replace(
            rows=condensed(self.xp, in_order(self.xp, words, table.rows.times, table.rows.bits))
        )

    # -- combinations together ------------------------------------------------------------------------

    def _together(self, tables: Sequence[_Table], depth: int, first: int, rest: int) -> None:
        """What is found of all combinations of the attributes that are left."""
        xp, asked = self.xp, self.asked
        levels = np.stack(np.unravel_index(np.arange(rest), self.shape[depth:] or (1,)))
        merged = [self._at_levels(one, levels, depth) for one in tables]
        words, classes = merged[0].keys, merged[0].classes
        sizes = merged[0].sizes
        bad = xp.zeros(len(classes) - 1, bool)
        for kind, target, _, bound in asked.criteria:
            if target < 0:
                bad |= sizes < bound if kind == _SIZE else 1 / sizes > bound
        for place, one in enumerate(merged if asked.targets else ()):
            bounds = [ClassBound(kind, bound) for kind, about, _, bound in asked.criteria if about == place]
            beyond_bounds(
                xp, one.classes, one.value, one.times, sizes, asked.targets[place].share, bounds, bad
            )
        edges = xp.searchsorted(
            words >> np.uint64(_key_bits(asked.fields)), xp.arange(rest + 1).astype(np.uint64)
        )
        sums = fetched(xp, node_sums(xp, edges, sizes, bad, asked.few, self.scale)).astype(np.int64)
        suppressed = sums[:, 1]
        able = suppressed <= asked.limit
        nodes, at_once = slice(first, first + rest), np.flatnonzero(able) + first
        found = self.found
        found.classes[nodes] = np.diff(fetched(xp, edges))
        found.suppressed[nodes] = suppressed
        for name, values in zip(("kept", "least", "unique", "small"), sums[:, [0, 2, 3, 4]].T, strict=True):
            getattr(found, name)[at_once] = values[able]
        found.squares[at_once] = sums[able, 5]
        found.record_bits[at_once] = sums[able, 6] / self.scale
        node = (words >> np.uint64(_key_bits(asked.fields))).astype(np.int64)
        out = xp.flatnonzero(bad & xp.asarray(able)[node])
        self._extra(words[out], sizes[out], node[out], at_once, suppressed, first)
        left = able & (found.kept[nodes] > 0)
        for at, one in enumerate(merged if asked.targets else ()):
            self._of_target(one, at, edges, bad, out, node, left, first)

    def _at_levels(self, table: _Table, levels: Any, depth: int) -> _Merged:
        """The rows of a table at some combinations of levels, the number of each above its key."""
        xp, fields, rest = self.xp, self.asked.fields, levels.shape[1]
        words, below, bits = table.rows.words, table.below, _key_bits(self.asked.fields)
        every = xp.repeat(xp.arange(rest).astype(np.uint64) << np.uint64(bits + below), len(words))
        every = every.reshape(rest, len(words))
        kept = (1 << below) - 1
        for place in range(len(self.shape)):
            shift, mask = np.uint64(int(fields.shift[place]) + below), np.uint64(int(fields.mask[place]))
            if place < depth:
                kept |= int(mask) << int(shift)
                continue
            codes = (words >> shift & mask).astype(np.int32)
            every |= self.at[place][xp.asarray(levels[place - depth])][:, codes] << shift
        every |= (words & np.uint64(kept))[None, :]
        times = None if table.rows.times is None else xp.tile(table.rows.times, rest)
        rows = in_order(xp, every.ravel(), times, bits_of(rest) + bits + below)
        cells = xp.flatnonzero(begins(xp, rows.words))
        held, counts = rows.words[cells], rows.sums(xp, cells)
        starts = xp.flatnonzero(begins(xp, held, below))
        classes = xp.append(starts, xp.asarray([len(held)], dtype=starts.dtype))
        before = xp.zeros(len(held) + 1, np.int64)
        xp.cumsum(counts, out=before[1:])
        value = (held & np.uint64((1 << below) - 1)).astype(np.int32)
        return _Merged(held[starts] >> np.uint64(below), classes, value, counts, xp.diff(before[classes]))

    def _extra(
        self, words: OnCard, sizes: OnCard, node: OnCard, place: Any, suppressed: Any, first: int
    ) -> None:
        """What suppression adds to the loss of each attribute, by combination."""
        if not len(words):
            return
        xp, fields, asked = self.xp, self.asked.fields, self.asked
        rest = len(suppressed)
        level = np.stack(np.unravel_index(np.arange(first, first + rest), self.shape))
        for at in range(len(self.shape)):
            wide = int(fields.mask[at]) + 1
            codes = words >> np.uint64(int(fields.shift[at])) & np.uint64(wide - 1)
            tally = xp.bincount(node * wide + codes.astype(np.int64), weights=sizes, minlength=rest * wide)
            out = np.rint(fetched(xp, tally)).reshape(rest, wide)[place - first]
            if asked.entropy_loss:
                whole = suppressed[place - first]
                found = np.where(whole > 0, xlog2x(whole) - xlog2x(out).sum(axis=1), 0.0)
            else:
                rows = int(fields.table[at]) + level[at, place - first, None] * wide + np.arange(wide)
                found = (out * fields.extra[rows]).sum(axis=1)
            self.found.extra[place, at] = found

    def _of_target(
        self,
        one: _Merged,
        at: int,
        edges: OnCard,
        bad: OnCard,
        out: OnCard,
        node: OnCard,
        left: Any,
        first: int,
    ) -> None:
        """What the classes that are kept leave unknown of a target."""
        xp, values, rest = self.xp, len(self.asked.targets[at].share), len(left)
        unknown, least, top = target_sums(xp, edges, one.classes, one.times, one.sizes, bad, self.scale)
        place = np.flatnonzero(left)
        self.found.left[place + first, at] = unknown[place]
        self.found.least_left[place + first, at] = least[place]
        self.found.top[place + first, at] = top[place]
        margin = np.tile(self.margins[at], (rest, 1))
        if len(out):
            lengths = one.classes[out + 1] - one.classes[out]
            ends = xp.cumsum(lengths)
            which = xp.searchsorted(ends, xp.arange(int(ends[-1])), side="right")
            cells = xp.arange(int(ends[-1])) - (ends - lengths)[which] + one.classes[out][which]
            number = node[out][which] * values + one.value[cells]
            gone = xp.bincount(number, weights=one.times[cells], minlength=rest * values)
            margin -= np.rint(fetched(xp, gone)).astype(np.int64).reshape(rest, values)
        whole = xlog2x(margin.sum(axis=1)) - xlog2x(margin).sum(axis=1)
        self.found.entropy[place + first, at] = np.maximum(whole, 0.0)[place]


class _Merged(NamedTuple):
    """Classes at combinations of levels: their keys, where each begins among its cells, and its records."""

    keys: OnCard
    classes: OnCard
    value: OnCard
    times: OnCard
    sizes: OnCard
