"""The class statistics that read every cell, in one compiled pass, for counts with very many cells."""

from __future__ import annotations

import math

import numpy as np

from divulge._support.compilation import loop
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import Floats, JointCounts

FEW_VALUES = 256  # target values up to which going through all of them for each class is quicker
SLOTS = 9  # rows of statistics that one pass writes


def compute(counts: JointCounts) -> Floats:
    """A row for each slot of a statistic, a column for each class."""
    assert counts.cells is not None
    cells, overall = counts.cells, counts.target_weight / counts.target_weight.sum()
    few = len(overall) <= FEW_VALUES
    order = np.asarray(counts.ground.get("order", ()) if few else (), dtype=np.int64)
    ranks = np.asarray(counts.ground.get("ranks", np.argsort(order)), dtype=np.int64)
    rises = np.diff(ranks[order]) if len(order) else order  # 0 between values that are equal
    ceiling = -np.log(np.where(overall > 0, overall, 1.0))
    out = np.empty((SLOTS, len(counts.size)))
    logs = np.log2(np.maximum(np.arange(1 << 14), 1.0))

    def work(part: slice) -> None:
        _scan(
            *(cells.start[part.start : part.stop + 1], cells.target, cells.weight, counts.class_weight[part]),
            *(overall, ceiling, order, rises, logs, out[:, part]),
        )

    run(work, shares(len(counts.size), cores()))
    return out


@loop
def _log2(x, logs):
    return logs[int(x)] if x < len(logs) and x == int(x) else math.log2(x)


@loop
def _scan(start, target, weight, class_weight, overall, ceiling, order, rises, logs, out):
    values = len(overall)
    occurring = np.count_nonzero(overall)
    shares = np.zeros(values)
    for y in range(len(class_weight)):
        n = float(class_weight[y])
        inside, largest, divergence, disclosure, gain, enhanced, excess = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(start[y], start[y + 1]):
            c, p = float(weight[i]), overall[target[i]]
            q = c / n
            shares[target[i]] = q
            inside += c * _log2(c, logs)
            largest = max(largest, c)
            bits = math.log2(q / p)
            divergence += q * bits
            disclosure = max(disclosure, abs(bits))
            rise = (q - p) / p
            gain = max(gain, rise)
            enhanced = max(enhanced, np.inf if rise > ceiling[target[i]] else rise)
            excess += max(q - p, 0.0)
        distinct = start[y + 1] - start[y]
        out[0, y] = 0.0 if distinct == 1 else max(n * _log2(n, logs) - inside, 0.0)
        out[1, y] = largest / n
        out[2, y] = max(divergence, 0.0)
        out[3, y] = disclosure if distinct == occurring else np.inf
        out[4, y] = gain
        out[5, y] = enhanced
        out[6, y] = np.inf if distinct == 1 else largest / (n - largest)
        out[7, y] = excess
        if len(order):
            across, moved = 0.0, 0.0
            for rank in range(values - 1):
                across += shares[order[rank]] - overall[order[rank]]
                moved += abs(across) * rises[rank]
            out[8, y] = moved / max(rises.sum(), 1)
        for i in range(start[y], start[y + 1]):
            shares[target[i]] = 0.0
