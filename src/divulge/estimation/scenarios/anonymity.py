"""Degrees of anonymity: how well hidden the sender of a message is, after several authors.

A posterior is a list of how likely the attacker takes each user to be the sender. Logarithms are to base 2;
higher is more private unless said otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError
from divulge.estimation.channels.probabilities import WITHIN, FloatArray, finite
from divulge.estimation.information.entropy import (
    distribution_of,
    min_entropy,
    renyi_entropy,
    shannon_entropy,
)
from divulge.estimation.scenarios.checks import whole
from divulge.estimation.scenarios.correspondence import permanent

ROUNDING = 1e-12


class Innocence(StrEnum):
    """Where a user stands on the scale of Reiter and Rubin, from best to worst."""

    BEYOND_SUSPICION = "beyond suspicion"  # no likelier than any other user
    PROBABLE = "probable innocence"  # no likelier to be the sender than not
    POSSIBLE = "possible innocence"  # perhaps it was someone else
    EXPOSED = "exposed"


def reiter_rubin(posterior: npt.ArrayLike) -> FloatArray:
    """How likely each user is not the sender, 1 - p: a probability for each (Reiter and Rubin 1998)."""
    return 1 - distribution_of(posterior)


def innocence(posterior: npt.ArrayLike) -> tuple[Innocence, ...]:
    """Where each user stands on the scale of Reiter and Rubin.

    >>> [str(level) for level in innocence([0.6, 0.3, 0.1])]
    ['possible innocence', 'probable innocence', 'beyond suspicion']
    """
    p = distribution_of(posterior)
    return tuple(_innocence(float(share), float(p.min())) for share in p)


def berthold(users: int) -> float:
    """How many users there are, in bits: all count alike, however suspect (Berthold et al. 2000)."""
    return math.log2(whole(users, "The number of users", 1))


def serjantov_danezis(posterior: npt.ArrayLike) -> float:
    """The effective size of the anonymity set, in bits: the Shannon entropy (Serjantov and Danezis 2002)."""
    return shannon_entropy(posterior)


def diaz(posterior: npt.ArrayLike) -> float:
    """The Shannon entropy as a share of what it could be, from 0 to 1; 0 for one user (Diaz et al. 2002).

    Users whom the attacker rules out still count among those there could be.

    >>> diaz([0.5, 0.5, 0, 0])
    0.5
    """
    users = len(distribution_of(posterior))
    return shannon_entropy(posterior) / math.log2(users) if users > 1 else 0.0


@dataclass(frozen=True)
class LocalAnonymity:
    """What the worst-off user can count on, where an average over users hides it (Tóth et al. 2004)."""

    source_hiding: float  # the probability of the likeliest user; lower is more private
    min_entropy: float  # the same in bits, -log2 of it
    max_entropy: float  # how many users are possible at all, in bits


def toth(posterior: npt.ArrayLike) -> LocalAnonymity:
    """How suspect the most likely user is, with the entropies between which all others lie."""
    p = distribution_of(posterior)
    return LocalAnonymity(float(p.max()), min_entropy(p), renyi_entropy(p, 0))


def clauss_schiffner(posterior: npt.ArrayLike, order: float) -> float:
    """The Rényi entropy of an order, in bits, from max- at 0 to min-entropy (Clauß, Schiffner 2006)."""
    return renyi_entropy(posterior, order)


def edman(links: npt.ArrayLike) -> float:
    """How well a mix hides the whole of who wrote to whom, from 0 to 1 (Edman et al. 2007).

    ``links`` says how likely each input (a row) became each output (a column), and is doubly stochastic. The
    degree is log per(P) / log(n!/n^n): 0 if one correspondence is certain, 1 if all are alike.

    >>> round(edman([[0.5, 0.5], [0.5, 0.5]]), 12)
    1.0
    """
    matrix = _square(links, "The matrix of links")
    sums = np.concatenate([matrix.sum(axis=0), matrix.sum(axis=1)])
    off = int((np.abs(sums - 1) > WITHIN).sum())
    if off:
        raise ParameterError(
            f"The links are not doubly stochastic: {off} of the rows and columns do not add up to 1.",
            hint="If it only says which links are possible, use edman_possible.",
        )
    users = len(matrix)
    return _share(math.log(permanent(matrix)), math.lgamma(users + 1) - users * math.log(users))


def edman_possible(possible: npt.ArrayLike) -> float:
    """The degree where links are merely possible (1) or not (0): log per(A) / log n!, from 0 to 1.

    >>> edman_possible([[1, 0], [0, 1]])
    0.0
    """
    matrix = _square(possible, "The matrix of possible links")
    if not np.isin(matrix, (0, 1)).all():
        raise ParameterError("The matrix of possible links has entries other than 0 and 1.")
    ways = permanent(matrix)
    if not ways:
        raise ParameterError("The possible links do not let every input have its own output.")
    return _share(math.log(ways), math.lgamma(len(matrix) + 1))


def _innocence(share: float, least: float) -> Innocence:
    if share >= 1 - ROUNDING:
        return Innocence.EXPOSED
    if share <= least + ROUNDING:
        return Innocence.BEYOND_SUSPICION
    return Innocence.PROBABLE if share <= 0.5 + ROUNDING else Innocence.POSSIBLE


def _square(given: npt.ArrayLike, what: str) -> FloatArray:
    matrix = finite(given, what, 2)
    rows, columns = matrix.shape
    if rows != columns:
        raise ParameterError(f"The matrix has {rows} rows and {columns} columns and must be square.")
    return matrix


def _share(logarithm: float, extreme: float) -> float:
    return min(max(logarithm / extreme, 0.0), 1.0) if extreme else 0.0
