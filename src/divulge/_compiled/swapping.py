"""Ranks and partners for rank swapping, by compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]


def swap_ranks(order: Array, uniforms: Array, window: int) -> Array:
    """For each record the one whose value it gets; ``order`` has the records by rank, the lowest first.

    Partners are at most a window of ranks away; a record that found none keeps its own value.
    """
    length = len(order)
    within(order, length)
    _refuse(uniforms, length)
    if window < 1:
        raise ValueError("a loop was given no window")
    rows = np.empty(length, np.uint32)
    words, level = 1, length
    while level > 1:
        level = (level + 63) // 64
        words += level
    room = np.empty(words, np.uint64)
    function("swap_ranks", "ppiipp")(
        address(order, np.uint32, length),
        address(uniforms, np.float64, length),
        *(length, window),
        address(room, np.uint64, words, write=True),
        address(rows, np.uint32, length, write=True),
    )
    return rows


def rank_order(ranks: Array, ties: Array) -> Array:
    """Records by their rank, and by numbers drawn evenly from 0 to 1 where ranks are equal."""
    length = len(ranks)
    _refuse(ties, length)
    count = int(ranks.max(initial=0)) + 1
    first, begin = np.empty(count + 1, np.int32), np.empty(length + 1, np.int32)
    order = np.empty(length, np.uint32)
    function("rank_order", "pipippp")(
        address(ranks, np.uint32, length),
        count,
        address(ties, np.float64, length),
        length,
        address(first, np.int32, count + 1, write=True),
        address(begin, np.int32, length + 1, write=True),
        address(order, np.uint32, length, write=True),
    )
    return order


def _refuse(uniforms: Array, length: int) -> None:
    """Stop before a loop counts more records than it can, or reads numbers that were not drawn."""
    if length >= np.iinfo(np.int32).max or (length and not (uniforms.min() >= 0 and uniforms.max() < 1)):
        raise ValueError("a loop was given more ranks than it can count, or numbers outside of 0 to 1")
