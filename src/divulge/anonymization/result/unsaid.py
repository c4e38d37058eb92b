"""Numbers beside a count of few suppressed records, to as many digits as do not give the count away."""

from __future__ import annotations

import math


def unsaid_risk(risk: float, left: int) -> float | None:
    """Groups over records that are left, to as many digits as hold for five records more or less.

    >>> unsaid_risk(16 / 30159, 30159), unsaid_risk(16 / 247, 247), unsaid_risk(2 / 9, 9)
    (0.000531, 0.06, None)
    """
    digits = int(math.log10(left)) - 1
    return float(f"{risk:.{digits}g}") if digits > 0 else None
