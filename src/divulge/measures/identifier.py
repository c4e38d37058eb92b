"""Classes of identifiers: what kind of knowledge a set of keys is, relative to a target."""

from __future__ import annotations

from enum import Enum

import numpy as np

from divulge.counting.counts import Counts
from divulge.counting.statistics import DISCLOSURE, DISTINCT
from divulge.errors import Undefined


class IdentifierClass(Enum):
    """How keys stand to a target (thesis, definitions 10 to 13)."""

    IDENTIFIER = "identifier"
    PARTIAL = "partial identifier"
    SKETCHY = "sketchy identifier"
    ZERO = "zero identifier"

    def __str__(self) -> str:
        return self.value


def identifier_class(counts: Counts) -> IdentifierClass:
    """What kind of identifier the keys are: decided on whole counts, not on a rounded rate.

    Identifier: every group has one target value (DR = 1). Zero identifier: every group looks like the
    whole table (DR = 0). Partial identifier: in between, and some group has one target value
    (DR_X(y) = 1 for some y). Sketchy identifier: in between, and none has.

    >>> from divulge.counting.counts import JointCounts
    >>> identifier_class(JointCounts.of_table([[2, 2], [4, 0]]))
    <IdentifierClass.PARTIAL: 'partial identifier'>
    """
    if counts.overlapping:
        raise Undefined("missing values match anything, so groups overlap")
    if counts.entropy == 0:
        raise Undefined("the target has one value only, so there is nothing to identify")
    if counts.most(DISTINCT) == 1:
        return IdentifierClass.IDENTIFIER
    if _like_the_table(counts):
        return IdentifierClass.ZERO
    return IdentifierClass.PARTIAL if counts.least(DISTINCT) == 1 else IdentifierClass.SKETCHY


def _like_the_table(counts: Counts) -> bool:
    """Whether p(x|y) = p(x) in every cell and no value is absent from a group."""
    if counts.classes == 1:
        return True
    if counts.least(DISTINCT) < counts.different:
        return False
    if counts.most(DISCLOSURE) > 1e-9:  # clearly not, whatever the rounding
        return False
    cells = counts.in_cells().cells
    assert cells is not None
    share = cells.weight / counts.class_weight[cells.owner]
    overall = (counts.target_weight / counts.weight)[cells.target]
    if counts.weighted:
        return bool(np.allclose(share, overall, rtol=1e-12, atol=0))
    # Quotients of whole numbers are rounded correctly, so equal shares are equal numbers.
    return bool((share == overall).all())
