"""Statistics of classes in one pass: bits that are looked up are those that are worked out."""

import numpy as np
import pytest

from divulge._compiled import library, statistics

pytestmark = pytest.mark.skipif(not library.built(), reason="needs the compiled loops")
VALUES = 5


def scanned(start, target, count, size, kind):
    share = np.bincount(target, weights=count, minlength=VALUES) / count.sum()
    out, given = np.empty((statistics.SLOTS, len(size))), (count.astype(kind), size.astype(kind))
    order, rises = np.arange(VALUES), np.ones(VALUES - 1)
    statistics.scan(start, target, count, *given, share, order, rises, out)
    return out


def test_bits_of_small_classes_are_looked_up_to_the_last_digit():
    rng = np.random.default_rng(7)
    table = rng.geometric(0.1, (3_000, VALUES)) * (rng.random((3_000, VALUES)) < 0.6)
    table = table[table.any(axis=1)]
    owner, target = map(np.ascontiguousarray, np.nonzero(table))
    start, count = np.searchsorted(owner, np.arange(len(table) + 1)), table[owner, target]
    size = table.sum(axis=1)
    assert size.min() == 1
    assert size.max() >= 64
    looked_up, worked_out = (scanned(start, target, count, size, kind) for kind in (np.int64, np.float64))
    assert looked_up.tobytes() == worked_out.tobytes()
