"""Figures 9 and 10: who sent a message that members of a crowd hand on."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge.estimation.scenarios.crowds import Crowd
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

CROWDS = ((10, 0.3), (2, 0.5), (5, 0.5), (20, 0.1), (100, 0.75))
USERS, SUBMIT = 20, 0.25  # of the figures; the paper does not print its own
SPREAD = 4  # standard errors by which an average of draws may differ


@PAPER.add(
    "figure-9",
    "Messages handed on, one by one",
    "Figure 9, section VI-B",
    caveat=f"The paper draws the protocol and prints no draws. Users are {USERS}, p is {SUBMIT}.",
)
def figure_9(conditions: Conditions) -> Findings:
    """The protocol played out: who submits a message that user 1 has sent."""
    messages = 100_000 if conditions.full else 5_000
    last, handed_on = _sent(messages, np.random.default_rng(conditions.seed))
    shares = np.bincount(last, minlength=USERS) / messages
    crowd = Crowd(USERS, SUBMIT)
    by_user = {"user 1, who sent it": (crowd.hit, shares[0]), "user 2": (crowd.miss, shares[1])}
    numbers = [
        PublishedNumber(
            f"submitted by {name}",
            expected,
            float(share),
            tolerance=SPREAD * math.sqrt(expected * (1 - expected) / messages),
            standard_error=math.sqrt(float(share * (1 - share)) / messages),
        )
        for name, (expected, share) in by_user.items()
    ]
    spread = float(handed_on.std() / math.sqrt(messages))
    numbers.append(
        PublishedNumber(
            "times a message is handed on: (1-p)/p",
            crowd.forwards,
            float(handed_on.mean()),
            tolerance=SPREAD * spread,
            standard_error=spread,
        )
    )
    users = range(1, USERS + 1)
    return Findings(
        numbers,
        [Claim("The user who sent it submits it most often.", int(shares.argmax()) == 0)],
        [
            Figure(
                f"Who submits what user 1 sent, {messages:,} messages",
                "user who submits",
                "share of messages",
                [
                    Curve("played out", [(user, float(shares[user - 1])) for user in users]),
                    Curve("equation 10", [(user, float(crowd.posterior[user - 1, 0])) for user in users]),
                ],
            )
        ],
    )


def _sent(messages: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each message of user 1, who submits it, and how often it was handed on before."""
    holder, times = np.zeros(messages, np.int64), np.zeros(messages, np.int64)
    on_the_way = np.flatnonzero(rng.random(messages) >= SUBMIT)
    while len(on_the_way):
        holder[on_the_way] = rng.integers(0, USERS, len(on_the_way))
        times[on_the_way] += 1
        on_the_way = on_the_way[rng.random(len(on_the_way)) >= SUBMIT]
    return holder, times


@PAPER.add(
    "figure-10",
    "Who sent a message through a crowd",
    "Figure 10, equation 10, section VI-B",
    caveat=f"The paper prints neither the users of its figure nor p; here they are {USERS} and {SUBMIT}.",
)
def figure_10(conditions: Conditions) -> Findings:
    """The user who submits a message is the most likely to have sent it; the others are all alike."""
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
            PublishedNumber(
                f"min-entropy: -log2(p + (1-p)/n), {name}",
                -math.log2(p + (1 - p) / n),
                one.min_entropy,
                tolerance=EXACT,
            ),
            PublishedNumber(
                f"Hartley entropy: log2 n, {name}", math.log2(n), one.hartley_entropy, tolerance=EXACT
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
