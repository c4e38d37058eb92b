"""The combinations of values that occur, found on the card and brought over where they are few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import CellTables
from divulge.counting.counts import Integers
from divulge.engines.gpu.arrays import fetched, free_bytes
from divulge.engines.gpu.counting import sorted_words
from divulge.engines.gpu.words import WORD_BITS, CardColumns, begins, bits_of, in_order
from divulge.table.codes import Codes, narrow

ROW_BY_ROW = 1 << 21  # records up to which an audit looks at each
COMBINATIONS = 1 << 21  # of values, that are looked at in place of more records
PAYS = 1 << 20  # records from which classes are numbered on the card
NUMBERED_ROW = 64  # bytes on the card for each of them


def combinations(card: CardColumns, columns: Sequence[Codes]) -> tuple[list[Codes], Integers] | None:
    """The combinations of columns as codes, and how many records have each; None where they are too many."""
    xp, bits = card.xp, [bits_of(one.cardinality) for one in columns]
    if sum(bits) > WORD_BITS:
        return None
    rows = sorted_words(card, columns)
    starts = xp.flatnonzero(begins(xp, rows.words))
    if len(starts) > COMBINATIONS:
        return None
    words, times = rows.words[starts], fetched(xp, rows.sums(xp, starts))
    found, below = list[Codes](), sum(bits)
    for column, wide in zip(columns, bits, strict=True):
        below -= wide
        codes = fetched(xp, words >> np.uint64(below) & np.uint64((1 << wide) - 1)) if wide else None
        codes = np.zeros(len(times), np.uint8) if codes is None else codes
        found.append(Codes(narrow(codes, column.cardinality - 1), column.values))
    return found, times


def key_classes(
    card: CardColumns, columns: Sequence[tuple[Any, Integers, int]]
) -> tuple[Any, npt.NDArray[np.int32]] | None:
    """The keys that occur and which each record has, by codes, the place of each, and how far up that goes.

    None where records are few, or too many for the card.
    """
    xp, rows = card.xp, len(columns[0][0])
    free = free_bytes(xp)
    if rows < PAYS or (free is not None and rows * NUMBERED_ROW > free):
        return None
    words = xp.zeros(rows, np.uint64)
    for codes, place, shift in columns:
        words |= xp.asarray(place.astype(np.uint64) << np.uint64(shift))[xp.asarray(codes)]
    order = xp.argsort(words)
    words = words[order]
    new = begins(xp, words)
    number = xp.empty(rows, np.int32)
    number[order] = (xp.cumsum(new) - 1).astype(np.int32)
    return fetched(xp, words[new]).reshape(-1, 1), fetched(xp, number)


def class_cells(
    card: CardColumns, class_of: npt.NDArray[np.int32], classes: int, codes: Any, values: int, times: Any
) -> CellTables | None:
    """How often each value, numbered from 1 on, occurs in each class; None as above."""
    xp, rows, below = card.xp, len(class_of), bits_of(values)
    free = free_bytes(xp)
    if rows < PAYS or (free is not None and rows * NUMBERED_ROW > free):
        return None
    words = xp.asarray(class_of).astype(np.uint64) << np.uint64(below)
    words |= xp.asarray(codes).astype(np.uint64) - np.uint64(1)
    held = in_order(xp, words, None if times is None else xp.asarray(times), below + bits_of(classes))
    starts = xp.flatnonzero(begins(xp, held.words))
    counts, cell = held.sums(xp, starts), held.words[starts]
    begin = xp.searchsorted(cell >> np.uint64(below), xp.arange(classes + 1).astype(np.uint64))
    value = cell & np.uint64((1 << below) - 1)
    return CellTables(*(fetched(xp, one.astype(np.int32)) for one in (begin, value, counts)))
