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
FOUND_DATA = "The data are not published. These meet every number that is printed: of groups of 4,600, 4,600 "
Found = list[tuple[float, Readings]]


@PAPER.add(
    "figure-4",
    "Inference risk as a group differs from the table",
    "Figure 4, section 5",
    caveat=f"{FOUND_DATA}and 800 people, 42, 42 and up to 12 % have a disease.",
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
    caveat="The data are not published. Here ten ages have 10,000 people and twenty diseases; the "
    "smallest age has each disease equally often, but for a part of its people who all have the same one.",
)
def figure_5(conditions: Conditions) -> Findings:
    """ITPR rises smoothly with epsilon and with theta."""
    steps = 24 if conditions.full else 6
    sizes = [round(20 + (1000 - 20) * step / steps) for step in range(steps + 1)]
    lines = {part: _surface(sizes, part) for part in (0, 0.25, 0.5, 0.75, 0.9)}
    parts = list(lines)
    return Findings(
        claims=[
            Claim("ITPR rises with epsilon.", all(rises([y for _, y in line]) for line in lines.values())),
            Claim(
                "ITPR rises with theta.",
                all(rises([lines[part][at][1] for part in parts]) for at in range(len(sizes))),
            ),
        ],
        figures=[
            Figure(
                "ITPR by epsilon",
                "epsilon: records of the largest group less those of the smallest",
                "ITPR",
                [Curve(f"{part:.0%} have one disease", line) for part, line in lines.items()],
            )
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


def _surface(sizes: Sequence[int], part: float) -> list[tuple[float, float]]:
    """Epsilon and ITPR for a smallest age of each size, of which a part has one disease."""
    found = []
    for size in sizes:
        small = (1 - part) * size / 20 * np.ones(20)
        small[0] += part * size
        others = np.full((9, 20), (RECORDS - size) / 9 / 20)
        counts = JointCounts.of_table(np.vstack([small, others]))
        found.append(((RECORDS - size) / 9 - size, MEASURES["itpr"].compute(counts)))
    return sorted(found)
