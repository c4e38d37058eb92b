"""Figures 2 and 8: mixes and locations."""

from __future__ import annotations

import math

from divulge.estimation.scenarios.location import Gaussian, GaussianPlace, Grid, perturbed
from divulge.estimation.scenarios.mixes import pool_mix, pool_mix_entropy, threshold_mix
from divulge.reproduction.estimation_error.paper import EXACT, PAPER
from divulge.reproduction.experiment import (
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    PublishedNumber,
    rises,
)


@PAPER.add(
    "figure-2",
    "Mixes",
    "Figure 2 and table III",
    caveat="The paper draws the variables of a mix and prints no numbers.",
)
def figure_2(conditions: Conditions) -> Findings:
    """The attacker sees when messages arrive and leave, and is wrong about more of them in larger batches."""
    thresholds = range(1, 21 if conditions.full else 6)
    batches = [(float(n), threshold_mix(2 * n, n).link_privacy) for n in thresholds]
    pools = [(float(n), pool_mix(30, n, n).link_privacy) for n in thresholds]
    closed = max(abs(value - (1 - 1 / n)) for n, value in batches)
    limit = [(float(n), pool_mix_entropy(n, n)) for n in thresholds]
    return Findings(
        claims=[
            Claim("A threshold mix of n leaves an error of 1 - 1/n.", closed < EXACT),
            Claim(
                "Errors grow with the batch.", rises([y for _, y in batches]) and rises([y for _, y in pools])
            ),
            Claim(
                "A pool as large as the batch adds one bit and more.",
                all(bits - math.log2(n) >= 1 - EXACT for n, bits in limit),
            ),
        ],
        figures=[
            Figure(
                "Messages traced wrongly",
                "messages in a batch",
                "share traced wrongly",
                [Curve("threshold mix", batches), Curve("with a pool as large", pools)],
            )
        ],
    )


@PAPER.add("figure-8", "A perturbed location", "Figure 8, section VI-A")
def figure_8(conditions: Conditions) -> Findings:
    """Normal noise on a normally distributed place leaves a mean squared error that grows with the noise."""
    noises = [0.1 * step for step in range(1, 101 if conditions.full else 21)]
    left = [(noise, GaussianPlace(4.0, noise).privacy) for noise in noises]
    cells = [(noise, _on_grid(noise)) for noise in noises[:: 1 if conditions.full else 4]]
    told = [(noise, GaussianPlace(4.0, noise).mutual_information) for noise in noises]
    return Findings(
        [
            PublishedNumber(
                f"error, prior variance {x:g}, noise {n:g}, {d}-dimensional",
                None,
                GaussianPlace(x, n, d).privacy,
            )
            for x, n, d in ((4, 1, 1), (4, 1, 2), (1, 1, 1))
        ]
        + [PublishedNumber("error, 5 by 5 cells, noise 1", None, _on_grid(1.0))],
        [
            Claim("More noise leaves more error.", rises([y for _, y in left])),
            Claim("More noise tells less.", rises([-y for _, y in told])),
            Claim("The error stays below that without observing, 8.", all(y < 8 for _, y in left)),
            Claim("The same with cells, where it is 4.", all(y < 4 for _, y in cells)),
        ],
        [
            Figure(
                "Error that noise leaves",
                "variance of the noise",
                "mean squared error",
                [Curve("prior variance 4", left), Curve("5 by 5 cells", cells)],
            ),
            Figure(
                "What the observation tells",
                "variance of the noise",
                "bits",
                [Curve("prior variance 4", told)],
            ),
        ],
    )


def _on_grid(variance: float) -> float:
    """The mean squared error about which of 5 by 5 cells somebody is in, all equally likely."""
    return float(perturbed(Grid(5, 5), Gaussian(math.sqrt(variance))).privacy("squared").average)
