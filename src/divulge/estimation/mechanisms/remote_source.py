"""The rule that tells least about a secret x of which the system sees only x': remote rate-distortion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.information.entropy import LN2
from divulge.estimation.mechanisms.most_private import BestRule

STEPS = 100
ENOUGH = 1e-11  # nats


def least_information_of_remote(joint: FloatArray, distances: FloatArray, budget: float) -> BestRule:
    """The rule of least I(X;Y), by a primal-dual interior method over all rules, with a block for each y."""
    weight = joint.sum(axis=0)
    joint = joint[joint.sum(axis=1) > 0]
    loss = weight[:, None] * (distances - distances.min(axis=1, keepdims=True))
    spare = (budget - float(weight @ distances.min(axis=1))) / float(loss.max())
    scaled = loss / float(loss.max())
    if spare <= 1e-12:
        # Only outputs of least loss are left, whatever their price.
        path = _Path(joint, np.zeros_like(loss), 1.0, scaled <= 0)
    else:
        path = _Path(joint, scaled, spare, np.ones_like(loss, dtype=bool))
    rule, bound, slope = path.follow()
    value = float((_gradient(joint, rule) * rule).sum())
    price = math.inf if spare <= 1e-12 else slope / float(loss.max()) / LN2
    return BestRule(rule, max(0.0, value / LN2), min(bound, value) / LN2, price)


@dataclass(frozen=True, eq=False)
class _Path:
    """The central path to the least I(X;Y) in nats; a letter shows only as outputs allowed to it."""

    joint: FloatArray
    loss: FloatArray
    spare: float
    allowed: npt.NDArray[np.bool_]

    def follow(self) -> tuple[FloatArray, float, float]:
        """The rule at the end, a bound that no rule goes below, and the slope there."""
        rule = self._inside()
        slack, start = self.spare - float((self.loss * rule).sum()), 0.1 / rule.size
        below, slope = np.divide(start, rule, out=np.zeros_like(rule), where=self.allowed), start / slack
        totals = np.zeros(len(rule))
        best, price = -np.inf, slope
        for _ in range(STEPS):
            gradient = _gradient(self.joint, rule)
            # Information is homogeneous in the rule, so its tangent at any rule is below it everywhere.
            reduced = np.where(self.allowed, gradient + slope * self.loss, np.inf)
            bound = float(reduced.min(axis=1).sum()) - slope * self.spare
            if bound > best:
                best, price = bound, slope
            if float((gradient * rule).sum()) - best < ENOUGH:
                break
            middle = (float((rule * below).sum()) + slope * slack) / (rule.size + 1)
            off = np.abs(gradient + slope * self.loss + totals[:, None] - below) * rule
            # An output about to vanish bends the derivatives; the path is followed only once it is met again.
            target = middle * (0.1 if float(off.max()) < 0.3 * middle else 1.0)
            steps = self._newton(rule, below, slope, slack, totals, gradient, target)
            spent = float((self.loss * steps[0]).sum())
            length = min(
                room(rule[self.allowed], steps[0][self.allowed]),
                room(below[self.allowed], steps[1][self.allowed]),
                room(slope, steps[2]),
                room(slack, -spent),
            )
            rule, below = rule + length * steps[0], below + length * steps[1]
            slope, totals = slope + length * steps[2], totals + length * steps[3]
            slack -= length * spent  # followed, since the difference itself drowns in rounding
        return rule / rule.sum(axis=1, keepdims=True), best, price

    def _inside(self) -> FloatArray:
        """A rule without zeros where any output is allowed, strictly within the budget."""
        cheapest = self.allowed & (self.loss <= 0)
        faithful = cheapest / cheapest.sum(axis=1, keepdims=True)
        even = self.allowed / self.allowed.sum(axis=1, keepdims=True)
        share = min(0.9, 0.5 * self.spare / max(float((self.loss * even).sum()), 1e-300))
        return (1 - share) * faithful + share * even

    def _newton(
        self,
        rule: FloatArray,
        below: FloatArray,
        slope: float,
        slack: float,
        totals: FloatArray,
        gradient: FloatArray,
        target: float,
    ) -> tuple[FloatArray, FloatArray, float, FloatArray]:
        """The steps of the rule and of the multipliers of p >= 0, of the budget and of the totals."""
        safe = np.where(self.allowed, rule, 1.0)
        inverse = self._inverse_blocks(rule, below * rule)
        wanted = target / safe - gradient - slope * self.loss - totals[:, None]
        free = np.einsum("yij,jy->iy", inverse, wanted)
        priced = np.einsum("yij,jy->iy", inverse, self.loss)
        corner = float((self.loss * priced).sum()) + slack / slope
        across = priced.sum(axis=1)
        system = np.block([[inverse.sum(axis=0), across[:, None]], [across[None, :], np.array([[corner]])]])
        spent = float((self.loss * free).sum()) + target / slope - slack
        solved = np.linalg.solve(system, np.append(free.sum(axis=1) + rule.sum(axis=1) - 1, spent))
        step = free - priced * solved[-1] - np.einsum("yij,j->iy", inverse, solved[:-1])
        below_step = np.where(self.allowed, target / safe - below - below / safe * step, 0.0)
        return step, below_step, float(solved[-1]), solved[:-1]

    def _inverse_blocks(self, rule: FloatArray, products: FloatArray) -> FloatArray:
        """For each y, the inverse of the second derivatives by p(y|x') and the barrier.

        Counted in units of the rule itself they are the spread of p(x'|x, y) around p(x'|y), which keeps its
        digits however small p(y) is.
        """
        shown = rule.T[:, None, :] * self.joint  # p(x, x', y), a matrix for each y
        seen = shown.sum(axis=2)
        marginal = seen.sum(axis=1)
        given_both = shown / np.where(seen > 0, seen, 1.0)[:, :, None]
        given = shown.sum(axis=1) / np.where(marginal > 0, marginal, 1.0)[:, None]
        apart = (given_both - given[:, None, :]) * np.sqrt(seen)[:, :, None]
        blocks = apart.transpose(0, 2, 1) @ apart
        places = np.arange(len(rule))
        blocks[:, places, places] += np.where(self.allowed, products, 1.0).T
        return rule.T[:, :, None] * np.linalg.inv(blocks) * rule.T[:, None, :]


def _gradient(joint: FloatArray, rule: FloatArray) -> FloatArray:
    """The derivative of I(X;Y) in nats by each p(y|x')."""
    weight = joint.sum(axis=0)
    seen = joint @ rule / joint.sum(axis=1, keepdims=True)
    marginal = weight @ rule
    logs = np.log(np.where(seen > 0, seen, 1.0))
    return joint.T @ logs - weight[:, None] * np.log(np.where(marginal > 0, marginal, 1.0))


def room(state: FloatArray | float, step: FloatArray | float) -> float:
    """The longest step up to Newton's own that keeps the state above zero, a little short of it."""
    fall = float(np.max(-np.asarray(step) / state, initial=0.0))
    return min(1.0, 0.995 / fall) if fall > 0 else 1.0
