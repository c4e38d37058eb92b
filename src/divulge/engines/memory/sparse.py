"""Counting by compiled loops where classes are too many for a table: packed words, hashed partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import counting as loops
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import Integers
from divulge.table.codes import Codes

WORD_BITS = 64
PARTITION = 2048  # words in a partition: what the first cache holds
REMEMBERED = 1 << 20  # rows up to which a stage of refinement is kept for other questions
PARTITION_BITS = 13  # of the most partitions: beyond, scattering to so many places costs more than it saves
PACKED = 1 << 20  # rows whose codes are copied at a time


@dataclass(frozen=True, eq=False)
class Tally:
    """Classes of two or more records cell by cell; classes of one only as a tally of their targets."""

    size: Integers
    cells_of: Integers
    target: Integers
    count: Integers
    singles: Integers


def bits_of(codes: Codes) -> int:
    """The bits that hold every code of an attribute."""
    return len(codes.values).bit_length()


def pack(
    columns: Sequence[Codes], records: int, rows: npt.NDArray[Any] | None = None, threads: int = 1
) -> npt.NDArray[np.uint64]:
    """One word per record, the first column in the highest bits."""
    words, bits = np.empty(records, np.uint64), [bits_of(column) for column in columns]

    def work(part: slice) -> None:
        for first in range(part.start, part.stop, PACKED):
            block = slice(first, min(first + PACKED, part.stop))
            chosen: Any = block if rows is None else rows[block]
            loops.pack(words[block], [np.ascontiguousarray(one.codes[chosen]) for one in columns], bits)

    run(work, shares(records, threads))
    return words


@dataclass(frozen=True, eq=False)
class UnresolvedRecords:
    """The records that still share a class after some keys, their classes, and a tally of the others."""

    rows: npt.NDArray[Any] | None  # None stands for all of them
    classes: npt.NDArray[np.uint64] | None
    count: int
    singles: Integers


Memo = dict[tuple[str, ...], UnresolvedRecords]


def tally(
    load: Callable[[str], Codes],
    keys: Sequence[str],
    target: Codes | None,
    records: int,
    *,
    threads: int | None = None,
    memo: Memo | None = None,
) -> Tally:
    """Count classes of many keys: refine word by word, and drop a record once it is unique.

    A class of one record is final: no further key can split it, so later keys are looked up only for
    the records that still share a class, and not at all once there are none. What is left after a word
    of keys is kept in ``memo``, for the next question that begins with them.
    """
    threads = threads or cores()
    memo = {} if memo is None else memo
    target_bits = 0 if target is None else bits_of(target)
    remaining = list(keys)
    shared = UnresolvedRecords(None, None, 1, np.zeros(1 if target is None else target.cardinality, np.int64))
    while shared.count:
        class_bits = (shared.count - 1).bit_length()
        word, word_bits = _next_word(load, remaining, WORD_BITS - class_bits)
        done = tuple(keys[: len(keys) - len(remaining)])
        last = not remaining and class_bits + word_bits + target_bits <= WORD_BITS
        if not last and done in memo:
            shared = memo[done]
            continue
        if last and target is not None:
            word.append(target)
            word_bits += target_bits
        if last:
            return _count(
                _words(word, word_bits, records, shared, threads), target_bits, shared.singles.copy(), threads
            )
        shared = _strip(_words(word, word_bits, records, shared, threads), shared, target, threads)
        if shared.rows is not None and len(shared.rows) <= REMEMBERED:
            memo[done] = shared
    none = np.zeros(0, np.int64)
    return Tally(none, none, none, none, shared.singles)


def _words(
    word: Sequence[Codes], bits: int, records: int, shared: UnresolvedRecords, threads: int
) -> npt.NDArray[np.uint64]:
    """The class so far and the next keys of every record that still shares one, in one word."""
    rows = shared.rows
    words = pack(word, records if rows is None else len(rows), rows, threads)
    if shared.classes is not None:
        words |= shared.classes << np.uint64(bits)
    return words


def _next_word(load: Callable[[str], Codes], remaining: list[str], room: int) -> tuple[list[Codes], int]:
    """As many of the remaining keys as fit, taken off the list."""
    word: list[Codes] = []
    bits = 0
    while remaining and bits + bits_of(load(remaining[0])) <= room:
        word.append(load(remaining.pop(0)))
        bits += bits_of(word[-1])
    return word, bits


def _count(words: npt.NDArray[np.uint64], target_bits: int, singles: Integers, threads: int) -> Tally:
    """Classes and cells from words with the target in the lowest bits: sorting brings both together."""
    words, _, edges, _ = _partition(words, None, target_bits, threads)
    found = np.zeros((len(edges) - 1, 2), np.int64)
    tallies = [np.zeros(1 << target_bits, np.int64) for _ in range(threads)]
    parts = shares(len(found), threads)

    def look(part: slice, tally: Integers) -> None:
        for first, last in pairwise(edges[part.start : part.stop + 1].tolist()):
            words[first:last].sort()
        loops.count_runs(words, edges[part.start : part.stop + 1], target_bits, tally, found[part])

    run(look, parts, tallies)
    singles += np.sum(tallies, axis=0)[: len(singles)]
    classes, cells = ([np.empty(length, np.int64) for _ in range(2)] for length in found.sum(axis=0))
    places = np.cumsum(found, axis=0) - found

    def write(part: slice) -> None:
        here = edges[part.start : part.stop + 1]
        loops.write_runs(words, here, target_bits, found[part], places[part], classes, cells)

    run(write, parts)
    return Tally(classes[0], classes[1], cells[0], cells[1], singles)


def _strip(
    words: npt.NDArray[np.uint64], shared: UnresolvedRecords, target: Codes | None, threads: int
) -> UnresolvedRecords:
    """What is left once records that the words set apart are tallied."""
    rows = np.arange(len(words), dtype=np.uint32) if shared.rows is None else shared.rows.astype(np.uint32)
    # What was scattered is needed no longer: its room is used again, since the system clears new room first.
    out_rows, out_class = words.view(np.uint32).reshape(2, -1)
    words, rows, edges, bits = _partition(words, rows, 0, threads)
    targets = None if target is None else target.codes
    used = np.zeros((len(edges) - 1, 2), np.int64)
    tallies = [np.zeros(len(shared.singles), np.int64) for _ in range(threads)]

    def work(part: slice, tally: Integers) -> None:
        here = edges[part.start : part.stop + 1]
        loops.group(words, rows, here, bits, targets, tally, (out_rows, out_class, used[part]))

    run(work, shares(len(edges) - 1, threads), tallies)
    before = np.concatenate([[0], np.cumsum(used[:-1, 0])])
    classes = _gather(out_class, edges, used[:, 1], threads) + np.repeat(before, used[:, 1])
    return UnresolvedRecords(
        _gather(out_rows, edges, used[:, 1], threads),
        classes.astype(np.uint64),
        int(used[:, 0].sum()),
        shared.singles + np.sum(tallies, axis=0),
    )


def _partition(
    words: npt.NDArray[np.uint64], rows: npt.NDArray[np.uint32] | None, shift: int, threads: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], Integers, int]:
    """Words (and row numbers) scattered into hash partitions, the partitions' edges, and their bits."""
    bits = min(max((len(words) // PARTITION).bit_length(), 1), PARTITION_BITS)
    sizes = np.zeros((threads, 1 << bits), np.int64)
    parts = shares(len(words), threads)
    run(lambda part, found: loops.partition_sizes(words[part], shift, bits, found), parts, sizes)
    # Each thread writes its own stretch of every partition: partition by partition, thread by thread.
    ends = np.cumsum(sizes.T.ravel()).reshape(-1, threads)
    edges = np.concatenate([[0], ends[:, -1]])
    out_words, out_rows = np.empty_like(words), np.empty(0 if rows is None else len(words), np.uint32)

    def work(part: slice, size: Integers, end: Integers) -> None:
        own = None if rows is None else rows[part]
        loops.scatter(words[part], own, shift, bits, size, end, out_words, out_rows)

    run(work, parts, sizes, ends.T.copy())
    return out_words, out_rows, edges, bits


def _gather(source: npt.NDArray[Any], edges: Integers, used: Integers, threads: int) -> Integers:
    """What partitions wrote, without the gaps: the first ``used`` of each partition's stretch."""
    used = np.ascontiguousarray(used)
    ends = np.cumsum(used)
    out = np.empty(int(ends[-1]), np.int64)
    begins = ends - used
    run(
        lambda part: loops.gather(source, edges[:-1][part], used[part], begins[part], out),
        shares(len(used), threads),
    )
    return out
