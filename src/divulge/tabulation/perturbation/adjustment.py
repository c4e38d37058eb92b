"""Controlled tabular adjustment: cells at risk moved far enough, others as little as the sums allow."""

from __future__ import annotations

import numpy as np

from divulge.errors import CannotProtect
from divulge.tabulation.attackers.programs import Clock, solver
from divulge.tabulation.layout.linked import Numbers
from divulge.tabulation.suppression.problem import Problem


def adjusted(problem: Problem, lots: np.random.Generator, clock: Clock) -> tuple[Numbers, float]:
    """The nearest table that adds up in which no cell at risk is within its levels, and the gap of that.

    Dandekar and Cox (2002). Distance is the sum of changes, each as a share of its cell's cost. A count at
    risk becomes 0 or the minimum at least. A magnitude moves by one to two times its level, by lot: somebody
    who knows the rule could otherwise take the level off again.
    """
    optimize, sparse = solver("optimize"), solver("sparse")
    cells, primary = len(problem), np.flatnonzero((problem.up > 0) | (problem.down > 0))
    level_up, level_down = problem.up[primary], problem.down[primary]
    room_up = np.where(problem.eligible, problem.room_up, 0.0)
    room_down = np.where(problem.eligible, problem.room_down, 0.0)
    if problem.whole:
        level_down = room_down[primary] = problem.value[primary]
    else:
        times = 1 + lots.random((2, len(primary)))
        level_up = np.minimum(times[0] * level_up, np.maximum(room_up[primary], level_up))
        level_down = np.minimum(times[1] * level_down, np.maximum(room_down[primary], level_down))
    far = 4 * float(np.abs(problem.value).max() + problem.up.max(initial=0) + 1)  # more than any change
    cut = np.minimum(room_up, far), np.minimum(room_down, far)
    pick = sparse.csr_matrix(
        (np.ones(len(primary)), (np.arange(len(primary)), primary)), shape=(len(primary), cells)
    )
    nothing, matrix = sparse.csr_matrix((len(primary), cells)), problem.matrix
    # Up and down changes of each cell, and for each cell at risk whether it goes up.
    goes_up = sparse.vstack(
        [
            sparse.hstack([matrix, -matrix, sparse.csr_matrix((matrix.shape[0], len(primary)))]),
            sparse.hstack([pick, nothing, -sparse.diags(level_up)]),  # up at least its level, if up
            sparse.hstack([pick, nothing, -sparse.diags(cut[0][primary])]),  # and not at all, if down
            sparse.hstack([nothing, pick, sparse.diags(np.maximum(level_down, 0))]),
            sparse.hstack([nothing, pick, sparse.diags(cut[1][primary])]),
        ]
    )
    zero, open_end = np.zeros(matrix.shape[0]), np.full(len(primary), np.inf)
    low = np.concatenate([zero, np.zeros(len(primary)), -open_end, level_down, -open_end])
    high = np.concatenate([zero, open_end, np.zeros(len(primary)), open_end, cut[1][primary]])
    may_fall = (cut[1][primary] >= level_down) & (level_down > 0)
    may_rise = cut[0][primary] >= level_up
    if not (may_fall | may_rise).all():
        raise CannotProtect("A cell at risk can move neither up nor down by its level.")
    whole = np.full(2 * cells, 1.0 if problem.whole else 0.0)
    weight = 1 / np.maximum(problem.cost, 1e-12)
    found = optimize.milp(
        np.concatenate([weight, weight, np.zeros(len(primary))]) / weight.mean(),
        integrality=np.concatenate([whole, np.ones(len(primary))]),
        bounds=optimize.Bounds(
            np.concatenate([np.zeros(2 * cells), (~may_fall).astype(float)]),
            np.concatenate([*cut, may_rise.astype(float)]),
        ),
        constraints=optimize.LinearConstraint(goes_up, low, high),
        options={**clock.options(), "mip_rel_gap": 0.01},
    )
    if found.x is None:
        raise CannotProtect(
            "No table that adds up was found in which every cell at risk is far enough from its value.",
            hint='Let empty cells change (zeros = "suppressible"), or recode a dimension.',
        )
    moved = found.x[:cells] - found.x[cells : 2 * cells]
    return problem.value + (np.round(moved) if problem.whole else moved), float(found.mip_gap or 0.0)
