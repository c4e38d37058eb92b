"""Joint counts of columns of codes, counted on the card: packed, sorted, and read off as runs.

Tables larger than the card are taken in parts; rows that are alike are held once, and parts are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from divulge._support.wording import many
from divulge.counting.counts import Cells, Integers, JointCounts
from divulge.engines.gpu.arrays import Arrays, OnCard, fetched, free_bytes
from divulge.engines.gpu.cells import HeldKinds, class_kinds, class_sizes, dealt_at_random, every_class
from divulge.engines.gpu.words import (
    WORD_BITS,
    CardColumns,
    PackedWords,
    WordRows,
    begins,
    bits_of,
    bytes_of,
    condensed,
    in_order,
    packed,
    ranked,
    rows_in,
)
from divulge.errors import TooMuch
from divulge.table.codes import Codes, narrow

SORTED_ROW = 40  # bytes on the card for each row that is packed and sorted
NAMED_ROW = 72  # the same where it is remembered which row is which
DEALT_ROW = 80  # the same where targets are assigned at random
DEALT_PAY = 1 << 22  # records from which they are
DEALT_SECONDS = 3e-9  # that a record takes
ALIKE_PAY = 1 << 19  # rows from which alike classes are held once


def joint_counts(
    columns: CardColumns,
    keys: Mapping[str, Codes],
    target: Codes | None,
    *,
    times: Integers | None = None,
    compact: bool = False,
) -> JointCounts:
    """Joint counts of the keys and the target (None: every record is its own subject).

    With ``compact`` classes that are alike may be held once and cannot be named; otherwise classes come in
    the order of their codes.
    """
    xp, given = columns.xp, [*keys.values(), *([] if target is None else [target])]
    target_bits = 0 if target is None else bits_of(target.cardinality)
    rows = rows_in(given[0])
    if compact and rows >= ALIKE_PAY:
        sorted_rows = _sorted(columns, given, target_bits, times)
        if target is None:
            size, often = class_sizes(xp, sorted_rows)
            return JointCounts(size, None, multiplicity=often)
        kinds = class_kinds(xp, sorted_rows, target_bits, target.cardinality)
        return _from_kinds(kinds, target, multiplicity=kinds.often)
    needed = rows * (NAMED_ROW + sum(bytes_of(one) for one in given))
    free = free_bytes(xp)
    if free is not None and needed > free:
        raise _too_large(rows, needed, free)
    words = _together(xp, [(columns.get(one), one.cardinality) for one in given], rows, target_bits)
    order = xp.argsort(words.words)
    held = None if times is None else xp.asarray(times)[order]
    named = WordRows(words.words[order], held, words.bits)
    example = fetched(xp, order[xp.flatnonzero(begins(xp, named.words, target_bits))])
    decode = _decoder(keys, example)
    if target is None:
        size = fetched(xp, named.sums(xp, xp.flatnonzero(begins(xp, named.words))))
        return JointCounts(size, None, decode=decode)
    return _from_kinds(every_class(xp, named, target_bits), target, decode=decode)


def distinct(columns: CardColumns, keys: Sequence[Codes]) -> int:
    """How many combinations of the keys' values occur."""
    return int(columns.xp.count_nonzero(begins(columns.xp, sorted_words(columns, keys).words)))


def sorted_words(columns: CardColumns, given: Sequence[Codes]) -> WordRows:
    """All rows as sorted words, the columns one below the other; alike ones may be held once."""
    return _sorted(columns, given, 0, None)


