"""Numbers beside a count of few suppressed records, to as many digits as do not give the count away."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from divulge._support.small_counts import FEW, SMALL, hidden_part
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.transformations import Transformation

if TYPE_CHECKING:
    from divulge.anonymization.found import Anonymization


def unsaid_risk(risk: float, left: int) -> float | None:
    """Groups over records that are left, to as many digits as hold for five records more or less.

    >>> unsaid_risk(16 / 30159, 30159), unsaid_risk(16 / 247, 247), unsaid_risk(2 / 9, 9)
    (0.000531, 0.06, None)
    """
    digits = int(math.log10(left)) - 1
    return float(f"{risk:.{digits}g}") if digits > 0 else None


def unsaid_loss(one: Transformation, lattice: GeneralizationLattice) -> float:
    """The loss of a transformation that is not released: rounded where few records are suppressed.

    Where a loss adds up over records, anyone can work out what levels alone lose, so the rounded number is
    about these: beside it, one suppressed record looks as four do.
    """
    records, costs = lattice.table.records, lattice.costs
    said = hidden_part(one.suppressed, records)
    if not isinstance(said, str):
        return one.loss
    step = SMALL * _of_a_record(lattice, records)
    if said == FEW and costs.loss.of_classes is None and costs.loss.of_target is None:
        return rounded_loss(costs.floor([one.levels[of.name] for of in lattice.table.attributes]), step)
    return rounded_loss(one.loss, step)


def loss_of_best(found: Anonymization) -> float:
    """The loss of the best transformation: in full where it is what is released."""
    if found.local is None or found.local.alike:
        return found.best.loss
    return unsaid_loss(found.best, found.lattice)


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
