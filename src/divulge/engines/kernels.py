"""Compiled loops for counting millions of records; loaded only when a table is large enough to repay it.

Keys are packed into one 64-bit word each, class bits above target bits. Words are scattered into
partitions small enough for the cache by a hash of the class bits, so that classes stay whole, then
into buckets that hold a class or two, which are taken out one by one.
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
def _bucket_bits(size):
    bits = 1
    while (2 << bits) < size and bits < 22:
        bits += 1
    return bits


@loop
def _into_buckets(words, rows, first, last, shift, bits, out_words, out_rows, ends):
    """Scatter words[first:last] by further bits of the hash; ``ends`` holds where each bucket ends."""
    carry = len(rows) > 0
    inner = _bucket_bits(last - first)
    up, down = np.uint64(bits), _WORD - np.uint64(inner)
    buckets = 1 << inner
    for b in range(buckets + 1):
        ends[b] = 0
    for i in range(first, last):
        ends[((_hash(words[i], shift) << up) >> down) + np.uint64(1)] += 1
    for b in range(buckets):
        ends[b + 1] += ends[b]
    for i in range(first, last):
        b = (_hash(words[i], shift) << up) >> down
        place = ends[b]
        ends[b] = place + 1
        out_words[place] = words[i]
        if carry:
            out_rows[place] = rows[i]
    return buckets


@loop
def _next_class(words, rows, begin, end, shift):
    """Bring the words of the first one's class to the front of words[begin:end]; where they end.

    A bucket holds few classes, so a pass for each costs less than sorting, however large they are.
    """
    carry = len(rows) > 0
    y = words[begin] >> shift
    place = begin + 1
    for i in range(begin + 1, end):
        if words[i] >> shift == y:
            words[i], words[place] = words[place], words[i]
            if carry:
                rows[i], rows[place] = rows[place], rows[i]
            place += 1
    return place


@loop
def _largest(edges):
    largest = 0
    for p in range(len(edges) - 1):
        largest = max(largest, edges[p + 1] - edges[p])
    return largest


@loop
def count_partitions(
    words, edges, shift, bits, singles, class_size, class_cells, cell_target, cell_count, used
):
    """Count the classes of some partitions.

    Classes of one record are only tallied by target in ``singles``. The others leave their size, number
    of cells and cells in the partition's own stretch of the output; ``used`` says how far each got.
    """
    largest = _largest(edges)
    bucketed = np.empty(largest, np.uint64)
    ends = np.empty((1 << _bucket_bits(largest)) + 1, np.int64)
    no_rows = np.empty(0, np.uint32)
    mask = (np.uint64(1) << shift) - np.uint64(1)
    tally = np.zeros(1 << shift if shift <= _TALLIED else 1, np.uint32)
    for p in range(len(edges) - 1):
        first, last = edges[p], edges[p + 1]
        buckets = _into_buckets(words, no_rows, first, last, shift, bits, bucketed, no_rows, ends)
        cell, klass, begin = first, first, 0
        for b in range(buckets):
            end = ends[b]
            while begin < end:
                stop = _next_class(bucketed, no_rows, begin, end, shift)
                if stop == begin + 1:
                    singles[bucketed[begin] & mask] += 1
                    begin = stop
                    continue
                before = cell
                if shift <= _TALLIED:
                    for i in range(begin, stop):
                        x = bucketed[i] & mask
                        if tally[x] == 0:
                            cell_target[cell] = x
                            cell += 1
                        tally[x] += 1
                    for c in range(before, cell):
                        cell_count[c] = tally[cell_target[c]]
                        tally[cell_target[c]] = 0
                else:
                    ordered = np.sort(bucketed[begin:stop])
                    for i in range(len(ordered)):
                        if i == 0 or ordered[i] != ordered[i - 1]:
                            cell_target[cell] = ordered[i] & mask
                            cell_count[cell] = 0
                            cell += 1
                        cell_count[cell - 1] += 1
                class_size[klass] = stop - begin
                class_cells[klass] = cell - before
                klass += 1
                begin = stop
        used[p, 0] = klass - first
        used[p, 1] = cell - first


@loop
def group_partitions(words, rows, edges, bits, targets, singles, out_rows, out_class, used):
    """Keep the rows of classes of two or more, class by class; tally the targets of single rows."""
    largest = _largest(edges)
    whole = np.uint64(0)
    bucketed = np.empty(largest, np.uint64)
    bucketed_rows = np.empty(largest, np.uint32)
    ends = np.empty((1 << _bucket_bits(largest)) + 1, np.int64)
    for p in range(len(edges) - 1):
        first, last = edges[p], edges[p + 1]
        buckets = _into_buckets(words, rows, first, last, whole, bits, bucketed, bucketed_rows, ends)
        kept, klass, begin = first, 0, 0
        for b in range(buckets):
            end = ends[b]
            while begin < end:
                stop = _next_class(bucketed, bucketed_rows, begin, end, whole)
                if stop == begin + 1:
                    singles[targets[bucketed_rows[begin]] if len(targets) else 0] += 1
                else:
                    for i in range(begin, stop):
                        out_rows[kept] = bucketed_rows[i]
                        out_class[kept] = klass
                        kept += 1
                    klass += 1
                begin = stop
        used[p, 0] = klass
        used[p, 1] = kept - first


@loop
def gather(source, firsts, lengths, places, out):
    """Copy stretches of ``source`` to their places in ``out``."""
    for p in range(len(firsts)):
        for i in range(lengths[p]):
            out[places[p] + i] = source[firsts[p] + i]
