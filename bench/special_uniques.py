"""Special uniques of every record: all minimal sets, against the package suda where that can be run.

Its scores count sets that contain smaller ones again, so that times are compared and not figures. sdcMicro,
which needs R, took 0.21 s on six and 0.41 s on nine attributes of Adult.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, environment, made, run, save

Run = Callable[[], Any]
SUDA = ("suda==0.2.2", "pandas>=3")
#: Adult's attributes: sex, age, race, marital status, education, country, work, occupation, salary.
ADULT = (2, 72, 5, 7, 16, 41, 8, 14, 2)
CENSUS = (100, 2, 50, 16, 7, 9, 41, 8, 5, 120, 3, 6)


def write(records: int, cardinalities: tuple[int, ...], path: Path) -> None:
    rng = np.random.default_rng(records)
    keys = [np.minimum(rng.geometric(min(0.9, 4 / v), records) - 1, v - 1) for v in cardinalities]
    with path.open("wb") as file:
        np.save(file, np.stack(keys, axis=1).astype(np.int16))


def divulge(path: str) -> Run:
    """All minimal sets, scores and contributions."""
    from divulge.table.codes import Codes
    from divulge.table.packing import coded, combinations
    from divulge.uniques.minimal_uniques import minimal_uniques
    from divulge.uniques.special_scores import special_scores

    columns = [Codes(column, range(256)) for column in (np.load(path).T + 1).astype(np.uint8)]

    def searched() -> float:
        number = combinations(coded(columns), len(columns[0].codes)).number
        return float(special_scores(minimal_uniques(columns), np.bincount(number)[number]).score.sum())

    return searched


def suda(path: str) -> Run:
    import pandas as pd
    from suda import suda as peer

    table = pd.DataFrame(np.load(path)).add_prefix("q")

    def searched() -> float:
        found = peer(table.copy(), max_msu=len(table.columns), columns=list(table.columns))
        return float(found["suda"].sum())

    return searched


def main(full: bool = True) -> None:
    sizes = [("six attributes, as Adult", 30_162, ADULT[:6]), ("nine attributes, as Adult", 30_162, ADULT)]
    sizes += [("a census", 10**5, CENSUS), ("ten attributes", 10**6, CENSUS[:10])] if full else []
    tables = []
    for place, (title, records, cardinalities) in enumerate(sizes):
        path = made(f"uniques_{records}_{len(cardinalities)}.npy", partial(write, records, cardinalities))
        results = [run("special_uniques", "divulge", path, repeats=3)]
        if place < 2 and full:
            python = environment("suda", *SUDA)
            results.append(run("special_uniques", "suda", path, python=python, repeats=1))
        tables.append(compare(f"{title}, {records:,} records", results, "divulge"))
    save("special_uniques", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
