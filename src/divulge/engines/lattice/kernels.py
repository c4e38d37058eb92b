"""Compiled loops over the lattice of attribute subsets; loaded only where a table is large enough for them.

Rows are kept class by class. One more attribute tells the classes of a subset apart, and a row that comes to
stand alone is settled for every finer subset. By the last attributes, those of fewest values, rows are not
told apart: their combinations are counted within each class, for all subsets of them in one go.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from divulge._support.compilation import loop

MOST = np.iinfo(np.int64).max  # records
FEW = 3  # different rows of a class that are compared one by one
LARGEST_TABLE = 1 << 22  # cells of an attribute and the target that are counted in a table


class RowClasses(NamedTuple):
    """The rows that share a class, class by class, and how many records each row stands for.

    A row is a packed word, or the number of one.
    """

    rows: Any
    times: Any
    start: Any

    @classmethod
    def room(cls, shape: tuple[int, ...], times: Any) -> RowClasses:
        """Room to write to, for classes of two rows at least."""
        *depth, rows = shape
        start = np.empty((*depth, rows // 2 + 2), np.int32)
        return cls(np.empty(shape, np.uint64), np.empty(shape, times), start)


class Settled(NamedTuple):
    """The rows that stand alone: what they are to every finer subset."""

    classes: int
    unique: int
    least: int
    uncertainty: float


class Room(NamedTuple):
    """Memory that a thread writes to again and again: to ask for it anew would cost as much as to count."""

    classes: Any  # by how many attributes have been added
    values: Any
    words: Any
    times: Any
    start: Any

    @classmethod
    def of(cls, rows: int, times: Any, depth: int) -> Room:
        classes = RowClasses.room((depth, rows), times)
        values, words = np.empty(rows, np.int32), np.empty(rows, np.uint64)
        return cls(classes, values, words, *RowClasses.room((rows,), times)[1:])


NOTHING = Settled(0, 0, MOST, 0.0)


@loop
def _log2(n, logs):
    """The logarithm in bits, and 0 of 0."""
    return logs[n] if n < len(logs) else math.log2(n)


@loop
def _bits(n, logs):
    """n log2 n."""
    return n * _log2(n, logs)


@loop
def refine(classes, settled, values, possible, logs, room):
    """Classes told apart by one more attribute, and the rows that it settles among the settled.

    ``values`` are the attribute's codes, row by row, all below ``possible``.
    """
    rows, times, start = classes
    alone, unique, least, uncertainty = settled
    size, to, seen = np.zeros(possible, np.int32), np.empty(possible, np.int32), np.empty(possible, np.int32)
    new_rows, new_times, new_start = room
    new_start[0] = 0
    end, count = 0, 0
    for y in range(len(start) - 1):
        kinds = 0
        for i in range(start[y], start[y + 1]):
            v = values[i]
            if size[v] == 0:
                seen[kinds] = v
                kinds += 1
            size[v] += 1
        for k in range(kinds):
            v = seen[k]
            to[v] = end
            if size[v] > 1:
                end += size[v]
                count += 1
                new_start[count] = end
        for i in range(start[y], start[y + 1]):
            v, n = values[i], times[i]
            if size[v] > 1:
                new_rows[to[v]] = rows[i]
                new_times[to[v]] = n
                to[v] += 1
            else:
                alone += 1
                unique += n == 1
                least = min(least, n)
                uncertainty += _bits(n, logs)
        for k in range(kinds):
            size[seen[k]] = 0
    now = Settled(alone, unique, least, uncertainty)
    return RowClasses(new_rows[:end], new_times[:end], new_start[: count + 1]), now


@loop
def _merge(table, classes, attribute, room):
    """Rows of a class that are alike from an attribute on made one, where few combinations are possible."""
    rows, times, start = classes
    bits, count = table.below[attribute], len(start) - 1
    if bits > 30 or count << bits > len(rows) // 2:
        return classes
    keep = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    sums = np.zeros(count << bits, times.dtype)
    for y in range(count):
        for i in range(start[y], start[y + 1]):
            sums[(y << bits) + np.int64(rows[i] & keep)] += times[i]
    new_rows, new_times, new_start = room
    new_start[0] = 0
    end = 0
    for y in range(count):
        for cell in range(y << bits, (y + 1) << bits):
            if sums[cell]:
                new_rows[end] = np.uint64(cell) & keep
                new_times[end] = sums[cell]
                end += 1
        new_start[y + 1] = end
    return RowClasses(new_rows[:end], new_times[:end], new_start[: count + 1])


@loop
def explore(table, classes, settled, attribute, place, left, found, room, depth):
    """Find a subset and those that add up to ``left`` (one at least) of the attributes from one on."""
    attributes = len(table.mask)
    if len(classes.start) == 1:
        _add(settled, found, place, place + (1 << (attributes - attribute)))
        return
    _count_tail(table, classes, settled, left, found, place, room)
    for a in range(attribute, attributes - table.tail):
        classes = _merge(table, classes, a, _at(room.classes, depth))
        _unpack(classes.rows, table.shift[a], table.mask[a], room.values)
        finer, possible = place + (1 << (attributes - 1 - a)), np.int64(table.mask[a]) + 1
        if left == 1:
            count_finer(table, classes, settled, room.values, possible, found, finer, room)
        else:
            deeper = _at(room.classes, depth + 1)
            within, now = refine(classes, settled, room.values, possible, table.logs, deeper)
            explore(table, within, now, a + 1, finer, left - 1, found, room, depth + 1)


@loop
def _at(room, depth):
    return RowClasses(room.rows[depth], room.times[depth], room.start[depth])


@loop
def _add(settled, found, first, last):
    """Add the settled rows to a stretch of subsets."""
    for place in range(first, last):
        found.classes[place] += settled.classes
        found.unique[place] += settled.unique
        found.least[place] = min(found.least[place], settled.least)
        found.uncertainty[place] += settled.uncertainty
        if settled.classes:
            found.least_target[place] = 0.0


@loop
def _unpack(rows, shift, mask, values):
    for i in range(len(rows)):
        values[i] = (rows[i] >> shift) & mask


@loop
def count_finer(table, classes, settled, values, possible, found, place, room):
    """Find the subset with one more attribute, given by its codes, to which nothing is to be added."""
    target_bits = np.uint64(table.target_bits)
    if possible << table.target_bits > LARGEST_TABLE:
        deepest = _at(room.classes, len(room.classes.rows) - 1)
        classes, settled = refine(classes, settled, values, possible, table.logs, deepest)
        _count_tail(table, classes, settled, 0, found, place, room)
        return
    rows, times, start = classes
    target = (np.uint64(1) << target_bits) - np.uint64(1)
    for i in range(len(rows)):
        room.words[i] = (np.uint64(values[i]) << target_bits) | (rows[i] & target)
    all_bits = (np.uint64(possible - 1) << target_bits) | target
    _add(settled, found, place, place + 1)
    _count(room.words, times, start, all_bits, table, settled.least > 1, found, place)


@loop
def _count_tail(table, classes, settled, left, found, place, room):
    """Find a subset, and it with up to ``left`` of the last attributes."""
    attributes = len(table.mask)
    target = (np.uint64(1) << np.uint64(table.target_bits)) - np.uint64(1)
    together = np.zeros((1 << table.tail, 4))
    words, times, start, settled = _lowest(table, classes, settled, together, room)
    for subset in range(1 << table.tail):
        keep, chosen = target, 0
        for k in range(table.tail):
            if subset >> k & 1:
                keep |= table.mask[attributes - 1 - k] << table.shift[attributes - 1 - k]
                chosen += 1
        if chosen <= left:
            _add(settled, found, place + subset, place + subset + 1)
            _add_together(together, subset, found, place + subset)
            _count(words, times, start, keep, table, settled.least > 1, found, place + subset)


@loop
def _lowest(table, classes, settled, together, room):
    """The lowest bits of every row, those alike within a class made one.

    Once a record stands alone only sums are of interest. Then the classes of up to three rows are settled,
    as if the rows stood apart, and what they have in common where they do not goes to ``together``.
    """
    bits = np.uint64(table.below[len(table.mask) - table.tail])
    keep = (np.uint64(1) << bits) - np.uint64(1)
    target_bits, differ, logs = np.uint64(table.target_bits), table.differ, table.logs
    rows, times, start = classes
    out, out_times, out_start = room.words, room.times, room.start
    sums = np.zeros(1 << bits, times.dtype)
    alone, unique, least, uncertainty = settled
    few = FEW if least == 1 else 0
    end, count = 0, 0
    out_start[0] = 0
    for y in range(len(start) - 1):
        begin = end
        for i in range(start[y], start[y + 1]):
            word = rows[i] & keep
            if sums[word] == 0:
                out[end] = word
                end += 1
            sums[word] += times[i]
        for i in range(begin, end):
            out_times[i] = sums[out[i]]
            sums[out[i]] = 0
        if end - begin > few:
            count += 1
            out_start[count] = end
            continue
        for i in range(begin, end):
            alone += 1
            unique += out_times[i] == 1
            uncertainty += _bits(out_times[i], logs)
        _compare(out[begin:end], out_times[begin:end], target_bits, differ, logs, together)
        end = begin
    return out, out_times, out_start[: count + 1], Settled(alone, unique, least, uncertainty)


@loop
def _compare(words, times, bits, differ, logs, together):
    """Add what two or three rows have in common, by the attributes that tell them apart.

    Inclusion and exclusion: what each two have in common, and what three have beyond that.
    """
    differing, ones, same, gains, mixed, alike = 0, 0, 0, 0.0, 0.0, 0.0
    for i in range(len(words)):
        for j in range(i):
            d = differ[(words[i] ^ words[j]) >> bits]
            gain = _bits(times[i] + times[j], logs) - _bits(times[i], logs) - _bits(times[j], logs)
            both = (times[i] == 1) + (times[j] == 1)
            together[d, 0] -= 1
            together[d, 1] -= both
            together[d, 2] += gain
            differing |= d
            gains += gain
            ones += both
            if (words[i] ^ words[j]) & ((np.uint64(1) << bits) - np.uint64(1)):
                together[d, 3] += gain
                mixed += gain
            else:
                same += 1
                alike += gain
    if len(words) == 3:
        apart = _bits(times[0], logs) + _bits(times[1], logs) + _bits(times[2], logs)
        all_three = _bits(times[0] + times[1] + times[2], logs)
        together[differing, 0] += 1
        together[differing, 1] += ones // 2
        together[differing, 2] += all_three - apart - gains
        if same < 3:
            together[differing, 3] += all_three - apart - alike - mixed


@loop
def _add_together(together, subset, found, place):
    """Add what rows have in common that a subset of the last attributes does not tell apart."""
    for d in range(len(together)):
        if d & subset == 0:
            found.classes[place] += np.int64(together[d, 0])
            found.unique[place] += np.int64(together[d, 1])
            found.uncertainty[place] += together[d, 2]
            found.target[place] += together[d, 3]


@loop
def _count(words, times, start, keep, table, minima, found, place):
    """Tell classes apart by some bits of the words, the target's lowest, and add what they are to a subset.

    Minima are of interest as long as no record stands alone.
    """
    bits, logs = np.uint64(table.target_bits), table.logs
    sizes = np.zeros(np.int64(keep >> bits) + 1, times.dtype)
    cells = np.zeros(np.int64(keep) + 1 if bits else 0, times.dtype)
    left = np.zeros(len(sizes) if minima else 0)
    count, unique, least, uncertainty = 0, 0, MOST, 0.0
    target, least_target = 0.0, np.inf if bits else 0.0
    for y in range(len(start) - 1):
        first, last = start[y], start[y + 1]
        for i in range(first, last):
            sizes[(words[i] & keep) >> bits] += times[i]
        # The first row of a cell or class finds its size and leaves 0, so that the others add nothing.
        if bits:
            for i in range(first, last):
                cells[words[i] & keep] += times[i]
            for i in range(first, last):
                cell = words[i] & keep
                n, c = sizes[cell >> bits], cells[cell]
                cells[cell] = 0
                here = c * (_log2(n, logs) - _log2(c, logs))
                target += here
                if minima:
                    left[cell >> bits] += here
        for i in range(first, last):
            within = (words[i] & keep) >> bits
            n = sizes[within]
            sizes[within] = 0
            count += n > 0
            unique += n == 1
            uncertainty += _bits(n, logs)
            if minima and n:
                least = min(least, n)
                least_target = min(least_target, left[within])
                left[within] = 0.0
    found.classes[place] += count
    found.unique[place] += unique
    found.least[place] = min(found.least[place], least)
    found.uncertainty[place] += uncertainty
    found.target[place] += target
    found.least_target[place] = min(found.least_target[place], least_target)
