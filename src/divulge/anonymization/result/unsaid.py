"""Numbers beside a count of few suppressed records, to as many digits as do not give the count away."""

from __future__ import annotations

import math

from divulge._support.small_counts import SMALL, hidden_part
from divulge.generalization.lattice import GeneralizationLattice


def unsaid_risk(risk: float, left: int) -> float | None:
    """Groups over records that are left, to as many digits as hold for five records more or less.

    >>> unsaid_risk(16 / 30159, 30159), unsaid_risk(16 / 247, 247), unsaid_risk(2 / 9, 9)
    (0.000531, 0.06, None)
    """
    digits = int(math.log10(left)) - 1
    return float(f"{risk:.{digits}g}") if digits > 0 else None


def said_loss(loss: float, suppressed: int, lattice: GeneralizationLattice) -> float:
    """A loss as an output may say it: rounded where few records are suppressed, and exact where not."""
    records = lattice.table.records
    if not isinstance(hidden_part(suppressed, records), str):
        return loss
    return rounded_loss(loss, SMALL * _of_a_record(lattice, records))


def rounded_loss(loss: float, step: float) -> float:
    """A loss to a multiple of 1, 2 or 5 times a power of ten that is at least a step, and never to nothing.

    >>> rounded_loss(0.14123, 5 / 30162), rounded_loss(0.03, 5 / 200), rounded_loss(8123456.0, 5 * 30162)
    (0.1412, 0.05, 8200000.0)
    """
    power = 10.0 ** math.floor(math.log10(step))
    unit = next(one * power for one in (1, 2, 5, 10) if one * power >= step)
    return float(f"{max(round(loss / unit), 1) * unit:.10g}")


def _of_a_record(lattice: GeneralizationLattice, records: int) -> float:
    """How much suppressing one record can add to a loss at most."""
    loss = lattice.costs.loss
    if loss.name == "discernibility":
        return float(records)
    if loss.averaged:
        return 1 / records
    most = float(lattice.costs.factors.sum()) * math.log2(max(records, 2))
    return most if loss.entropy else most / records
