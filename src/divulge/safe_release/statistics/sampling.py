"""Releases made up of chance alone, one record after the other."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled import release as loops

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BLOCK = 1 << 22  # cells that NumPy counts in at once


def _mixed(words: Words) -> Words:
    """SplitMix64: words in which every bit depends on all bits of others."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def guide(cumulative: FloatArray) -> IntArray:
    """For points at even steps from 0 to 1 the place each falls in, from which a search needs few steps."""
    steps = max(1024, 4 * len(cumulative))
    places = np.searchsorted(cumulative, np.arange(steps) / steps, side="right")
    return np.minimum(places, len(cumulative) - 1)


def weights(most: int) -> FloatArray:
    """n log2 n for n from none to one more than the most."""
    return np.array([count * math.log2(count) if count > 1 else 0.0 for count in range(most + 2)])


def surprises(
    shares: FloatArray, target_shares: FloatArray, sizes: IntArray, first: int, seed: int, found: FloatArray
) -> None:
    """What an observer sees in releases without any dependency: n times their exposure in bits, by size.

    Each row of ``found`` is a sequence of its own, told by its number and the seed; sizes ascend. The first n
    records are the same however many follow.
    """
    bits, values, targets = -np.log2(shares), np.cumsum(shares), np.cumsum(target_shares)
    many = weights(int(sizes[-1]))
    if library.built():
        drawn = (values, guide(values)), (targets, guide(targets))
        loops.surprises(bits, *drawn, sizes, many, first, seed, found)
        return
    step = max(1, BLOCK // (len(values) * len(targets)))
    for begin in range(0, len(found), step):
        rows = found[begin : begin + step]
        numbers = np.arange(first + begin, first + begin + len(rows), dtype=np.uint64)
        _surprises(
            bits, values, targets, many, sizes, _mixed(np.uint64(seed) ^ _mixed(numbers + _STEP)), rows
        )


def _surprises(
    bits: FloatArray,
    values: FloatArray,
    targets: FloatArray,
    weights: FloatArray,
    sizes: IntArray,
    state: Words,
    found: FloatArray,
) -> None:
    """The same for some rows at once, record by record."""
    row = np.arange(len(found))
    counts = np.zeros((len(found), len(targets), len(values)), np.int64)
    totals = np.zeros((len(found), len(targets)), np.int64)
    surprise, wanted = np.zeros(len(found)), set(sizes.tolist())
    at = 0
    for size in range(1, int(sizes[-1]) + 1):
        state = state + _STEP
        x = _places(values, state)
        state = state + _STEP
        y = _places(targets, state)
        here, there = counts[row, y, x], totals[row, y]
        surprise += weights[here + 1] - weights[here] - weights[there + 1] + weights[there]
        surprise += bits[x]
        counts[row, y, x] += 1
        totals[row, y] += 1
        if size in wanted:
            found[:, at] = surprise
            at += 1


def _places(cumulative: FloatArray, state: Words) -> IntArray:
    """Places drawn by their shares, from words of chance."""
    points = (_mixed(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    return np.minimum(np.searchsorted(cumulative, points, side="right"), len(cumulative) - 1)
