"""What each budget buys: the whole curve of optimal mechanisms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.mechanisms.optimal import Goal, Mechanism, known_goal, positive, solve
from divulge.estimation.mechanisms.setting import Distances, Names, Setting, setting_of

LARGEST_EPSILON = 5.0  # from here on rules hardly differ from telling the truth


def tradeoff_curve(
    prior: npt.ArrayLike,
    *,
    loss: Distances,
    privacy: Distances = "hamming",
    goal: Goal = "average",
    budgets: Sequence[float] | None = None,
    points: int = 20,
    inputs: Names | None = None,
    outputs: Names | None = None,
    secrets: Names | None = None,
) -> list[Mechanism]:
    """The optimal mechanism at each budget; see `optimal_mechanism` for what goal and budget mean.

    Without budgets there are so many points, evenly from the smallest feasible budget to the one beyond which
    nothing is gained; for epsilon from 0 to 5 over the largest distance.

    >>> [round(one.value, 3) for one in tradeoff_curve([0.5, 0.5], loss="hamming", points=3)]
    [0.0, 0.25, 0.5]
    """
    setting = setting_of(prior, loss, privacy, inputs, outputs, secrets)
    goal = known_goal(goal)
    chosen = _spread(setting, goal, points) if budgets is None else [positive(one) for one in budgets]
    return [solve(setting, goal, budget) for budget in chosen]


def _spread(setting: Setting, goal: Goal, points: int) -> list[float]:
    if points < 2:
        raise ParameterError(f"A curve needs at least 2 points, not {points}.")
    if goal == "epsilon":
        first, last = 0.0, LARGEST_EPSILON / float(setting.apart.max(initial=1e-300))
    else:
        first, last = setting.least_budget, setting.greatest_budget
    return [float(budget) for budget in np.linspace(first, last, points)]