def _sorted(
    columns: CardColumns, given: Sequence[Codes], target_bits: int, times: Integers | None
) -> WordRows:
    """Sorted words of all rows, at once or in parts that are merged."""
    xp, rows = columns.xp, rows_in(given[0])
    free, each = free_bytes(xp), SORTED_ROW + sum(bytes_of(one) for one in given)
    if free is None or rows * each <= free:
        words = _together(xp, [(columns.get(one), one.cardinality) for one in given], rows, target_bits)
        return in_order(xp, words.words, None if times is None else xp.asarray(times), words.bits)
    step = max(free // (2 * each), 1)
    if sum(bits_of(one.cardinality) for one in given) > WORD_BITS:  # ranks of parts could not be compared
        raise _too_large(rows, rows * each, free)
    held: WordRows | None = None
    for first in range(0, rows, step):
        part = slice(first, min(first + step, rows))
        codes = [(columns.part(one, part), one.cardinality) for one in given]
        words = packed(xp, codes, part.stop - part.start)
        own = None if times is None else xp.asarray(times[part])
        found = condensed(xp, in_order(xp, words.words, own, words.bits))
        held = found if held is None else _merged(xp, held, found)
        if len(held.words) > step:
            raise _too_large(rows, rows * each, free)
    assert held is not None
    return held


def _merged(xp: Arrays, one: WordRows, other: WordRows) -> WordRows:
    """The rows of both, those that are alike held once."""
    times = [
        xp.ones(len(rows.words), np.int64) if rows.times is None else rows.times for rows in (one, other)
    ]
    words = xp.concatenate([one.words, other.words])
    return condensed(xp, in_order(xp, words, xp.concatenate(times), one.bits))


def _together(xp: Arrays, columns: Sequence[tuple[OnCard, int]], rows: int, target_bits: int) -> PackedWords:
    """Words of all columns, the last of which is the target if it has bits: these are the lowest."""
    if not target_bits:
        return packed(xp, columns, rows)
    keys = packed(xp, columns[:-1], rows)
    if keys.bits + target_bits > WORD_BITS:
        keys = ranked(xp, keys.words)
    words = keys.words << np.uint64(target_bits) | columns[-1][0].astype(np.uint64)
    return PackedWords(words, keys.bits + target_bits)


def _from_kinds(
    kinds: HeldKinds,
    target: Codes,
    *,
    multiplicity: Integers | None = None,
    decode: Callable[[Integers], list[dict[str, object]]] | None = None,
) -> JointCounts:
    used = np.flatnonzero(np.bincount(kinds.target, minlength=target.cardinality))
    place = np.zeros(target.cardinality, np.int64)
    place[used] = np.arange(len(used))
    start = np.concatenate([[0], np.cumsum(kinds.cells_of)])
    cells = Cells(start, place[kinds.target], kinds.records, kinds.records)
    values = [target.value(int(code)) for code in used]
    return JointCounts(kinds.size, cells, values, multiplicity=multiplicity, target="target", decode=decode)


def shuffled(
    columns: CardColumns,
    sizes: Integers,
    often: Integers | None,
    margin: Integers,
    order: Integers,
    times: int,
    seed: int,
) -> Iterator[JointCounts]:
    """Classes of these sizes, each so often, with targets assigned at random.

    ``order`` has the target values as they are dealt, so that what they are called plays no part.
    """
    xp, smallest = columns.xp, np.argsort(sizes, kind="stable")
    of_classes = sizes[smallest] if often is None else np.repeat(sizes[smallest], often[smallest])
    held = xp.asarray(of_classes)
    values = xp.asarray(np.repeat(narrow(order, len(order)), margin[order])).astype(np.uint64)
    for number in range(times):
        kinds = dealt_at_random(xp, held, values, len(margin), seed, number)
        start = np.concatenate([[0], np.cumsum(kinds.cells_of)])
        cells = Cells(start, kinds.target, kinds.records, kinds.records)
        yield JointCounts(kinds.size, cells, list(range(len(margin))), multiplicity=kinds.often)


def _decoder(keys: Mapping[str, Codes], example: Integers) -> Callable[[Integers], list[dict[str, object]]]:
    """How to name classes: by the key values of a record in each."""

    def decode(which: Integers) -> list[dict[str, object]]:
        return [
            {key: column.value(int(column.codes[row])) for key, column in keys.items()}
            for row in example[which]
        ]

    return decode


def _too_large(rows: int, needed: int, free: int) -> TooMuch:
    return TooMuch(
        f"To count {many(rows)} at once takes {needed / 1e9:.1f} GB on the graphics card, which has "
        f"{free / 1e9:.1f} GB free, and they cannot be counted in parts.",
        hint="Leave out --engine gpu: the processor counts them.",
    )
