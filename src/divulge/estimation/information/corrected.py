"""Information corrected for the sample, kept within what is possible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge.estimation.channels.probabilities import settled
from divulge.estimation.information.entropy_estimates import plug_in
from divulge.estimation.information.samples import Method, estimated_information

WELL_FILLED = 5  # records for each combination in use from which on a correction is small
CONSTANT_TARGET = "the target has one value, so there is nothing to learn"
CONSTANT_KEYS = "the keys have one combination of values, so they say nothing"


@dataclass(frozen=True)
class Corrected:
    """I(X;Y) in bits as corrected for a sample, between 0 and what is possible."""

    estimate: float | None  # None where so small a sample says no more than unrelated columns would
    possible: float  # the smaller of H(X) and H(Y) in the sample, in bits
    too_sparse: bool  # the correction came out above what is possible: it says nothing beyond that bound


def corrected_information(table: npt.ArrayLike, method: Method = "miller_madow") -> Corrected:
    """The corrected information of a table of counts, a row for each x; higher is riskier.

    Below 0 it is 0, which unrelated columns give half of the time. No observation tells more than there is to
    know, nor more than it varies itself: an estimate above the smaller of the two entropies shows that most
    combinations were seen too seldom for a correction, or, where all were seen often, that it is reached.

    >>> corrected_information([[80, 0], [0, 80]])
    Corrected(estimate=1.0, possible=1.0, too_sparse=False)

    >>> corrected_information([[2, 0, 0, 0], [0, 1, 1, 1]])
    Corrected(estimate=0.9709505944546686, possible=0.9709505944546686, too_sparse=True)
    """
    counts = np.asarray(table)
    possible = min(plug_in(counts.sum(axis=0)), plug_in(counts.sum(axis=1)))
    raw = settled(float(estimated_information(counts, method)))
    too_sparse = settled(raw - possible, scale=max(possible, 1.0)) > 0 and possible > 0 and sparse(counts)
    return Corrected(min(max(raw, 0.0), possible), possible, too_sparse)


def sparse(table: npt.ArrayLike) -> bool:
    """Whether a table has fewer than five records for each combination in use."""
    counts = np.asarray(table)
    return bool(counts.sum() < WELL_FILLED * np.count_nonzero(counts))


def told_apart(
    found: Corrected, table: npt.ArrayLike, bracket: str | None, chance: float | None
) -> Corrected:
    """The same without an estimate where the sample cannot tell it from what unrelated columns give.

    That is where a bracket on the rate cannot tell, or where a sparse table's estimate is not above
    ``chance``, the information in unrelated columns of the same sizes.
    """
    drowned = chance is not None and found.estimate is not None and found.estimate <= chance
    if bracket == "cannot tell" or (drowned and sparse(table)):
        return replace(found, estimate=None, too_sparse=True)
    return found


def constant(table: npt.ArrayLike) -> str | None:
    """Why nothing can be learned, where a side of the table has one value only; None otherwise."""
    counts = np.asarray(table)
    if np.count_nonzero(counts.sum(axis=1)) < 2:
        return CONSTANT_TARGET
    return CONSTANT_KEYS if np.count_nonzero(counts.sum(axis=0)) < 2 else None
