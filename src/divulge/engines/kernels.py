"""Compiled loops for counting millions of records; loaded only when a table is large enough to repay it.

Keys are packed into one 64-bit word each, class bits above target bits. Words are scattered into
partitions small enough for the cache by a hash of the class bits, so that classes stay whole. There a
small hash table tells the classes apart.
All functions release the interpreter lock and are run by a few threads on parts of the data.
"""

from __future__ import annotations

import numpy as np

from divulge.compiled import inlined, loop

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_WORD = np.uint64(64)
_TALLIED = np.uint64(20)  # bits of target codes that are tallied in a table; beyond, a class is sorted


@inlined
def _hash(word, shift):
    y = word >> shift
    y ^= y >> _HALF
    y *= _MIX
    y ^= y >> _HALF
    return y * _MIX


@loop
def histogram(classes, targets, width, table):
    """Add one to ``table[class * width + target]`` for every record."""
    for i in range(len(classes)):
        table[np.int64(classes[i]) * width + targets[i]] += 1


@loop
def append(words, codes, bits):
    """Shift every word up and put a code in the bits that are free."""
    for i in range(len(words)):
        words[i] = (words[i] << bits) | np.uint64(codes[i])


@loop
def partition_sizes(words, shift, bits, sizes):
    """How many words fall into each of 2^bits partitions."""
    down = _WORD - np.uint64(bits)
    for i in range(len(words)):
        sizes[_hash(words[i], shift) >> down] += 1


@loop
def scatter(words, rows, shift, bits, places, out_words, out_rows):
    """Move words (and their row numbers, if any) to their partitions, from ``places`` on."""
    down = _WORD - np.uint64(bits)
    carry = len(rows) > 0
    for i in range(len(words)):
        part = _hash(words[i], shift) >> down
        place = places[part]
        places[part] = place + 1
        out_words[place] = words[i]
        if carry:
            out_rows[place] = rows[i]


@loop
def _slot_bits(size):
    """Bits of a table with room to spare for so many classes."""
    bits = 1
    while (1 << bits) < size + size // 2:
        bits += 1
    return bits


@loop
def _largest(edges):
    largest = 0
    for p in range(len(edges) - 1):
        largest = max(largest, edges[p + 1] - edges[p])
    return largest


@loop
def _into_slots(words, first, last, shift, bits, slots_bits, keys, counts, slot_of):
    """Count how often each class occurs in words[first:last], by a table that its hash points into."""
    up, down = np.uint64(bits), _WORD - np.uint64(slots_bits)
    mask = (1 << slots_bits) - 1
    counts[: mask + 1] = 0
    for i in range(first, last):
        y = words[i] >> shift
        slot = np.int64((_hash(words[i], shift) << up) >> down)
        while counts[slot] and keys[slot] != y:
            slot = (slot + 1) & mask
        keys[slot] = y
        counts[slot] += 1
        slot_of[i - first] = slot


@loop
def count_partitions(
    words, edges, shift, bits, singles, class_size, class_cells, cell_target, cell_count, used
):
    """Count the classes of some partitions.

    Classes of one record are only tallied by target in ``singles``. The others leave their size, number
    of cells and cells in the partition's own stretch of the output; ``used`` says how far each got.
    """
    largest = _largest(edges)
    slots = 1 << _slot_bits(largest)
    keys, counts, places = np.empty(slots, np.uint64), np.empty(slots, np.uint32), np.empty(slots, np.uint32)
    slot_of, targets = np.empty(largest, np.uint32), np.empty(largest, np.uint32)
    mask = (np.uint64(1) << shift) - np.uint64(1)
    tally = np.zeros(1 << shift if shift <= _TALLIED else 0, np.uint32)
    for p in range(len(edges) - 1):
        first, last = edges[p], edges[p + 1]
        slots_bits = _slot_bits(last - first)
        _into_slots(words, first, last, shift, bits, slots_bits, keys, counts, slot_of)
        cell, klass, end = first, first, 0
        for slot in range(1 << slots_bits):
            if counts[slot] > 1:
                places[slot] = end
                end += counts[slot]
                class_size[klass] = counts[slot]
                klass += 1
        for i in range(first, last):
            slot = slot_of[i - first]
            x = words[i] & mask
            if counts[slot] == 1:
                singles[x] += 1
            else:
                targets[places[slot]] = x
                places[slot] += 1
        begin = 0
        for k in range(first, klass):
            stop, before = begin + class_size[k], cell
            cell = _tally_class(targets[begin:stop], tally, cell_target, cell_count, cell)
            class_cells[k] = cell - before
            begin = stop
        used[p, 0] = klass - first
        used[p, 1] = cell - first


@loop
def _tally_class(targets, tally, cell_target, cell_count, cell):
    """Write the cells of one class from its targets; where the next class may write."""
    if len(tally) == 0:  # too many target values for a table: bring equal ones together instead
        targets = np.sort(targets)
        for i in range(len(targets)):
            if i == 0 or targets[i] != targets[i - 1]:
                cell_target[cell] = targets[i]
                cell_count[cell] = 0
                cell += 1
            cell_count[cell - 1] += 1
        return cell
    before = cell
    for x in targets:
        if tally[x] == 0:
            cell_target[cell] = x
            cell += 1
        tally[x] += 1
    for c in range(before, cell):
        cell_count[c] = tally[cell_target[c]]
        tally[cell_target[c]] = 0
    return cell


@loop
def group_partitions(words, rows, edges, bits, targets, singles, out_rows, out_class, used):
    """Keep the rows of classes of two or more, class by class; tally the targets of single rows."""
    largest = _largest(edges)
    slots = 1 << _slot_bits(largest)
    keys, counts, places = np.empty(slots, np.uint64), np.empty(slots, np.uint32), np.empty(slots, np.uint32)
    slot_of = np.empty(largest, np.uint32)
    for p in range(len(edges) - 1):
        first, last = edges[p], edges[p + 1]
        slots_bits = _slot_bits(last - first)
        _into_slots(words, first, last, np.uint64(0), bits, slots_bits, keys, counts, slot_of)
        klass, end = 0, 0
        for slot in range(1 << slots_bits):
            if counts[slot] > 1:
                places[slot] = end
                out_class[first + end : first + end + counts[slot]] = klass
                end += counts[slot]
                klass += 1
        for i in range(first, last):
            slot = slot_of[i - first]
            if counts[slot] == 1:
                singles[targets[rows[i]] if len(targets) else 0] += 1
            else:
                out_rows[first + places[slot]] = rows[i]
                places[slot] += 1
        used[p, 0] = klass
        used[p, 1] = end


@loop
def gather(source, firsts, lengths, places, out):
    """Copy stretches of ``source`` to their places in ``out``."""
    for p in range(len(firsts)):
        for i in range(lengths[p]):
            out[places[p] + i] = source[firsts[p] + i]
