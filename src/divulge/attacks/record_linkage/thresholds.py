"""What comes of linking every pair from a weight on, and the pairs between for a person to look at."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden, leaves_few

Floats = npt.NDArray[np.float64]
SURE, CLERICAL = 0.9, 0.5  # posterior chances from which a pair is linked, or looked at by a person
MOST_POINTS = 12


def bands(posterior: Floats, pairs: Floats) -> dict[str, float]:
    """The links to be expected among pairs that are linked, and how many pairs a person would look at."""
    sure, clerical = posterior >= SURE, (posterior >= CLERICAL) & (posterior < SURE)
    return {
        "expected_links": float((pairs * posterior)[sure].sum()),
        "linked_pairs": float(pairs[sure].sum()),
        "clerical": float(pairs[clerical].sum()),
    }


def precision_and_recall(
    weights: Floats, pairs: Floats, right: npt.NDArray[Any], of: int
) -> list[dict[str, float]]:
    """Precision and recall of linking every pair from a weight on, at some weights.

    For each entry: its weight, how many pairs have it, how many of them belong together; ``of`` so many that
    could be found. Of weights that find the same right pairs the highest is taken, and the last is that of
    every pair. Weights at which so few right pairs are found, left, or found since the weight before that
    these would be told are left out; so are those with few wrong pairs, or few since the weight before.

    >>> weight, pairs, right = np.array([3.0, 1.0]), np.array([8.0, 92.0]), np.array([6, 4])
    >>> precision_and_recall(weight, pairs, right, of=10)
    [{'weight': 1.0, 'precision': 0.1, 'recall': 1.0}]
    """
    weights = np.round(weights, 9)  # less is of the arithmetic
    order = np.argsort(-weights, kind="stable")
    order = order[pairs[order] > 0]
    made, found = np.cumsum(pairs[order]), np.cumsum(right[order])
    last_of_weight = np.append(np.diff(weights[order]) != 0, True) if len(order) else np.zeros(0, np.bool_)
    levels = np.flatnonzero(last_of_weight).tolist()
    wrong, shown = (made - found).round().astype(np.int64), list[int]()
    for place in levels:
        count, before = int(found[place]), found[shown].tolist()[-1:]
        new = [count] != before or place == levels[-1]
        few = isinstance(hidden(count, of=of), str) or leaves_few(count, before)
        if new and not few and not _few_wrong(wrong, place, shown):
            shown.append(place)
    some = np.unique(np.linspace(0, len(shown) - 1, MOST_POINTS).astype(int)).tolist() if shown else []
    return [
        {
            "weight": float(weights[order[place]]),
            "precision": float(found[place] / made[place]),
            "recall": float(found[place] / of),
        }
        for place in (shown[one] for one in some)
    ]


def _few_wrong(wrong: npt.NDArray[np.int64], place: int, shown: list[int]) -> bool:
    """Whether so few pairs are wrong, or wrong since the last weight shown, that these would be told."""
    count = int(wrong[place])
    return isinstance(hidden(count), str) or leaves_few(count, wrong[shown].tolist()[-1:])
