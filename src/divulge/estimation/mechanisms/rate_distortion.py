"""The rule that tells least, in bits of I(X;Y), within a loss budget: Shannon's rate-distortion problem."""

from __future__ import annotations

import math

import numpy as np

from divulge.estimation.channels.probabilities import FloatArray
from divulge.estimation.mechanisms.most_private import BestRule
from divulge.estimation.mechanisms.remote_source import least_information_of_remote
from divulge.estimation.mechanisms.saddle import Saddle

LN2 = math.log(2)


def least_information(joint: FloatArray, distances: FloatArray, budget: float) -> BestRule:
    """The rule p(y'|x') of least I(X;Y) with an expected loss within the budget; value and price in bits.

    Where x determines x' the secret may as well be x', and the problem is Shannon's own.
    """
    weight = joint.sum(axis=0)
    expected = weight @ distances
    if budget >= expected.min():
        rule = np.zeros_like(distances)
        rule[:, expected.argmin()] = 1.0
        return BestRule(rule, 0.0, 0.0, 0.0)
    if (np.count_nonzero(joint, axis=1) > 1).any():
        return least_information_of_remote(joint, distances, budget)
    occurs = weight > 0
    found = _least_rate(weight[occurs], distances[occurs], budget)
    rule = np.tile(weight[occurs] @ found.rule, (len(weight), 1))  # an input that never occurs tells nothing
    rule[occurs] = found.rule
    return BestRule(rule, found.value, found.bound, found.price)


def information(weight: FloatArray, rule: FloatArray) -> float:
    """I(X;Y) in bits of a prior and a rule."""
    marginal = weight @ rule
    ratios = np.divide(rule, marginal, out=np.ones_like(rule), where=rule > 0)
    return max(0.0, float(weight @ (rule * np.log2(ratios)).sum(axis=1)))


def _least_rate(weight: FloatArray, distances: FloatArray, budget: float) -> BestRule:
    """Solve with distances and budget counted from the least loss of each letter, the largest as unit."""
    least = distances.min(axis=1)
    excess = distances - least[:, None]
    unit = float(excess.max())
    excess /= unit
    spare = max(0.0, (budget - float(weight @ least)) / unit)
    nothing_to_spare = spare <= 1e-12
    if nothing_to_spare:
        saddle = Saddle(weight, np.zeros_like(excess), 0.0, (excess <= 0).astype(np.float64))
    else:
        saddle = Saddle(weight, excess, spare, np.ones_like(excess))
    slope, marginal = saddle.optimum()
    rule = _within(saddle.rule(slope, marginal), weight, excess, spare)
    value = information(weight, rule)
    bound = min(value, saddle.bound(slope, marginal) / LN2)
    return BestRule(rule, value, bound, math.inf if nothing_to_spare else slope / unit / LN2)


def _within(rule: FloatArray, weight: FloatArray, excess: FloatArray, spare: float) -> FloatArray:
    """The rule with as much of the most faithful one mixed in as rounding has it over the budget."""
    over = float((weight[:, None] * rule * excess).sum())
    if over <= spare:
        return rule
    faithful = np.zeros_like(rule)
    faithful[np.arange(len(rule)), excess.argmin(axis=1)] = 1.0
    return rule + (1 - spare / over) * (faithful - rule)
