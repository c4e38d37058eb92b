"""Post-randomisation (PRAM): categories are drawn anew by a matrix of transition probabilities.

Row i of a matrix has the probabilities that category i is released as each category. Categories are codes
from 0 on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
CLOSE = 1e-9  # by which a row may miss the sum of one


def checked(matrix: Array, categories: int) -> Array:
    """The matrix, if it has a row of probabilities for every category."""
    if matrix.shape != (categories, categories):
        shape = " x ".join(map(str, matrix.shape))
        raise ParameterError(f"The matrix is {shape}, and there are {categories} categories.")
    numbers = matrix.astype(np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ParameterError("The matrix has numbers that are no probabilities.")
    sums = numbers.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > CLOSE)
    if len(wrong):
        raise ParameterError(
            f"Row {wrong[0] + 1} of the matrix adds up to {sums[wrong[0]]:.6g}, and has to add up to 1."
        )
    return matrix


def retention_matrix(categories: int, retention: float | Array) -> Floats:
    """A category is kept with the probability ``retention``; otherwise all others are equally likely.

    One probability for all categories, or one for each.

    >>> retention_matrix(3, 0.8).round(3).tolist()
    [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    """
    kept = np.broadcast_to(np.asarray(retention, np.float64), categories)
    if not ((kept >= 0) & (kept <= 1)).all():
        raise ParameterError("Probabilities to keep a category have to lie between 0 and 1.")
    if categories == 1:
        return np.ones((1, 1))
    matrix = np.repeat(((1 - kept) / (categories - 1))[:, None], categories, axis=1)
    np.fill_diagonal(matrix, kept)
    return matrix


def invariant(matrix: Array, marginal: Array, share: float = 1.0) -> Array:
    """A matrix that keeps the marginal in expectation: t R = t, made from any matrix P in two stages.

    R = P Q with Q_kj = p_jk t_j / sum_i p_ik t_i, the probability by Bayes' rule that a released k was j, so
    t P Q = t (Kooiman, Willenborg and Gouweleeuw, 1997). ``marginal`` are frequencies or shares; a category
    that never occurs keeps its row of P, which is never used. With ``share`` below 1 a category stays as it
    is otherwise: share R + (1 - share) I, which keeps the marginal too.

    >>> matrix = invariant(np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([3, 1]))
    >>> (np.array([3, 1]) @ matrix).round(12).tolist()
    [3.0, 1.0]
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"The share is {share}, and has to lie between 0 and 1.")
    categories = len(marginal)
    checked(matrix, categories)
    joint = matrix * marginal[:, None]  # of what was and what is released at the first stage
    released = joint.sum(axis=0)
    backward = np.zeros_like(joint.T)
    occurs = released > 0
    backward[occurs] = joint.T[occurs] / released[occurs][:, None]
    result = matrix @ backward
    result[marginal == 0] = matrix[marginal == 0]
    result = share * result
    result[np.diag_indices(categories)] += 1 - share
    return result
