"""The names of inputs read as numbers or points, where a distance needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import FloatArray
from divulge.table.codes import as_number

FARTHEST = 1e150  # the square of a number beyond it is no longer finite


def coordinates(values: Sequence[object], needed_by: str) -> FloatArray:
    """Coordinates, a row for each value: a number, its text, several numbers, or a text such as '3;4'.

    >>> coordinates(["3;4", (1, 2)], "euclidean").tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    points = [_point(value) for value in values]
    bad = sum(np.isnan(point).any() for point in points)
    if bad:
        raise ParameterError(
            f"The {needed_by} distortion needs numbers or points; {bad} of {len(points)} names are not.",
            hint="Name the inputs by their values, or choose hamming.",
        )
    if len({len(point) for point in points}) != 1:
        raise ParameterError("The points do not all have the same number of coordinates.")
    found = np.array(points, dtype=np.float64)
    far = int((np.abs(found) > FARTHEST).any(axis=1).sum())
    if far:
        raise ParameterError(
            f"The {needed_by} distortion accepts numbers up to {FARTHEST:g}; {far} of {len(points)} "
            "exceed it.",
            hint="Write them in a larger unit.",
        )
    return found


def line(values: Sequence[object], needed_by: str) -> FloatArray:
    """One number for each value."""
    numbers = coordinates(values, needed_by)
    if numbers.shape[1] != 1:
        raise ParameterError(
            f"The {needed_by} distortion needs numbers; these are points of {numbers.shape[1]} coordinates.",
            hint="Choose squared or euclidean.",
        )
    return numbers[:, 0]


def _point(value: object) -> list[float]:
    if isinstance(value, str):
        # A comma parts coordinates only inside brackets: '1,5' may be meant as one number.
        bracketed = re.fullmatch(r"\s*[(\[](.*)[)\]]\s*", value)
        text, between = (bracketed[1], r"[;,\s]+") if bracketed else (value, r"[;\s]+")
        return [as_number(part) for part in re.split(between, text.strip())]
    if not isinstance(value, Sequence | np.ndarray):
        return [as_number(value)]
    return [as_number(part) for part in value] or [np.nan]
