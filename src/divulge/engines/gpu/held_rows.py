"""The combinations of values that occur, found on the card and brought over where they are few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.counting.counts import Integers
from divulge.engines.gpu.arrays import fetched
from divulge.engines.gpu.counting import sorted_words
from divulge.engines.gpu.words import WORD_BITS, CardColumns, begins, bits_of
from divulge.table.codes import Codes, narrow

ROW_BY_ROW = 1 << 24  # records up to which an audit looks at each
COMBINATIONS = 1 << 22  # of values, that are looked at in place of more records


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
