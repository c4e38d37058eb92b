"""Rules under a loss budget that leave a Bayes attacker the most error, on average or in the worst case."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from divulge.estimation.channels.memory import room_for_program
from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.mechanisms.linear_programs import Program, ProgramRows, Solution

ROUNDS = 80  # linear programs solved for one mechanism before the gap is taken as it is
TOLERANCE = 1e-9  # the gap aimed at, as a share of the attacker's error without observing
FREE_TOLERANCE = 1e-7  # the same where any point may be an estimate, and each round only adds some
STEP = 1e-5  # how far beyond the best level the price is read, as a share of the same error
JUMP = 1e-6  # a loss that rises by more than this share of the largest within such a step jumps


@dataclass(frozen=True, eq=False)
class BestRule:
    """A rule, what it achieves, a bound that no rule passes, and what one more unit of budget would add."""

    rule: FloatArray
    value: float
    bound: float
    price: float


@dataclass(frozen=True, eq=False)
class Guesser:
    """An attacker who sees y and estimates x; the system knows x' and p(x, x').

    Estimating e after y leaves an error of sum over x' of p(y|x') (base - gain[:, e]). The base takes what
    most estimates have in common out of the gains, so that few of those differ from zero.
    """

    weight: FloatArray  # p(x')
    base: FloatArray
    gain: FloatArray  # a row for each x', a column for each estimate on offer
    slope: FloatArray | None = None  # sum over x of p(x, x') x, where any point may be an estimate

    @classmethod
    def among(cls, joint: FloatArray, distortion: FloatArray) -> Guesser:
        """Estimates are the columns of a distortion matrix."""
        counted = (np.unique(row, return_counts=True) for row in distortion)
        commonest = np.array([values[counts.argmax()] for values, counts in counted])
        return cls(joint.sum(axis=0), commonest @ joint, joint.T @ (commonest[:, None] - distortion))

    @classmethod
    def of_points(cls, joint: FloatArray, points: FloatArray) -> Guesser:
        """Squared distance, with any point as an estimate; a row of coordinates for each x."""
        points = points - joint.sum(axis=1) @ points
        alone = cls(joint.sum(axis=0), (points**2).sum(axis=1) @ joint, np.zeros((0, 0)), points.T @ joint)
        return replace(alone, gain=alone.gains_of(points.T))

    def error(self, rule: FloatArray) -> FloatArray:
        """p(y) P(y) for each y: the error that the best estimate after y leaves."""
        if self.slope is None:
            return np.maximum(0.0, self.base @ rule - (self.gain.T @ rule).max(axis=0))
        return np.maximum(0.0, self.base @ rule - (self.means(rule) * (self.slope @ rule)).sum(axis=0))

    def worst(self, rule: FloatArray) -> float:
        """The least P(y) over the y that occur."""
        marginal = self.weight @ rule
        return float((self.error(rule)[marginal > 0] / marginal[marginal > 0]).min())

    @property
    def without_observing(self) -> float:
        """The error of the best estimate from the prior alone."""
        return float(self.error(np.ones((len(self.weight), 1)))[0])

    def gains_of(self, estimates: FloatArray) -> FloatArray:
        """What points, a column of coordinates each, gain as estimates: a row for each x'."""
        assert self.slope is not None
        return 2 * self.slope.T @ estimates - self.weight[:, None] * (estimates**2).sum(axis=0)

    def means(self, rule: FloatArray) -> FloatArray:
        """The best point after each y, a column of coordinates each."""
        assert self.slope is not None
        marginal = self.weight @ rule
        return self.slope @ rule / np.where(marginal > 0, marginal, 1.0)


