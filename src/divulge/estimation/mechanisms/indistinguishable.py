"""The rule of least loss whose outputs tell no two letters apart by more than a factor exp(epsilon d)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.estimation.channels.memory import room_for_program
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.mechanisms.linear_programs import Program, ProgramRows
from divulge.estimation.mechanisms.most_private import BestRule


def least_loss(loss: FloatArray, distance: FloatArray, epsilon: float) -> BestRule:
    """The rule of least expected loss with p(y|x) <= exp(epsilon d(x, x')) p(y|x') for all x, x' and y.

    The price is how much less loss one more unit of epsilon would leave.
    """
    letters, outputs = loss.shape
    apart = distance[~np.eye(letters, dtype=bool)]
    if letters > 1 and np.ptp(apart) == 0:
        program = _between_levels(loss, float(np.exp(-epsilon * apart[0])))
        # Only the rows exp(-epsilon d) p(y|x) <= level move with epsilon.
        exponents = np.repeat([apart[0], 0.0], letters * outputs)
    else:
        pairs = _links(distance)
        program = _link_by_link(loss, pairs, np.exp(-epsilon * distance[pairs]))
        exponents = np.repeat(distance[pairs], outputs)
    solution = program.solve()
    rule = _kept(solution.rule, distance, epsilon)
    value = float((loss * rule).sum())
    falling = program.rows.maximum(0) @ np.concatenate([rule.ravel(), np.zeros(len(program.auxiliary))])
    price = float(solution.multipliers @ (exponents * falling))
    return BestRule(rule, value, min(solution.bound, value), price)


def _between_levels(loss: FloatArray, factor: float) -> Program:
    """All letters equally far apart: each p(y|x) lies between a level of y and that level over the factor."""
    rows = ProgramRows(*loss.shape)
    rows.for_each_cell(factor, -1.0)
    rows.for_each_cell(-1.0, 1.0)
    return Program(loss, np.zeros(loss.shape[1]), 1.0, rows.matrix(), np.zeros(rows.height))


def _link_by_link(loss: FloatArray, pairs: tuple[Any, ...], factors: FloatArray) -> Program:
    """Each pair of neighbours has a limit of its own, for every y."""
    room_for_program(2 * len(factors) * loss.shape[1], loss.size)
    coefficients = np.zeros((len(factors), len(loss)))
    places = np.arange(len(factors))
    coefficients[places, pairs[0]] = factors
    coefficients[places, pairs[1]] = -1.0
    rows = ProgramRows(*loss.shape)
    rows.for_each_output(coefficients)
    return Program(loss, np.zeros(loss.shape[1]), 0.0, rows.matrix(), np.zeros(rows.height))


def _links(distance: FloatArray) -> tuple[npt.NDArray[np.intp], ...]:
    """Pairs of letters that no way over a third letter is as short as: these limits imply all others."""
    needed = ~np.eye(len(distance), dtype=bool)
    for step in range(len(distance)):
        over = distance[:, step, None] + distance[None, step, :]
        nearer = (distance[:, step, None] < distance) & (distance[None, step, :] < distance)
        needed &= ~(nearer & (over <= distance * (1 + 1e-12)))
    return np.nonzero(needed)


def _kept(rule: FloatArray, distance: FloatArray, epsilon: float) -> FloatArray:
    """The rule with as much of one distribution for all mixed in as it takes to keep every limit exactly."""
    shared = rule.max(axis=0) / rule.max(axis=0).sum()
    if epsilon == 0 or not distance.any():
        return np.tile(shared, (len(rule), 1))
    used, share = shared > 0, 0.0
    for x, row in enumerate(rule):
        shrunk = np.exp(-epsilon * distance[x])[:, None]
        excess = np.maximum(0.0, shrunk * row - rule)[:, used]
        room = (1 - shrunk) * shared[used]
        shares = np.divide(excess, excess + room, where=excess > 0, out=np.zeros_like(excess))
        share = max(share, float(shares.max()))
    return (1 - share) * rule + share * shared
