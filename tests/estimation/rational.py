"""Small channels in exact fractions: every estimator is tried, and nothing is rounded."""

from __future__ import annotations

from fractions import Fraction
from itertools import product


def fractions(weights):
    """Whole numbers as probabilities with exact sums."""
    return [Fraction(w, sum(weights)) for w in weights]


def joint(prior, matrix):
    """p(x, y), a row for each x."""
    return [[p * cell for cell in row] for p, row in zip(prior, matrix, strict=True)]


def average_privacy(prior, matrix, distances):
    """The least expected distortion over all rules from observations to estimates (columns of distances)."""
    cells = joint(prior, matrix)
    inputs, outputs = range(len(prior)), range(len(matrix[0]))
    return min(
        sum(cells[x][y] * distances[x][rule[y]] for x in inputs for y in outputs)
        for rule in product(range(len(distances[0])), repeat=len(outputs))
    )


def conditional_privacy(prior, matrix, distances):
    """P(y) and the places of all best estimates, for each y; None where y cannot be observed."""
    found = []
    for column in zip(*joint(prior, matrix), strict=True):
        mass = sum(column)
        if not mass:
            found.append(None)
            continue
        risks = [
            sum(p * d for p, d in zip(column, by, strict=True)) / mass for by in zip(*distances, strict=True)
        ]
        found.append((min(risks), [e for e, risk in enumerate(risks) if risk == min(risks)]))
    return found


def mean_squared_error(prior, matrix, numbers):
    """Average privacy under squared error when the estimate may be any number."""
    total = Fraction(0)
    for column in zip(*joint(prior, matrix), strict=True):
        mass = sum(column)
        if mass:
            mean = sum(p * x for p, x in zip(column, numbers, strict=True)) / mass
            total += sum(p * (x - mean) ** 2 for p, x in zip(column, numbers, strict=True))
    return total


def as_floats(rows):
    return [[float(cell) for cell in row] for row in rows]
