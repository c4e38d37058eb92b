"""Rows as words of several fields, which can be put in any order of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from divulge.counting.counts import Integers
from divulge.engines.gpu.arrays import Arrays, OnCard
from divulge.engines.gpu.kernels import FieldMove, moved
from divulge.engines.gpu.words import (
    WORD_BITS,
    CardColumns,
    WordRows,
    bits_of,
    condensed,
    in_order,
    packed,
    rows_in,
)
from divulge.table.codes import Codes

WORTH = 0.7  # share of rows that may be left where alike ones are held once
TARGET = -1  # the field of the target
CLASS = -2  # the field with the class of some first attributes


class FieldRows(NamedTuple):
    """Rows as words whose fields are the classes of some first attributes, and others below."""

    rows: WordRows
    fields: tuple[tuple[int, int], ...]  # attribute and bits, the highest first

    def moving(self, wanted: Sequence[int]) -> tuple[list[FieldMove], int]:
        """How to get some fields below each other, and the bits they take together."""
        down, places = self.rows.bits, dict[int, tuple[int, int]]()
        for name, bits in self.fields:
            down -= bits
            places[name] = down, bits
        up = whole = sum(places[name][1] for name in wanted)
        moves = []
        for name in wanted:
            up -= places[name][1]
            moves.append(FieldMove(*places[name], up))
        return moves, whole

    def sorted_by(self, xp: Arrays, wanted: Sequence[int]) -> WordRows:
        """The rows with some fields only, in their order."""
        rows, below = self.sorted_words(xp, wanted)
        if not below:
            return rows
        kind = rows.words.dtype.type
        times = (rows.words & kind((1 << below) - 1)).astype(np.uint32)
        return WordRows(rows.words >> kind(below), times, rows.bits - below)

    def sorted_words(self, xp: Arrays, wanted: Sequence[int]) -> tuple[WordRows, int]:
        """The same, and how many bits below hold what a row stands for, where there is room for that."""
        moves, bits = self.moving(wanted)
        times = self.rows.times
        below = 0 if times is None else bits_of(int(times.max()) + 1)
        if bits + below > WORD_BITS:
            return in_order(xp, moved(xp, self.rows.words, moves, None, 0), times, bits), 0
        words = xp.sort(moved(xp, self.rows.words, moves, times, below))
        return WordRows(words, None, bits + below), below


def field_table(
    columns: CardColumns,
    given: Sequence[Codes],
    target: Codes | None,
    times: Integers | None,
    *,
    last: int,
) -> FieldRows | None:
    """All rows packed, attributes of most values first; None where they do not fit.

    The target is among the ``last`` attributes. Of these the widest come first: they are in the fewest chains
    of subsets, so that words are short, and short ones are sorted sooner.
    """
    xp = columns.xp
    fields = {place: _squeezed(xp, columns.get(one)) for place, one in enumerate(given)}
    order = sorted(fields, key=lambda place: -fields[place][1])
    head, below = order[: max(len(order) - last, 0)], order[max(len(order) - last, 0) :]
    if target is not None:
        fields[TARGET] = _squeezed(xp, columns.get(target))
        below = sorted([*below, TARGET], key=lambda place: -fields[place][1])
    order = [*head, *below]
    bits = [(place, bits_of(fields[place][1])) for place in order]
    if sum(wide for _, wide in bits) >= WORD_BITS:
        return None
    words = packed(xp, [fields[place] for place in order], rows_in(given[0]))
    held = None if times is None else xp.asarray(times)
    rows = in_order(xp, words.words, held, words.bits)
    return FieldRows(held_once(xp, rows), tuple(bits))


def _squeezed(xp: Arrays, codes: OnCard) -> tuple[OnCard, int]:
    """Codes numbered without gaps, and how many there are."""
    used = xp.unique(codes)
    table = xp.zeros(int(used[-1]) + 1, np.uint32)
    table[used] = xp.arange(len(used), dtype=np.uint32)
    return table[codes], len(used)


def held_once(xp: Arrays, rows: WordRows) -> WordRows:
    """Rows that are alike held once, if that makes them many fewer, or if they stand for several already."""
    once = condensed(xp, rows)
    if rows.times is None and len(once.words) > WORTH * len(rows.words):
        return rows
    return once if once.times is None else once._replace(times=once.times.astype(np.uint32))
