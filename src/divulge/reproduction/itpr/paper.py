"""The ITPR paper, and the six measures that it compares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from divulge.counting.counts import JointCounts
from divulge.measures import MEASURES
from divulge.reproduction.experiment import Curve, Figure, Paper

PAPER = Paper("itpr", "Information theoretic-based privacy risk evaluation", "bkakria2021")
RECORDS = 10_000

#: The measures by the names that the paper gives them; the last one is drawn on a scale of its own.
COMPARED = {
    "ITPR": "itpr",
    "DR": "discrimination_rate",
    "MI": "mutual_information",
    "CP": "conditional_privacy",
    "ELD": "entropy_l_diversity_risk",
    "MIL": "maximum_information_leakage",
}
Readings = Mapping[str, float]


def readings(counts: JointCounts) -> dict[str, float]:
    """The six measures of one table."""
    return {name: MEASURES[measure].compute(counts) for name, measure in COMPARED.items()}


def groups(sizes: Sequence[int]) -> JointCounts:
    """A table of groups of these sizes in which everyone is to be told from everyone else."""
    return JointCounts(np.asarray(sizes, np.int64), None)


def compared(title: str, x: str, found: Sequence[tuple[float, Readings]]) -> list[Figure]:
    """Two charts, as in the paper: five measures, and MIL by itself."""
    lines = [Curve(name, [(at, read[name]) for at, read in found]) for name in COMPARED]
    return [
        Figure(title, x, "reading", lines[:-1]),
        Figure(f"{title}: MIL", x, "bits", lines[-1:]),
    ]
