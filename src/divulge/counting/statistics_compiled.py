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
    start, target = (np.ascontiguousarray(one, np.int64) for one in (cells.start, cells.target))

    def work(part: slice) -> None:
        own = start[part.start : part.stop + 1]
        inside = slice(own[0], own[-1])
        weight, class_weight = (
            np.ascontiguousarray(one, np.float64) for one in (cells.weight[inside], counts.class_weight[part])
        )
        statistics.scan(
            own - own[0], target[inside], weight, class_weight, overall, order, rises, out[:, part]
        )

    run(work, shares(len(counts.size), cores() if len(target) >= THREADS_PAY else 1))
    return out
