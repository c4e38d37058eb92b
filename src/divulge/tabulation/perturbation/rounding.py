"""Cells rounded to a base: each by lot, or all together so that the table still adds up."""

from __future__ import annotations

import numpy as np

from divulge.errors import CannotProtect
from divulge.tabulation.attackers.programs import Clock, solver, sparse_sums
from divulge.tabulation.layout.linked import Numbers, Sums


def random_rounding(values: Numbers, base: int, lots: np.random.Generator) -> Numbers:
    """Each cell up or down to a multiple of the base, so that it is the same on average.

    >>> random_rounding(np.array([0.0, 5.0, 10.0]), 5, np.random.default_rng(1)).tolist()
    [0.0, 5.0, 10.0]
    """
    down = np.floor(values / base)
    over = values / base - down
    return base * (down + (lots.random(len(values)) < over - 1e-12))


def controlled_rounding(
    sums: Sums, values: Numbers, base: int, lots: np.random.Generator, clock: Clock
) -> tuple[Numbers, int]:
    """A table of multiples of the base that adds up, by lot, and how far a cell may move.

    Each cell goes to one of the multiples beside it, and a multiple stays (zero-restricted). With three
    attributes or linked tables there may be no such table; then cells may move by up to two bases. The table
    is the nearest to one that was rounded cell by cell by lot, so that each that adds up can come out (Cox,
    1987): the nearest to the true numbers would say to which half of a base they belong.
    """
    for reach in (1, 2):
        found = _nearest(sums, values, base, clock, lots, reach=reach)
        if found is not None:
            return found, reach
    raise CannotProtect(
        "No table of multiples of the base that adds up was found.",
        hint="Take another base, or give more time.",
    )


def _nearest(
    sums: Sums, values: Numbers, base: int, clock: Clock, lots: np.random.Generator, *, reach: int
) -> Numbers | None:
    optimize, sparse = solver("optimize"), solver("sparse")
    down, cells = np.floor(values / base + 1e-12), len(values)
    over = np.maximum(values / base - down, 0.0)
    fixed = over < 1e-9
    aim = (lots.random(cells) < np.where(fixed, 0.0, over)).astype(np.float64)  # steps up, by lot
    least = np.where(fixed & (reach == 1), 0, 1 - reach)
    most = np.where(fixed, reach - 1, reach)
    least = np.where((down + least < 0) & (values >= 0), -down, least)  # nothing goes below zero
    matrix = sparse_sums(sums, cells)
    right = -(matrix @ down)
    # Beside each step a distance: at least step - aim, and at least aim - step.
    ones = sparse.identity(cells, format="csr")
    rows = sparse.vstack(
        [
            sparse.hstack([matrix, sparse.csr_matrix(matrix.shape)]),
            sparse.hstack([ones, -ones]),
            sparse.hstack([-ones, -ones]),
        ]
    )
    free = np.full(cells, -np.inf)
    found = optimize.milp(
        np.concatenate([np.zeros(cells), 0.1 + lots.exponential(size=cells)]),
        integrality=np.concatenate([np.ones(cells), np.zeros(cells)]),
        bounds=optimize.Bounds(
            np.concatenate([least, np.zeros(cells)]), np.concatenate([most, np.full(cells, np.inf)])
        ),
        constraints=optimize.LinearConstraint(
            rows, np.concatenate([right, free, free]), np.concatenate([right, aim, -aim])
        ),
        options={**clock.options(), "mip_rel_gap": 1e-4},
    )
    return None if found.x is None else base * (down + np.round(found.x[:cells]))
