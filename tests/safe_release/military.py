"""The soldiers of the safe-release paper, and the records that say what it prints about them."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import divulge as dv
from divulge.safe_release import HolderTable, tabulate

GOLDEN = Path(__file__).parent.parent / "golden"
RECORDS: dict[str, dict[str, Any]] = {
    record["id"]: record for record in json.loads((GOLDEN / "safe_release.json").read_text(encoding="utf-8"))
}
LOCATIONS = ("L1", "L2", "L3", "L4", "L5")


def rows(file: str) -> list[dict[str, str]]:
    """A printed table, its line of totals left out."""
    with (GOLDEN / file).open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if "Total" not in row.values()]


@cache
def counts(file: str) -> npt.NDArray[np.int64]:
    """Soldiers by age (rows) and location (columns)."""
    return np.array([[int(row[location]) for location in LOCATIONS] for row in rows(file)])


@cache
def soldiers() -> HolderTable:
    """The whole table, counted from ten thousand records that come in no order."""
    ages = [row["Age"] for row in rows("tables/military_fig2.csv")]
    cells = [
        (ages[x], LOCATIONS[y])
        for (x, y), number in np.ndenumerate(counts("tables/military_fig2.csv"))
        for _ in range(number)
    ]
    shuffled = [cells[place] for place in np.random.default_rng(5).permutation(len(cells))]
    data = dv.read({"Age": [age for age, _ in shuffled], "Location": [place for _, place in shuffled]})
    return tabulate(data, ["Age"], ["Location"])
