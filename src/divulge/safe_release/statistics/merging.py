"""Neighbouring values joined until each bin holds enough records for a chi-square test."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
LEAST = 5  # records of a bin
SMALLEST, LEFT, RIGHT, UNMERGED = range(4)  # in the order of rules.MERGING


def merged(observed: IntArray, shares: FloatArray, rule: int) -> tuple[IntArray, FloatArray]:
    """Observed counts and baseline shares bin by bin, after merging by one of the rules."""
    if rule == UNMERGED:
        return observed, shares
    merge = _smallest_first if rule == SMALLEST else _accumulated
    turned = -1 if rule == RIGHT else 1
    counts, parts = merge(observed[::turned].tolist(), shares[::turned].tolist())
    return np.array(counts, np.int64)[::turned], np.array(parts)[::turned]


def _smallest_first(counts: list[int], parts: list[float]) -> tuple[list[int], list[float]]:
    """The smallest bin that is too small joins the smaller of its neighbours, and so on."""
    while len(counts) > 1 and (least := min(counts)) < LEAST:
        at, last = counts.index(least), len(counts) - 1
        left = at - 1 if at == last or (at > 0 and counts[at - 1] <= counts[at + 1]) else at
        _join(counts, parts, left)
    return counts, parts


def _accumulated(observed: list[int], shares: list[float]) -> tuple[list[int], list[float]]:
    """Values from the left join until they are enough; what is left over joins the last bin."""
    counts, parts = [0], [0.0]
    for count, share in zip(observed, shares, strict=True):
        if counts[-1] >= LEAST:
            counts.append(0)
            parts.append(0.0)
        counts[-1] += count
        parts[-1] += share
    if len(counts) > 1 and counts[-1] < LEAST:
        _join(counts, parts, len(counts) - 2)
    return counts, parts


def _join(counts: list[int], parts: list[float], left: int) -> None:
    """Make a bin and the next one."""
    counts[left] += counts.pop(left + 1)
    parts[left] += parts.pop(left + 1)


def pearson(observed: IntArray, shares: FloatArray, rule: int) -> tuple[float, int]:
    """Pearson's statistic of a target's counts against the baseline, and the bins it was read on."""
    counts, parts = merged(observed, shares, rule)
    records, total = int(observed.sum()), 0.0
    for count, share in zip(counts.tolist(), parts.tolist(), strict=True):
        expected = records * share
        if expected > 0:
            total += (count - expected) * (count - expected) / expected
        elif count > 0:
            total = math.inf
    return total, len(counts)
