"""The measures of the five papers, each as the risk that is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import JointCounts
from divulge.measures import MEASURES
from divulge.reproduction.experiment import Paper
from divulge.reproduction.release.paper import soldiers
from divulge.safe_release import Baseline, Guard, State, table_of

PAPER = Paper(
    "together",
    "One table and one mechanism, by the measures of all papers",
    *("bkakria2021", "sondeck2017", "rebollo2013", "bezzi2012", "sondeck2017thesis"),
)
FloatArray = npt.NDArray[np.float64]
LEVEL = 0.2  # of the release tests
RELEASE_TESTS = ("mis", "kld", "cst", "dqt", "seq")


def _measure(name: str) -> Callable[[FloatArray], float]:
    return lambda table: MEASURES[name].compute(JointCounts.of_table(table))


def _one_over(name: str) -> Callable[[FloatArray], float]:
    """One over k, which is about whole groups, or over l, about the values in them."""

    def of_table(table: FloatArray) -> float:
        groups = np.round(table.sum(axis=1, keepdims=True)) if name == "k_anonymity" else np.round(table)
        return 1 / MEASURES[name].compute(JointCounts.of_table(groups))

    return of_table


def _gain(table: FloatArray) -> float:
    """How much better than without looking the attacker guesses, as a share of what is to be gained."""
    error = MEASURES["attacker_error"].compute(JointCounts.of_table(table))
    blind = 1 - table.sum(axis=0).max() / table.sum()
    return max(float(1 - error / blind), 0.0)


def _used(test: str) -> Callable[[FloatArray], float]:
    """How much of its limit a release test uses, in the location where that is most; above 1 it refuses.

    That of the sequential test is a share of logarithms of odds.
    """

    def of_table(table: FloatArray) -> float:
        counts = np.round(table).astype(np.int64)
        if len(counts) < 2:
            return 0.0  # a single value says nothing about anybody
        guard = Guard(Baseline.of(table_of(counts)), Guard.of(soldiers(), test, LEVEL).rules)
        exposures = State.of(guard, counts).exposures()
        if test == "seq":  # odds, whose logarithms add up
            shares = (
                math.log(max(one.value or 0.0, 1.0)) / math.log(one.critical or 2.0) for one in exposures
            )
            return max(shares, default=0.0)
        return max((one.used or 0.0 for one in exposures), default=0.0)

    return of_table


#: What is read of counts, by released value (rows) and target (columns); higher is riskier.
RISKS: Mapping[str, Callable[[FloatArray], float]] = {
    "DR": _measure("discrimination_rate"),
    "ITPR": _measure("itpr"),
    "attacker's gain": _gain,
    "t-closeness": _measure("t_closeness"),
    **{f"{test.upper()}, limit used": _used(test) for test in RELEASE_TESTS},
    "1/k": _one_over("k_anonymity"),
    "1/l, distinct": _one_over("distinct_l_diversity"),
}
