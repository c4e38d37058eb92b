"""What observers with other tests see of a release: their odds against the baseline after every record."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.safe_release import HolderTable
from divulge.safe_release.statistics.likelihood_ratios import CONCENTRATIONS

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
STEEP = 1000.0  # the concentration of an observer with one prior
#: Odds that an observer may keep: of each target, their mean, of all together; by other priors; by counts.
OBSERVERS = ("each", "mean", "joint", "c = 1000", "Jeffreys", "joint, known counts")


def largest_odds(table: HolderTable, x: IntArray, y: IntArray) -> dict[str, float]:
    """ln of the largest odds of each observer at any time, for records in the order in which they left."""
    shares, targets = _shares(table), table.counts.shape[1]
    mixture = _log_factors(x, y, shares, [c * shares for c in CONCENTRATIONS])
    by_target = _by_target(mixture, y, targets)
    together = np.cumsum(mixture, axis=0)
    drawn = np.cumsum(_known_factors(table, x) + np.log(shares[x]))
    steep = _log_factors(x, y, shares, [STEEP * shares])
    jeffreys = _log_factors(x, y, shares, [np.full(len(shares), 0.5)])
    return {
        "each": float(by_target.max()),
        "mean": float(_log_mean(_standing(by_target, y, targets)).max()),
        "joint": float(_log_mean(together).max()),
        "c = 1000": float(_by_target(steep, y, targets).max()),
        "Jeffreys": float(_by_target(jeffreys, y, targets).max()),
        "joint, known counts": float((_log_mean(together) + drawn).max()),
    }


def odds_of_targets(table: HolderTable, x: IntArray, y: IntArray) -> FloatArray:
    """ln of the odds of the target that each record belongs to, after the record."""
    shares = _shares(table)
    mixture = _log_factors(x, y, shares, [c * shares for c in CONCENTRATIONS])
    return _by_target(mixture, y, table.counts.shape[1])


def _shares(table: HolderTable) -> FloatArray:
    found: FloatArray = table.counts.sum(axis=1) / table.records
    return found


def _before(places: IntArray) -> IntArray:
    """How often the place of each record occurred before it."""
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    found = np.empty(len(places), np.int64)
    found[order] = np.arange(len(places)) - np.repeat(starts, np.diff([*starts.tolist(), len(places)]))
    return found


def _log_factors(x: IntArray, y: IntArray, shares: FloatArray, priors: list[FloatArray]) -> FloatArray:
    """ln of what each record does to the odds of its target, by prior: its weights for each value."""
    here, records = _before(y * len(shares) + x), _before(y)
    return np.column_stack(
        [np.log((prior[x] + here) / ((prior.sum() + records) * shares[x])) for prior in priors]
    )


def _known_factors(table: HolderTable, x: IntArray) -> FloatArray:
    """-ln of how probable each record is, drawn from what is left of the table."""
    left = table.counts.sum(axis=1)[x] - _before(x)
    found: FloatArray = np.log((table.records - np.arange(len(x))) / left)
    return found


def _log_mean(parts: FloatArray) -> FloatArray:
    """ln of the mean over columns of ratios given by their logarithms."""
    most = parts.max(axis=1)
    found: FloatArray = most + np.log(np.exp(parts - most[:, None]).mean(axis=1))
    return found


def _by_target(factors: FloatArray, y: IntArray, targets: int) -> FloatArray:
    """ln of the odds of each record's target, after the record."""
    found = np.empty(len(y))
    for target in range(targets):
        own = y == target
        if own.any():
            found[own] = _log_mean(np.cumsum(factors[own], axis=0))
    return found


def _standing(by_target: FloatArray, y: IntArray, targets: int) -> FloatArray:
    """ln of the odds of every target after each record; those that have none yet have odds of 1."""
    found = np.zeros((len(y), targets))
    for target in range(targets):
        last = np.maximum.accumulate(np.where(y == target, np.arange(len(y)), -1))
        found[:, target] = np.where(last < 0, 0.0, by_target[last])
    return found
