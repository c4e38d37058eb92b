"""Releases made up of chance alone, one record after the other, in compiled loops."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge._support.compilation import inlined, loop

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@inlined
def _mixed(word):
    """SplitMix64: a word in which every bit depends on all bits of another."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


def guide(cumulative: FloatArray) -> IntArray:
    """For points at even steps from 0 to 1 the place each falls in, from which a search needs few steps."""
    steps = max(1024, 4 * len(cumulative))
    places = np.searchsorted(cumulative, np.arange(steps) / steps, side="right")
    return np.minimum(places, len(cumulative) - 1)


def weights(most: int) -> FloatArray:
    """n log2 n for n from none to one more than the most."""
    return np.array([count * math.log2(count) if count > 1 else 0.0 for count in range(most + 2)])


@inlined
def _place(cumulative, guide, state):
    """A place drawn by its share, from a word of chance."""
    point = (_mixed(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    place = guide[int(point * len(guide))]
    while place < len(cumulative) - 1 and cumulative[place] <= point:
        place += 1
    return place


@loop
def surprises(bits, values, values_guide, targets, targets_guide, weights, sizes, first, seed, found):
    """What an observer sees in releases without any dependency: n times their exposure in bits, by size.

    Each row of ``found`` is a sequence of its own, told by its number and the seed; ``values`` and
    ``targets`` are cumulative shares, and sizes ascend. The first n records are the same however many follow.
    """
    counts = np.zeros((len(targets), len(values)), np.int64)
    totals = np.zeros(len(targets), np.int64)
    for row in range(found.shape[0]):
        counts[:] = 0
        totals[:] = 0
        state = _mixed(np.uint64(seed) ^ _mixed(np.uint64(first + row) + _STEP))  # unsigned throughout
        surprise, at = 0.0, 0
        for size in range(1, sizes[-1] + 1):
            state += _STEP
            x = _place(values, values_guide, state)
            state += _STEP
            y = _place(targets, targets_guide, state)
            here, there = counts[y, x], totals[y]
            surprise += weights[here + 1] - weights[here] - weights[there + 1] + weights[there]
            surprise += bits[x]
            counts[y, x] = here + 1
            totals[y] = there + 1
            if size == sizes[at]:
                found[row, at] = surprise
                at += 1
