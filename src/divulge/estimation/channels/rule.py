"""The attacker's rule: which estimate to give after each observation, and what it is expected to cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.estimation.channels.probabilities import FloatArray

TIE = 1e-12  # estimates this near to the best are as good: the difference is rounding
SMALL = 1e-3  # an error below it would lose digits if it were taken from one

Ties = tuple[tuple[object, ...], ...]


@dataclass(frozen=True, eq=False)
class Rule:
    """For each posterior the least expected distortion, an estimate that has it, and all that do."""

    risk: FloatArray
    choose: Callable[[], tuple[tuple[object, ...], Ties]]  # estimates and ties, which are often not asked for

    @cached_property
    def _chosen(self) -> tuple[tuple[object, ...], Ties]:
        return self.choose()

    @property
    def estimates(self) -> tuple[object, ...]:
        return self._chosen[0]

    @property
    def ties(self) -> Ties:
        return self._chosen[1]


def best_of(risks: FloatArray, candidates: Sequence[object], scale: float = 1.0) -> Rule:
    """The candidates of least risk (a column each) in every row; the first of them is the estimate."""
    least = risks.min(axis=1)
    return Rule(least, lambda: first_of(risks <= (least + TIE * max(1.0, scale))[:, None], candidates))


def likeliest(inputs: Sequence[object], posteriors: FloatArray) -> Rule:
    """The most probable value in every row: the risk is the probability of all others."""
    peak = posteriors.max(axis=1)
    risk = 1 - peak
    small = np.flatnonzero(risk < SMALL)
    if len(small):
        risk[small] = np.sort(posteriors[small], axis=1)[:, :-1].sum(axis=1)
    return Rule(risk, lambda: first_of(posteriors >= (peak - TIE)[:, None], inputs))


def first_of(good: npt.NDArray[np.bool_], candidates: Sequence[object]) -> tuple[tuple[object, ...], Ties]:
    """The first candidate that a mask marks in each row, and all of them."""
    ties = marked(good, candidates)
    return tuple(tie[0] for tie in ties), ties


def marked(good: npt.NDArray[np.bool_], candidates: Sequence[object]) -> Ties:
    """The candidates that a mask marks in each row."""
    return tuple(tuple(candidates[i] for i in np.flatnonzero(row).tolist()) for row in good)
