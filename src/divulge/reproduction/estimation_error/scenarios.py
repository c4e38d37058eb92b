"""Figures 2, 8 and 10: mixes, locations and crowds."""

from __future__ import annotations

import math

from divulge.estimation.scenarios.crowds import Crowd
from divulge.estimation.scenarios.location import GaussianPlace
from divulge.estimation.scenarios.mixes import pool_mix, pool_mix_entropy, threshold_mix
from divulge.reproduction.estimation_error.paper import EXACT, PAPER
from divulge.reproduction.experiment import (
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    PublishedNumber,
    Tabulation,
    rises,
)

CROWDS = ((10, 0.3), (2, 0.5), (5, 0.5), (100, 0.75))
USERS, SUBMIT = 20, 0.25  # of the figure; the paper does not print its own


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
    told = [(noise, GaussianPlace(4.0, noise).mutual_information) for noise in noises]
    return Findings(
        [
            PublishedNumber(
                f"error, prior variance {x:g}, noise {n:g}, {d}-dimensional",
                None,
                GaussianPlace(x, n, d).privacy,
            )
            for x, n, d in ((4, 1, 1), (4, 1, 2), (1, 1, 1))
        ],
        [
            Claim("More noise leaves more error.", rises([y for _, y in left])),
            Claim("More noise tells less.", rises([-y for _, y in told])),
            Claim("The error stays below that without observing, 8.", all(y < 8 for _, y in left)),
        ],
        [
            Figure(
                "Error that noise leaves",
                "variance of the noise",
                "mean squared error",
                [Curve("prior variance 4", left)],
            ),
            Figure(
                "What the observation tells",
                "variance of the noise",
                "bits",
                [Curve("prior variance 4", told)],
            ),
        ],
    )


@PAPER.add(
    "figure-10",
    "Who sent a message through a crowd",
    "Figures 9 and 10, equation 10, section VI-B",
    caveat=f"The paper prints neither the users of its figure nor p; here they are {USERS} and {SUBMIT}.",
)
def figure_10(conditions: Conditions) -> Findings:
    """The user who submits a message is the likeliest to have sent it; the others are all alike."""
    crowd = Crowd(USERS, SUBMIT)
    posterior = [(float(y), float(crowd.posterior[y - 1, 0])) for y in range(1, USERS + 1)]
    numbers = []
    for n, p in CROWDS:
        one, name = Crowd(n, p), f"n = {n}, p = {p}"
        numbers += [
            PublishedNumber(
                f"submits and sent: p + (1-p)/n, {name}", p + (1 - p) / n, one.hit, tolerance=EXACT
            ),
            PublishedNumber(
                f"sent, another submits: (1-p)/n, {name}", (1 - p) / n, one.miss, tolerance=EXACT
            ),
            PublishedNumber(
                f"wrong guesses: (1-p)(1-1/n), {name}", (1 - p) * (1 - 1 / n), one.privacy, tolerance=EXACT
            ),
        ]
    submits = [0.05 * step for step in range(1, 20)]
    against = [(Crowd(USERS, p).forwards, Crowd(USERS, p).privacy) for p in reversed(submits)]
    return Findings(
        numbers,
        [
            Claim("It is largest where user 1 submits.", max(posterior, key=lambda one: one[1])[0] == 1),
            Claim(
                "Min-entropy is at most Shannon's, which is at most Hartley's.",
                all(
                    one.min_entropy <= one.shannon_entropy <= one.hartley_entropy
                    for one in (Crowd(n, p) for n, p in CROWDS)
                ),
            ),
            Claim("Privacy rises with the delay.", rises([y for _, y in against])),
        ],
        [
            Figure(
                "User 1 sent it, given who submits",
                "user who submits",
                "probability",
                [Curve("posterior", posterior)],
            ),
            Figure(
                "Privacy against delay",
                "times a message is handed on",
                "wrong guesses",
                [Curve(f"{USERS} users", against)],
            ),
        ],
        [
            Tabulation(
                "Entropies, bits",
                ["users", "p", "min-entropy", "Shannon", "Hartley"],
                [
                    [n, p, one.min_entropy, one.shannon_entropy, one.hartley_entropy]
                    for n, p in CROWDS
                    for one in (Crowd(n, p),)
                ],
            )
        ],
    )