@dataclass(eq=False)
class Contest:
    """A guesser against a rule whose expected loss, ``loss`` times the rule summed, is within a budget."""

    guesser: Guesser
    loss: FloatArray  # p(x') d(x', y)
    budget: float
    cuts: list[FloatArray] = field(default_factory=list)  # gains of estimates found on the way

    @property
    def tolerance(self) -> float:
        """The gap at which a rule counts as optimal."""
        share = TOLERANCE if self.guesser.slope is None else FREE_TOLERANCE
        return share * self.guesser.without_observing

    def for_average(self) -> Program:
        """Least gain of the attacker within the budget; auxiliary variables are the gains after each y."""
        rows = self._estimates()
        rows.over_all(self.loss)
        limits = np.zeros(rows.height)
        limits[-1] = self.budget
        gains = np.ones(self.loss.shape[1])
        return Program(np.zeros_like(self.loss), gains, self._reach, rows.matrix(), limits)

    def for_level(self, level: float) -> Program:
        """Least loss such that P(y) is at least the level for every y: the gain is at most base - level."""
        rows = self._estimates()
        rows.for_each_output((level * self.guesser.weight - self.guesser.base)[None, :], 1.0)
        none = np.zeros(self.loss.shape[1])
        return Program(self.loss, none, self._reach, rows.matrix(), np.zeros(rows.height))

    def without_telling(self) -> BestRule | None:
        """The cheapest rule with one output, where the budget allows it: no rule leaves more error."""
        expected = self.loss.sum(axis=0)
        if expected.min() > self.budget:
            return None
        rule = np.zeros_like(self.loss)
        rule[:, expected.argmin()] = 1.0
        error = self.guesser.without_observing
        return BestRule(rule, error, error, 0.0)

    def learn(self, rule: FloatArray) -> None:
        """Put the best points after this rule among the estimates on offer."""
        self.cuts.append(self.guesser.gains_of(self.guesser.means(rule)))

    @property
    def _reach(self) -> float:
        return 2 * float(np.abs(self.guesser.base).sum() + np.abs(self.guesser.gain).max(axis=1).sum())

    def _estimates(self) -> ProgramRows:
        """Rows that say: the gain after y is at least what any estimate on offer gains there."""
        outputs = self.loss.shape[1]
        room_for_program(np.count_nonzero(self.guesser.gain) * outputs, self.loss.size)
        rows = ProgramRows(*self.loss.shape)
        rows.for_each_output(self.guesser.gain.T, -1.0)
        for gains in self.cuts:
            rows.for_output(gains, -1.0)
        return rows


def most_average(contest: Contest) -> BestRule:
    """The rule that leaves the attacker the most error on average: one linear program.

    Where any point may be an estimate, the best ones after the rule found join those on offer, and again.
    """
    total, least = float(contest.guesser.base.sum()), np.inf
    rules: list[tuple[float, Solution]] = []
    for _ in range(ROUNDS):
        solution = contest.for_average().solve()
        rules.append((float(contest.guesser.error(solution.rule).sum()), solution))
        value, best = max(rules, key=lambda one: one[0])
        least = min(least, total - solution.bound)
        if contest.guesser.slope is None or least - value <= contest.tolerance:
            break
        contest.learn(solution.rule)
    return BestRule(best.rule, value, least, float(best.multipliers[-1]))


def most_worst(contest: Contest) -> BestRule:
    """The rule that leaves the attacker the most error in the worst case, by bisection over linear programs.

    The least loss at which P(y) reaches a level for every y rises with the level: a level that costs more
    than the budget is out of reach, and a rule within the budget shows what is not.
    """
    upper = level = contest.guesser.without_observing
    value, rule = -1.0, None
    for _ in range(ROUNDS):
        solution = contest.for_level(level).solve()
        if solution.bound > contest.budget:
            # The loss falls by at most `steepest` for each unit of level, so levels just below are out, too.
            steepest = max(float(_paid(solution).max()), 1e-300)
            upper = min(upper, level - (solution.bound - contest.budget) / steepest)
        else:
            reached = contest.guesser.worst(solution.rule)
            if reached > value:
                value, rule = reached, solution.rule
            if contest.guesser.slope is not None and reached < level - contest.tolerance:
                contest.learn(solution.rule)
        if upper - value <= contest.tolerance:
            break
        level = (max(value, 0.0) + upper) / 2
    assert rule is not None
    return BestRule(rule, value, max(upper, value), _price_of_level(contest, max(upper, value)))


def _price_of_level(contest: Contest, best: float) -> float:
    """How much level a little more budget buys: one over the slope of the least loss beyond the best level.

    0 where no level is left, or where the next one costs far more, so that a little budget buys nothing.
    """
    left = contest.guesser.without_observing - best
    if left <= 2 * contest.tolerance:
        return 0.0
    step = min(STEP * contest.guesser.without_observing, left / 2)
    solution = contest.for_level(best + step).solve()
    slope = float(_paid(solution) @ (contest.guesser.weight @ solution.rule))
    jump = solution.bound - slope * step - contest.budget
    return 0.0 if slope <= 0 or jump > JUMP * float(contest.loss.max()) else 1 / slope


def _paid(solution: Solution) -> FloatArray:
    """What the level costs after each output, in loss for a unit of it."""
    return solution.multipliers[-solution.rule.shape[1] :]
