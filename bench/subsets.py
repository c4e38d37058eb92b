"""All 4,095 subsets of twelve quasi-identifiers in one search, against one grouped query for each subset."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Result, compare, environment, made, run, save

Run = Callable[[], Any]
PRIVATTACKS = "privattacks==1.4"
#: Values of birth year, sex, region, education, marital status, household, country, work, car, job, ...
CARDINALITIES = (100, 2, 50, 16, 7, 9, 41, 8, 5, 120, 3, 6)
KEYS = [f"q{i}" for i in range(len(CARDINALITIES))]
SUBSETS = [one for size in range(1, len(KEYS) + 1) for one in combinations(KEYS, size)]
SAMPLE, SMALLER_SAMPLE = 256, 64  # subsets that DuckDB and privattacks are timed on, spread evenly over sizes

RECORDS_QUERY = """
WITH classes AS (SELECT count(*)::DOUBLE AS n FROM people GROUP BY {keys})
SELECT count(*), min(n), count(*) FILTER (n = 1), sum(n * log2(n)) FROM classes
"""
TARGET_QUERY = """
WITH cells AS (SELECT {keys}, illness, count(*)::DOUBLE AS c FROM people GROUP BY {keys}, illness),
     classes AS (SELECT sum(c) AS n, sum(c * log2(c)) AS inside FROM cells GROUP BY {keys})
SELECT count(*), min(n), count(*) FILTER (n = 1), sum(n * log2(n)),
       sum(n * log2(n) - inside), min(n * log2(n) - inside) FROM classes
"""


def write(records: int, path: Path) -> None:
    rng = np.random.default_rng(records)
    # Skewed, as attributes of people are: few values are common and many are rare.
    keys = [np.minimum(rng.geometric(min(0.9, 4 / v), records) - 1, v - 1) for v in CARDINALITIES]
    table = np.stack([*keys, rng.integers(0, 60, records)], axis=1).astype(np.int16)
    with path.open("wb") as file:
        np.save(file, table)


def sampled(subsets: int) -> range:
    """Places of so many subsets among all, evenly spread."""
    return range(0, len(SUBSETS), -(-len(SUBSETS) // subsets))


def divulge(path: str, target: str = "") -> Run:
    """Every subset with its discrimination rate, ITPR, k and uniqueness."""
    from divulge.engines.lattice.search import search
    from divulge.table.codes import Codes

    *keys, illness = (Codes(column, range(256)) for column in (np.load(path).T + 1).astype(np.uint8))
    targets = [illness] if target else []

    def searched() -> list[list[float]]:
        found = search(keys, targets=targets)
        rates = [
            (found.discrimination_rate(which), found.itpr(which)) for which in (None, *range(len(targets)))
        ]
        assert all(len(one) == len(SUBSETS) for pair in rates for one in (*pair, found.uniqueness))
        left = [one for target in found.targets for one in (target.total, target.least)]
        statistics = [found.classes, found.least, found.unique, found.about_records.total, *left]
        return [[float(one[list(sampled(n))].sum()) for one in statistics] for n in (SAMPLE, SMALLER_SAMPLE)]

    return searched


def duckdb(path: str, target: str = "") -> Run:
    """One grouped query for each subset of the sample, from a table in memory."""
    import duckdb as engine

    connection = engine.connect()
    connection.register("given", dict(zip([*KEYS, "illness"], np.load(path).T.copy(), strict=True)))
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    query = TARGET_QUERY if target else RECORDS_QUERY

    def asked() -> list[float]:
        rows = [
            connection.execute(query.format(keys=", ".join(SUBSETS[place]))).fetchall()[0]
            for place in sampled(SAMPLE)
        ]
        return np.sum(rows, axis=0).tolist()

    return asked


def privattacks(path: str) -> Run:
    """What privattacks computes for a subset is classes / records, the average re-identification risk."""
    import privattacks as peer

    table = np.load(path)
    attack = peer.Attack(peer.Data(matrix=table[:, :-1], cols=KEYS))

    def attacked() -> list[float]:
        risks = [attack.posterior_vulnerability("reid", list(SUBSETS[p])) for p in sampled(SMALLER_SAMPLE)]
        return [sum(risks) * len(table)]

    return attacked


def scaled(result: Result, subsets: int) -> Result:
    """The time for all subsets, from that for a sample."""
    times = len(SUBSETS) / len(sampled(subsets))
    return replace(result, best=result.best * times, first=result.first * times)


def main(full: bool = True) -> None:
    records = 10**5 if full else 10**4
    path = made(f"subsets_{records}.npy", partial(write, records))
    tables = []
    for target in ([], ["illness"]):
        ours = run("subsets", "divulge", path, *target, repeats=5)
        queries = run("subsets", "duckdb", path, *target)
        _check(ours.answer[0], queries.answer)
        results = [ours, scaled(queries, SAMPLE)]
        if not target:
            peer = run(
                "subsets", "privattacks", path, python=environment("privattacks", PRIVATTACKS), repeats=1
            )
            _check(ours.answer[1][:1], peer.answer)
            results.append(scaled(peer, SMALLER_SAMPLE))
        about = f"{len(SUBSETS):,} subsets of {len(KEYS)} attributes, {records:,} records"
        tables.append(compare(", ".join([about, *target]), results, "divulge"))
    print(f"\nDuckDB was timed on {SAMPLE} subsets, privattacks in one process on {SMALLER_SAMPLE}: scaled.")
    print("DuckDB finds the same sums and minima, privattacks the number of classes alone. All agree.")
    save("subsets", tables)


def _check(ours: Sequence[float], theirs: Sequence[float]) -> None:
    if not np.allclose(ours, theirs, rtol=1e-9, atol=0):
        raise SystemExit(f"divulge found {ours}, its peer {theirs}")


if __name__ == "__main__":
    main("--quick" not in sys.argv)
