"""Sections V-A1 and V-A2: lists of candidates, of single values and of sequences of values."""

from __future__ import annotations

import math

import numpy as np

from divulge.estimation.attackers.typical import typical_set
from divulge.estimation.information.entropy import confidence_set, renyi_entropy
from divulge.estimation.scenarios.crowds import Crowd
from divulge.reproduction.estimation_error.paper import EXACT, PAPER
from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, PublishedNumber, rises

SENDERS = Crowd(20, 0.25).posterior[0]  # unequally likely people, those of figure 10
SYMBOLS, NEAR = (0.8, 0.2), 0.15  # of a sequence; how near its surprise has to be to the entropy, in bits
SIZES = (2, 3, 5, 10)
ORDERS = (*np.linspace(0, 4, 41).tolist(), math.inf)


@PAPER.add("section-5-a1", "Entropies and confidence sets", "Section V-A1")
def section_5_a1(conditions: Conditions) -> Findings:
    """A list of candidates leaves an error of 1 - 1/n, and entropies say how long the list is."""
    uniform = np.full(len(SENDERS), 1 / len(SENDERS))
    by_order = [(order, renyi_entropy(SENDERS, order)) for order in ORDERS]
    flat = [renyi_entropy(uniform, order) for order in ORDERS]
    masses = np.linspace(0.05, 1, 20 if conditions.full else 5).tolist()
    lists = [(mass, float(confidence_set(SENDERS, mass).size)) for mass in masses]
    return Findings(
        [
            PublishedNumber(
                f"error with {size} candidates: 1 - 1/n",
                1 - 1 / size,
                confidence_set([1 / size] * size, 1.0).error,
                tolerance=EXACT,
            )
            for size in SIZES
        ],
        [
            Claim(
                "Rényi's entropy does not rise with its order (6).", rises([-bits for _, bits in by_order])
            ),
            Claim(
                "It is the same for all orders where people are equally likely.",
                max(flat) - min(flat) < EXACT,
            ),
            Claim("All people together are a list of confidence 100%.", lists[-1][1] == len(SENDERS)),
            Claim("More confidence needs a longer list.", rises([size for _, size in lists])),
        ],
        [
            Figure(
                "Rényi's entropy of who sent a message, 20 users",
                "order",
                "bits",
                [
                    Curve("one more likely", [(x, y) for x, y in by_order if math.isfinite(x)]),
                    Curve(
                        "equally likely",
                        [(x, y) for x, y in zip(ORDERS, flat, strict=True) if math.isfinite(x)],
                    ),
                ],
            ),
            Figure("Length of the list", "confidence", "users", [Curve("one more likely", lists)]),
        ],
        notes=["The users are those of figure 10: the one who submits is the most likely."],
    )


@PAPER.add("section-5-a2", "Typical sequences", "Section V-A2")
def section_5_a2(conditions: Conditions) -> Findings:
    """Of all sequences few are likely: about two to the power of the entropy, and nearly equally so."""
    lengths = range(5, 201 if conditions.full else 101, 5)
    found = [typical_set(SYMBOLS, length, NEAR) for length in lengths]
    entropy = found[0].entropy
    sizes = [(float(one.length), one.log2_size[1] / one.length) for one in found]
    holding = [(float(one.length), one.probability[0]) for one in found]
    return Findings(
        claims=[
            Claim(
                "There are at most 2^(k (H + epsilon)) of them.",
                all(bits <= entropy + NEAR + EXACT for _, bits in sizes),
            ),
            Claim(
                "Once they are long enough, they hold more than 1 - epsilon of the probability.",
                holding[-1][1] > 1 - NEAR,
                f"{holding[-1][1]:.3g} at length {lengths[-1]}, {holding[0][1]:.3g} at length {lengths[0]}.",
            ),
            Claim(
                "They are few of all sequences.",
                sizes[-1][1] < math.log2(len(SYMBOLS)),
                f"{sizes[-1][1]:.3g} bits for each place, of {math.log2(len(SYMBOLS)):.3g}.",
            ),
        ],
        figures=[
            Figure(
                "Typical sequences",
                "length",
                "log2 of their number, for each place",
                [
                    Curve("counted", sizes),
                    Curve("entropy", [(x, entropy) for x, _ in sizes]),
                    Curve("all sequences", [(x, math.log2(len(SYMBOLS))) for x, _ in sizes]),
                ],
            ),
            Figure("Probability that they hold", "length", "probability", [Curve("typical", holding)]),
        ],
        notes=[
            f"Values have probabilities {' and '.join(map(str, SYMBOLS))}, each drawn by itself. A sequence "
            f"is typical if its surprise for each place is within {NEAR} bits of the entropy, "
            f"{entropy:.4g} bits."
        ],
    )
