"""Why nothing meets a policy: the thresholds that no transformation keeps, and how near one comes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from divulge._support.wording import number, percent, share_of
from divulge.errors import ParameterError, listing
from divulge.generalization.criteria import Criteria
from divulge.generalization.lattice import GeneralizationLattice, SingleNode
from divulge.generalization.search import Certificate
from divulge.generalization.transformations import feasible
from divulge.policy import Policy, Threshold


def obstacle(
    lattice: GeneralizationLattice, policy: Policy, certificate: Certificate, share: float
) -> ParameterError:
    """The error to raise where no transformation meets a policy, or none was found in time."""
    if not certificate.proved:
        return ParameterError(
            f"No transformation that meets the policy was found in time: {certificate.evaluated:,} of "
            f"{certificate.transformations:,} were evaluated.",
            hint="Give the search more time.",
        )
    top = tuple(levels - 1 for levels in lattice.table.shape)
    failing = [one for one in policy.thresholds if not _alone(lattice, one, top)]
    if failing:
        said = f"even at the highest levels {listing([_named(one) for one in failing])} does not hold"
    elif lattice.criteria.unknown or policy.demands.singled_out or policy.demands.learned:
        said = "no release passes the checks of the policy"
    else:
        said = f"its thresholds together would suppress {_nearest(lattice)} of the records or more"
    return ParameterError(
        f"No transformation meets the policy with {percent(share)} of the records suppressed: {said}.",
        hint="Allow more suppression (--suppress 5%), ask for less, or give higher levels.",
    )


def _alone(lattice: GeneralizationLattice, threshold: Threshold, top: tuple[int, ...]) -> bool:
    """Whether a threshold could be met by itself at the highest levels."""
    criteria = lattice.criteria
    own = Criteria(
        criteria.targets,
        tuple(one for one in criteria.of_classes if one.threshold is threshold),
        tuple(one for one in criteria.of_rest if one.threshold is threshold),
    )
    one = replace(lattice, criteria=own)
    return bool(feasible(one, SingleNode(one).find(top))[0])


def _named(threshold: Threshold) -> str:
    bound = threshold.max if threshold.min is None else threshold.min
    side = "at most" if threshold.min is None else "at least"
    return f"{threshold.measure.name} of {side} {number(bound or 0.0)}"


def _nearest(lattice: GeneralizationLattice) -> str:
    """The least share of records that a transformation would suppress, in percent."""
    free = replace(lattice, limit=lattice.table.records)
    sums = free.room()
    for _ in free.whole(sums):
        pass
    good = feasible(free, sums)
    least = int(np.where(good, sums.suppressed, lattice.table.records).min())
    return share_of(least, lattice.table.records)
