"""Figures 6 and 7: how long ITPR takes, by records and by attributes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from divulge.api import measure
from divulge.reproduction.experiment import (
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    Point,
    PublishedNumber,
    Tabulation,
)
from divulge.reproduction.itpr.paper import PAPER

CLUSTER = (
    "The paper used a Spark cluster of 100 workers and prints no seconds; this is one machine, from memory."
)
STRAIGHT = (
    0.9  # the share of the variation that a straight line explains, at least, where growth is called linear
)
Table = Mapping[str, npt.NDArray[np.int8]]


@PAPER.add(
    "figure-6", "Seconds by number of records", "Figure 6, section 5", caveat=CLUSTER, takes="a minute"
)
def figure_6(conditions: Conditions) -> Findings:
    """The time for ITPR grows in proportion to the number of records: ages of 120 values, 100 diseases."""
    most = 8 if conditions.full else 5
    rng = np.random.default_rng(conditions.seed)
    _seconds({"Age": np.zeros(2, np.int8), "Disease": np.arange(2, dtype=np.int8)}, ["Age"])  # once
    found: list[Point] = []
    for records in (10**power for power in range(4, most + 1)):
        table = {
            "Age": rng.integers(0, 120, records, np.int8),
            "Disease": rng.integers(0, 100, records, np.int8),
        }
        found.append((records, _seconds(table, ["Age"])))
    return _growth("records", found, logarithmic="xy")


@PAPER.add(
    "figure-7",
    "Seconds by number of attributes",
    "Figure 7, section 5",
    caveat=CLUSTER,
    takes="some minutes and 3 GB of memory",
)
def figure_7(conditions: Conditions) -> Findings:
    """The time for ITPR of n attributes together grows no faster than n: 10 million records.

    Once every record is alone in its group, no further attribute is read.
    """
    records, numbers = (10**7, (1, 5, 10, 20, 40, 70, 100, 130)) if conditions.full else (10**4, (1, 5, 10))
    rng = np.random.default_rng(conditions.seed)
    names = [f"a{place}" for place in range(max(numbers))]
    table = {name: rng.integers(0, 2 + place % 20, records, np.int8) for place, name in enumerate(names)}
    table["Disease"] = rng.integers(0, 100, records, np.int8)
    return _growth("attributes", [(n, _seconds(table, names[:n])) for n in numbers])


def _seconds(table: Table, keys: Sequence[str]) -> float:
    """How long it takes from columns in memory to the number."""
    asked = {name: table[name] for name in (*keys, "Disease")}
    start = time.perf_counter()
    reading = measure(asked, "itpr", keys=keys, target="Disease")
    assert reading.value is not None  # it is counted when it is read
    return time.perf_counter() - start


def _growth(unit: str, found: Sequence[Point], logarithmic: str = "") -> Findings:
    """The seconds, a line fitted to them, and whether they grow no faster than in proportion."""
    x, y = np.array(found).T
    slope, start = (float(value) for value in np.polyfit(x, y, 1))
    line = [(float(at), start + slope * float(at)) for at in x if start + slope * at > 0]
    grows, allowed = float(y[-1] / y[0]), float(x[-1] / x[0])
    return Findings(
        numbers=[PublishedNumber(f"seconds for {int(at):,} {unit}", None, took) for at, took in found],
        claims=[
            Claim(
                f"The time grows no faster than the number of {unit}.",
                grows <= allowed,
                f"From first to last the time grows {grows:.3g} times, {unit} {allowed:,.0f} times.",
            )
        ],
        figures=[
            Figure(
                f"Seconds by {unit}",
                unit,
                "seconds",
                [Curve("ITPR", found), Curve("fitted line", line)],
                logarithmic,
            )
        ],
        tables=[
            Tabulation("Fitted line", ["seconds at 0", f"seconds for each of the {unit}"], [[start, slope]])
        ],
    )
