"""What each attribute adds on average over the orders in which attributes may become known.

Over all orders that is the attribute's Shapley value. Among many attributes not every combination can be
read, but sampled orders are read quickly: each attribute in turn splits the classes of those before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.counting.counts import Floats, Integers
from divulge.table.codes import Codes

WORK = 20_000_000  # rows times attributes that all orders may take: about a second
FEWEST, MOST = 20, 200  # orders


@dataclass(frozen=True, eq=False)
class Late:
    """What each attribute adds to the discrimination rate of records where it comes late in an order."""

    average: Floats
    error: Floats  # standard errors of the averages
    orders: int


def added_late(
    columns: Sequence[Codes], after: int, *, records: int, times: Integers | None, seed: int
) -> Late | None:
    """Averages over random orders, of what is added after at least so many others.

    What is added early is known from the combinations that were searched, and varies most. None where
    too few orders can be afforded.
    """
    rows, attributes = len(columns[0].codes), len(columns)
    orders = min(WORK // (rows * attributes), MOST)
    if orders < FEWEST or records < 2 or after >= attributes:
        return None
    weight = np.ones(rows) if times is None else times.astype(np.float64)
    rng, found = np.random.default_rng(seed), np.full((orders, attributes), np.nan)
    for row in found:
        order = rng.permutation(attributes)
        row[order[after:]] = np.diff(_rates(columns, order, weight), prepend=0.0)[after:]
    number = (~np.isnan(found)).sum(axis=0)
    if number.min() < 2:
        return None
    return Late(np.nanmean(found, axis=0), np.nanstd(found, axis=0, ddof=1) / np.sqrt(number), orders)


def _rates(columns: Sequence[Codes], order: Integers, weight: Floats) -> Floats:
    """The discrimination rate of records after each attribute of an order is known."""
    records = float(weight.sum())
    most = records * math.log2(records)
    classes, rows, settled = np.zeros(len(weight), np.int64), np.arange(len(weight)), 0.0
    rates = []
    for place in order:
        column = columns[place]
        words = classes * column.cardinality + column.codes[rows]
        classes, sizes, held = _numbered(words, weight[rows])
        rates.append(1 - (settled + float((sizes * np.log2(sizes)).sum())) / most)
        alone = held == 1  # a row that is alone stays alone
        settled += float((sizes[alone] * np.log2(sizes[alone])).sum())
        left = ~alone[classes]
        classes, rows = classes[left], rows[left]
    return np.asarray(rates)


def _numbered(words: Integers, weight: Floats) -> tuple[Integers, Floats, Integers]:
    """Classes numbered without gaps, the records in each, and the rows."""
    if not len(words):
        return words, weight, words
    bound = int(words.max()) + 1
    if bound <= 4 * len(words):
        held = np.bincount(words, minlength=bound)
        number = np.cumsum(held > 0) - 1
        classes, held = number[words], held[held > 0]
    else:
        _, classes, held = np.unique(words, return_inverse=True, return_counts=True)
    return classes, np.bincount(classes, weights=weight), held
