"""The rule p(y'|x') that gives most privacy for its loss, or least loss for its privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from divulge._support.notebook import table_view
from divulge._support.wording import number
from divulge.errors import ParameterError, suggestion
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.probabilities import Labels, settled
from divulge.estimation.mechanisms.indistinguishable import least_loss
from divulge.estimation.mechanisms.most_private import Contest, most_average, most_worst
from divulge.estimation.mechanisms.rate_distortion import least_information
from divulge.estimation.mechanisms.setting import Distances, Setting, setting_of

Goal = Literal["average", "worst", "information", "epsilon"]
LARGEST_EPSILON = 5.0  # from here on rules hardly differ from telling the truth


@dataclass(frozen=True, eq=False)
class OptimalMechanism:
    """An optimal rule with what it achieves, computed from the rule itself and not taken from the solver.

    The value is average or worst-case privacy, or information in bits, or the loss where the goal is epsilon.
    The price is by how much the value would improve for one more unit of budget, and no rule within the
    budget is better by more than the gap.
    """

    channel: Channel
    value: float
    loss: float
    price: float
    gap: float
    goal: Goal
    budget: float

    def _repr_html_(self) -> str:
        head = ["p(y|x)", *map(str, self.channel.outputs)]
        rows = [
            [str(name), *(float(value) for value in row)]
            for name, row in zip(self.channel.inputs, self.channel.matrix, strict=True)
        ]
        note = f"Value {number(self.value)}, loss {number(self.loss)}, certified to {self.gap:.1g}."
        return table_view(f"Best mechanism: goal {self.goal}, budget {number(self.budget)}", head, rows, note)


def optimal_mechanism(
    prior: npt.ArrayLike,
    *,
    loss: Distances,
    budget: float,
    privacy: Distances = "hamming",
    goal: Goal = "average",
    inputs: Labels = None,
    outputs: Labels = None,
    secrets: Labels = None,
) -> OptimalMechanism:
    """The best mechanism p(y'|x') within a budget.

    ``average`` and ``worst`` maximize what a Bayes attacker gets wrong, measured by ``privacy``, with an
    expected ``loss`` of at most the budget; ``information`` minimizes I(X;Y) in bits within the same budget.
    For ``epsilon`` the budget is epsilon (natural, as is usual), ``privacy`` the distance between inputs, and
    the expected loss is least among rules with p(y|x) <= exp(epsilon d(x, x')) p(y|x').

    The prior is p(x), or p(x, x') with a row for each x where the system's input is not the secret itself.
    Distortions are names, matrices or `Distortion` values; under squared error the attacker's estimate
    may be any number.

    >>> best = optimal_mechanism([0.5, 0.5], loss="hamming", budget=0.1)
    >>> round(best.value, 9), round(best.price, 9)
    (0.1, 1.0)
    """
    setting = setting_of(prior, loss, privacy, inputs, outputs, secrets)
    return solve(setting, known_goal(goal), positive(budget))


def tradeoff_curve(
    prior: npt.ArrayLike,
    *,
    loss: Distances,
    privacy: Distances = "hamming",
    goal: Goal = "average",
    budgets: Sequence[float] | None = None,
    points: int = 20,
    inputs: Labels = None,
    outputs: Labels = None,
    secrets: Labels = None,
) -> list[OptimalMechanism]:
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


def solve(setting: Setting, goal: Goal, budget: float) -> OptimalMechanism:
    """The optimal mechanism of a setting at a budget."""
    largest = float(setting.distances.max())
    scale = 1.0  # of the value: bits of information, losses, or errors
    if goal == "epsilon":
        found, scale = least_loss(setting.loss, setting.apart, budget), largest
    elif goal == "information":
        found = least_information(setting.joint, setting.distances, setting.afforded(budget))
    else:
        contest = Contest(setting.guesser(), setting.loss, setting.afforded(budget))
        most_private = most_average if goal == "average" else most_worst
        found, scale = contest.without_telling() or most_private(contest), contest.guesser.without_observing
    channel = Channel(setting.weight, found.rule, setting.inputs, setting.outputs)
    return OptimalMechanism(
        channel,
        value=settled(found.value, scale),
        loss=settled(float((setting.loss * found.rule).sum()), largest),
        price=found.price,
        gap=settled(abs(found.bound - found.value), scale),
        goal=goal,
        budget=budget,
    )


def known_goal(goal: Goal) -> Goal:
    """The goal, if there is one of that name."""
    if goal not in get_args(Goal):
        raise ParameterError(
            f"Unknown goal: '{goal}'.",
            hint=suggestion(goal, get_args(Goal)) or f"Choose from {', '.join(get_args(Goal))}.",
        )
    return goal


def positive(budget: float) -> float:
    """The budget, if it is one."""
    if not 0 <= budget < np.inf:
        raise ParameterError(f"A budget is a finite number of at least 0, not {budget}.")
    return float(budget)
