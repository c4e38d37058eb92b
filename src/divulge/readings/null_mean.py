"""What mutual information is on average over unrelated data: exact, from class sizes and frequencies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.statistics import expected_information
from divulge.counting.counts import Counts, Integers

AFFORDABLE = 30_000_000  # terms of the exact sum: about a second


def expected_mutual_information(counts: Counts) -> float:
    """E[I(X;Y)] in bits over all ways to deal the targets to classes of the same sizes.

    A cell of a class of a records and a target value of b records holds n of the N with hypergeometric
    probability, and adds (n / N) log2(n N / (a b)); classes of one size share the sum.
    """
    total, records = 0.0, counts.records
    sizes, often = distinct_sizes(counts)
    targets, common = np.unique(counts.target_weight.astype(np.int64), return_counts=True)
    if library.built():
        return max(expected_information(sizes, often, targets, common, records) / records, 0.0)
    for a, times in zip(sizes.tolist(), often.tolist(), strict=True):
        for part in np.array_split(
            np.arange(len(targets)), max(1, len(targets) * _width(a, targets[-1], records) >> 22)
        ):
            n, probability = _hypergeometric(a, targets[part], records)
            information = n / records * np.log2(np.maximum(n, 1) * (records / a) / targets[part, None])
            total += times * float((probability * information).sum(axis=1) @ common[part])
    return max(total, 0.0)


def terms(counts: Counts) -> int:
    """How many terms the exact expectation adds up."""
    sizes, _ = distinct_sizes(counts)
    targets = np.unique(counts.target_weight.astype(np.int64))
    return int(sum(_width(int(a), int(targets[-1]), counts.records) for a in sizes[: 1 << 16]) * len(targets))


def distinct_sizes(counts: Counts) -> tuple[Integers, Integers]:
    """The class sizes that occur, and how many classes have each."""
    if counts.size.max() <= 4 * len(counts.size):  # a table costs less than sorting
        often = np.bincount(counts.size, weights=counts.multiplicity).astype(np.int64)
        return np.flatnonzero(often), often[often > 0]
    sizes, place = np.unique(counts.size, return_inverse=True)
    return sizes, np.bincount(place, weights=counts.multiplicity).astype(np.int64)


def _spread(a: int, b: int, records: int) -> int:
    """How far from its mean a cell's count can be before its probability is nothing: 9 deviations and 25."""
    mean = a * b / records
    return (
        int(9 * math.sqrt(mean * (1 - a / records) * (1 - b / records) * records / max(records - 1, 1))) + 25
    )


def _width(a: int, b: int, records: int) -> int:
    return min(2 * _spread(a, b, records) + 1, min(a, b) + 1)


def _hypergeometric(a: int, b: Integers, records: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Counts and their probabilities, one row for each b, by ratios of neighbours outward from the mean.

    Ratios keep full precision where differences of log-factorials of 10^8 would lose half of it.
    """
    low = np.maximum(0, a + b - records)
    high = np.minimum(a, b)
    middle = np.clip(np.rint(a * (b / records)).astype(np.int64), low, high)
    reach = max(_spread(a, int(value), records) for value in b)
    reach = min(reach, int((high - low).max()))
    n = middle[:, None] + np.arange(-reach, reach + 1)
    inside = (n >= low[:, None]) & (n <= high[:, None])
    n = np.clip(n, low[:, None], high[:, None]).astype(np.float64)
    wide = b[:, None].astype(np.float64)
    # log P(n + 1) / P(n) = log (a - n)(b - n) / ((n + 1)(N - a - b + n + 1)), summed from the middle
    m = n[:, :-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.log((a - m) * (wide - m) / ((m + 1) * (records - a - wide + m + 1)))
    step = np.where(inside[:, :-1] & inside[:, 1:], step, 0.0)
    log_p = np.concatenate([np.zeros((len(b), 1)), np.cumsum(step, axis=1)], axis=1)
    log_p -= log_p.max(axis=1, keepdims=True)
    probability = np.where(inside, np.exp(log_p), 0.0)
    return n, probability / probability.sum(axis=1, keepdims=True)
