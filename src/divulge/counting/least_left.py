"""Which classes can be the one that leaves least unknown where targets are dealt at random: small ones.

A class of s records leaves s H(X|y) bits, and the smallest class, of a records, at most a log2 k with k
target values. A larger one leaves no more only if its values are much less mixed than the table's, which is
as good as impossible from a little above a records on. So tables can be drawn without the other classes.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import Integers
from divulge.counting.statistics import COMPILED_PAYS

IMPROBABLE = 64  # bits: what happens once in 2^64 does not happen
ORDERS = (
    1.02,
    1.05,
    1.1,
    1.2,
    1.5,
    2.0,
    4.0,
    16.0,
)  # of Renyi entropies; each gives a bound, the best counts


def may_leave_least(sizes: Integers, targets: Integers, tables: int) -> npt.NDArray[np.bool_]:
    """Which classes have to be drawn to know what is least left in so many tables.

    By the method of types, s records drawn from N without replacement have one of (s + 1)^(k - 1) counts of
    their values, each with a probability of at most (N + 1) 2^(-s D), D being the divergence of its shares q
    from those of the table. With q of at most h bits, D >= (1 - 1/b) (H_b - h) for every b > 1, where H_b is
    the Renyi entropy of the table's: the Lagrange dual of the least divergence.

    >>> may_leave_least(np.array([1000, 1500, 3000]), np.array([2000, 1500, 2000]), 199).tolist()
    [True, False, False]
    """
    records, values = int(targets.sum()), len(targets)
    shares, order = targets / records, np.asarray(ORDERS)[:, None]
    renyi = np.log2((shares**order).sum(axis=1, keepdims=True)) / (1 - order)
    most_left = int(sizes.min()) * math.log2(values)
    bits = ((1 - 1 / order) * (sizes * renyi - most_left)).max(axis=0)
    ways = math.log2(records + 1) + (values - 1) * np.log2(sizes + 1)
    able = bits < ways + math.log2(tables * len(sizes)) + IMPROBABLE
    return np.asarray(sizes <= sizes[able].max())


def alike_counted(sizes: Integers, targets: Integers, tables: int) -> bool:
    """Whether all tables are read in the same way, by NumPy or a compiled pass, whichever cells are empty.

    Some cells are all empty with a probability of at most exp(-m), where m records are expected in them and
    classes are drawn one by one, and of (N + 1)^(k - 1) times that where value frequencies are kept.
    """
    records, cells = int(targets.sum()), len(sizes) * len(targets)
    if cells < COMPILED_PAYS:
        return True
    least = np.sort(np.outer(sizes, targets / records), axis=None)[: cells - COMPILED_PAYS + 1]
    ways = cells + (len(targets) - 1) * math.log2(records + 1)  # which cells they are, and frequencies
    return bool(least.sum() >= math.log(2) * (ways + math.log2(tables) + IMPROBABLE))
