"""Counting by compiled loops where classes are too many for a table: packed words, hashed partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import counting as loops
from divulge._compiled.counting import Blocks, PackedColumns, TalliedClasses
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import Integers
from divulge.engines.memory.kept_words import WORDS
from divulge.table.codes import Codes

WORD_BITS = 64
PARTITION = 2048  # words in a partition: what the first cache holds
REMEMBERED = 1 << 20  # rows up to which a stage of refinement is kept for other questions
BLOCK = 1 << 18  # words of a block, which are brought into the order of partitions at a time
PARTITION_BITS = 13  # of the most partitions: beyond, scattering to so many places costs more than it saves
TALLIED_BITS = 18  # of the targets of two or three records up to which such classes are only tallied
PACKED = 1 << 20  # rows whose codes are copied at a time


@dataclass(frozen=True, eq=False)
class Tally:
    """Classes cell by cell, those of one, two or three records that look alike held once."""

    size: Integers
    often: Integers  # how many classes look like this one
    start: Integers  # where the cells of each class begin, and where the last end
    target: Integers  # of each cell: its place among the targets that occur
    count: Integers
    used: Integers  # the targets that occur
    having: Integers  # how many records have each of these


def bits_of(codes: Codes) -> int:
    """The bits that hold every code of an attribute."""
    return len(codes.values).bit_length()


def pack(
    columns: Sequence[Codes],
    rows: npt.NDArray[Any],
    words: npt.NDArray[np.uint64] | None = None,
    threads: int = 1,
) -> npt.NDArray[np.uint64]:
    """One word for each of some records, the first column in the highest bits."""
    words = np.empty(len(rows), np.uint64) if words is None else words
    bits = [bits_of(column) for column in columns]

    def work(part: slice) -> None:
        for first in range(part.start, part.stop, PACKED):
            block = slice(first, min(first + PACKED, part.stop))
            loops.pack(words[block], [one.codes[rows[block]] for one in columns], bits)

    run(work, shares(len(rows), threads))
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
    latest: Memo | None = None,
) -> Tally:
    """Count classes of many keys: refine word by word, and drop a record once it is unique.

    A class of one record is final: no further key can split it, so later keys are looked up only for
    the records that still share a class, and not at all once there are none. What is left after a word
    of keys is kept in ``memo``, for the next question that begins with them; the ``latest``, whatever the
    target was, for the next target of the same keys.
    """
    threads = threads or cores()
    memo, latest = {} if memo is None else memo, {} if latest is None else latest
    target_bits = 0 if target is None else bits_of(target)
    remaining = list(keys)
    shared = UnresolvedRecords(None, None, 1, np.zeros(1 if target is None else target.cardinality, np.int64))
    while shared.count:
        class_bits = (shared.count - 1).bit_length()
        word, word_bits = next_word(load, remaining, WORD_BITS - class_bits)
        done = tuple(keys[: len(keys) - len(remaining)])
        last = not remaining and class_bits + word_bits + target_bits <= WORD_BITS
        if not last and done in memo:
            shared = memo[done]
            continue
        if not last and (known := latest.get(done)) is not None:
            shared = replace(known, singles=_alone(known, target, records))
            continue
        if last and target is not None:
            word.append(target)
            word_bits += target_bits
        if last:
            blocks = _parted(word, word_bits, records, shared, target_bits, threads)
            return _count(blocks, shared.singles, threads)
        blocks = _parted(word, word_bits, records, shared, 0, threads, rows=True)
        shared = _strip(blocks, shared.singles, target, threads)
        if shared.rows is not None and len(shared.rows) <= REMEMBERED:
            memo[done] = shared
        latest[done] = shared
    return _tally([_kinds(shared.singles, 1, target_bits)], np.zeros(len(shared.singles), np.int64))


def _alone(shared: UnresolvedRecords, target: Codes | None, records: int) -> Integers:
    """How many records with each code of a target share no class: all but those that do."""
    if target is None:
        return np.array([records - (records if shared.rows is None else len(shared.rows))])
    often: Integers = target.frequencies().astype(np.int64)
    sharing = target if shared.rows is None else target.take(shared.rows)
    return often - sharing.frequencies()


def sharing(
    load: Callable[[str], Codes], keys: Sequence[str], records: int, *, threads: int | None = None
) -> UnresolvedRecords:
    """The records that share a class by all keys, and the number of their class; all others are alone."""
    threads, remaining = threads or cores(), list(keys)
    shared = UnresolvedRecords(None, None, 1, np.zeros(1, np.int64))
    while remaining and shared.count:
        word, bits = next_word(load, remaining, WORD_BITS - (shared.count - 1).bit_length())
        blocks = _parted(word, bits, records, shared, 0, threads, rows=True)
        shared = _strip(blocks, shared.singles, None, threads)
    return shared


def _words(
    word: Sequence[Codes], bits: int, rows: npt.NDArray[Any], classes: npt.NDArray[np.uint64], threads: int
) -> npt.NDArray[np.uint64]:
    """The class so far and the next keys of every record that still shares one, in one word."""
    words = pack(word, rows, WORDS.take(len(rows)), threads)
    words |= classes << np.uint64(bits)
    return words


def next_word(load: Callable[[str], Codes], remaining: list[str], room: int) -> tuple[list[Codes], int]:
    """As many of the remaining keys as fit, taken off the list."""
    word: list[Codes] = []
    bits = 0
    while remaining and bits + bits_of(load(remaining[0])) <= room:
        word.append(load(remaining.pop(0)))
        bits += bits_of(word[-1])
    return word, bits


def _parted(
    word: Sequence[Codes],
    bits: int,
    records: int,
    shared: UnresolvedRecords,
    shift: int,
    threads: int,
    *,
    rows: bool = False,
) -> Blocks:
    """The words of all records that still share a class in blocks, each in the order of its partitions."""
    held, parts = shared.rows, _partition_bits(records if shared.rows is None else len(shared.rows))
    if held is not None and shared.classes is not None:
        words = _words(word, bits, held, shared.classes, threads)
        blocks = Blocks(words, held.copy() if rows else None, _starts(len(words)), shift, parts)
        run(blocks.part_words, shares(len(blocks.starts) - 1, threads))
        return blocks
    codes = [np.ascontiguousarray(one.codes) for one in word]
    columns = PackedColumns(codes, [bits_of(one) for one in word])
    numbers = np.empty(records, np.uint32) if rows else None
    blocks = Blocks(WORDS.take(records), numbers, _starts(records), shift, parts)
    run(lambda which: blocks.part(columns, which), shares(len(blocks.starts) - 1, threads))
    return blocks


def _starts(words: int) -> Integers:
    """Where blocks of words begin."""
    return np.append(np.arange(0, words, BLOCK), words)


def _count(blocks: Blocks, singles: Integers, threads: int) -> Tally:
    """Classes and cells from words in their partitions, the target in the lowest bits."""
    found = np.zeros((blocks.partitions, 2), np.int64)
    here = shares(blocks.partitions, threads)
    small = [TalliedClasses.of_target(blocks.shift, TALLIED_BITS) for _ in here]
    run(lambda which, tallied: blocks.tally(which, tallied, found), here, small)
    small[0].singles[: len(singles)] += singles
    tables = [[getattr(one, name) for one in small] for name in ("singles", "pairs", "triples")]
    kinds = [
        _kinds(np.asarray(np.sum(table, axis=0, dtype=np.int64)), many, blocks.shift)
        for many, table in enumerate(tables, 1)
        if table[0] is not None
    ]

    def write(
        classes: Sequence[Integers], cells: Sequence[Integers], place: Integers, first: Integers
    ) -> None:
        places = first + np.cumsum(found, axis=0) - found

        run(lambda which: blocks.expand(which, found, places, place, classes, cells), here)

    tally = _tally(kinds, np.sum([one.held for one in small], axis=0), found.sum(axis=0), write)
    WORDS.give(blocks.words)
    return tally


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Classes of as many records each, those that look alike held once."""

    records: int = field(repr=False)
    often: Integers
    cells: Integers
    target: Integers
    count: Integers


