"""Ten quasi-identifiers with millions of classes: all measures against bare grouped counts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save

Run = Callable[[], Any]
#: Values of birth year, sex, region, education, marital status, household size, country, work, car, job.
CARDINALITIES = (100, 2, 50, 16, 7, 9, 41, 8, 5, 120)
KEYS = [f"q{i}" for i in range(len(CARDINALITIES))]
FIVE = ("k_anonymity", "entropy_l_diversity", "t_closeness", "discrimination_rate", "itpr")


def write(records: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(records)
    columns = {
        # Skewed, as attributes of people are: few values are common and many are rare.
        key: np.minimum(rng.geometric(min(0.9, 4 / values), records) - 1, values - 1).astype(np.int16)
        for key, values in zip(KEYS, CARDINALITIES, strict=True)
    }
    columns["illness"] = rng.integers(0, 60, records).astype(np.int16)
    pq.write_table(pa.table(columns), path, row_group_size=1 << 20)


def divulge(path: str) -> Run:
    import divulge as dv

    return lambda: [r.value for r in dv.measure(dv.read(path), keys=KEYS, target="illness")][-6]


def divulge_five(path: str) -> Run:
    """Five measures asked one by one of the same data, whose question is counted once."""
    import divulge as dv

    def asked() -> int:
        data = dv.read(path)
        return len([dv.measure(data, name, keys=KEYS, target="illness").value for name in FIVE])

    return asked


def duckdb(path: str) -> Run:
    """The grouped count alone: its rows are counted inside DuckDB and never leave it."""
    import duckdb as engine

    connection = engine.connect()
    keys = ", ".join(KEYS)
    query = f"SELECT count(*) FROM (SELECT {keys}, count(*) AS n FROM '{path}' GROUP BY {keys})"
    return lambda: connection.sql(query).fetchall()[0][0]


def duckdb_delivered(path: str) -> Run:
    """The grouped count with its rows handed over, as anything that reads them needs."""
    import duckdb as engine

    connection = engine.connect()
    keys = ", ".join(KEYS)
    query = f"SELECT {keys}, count(*) AS n FROM '{path}' GROUP BY {keys}"
    return lambda: len(connection.sql(query).fetchnumpy()["n"])


def polars_streaming(path: str) -> Run:
    import polars as pl

    grouped = pl.scan_parquet(path).group_by(KEYS).len()
    return lambda: grouped.collect(engine="streaming").height


def main(full: bool = True) -> None:
    records = 10**7 if full else 10**6
    path = made(f"high_{records}.parquet", partial(write, records))
    names = ["divulge", "divulge_five", "duckdb", "duckdb_delivered", "polars_streaming"]
    results = [run("high_cardinality", name, path) for name in names]
    save(
        "high_cardinality", [compare(f"high cardinality, {records:,} records, ten keys", results, "divulge")]
    )
    print(f"classes: {results[2].answer:,}")


if __name__ == "__main__":
    main("--quick" not in sys.argv)
