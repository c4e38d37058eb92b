"""Compiled loops for counting millions of records; loaded only when a table is large enough to repay it.

Keys are packed into one 64-bit word each, class bits above target bits. Words are scattered into
partitions small enough for the cache by a hash of the class bits, so that classes stay whole. There
words are sorted, or a small hash table tells the classes apart.
All functions release the interpreter lock and are run by a few threads on parts of the data.
"""

from __future__ import annotations

import numpy as np

from divulge._support.compilation import inlined, loop

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_WORD = np.uint64(64)


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
def count_runs(words, edges, shift, singles, found):
    """Of partitions of sorted words, how many classes have several records, and their cells.

    Classes of one record are only tallied by target in ``singles``.
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for p in range(len(edges) - 1):
        i, last, classes, cells = edges[p], edges[p + 1], 0, 0
        while i < last:
            first, distinct = i, 1
            i += 1
            while i < last and words[i] >> shift == words[first] >> shift:
                distinct += words[i] != words[i - 1]
                i += 1
            if i == first + 1:
                singles[words[first] & mask] += 1
            else:
                classes += 1
                cells += distinct
        found[p, 0], found[p, 1] = classes, cells


@loop
def write_runs(words, edges, shift, places, class_size, class_cells, cell_target, cell_count):
    """Write the classes of several records, and their cells, from each partition's places on."""
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for p in range(len(edges) - 1):
        i, last, klass, cell = edges[p], edges[p + 1], places[p, 0], places[p, 1]
        while i < last:
            first, begin = i, cell
            i += 1
            if i == last or words[i] >> shift != words[first] >> shift:
                continue
            cell_target[cell], cell_count[cell] = words[first] & mask, 1
            while i < last and words[i] >> shift == words[first] >> shift:
                if words[i] != words[i - 1]:
                    cell += 1
                    cell_target[cell], cell_count[cell] = words[i] & mask, 0
                cell_count[cell] += 1
                i += 1
            cell += 1
            class_size[klass], class_cells[klass] = i - first, cell - begin
            klass += 1


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
