"""The class statistics that read every cell, in one compiled pass, for counts with many cells."""

from __future__ import annotations

import numpy as np

from divulge._compiled import statistics
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import Floats, JointCounts

FEW_VALUES = 256  # target values up to which going through all of them for each class is quicker
THREADS_PAY = 1 << 17  # cells from which several threads share them


def compute(counts: JointCounts) -> Floats:
    """A row for each slot of a statistic, a column for each class."""
    assert counts.cells is not None
    cells, overall = counts.cells, counts.target_weight / counts.target_weight.sum()
    few = len(overall) <= FEW_VALUES
    order = np.asarray(counts.ground.get("order", ()) if few else (), dtype=np.int64)
    ranks = np.asarray(counts.ground.get("ranks", np.argsort(order)), dtype=np.int64)
    rises = np.diff(ranks[order]).astype(np.float64)  # 0 between values that are equal
    out = np.empty((statistics.SLOTS, len(counts.size)))
    start, target, count = (
        np.ascontiguousarray(one, np.int64) for one in (cells.start, cells.target, cells.count)
    )
    weight, class_weight = (_plain(one) for one in (cells.weight, counts.class_weight))

    def work(part: slice) -> None:
        own = start[part.start : part.stop + 1]
        statistics.scan(own, target, count, weight, class_weight[part], overall, order, rises, out[:, part])

    run(work, shares(len(counts.size), cores() if len(target) >= THREADS_PAY else 1))
    return out


def _plain(weights: Floats) -> Floats:
    """Weights as the loop reads them: whole numbers as they are."""
    return np.ascontiguousarray(weights, np.int64 if weights.dtype == np.int64 else np.float64)
