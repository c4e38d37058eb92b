"""Figures 4 and 5: the risk of inference as a group differs from the table."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from divulge.counting.counts import JointCounts
from divulge.measures import MEASURES
from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, PublishedNumber, rises
from divulge.reproduction.itpr.paper import PAPER, RECORDS, Readings, compared, readings

THETA = "theta / H(X): how much less uncertain the least varied group is"
UNEQUAL, EQUAL = (4600, 4600, 800), (3334, 3333, 3333)
ILL = 42 / 4600  # of the two groups that stay as they are
MOST_ILL = 0.12  # of the third group, at the end
DISEASES, EACH = 20, 1000  # of figure 5: diseases, and people of each of ten ages of equal size
Found = list[tuple[float, Readings]]


@PAPER.add(
    "figure-4",
    "Inference risk as a group differs from the table",
    "Figure 4, section 5",
    caveat="The data are not published. These meet every number that is printed: two groups of 4,600 people, "
    "of whom 42 (0.9%) are ill, and one of 800 people, of whom up to 96 (12%) are ill.",
)
def figure_4(conditions: Conditions) -> Findings:
    """ELD does not see that a group differs from the table; MIL, MI and CP hardly do."""
    steps = 60 if conditions.full else 12
    unequal, equal = (_differing(sizes, steps) for sizes in (UNEQUAL, EQUAL))
    first, last = unequal[0][1], unequal[-1][1]
    beside = [
        Curve(name, [(at, read["ITPR"]) for at, read in found])
        for name, found in (("groups of 4,600, 4,600 and 800", unequal), ("three equal groups", equal))
    ]
    falls = not rises([read["ITPR"] for _, read in unequal])
    return Findings(
        numbers=[
            PublishedNumber(
                "theta at the end",
                0.4,
                unequal[-1][0],
                0.1,
                "Normalized by H(X); in bits it is 0.055, since few people are ill.",
            ),
            PublishedNumber("MIL at the beginning", 0.07, first["MIL"]),
            PublishedNumber("MIL at the end", 0.09, last["MIL"]),
            PublishedNumber("MI at the beginning", 0, first["MI"]),
            PublishedNumber("MI at the end", 0.02, last["MI"]),
            PublishedNumber("CP at the beginning", 0, first["CP"]),
            PublishedNumber("CP at the end", 0.01, last["CP"]),
            PublishedNumber("ELD, all along", None, last["ELD"]),
        ],
        claims=[
            Claim("ELD is constant.", max(read["ELD"] for _, read in unequal) - first["ELD"] < 1e-9),
            Claim("ITPR rises with theta, equal groups.", rises([read["ITPR"] for _, read in equal])),
            Claim(
                "ITPR rises with theta.",
                not falls,
                "The small group counts most at first. As more of it are ill it becomes more varied, and "
                "ITPR falls until the large groups, which stay as they are, count most."
                if falls
                else "",
            ),
        ],
        figures=[
            *compared("A group differs", THETA, unequal),
            Figure("ITPR, equal and unequal groups", THETA, "ITPR", beside),
        ],
    )


@PAPER.add(
    "figure-5",
    "ITPR by unequal groups and unequal values",
    "Figure 5, section 5",
    caveat="The data are not published. Here ten ages have 10,000 people and twenty diseases; the smallest "
    "age has each disease equally often, but for a part of its people who all have the same one. People are "
    "divided where numbers ask for it.",
)
def figure_5(conditions: Conditions) -> Findings:
    """ITPR rises smoothly with epsilon and with theta."""
    steps = 24 if conditions.full else 6
    sizes = [1 + round((EACH - 1) * step / steps) for step in range(steps + 1)]
    shares = [0.97 * step / steps for step in range(steps + 1)]
    by_epsilon = {part: sorted(_mixed(size, part) for size in sizes) for part in (0, 0.25, 0.5, 0.75, 0.9)}
    by_theta = {size: [_mixed(size, part) for part in shares] for size in (EACH, 500, 100)}
    return Findings(
        claims=[
            Claim(
                "ITPR rises with epsilon.", all(rises([y for *_, y in some]) for some in by_epsilon.values())
            ),
            Claim(
                "ITPR rises with theta.",
                all(rises([y for *_, y in sorted(some, key=_theta)]) for some in by_theta.values()),
            ),
        ],
        figures=[
            Figure(
                "ITPR by epsilon",
                "epsilon: records of the largest group less those of the smallest",
                "ITPR",
                [
                    Curve(f"{part:.0%} have one disease", [(epsilon, y) for epsilon, _, y in some])
                    for part, some in by_epsilon.items()
                ],
            ),
            Figure(
                "ITPR by theta",
                THETA,
                "ITPR",
                [
                    Curve(f"epsilon {some[0][0]:,.0f}", [(theta, y) for _, theta, y in some])
                    for some in by_theta.values()
                ],
            ),
        ],
    )


def _differing(sizes: Sequence[int], steps: int) -> Found:
    """Theta and the six measures, as more and more of the third group are ill."""
    found: Found = []
    for step in range(steps + 1):
        shares = (ILL, ILL, ILL + (MOST_ILL - ILL) * step / steps)
        ill = np.array([math.ceil(size * share - 1e-9) for size, share in zip(sizes, shares, strict=True)])
        counts = JointCounts.of_table(np.column_stack([ill, np.array(sizes) - ill]))
        found.append((MEASURES["normalized_entropy_drop"].compute(counts), readings(counts)))
    return sorted(found, key=lambda one: one[0])


def _mixed(size: int, part: float) -> tuple[float, float, float]:
    """Epsilon, theta and ITPR for a smallest age of so many people, of whom a part has one disease."""
    small = (1 - part) * size / DISEASES * np.ones(DISEASES)
    small[0] += part * size
    others = np.full((9, DISEASES), (RECORDS - size) / 9 / DISEASES)
    counts = JointCounts.of_table(np.vstack([small, others]))
    theta = MEASURES["normalized_entropy_drop"].compute(counts)
    return (RECORDS - size) / 9 - size, theta, MEASURES["itpr"].compute(counts)


def _theta(one: tuple[float, float, float]) -> float:
    return one[1]
