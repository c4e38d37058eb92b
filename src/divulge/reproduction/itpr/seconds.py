"""Figures 6 and 7: how long ITPR takes, by records and by attributes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cores
from divulge.api import measure
from divulge.reproduction.experiment import (
    Cell,
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
    "The paper draws seconds of its cluster and prints none. Ours are from columns in memory to the number, "
    "on one machine, and differ from run to run."
)
STRAIGHT = 0.9  # the share of the variation that a line has to explain where growth is called linear
AGES, DISEASES = 120, 100
UNRELATED, RELATED = "unrelated", "following from age"
EVERYONE_ALONE = "Once every record is alone in its group, no further attribute is read."
Table = Mapping[str, npt.NDArray[np.int8]]
Timed = Mapping[str, Sequence[Point]]


@PAPER.add("figure-6", "Seconds by number of records", "Figure 6, section 5", caveat=CLUSTER)
def figure_6(conditions: Conditions) -> Findings:
    """The time for ITPR grows in proportion to the number of records: ages of 120 values, 100 diseases."""
    most = 8 if conditions.full else 5
    rng = np.random.default_rng(conditions.seed)
    _seconds({"Age": np.zeros(2, np.int8), "Disease": np.arange(2, dtype=np.int8)}, ["Age"])  # once
    found: list[Point] = []
    for records in (10**power for power in range(4, most + 1)):
        table = {
            "Age": rng.integers(0, AGES, records, np.int8),
            "Disease": rng.integers(0, DISEASES, records, np.int8),
        }
        found.append((records, _seconds(table, ["Age"])))
    return _growth("records", {"ITPR": found}, logarithmic="xy")


@PAPER.add(
    "figure-7",
    "Seconds by number of attributes",
    "Figure 7, section 5",
    caveat=f"{CLUSTER} The paper does not say what its attributes are; here they are read in two ways.",
    takes="minutes and 3 GB of memory",
)
def figure_7(conditions: Conditions) -> Findings:
    """The time for ITPR of n attributes together grows linearly, or not at all once everyone is alone.

    10 million records.
    """
    records, numbers = (10**7, (1, 5, 10, 20, 40, 70, 100, 130)) if conditions.full else (10**4, (1, 5, 10))
    found: dict[str, list[Point]] = {}
    for name, related in ((RELATED, True), (UNRELATED, False)):
        table = _attributes(records, max(numbers), np.random.default_rng(conditions.seed), related=related)
        keys = [key for key in table if key != "Disease"]
        found[name] = [(n, _seconds(table, keys[:n])) for n in numbers]
    return _growth("attributes", found, {UNRELATED: EVERYONE_ALONE})


def _attributes(records: int, many: int, rng: np.random.Generator, *, related: bool) -> Table:
    """So many attributes of 2 to 21 values: drawn each by itself, or following from an age of 120 values."""
    ages = rng.integers(0, AGES, records, np.int8)
    table: dict[str, npt.NDArray[np.int8]] = {}
    for place in range(many):
        values = 2 + place % 20
        of_age = rng.integers(0, values, AGES, np.int8)
        table[f"a{place}"] = of_age[ages] if related else rng.integers(0, values, records, np.int8)
    return {**table, "Disease": rng.integers(0, DISEASES, records, np.int8)}


def _seconds(table: Table, keys: Sequence[str]) -> float:
    """How long it takes from columns in memory to the number."""
    asked = {name: table[name] for name in (*keys, "Disease")}
    start = time.perf_counter()
    reading = measure(asked, "itpr", keys=keys, target="Disease")
    assert reading.value is not None  # it is counted when it is read
    return time.perf_counter() - start


def _growth(
    unit: str, timed: Timed, why: Mapping[str, str] = MappingProxyType({}), logarithmic: str = ""
) -> Findings:
    """The seconds, a line fitted to them, and whether they grow as the paper says."""
    curves: list[Curve] = []
    claims: list[Claim] = []
    fits: list[list[Cell]] = []
    for name, found in timed.items():
        start, slope, explained = _fitted(found, relative=bool(logarithmic))
        of = f", {name}" if len(timed) > 1 else ""
        curves.append(Curve(name, found))
        # Below zero a line cannot be drawn on a logarithmic axis, and seconds make no sense.
        drawn = [(at, start + slope * at) for at, _ in found if start + slope * at > 0]
        curves.append(Curve(f"line{of}", drawn))
        claims.append(
            Claim(
                f"The time grows linearly with the number of {unit}{of}.",
                explained >= STRAIGHT,
                f"A straight line explains {explained:.0%} of the variation. {why.get(name, '')}".rstrip(),
            )
        )
        fits.append([name, start, slope, explained])
    return Findings(
        numbers=[
            PublishedNumber(
                f"{int(at):,} {unit if at > 1 else unit[:-1]}{f', {name}' if len(timed) > 1 else ''}",
                None,
                took,
            )
            for name, found in timed.items()
            for at, took in found
        ],
        claims=claims,
        figures=[Figure(f"Seconds by {unit}", unit, "seconds", curves, logarithmic)],
        tables=[
            Tabulation("Fitted lines", ["", "seconds at 0", f"seconds for one of the {unit}", "fit"], fits),
            _machines(),
        ],
    )


def _fitted(found: Sequence[Point], *, relative: bool) -> tuple[float, float, float]:
    """A straight line by least squares: where it begins, its slope, and the share of variation it explains.

    Relative errors count where seconds differ by powers of ten, so that the short ones count as well.

    >>> _fitted([(1, 3), (2, 5), (3, 7)], relative=False)
    (1.0, 2.0, 1.0)
    """
    x, y = np.array(found, dtype=np.float64).T
    slope, start = np.polyfit(x, y, 1, w=1 / y if relative else None)
    left, spread = float(((y - start - slope * x) ** 2).sum()), float(((y - y.mean()) ** 2).sum())
    return (round(float(start), 12), round(float(slope), 15), round(1 - left / spread, 12) if spread else 1.0)


def _machines() -> Tabulation:
    """The paper's cluster, and what this was run on."""
    rows: list[list[Cell]] = [
        ["the paper", "Spark, four nodes", 100, "1 GB for each core"],
        ["here", "one machine", cores(), "columns in memory"],
    ]
    return Tabulation("Where it ran", ["", "what", "cores", "memory"], rows)
