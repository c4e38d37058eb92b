"""Ranks by a compiled loop: words sorted digit by digit, with the rows they came from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function

MOST_WORDS = 1 << 32  # a row number has four bytes
_SIZES = 6 << 11  # a count for each of the digits' values

Integers = npt.NDArray[np.int64]


def ranks(words: npt.NDArray[Any]) -> tuple[Integers, Integers]:
    """The rank of each word among those that occur, and the first row with each rank."""
    many = len(words)
    if many >= MOST_WORDS:
        raise ValueError(f"a loop cannot rank {many} words")
    rank, first = np.empty(many, np.int64), np.empty(many, np.int64)
    word, row, sizes = (
        np.empty(2 * many, np.uint64),
        np.empty(2 * many, np.uint32),
        np.empty(_SIZES, np.int64),
    )
    found = function("ranking_ranks", "pippppp", "i")(
        *(address(words, np.uint64, many), many),
        address(word, np.uint64, 2 * many, write=True),
        address(row, np.uint32, 2 * many, write=True),
        address(sizes, np.int64, _SIZES, write=True),
        *(address(one, np.int64, many, write=True) for one in (rank, first)),
    )
    return rank, first[:found].copy()
