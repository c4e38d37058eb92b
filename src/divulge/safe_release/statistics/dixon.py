"""How far one of several distances may stand out by chance: critical values of Dixon's r10."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from divulge._support.special_functions import normal_below, root

FEWEST = 3  # distances among which one can stand out
PUBLISHED = {  # Dixon 1951, one-sided, as printed; 3 to 10 distances
    0.20: (0.781, 0.560, 0.451, 0.386, 0.344, 0.314, 0.290, 0.273),
    0.10: (0.886, 0.679, 0.557, 0.482, 0.434, 0.399, 0.370, 0.349),
    0.05: (0.941, 0.765, 0.642, 0.560, 0.507, 0.468, 0.437, 0.412),
    0.01: (0.988, 0.889, 0.780, 0.698, 0.637, 0.590, 0.555, 0.527),
}
_POINTS, _REACH = 160, 8.5  # of the integral, in standard deviations


def critical_ratio(distances: int, alpha: float) -> float:
    """The gap of the largest of so many distances, in parts of their range, that chance exceeds with alpha.

    Published values where there are any, the exact one otherwise.

    >>> critical_ratio(5, 0.2)
    0.451
    """
    printed = PUBLISHED.get(alpha, ())
    if FEWEST <= distances < FEWEST + len(printed):
        return printed[distances - FEWEST]
    return exact_ratio(distances, alpha)


@lru_cache(maxsize=4096)
def exact_ratio(distances: int, alpha: float) -> float:
    """The same from the distribution of order statistics of a normal sample."""
    if _beyond(0.0, distances)[0] <= alpha:  # but for rounding it is 1
        return 0.0

    def above(ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        probability, slope = _beyond(float(ratio), distances)
        return np.array(probability - alpha), np.array(slope)

    return float(root(above, 0.0, 1.0, 0.5))


def _beyond(ratio: float, distances: int) -> tuple[float, float]:
    """The probability that the ratio is larger, and how steeply it falls.

    With the least a and the largest b of n, all others lie between a and b - ratio (b - a):
    n (n - 1) times the integral of p(a) p(b) (P(b - ratio (b - a)) - P(a))^(n - 2) over a < b.
    """
    least, largest, density, lowest = _grid()
    end = largest - ratio * (largest - least)
    between = np.clip(normal_below(end) - lowest, 0.0, None)
    inner = density * between ** (distances - 3)
    falling = (largest - least) * np.exp(-(end**2) / 2) / np.sqrt(2 * np.pi)
    pairs = distances * (distances - 1)
    return float(pairs * (inner * between).sum()), -float(pairs * (distances - 2) * (inner * falling).sum())


@lru_cache(maxsize=1)
def _grid() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of a least value and a range above it, with the density of both times the weight of the pair."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    least = _REACH * nodes[:, None]
    spread = _REACH * (nodes + 1)[None, :]
    largest = least + spread
    density = np.exp(-(least**2 + largest**2) / 2) / (2 * np.pi)
    return least, largest, density * weights[:, None] * weights[None, :] * _REACH**2, normal_below(least)