def _kinds(table: Integers, records: int, bits: int) -> _Kinds:
    """The classes in a table that has a number for each combination of so many targets in their order."""
    number = np.flatnonzero(table)
    targets = np.stack([number >> bits * place & (1 << bits) - 1 for place in range(records)][::-1], axis=1)
    begins = np.ones(targets.shape, bool)
    np.not_equal(targets[:, 1:], targets[:, :-1], out=begins[:, 1:])
    count = np.diff(np.append(np.flatnonzero(begins), begins.size))
    return _Kinds(records, table[number], begins.sum(axis=1), targets[begins], count)


def _tally(
    kinds: Sequence[_Kinds],
    held: Integers,
    found: Integers | None = None,
    write: Callable[..., None] | None = None,
) -> Tally:
    """Kinds of small classes, and behind them what is written of larger ones."""
    for one in kinds:
        np.add.at(held, one.target, one.count * np.repeat(one.often, one.cells))
    used = np.flatnonzero(held)
    place = np.zeros(len(held), np.int64)
    place[used] = np.arange(len(used))
    first = np.array([sum(len(one.often) for one in kinds), sum(len(one.count) for one in kinds)])
    many, all_cells = (first if found is None else first + found).tolist()
    size, start = np.empty(many, np.int64), np.zeros(many + 1, np.int64)
    target, count = np.empty(all_cells, np.int64), np.empty(all_cells, np.int64)
    often = np.ones(many, np.int64)
    size[: first[0]] = np.concatenate([np.full(len(one.often), one.records) for one in kinds])
    often[: first[0]] = np.concatenate([one.often for one in kinds])
    np.cumsum(np.concatenate([one.cells for one in kinds]), out=start[1 : first[0] + 1])
    target[: first[1]] = place[np.concatenate([one.target for one in kinds])]
    count[: first[1]] = np.concatenate([one.count for one in kinds])
    if write is not None:
        write((size, start[1:]), (target, count), place, first)
    return Tally(size, often, start, target, count, used, held[used])


def _strip(blocks: Blocks, singles: Integers, target: Codes | None, threads: int) -> UnresolvedRecords:
    """What is left once records that the words set apart are tallied."""
    found = np.zeros((blocks.partitions, 2), np.int64)
    here = shares(blocks.partitions, threads)
    tallies = [np.zeros(len(singles), np.int64) for _ in here]
    targets = None if target is None else np.ascontiguousarray(target.codes)
    run(lambda which, tally: blocks.group(which, targets, tally, found), here, tallies)
    classes, left = found.sum(axis=0).tolist()
    places = np.cumsum(found, axis=0) - found
    rows, numbers = np.empty(left, np.uint32), np.empty(left, np.uint64)
    run(lambda which: blocks.gather(which, found, places, rows, numbers), here)
    WORDS.give(blocks.words)
    return UnresolvedRecords(rows, numbers, classes, singles + np.sum(tallies, axis=0))


def _partition_bits(words: int) -> int:
    """How many bits of a hash part so many words."""
    return min(max((words // PARTITION).bit_length(), 1), PARTITION_BITS)
