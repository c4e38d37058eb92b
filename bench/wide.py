"""130 attributes: the first n together and each alone, against one grouped count of all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save

Run = Callable[[], Any]
KEYS = [f"a{i:03d}" for i in range(130)]
FIRST = (1, 2, 5, 10, 20, 50, 130)


def write(records: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(130)
    schema = pa.schema(dict.fromkeys([*KEYS, "target"], pa.int8()))
    cardinalities = [int(rng.integers(2, 40)) for _ in KEYS]
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, records, 1 << 20):
            n = min(1 << 20, records - first)
            columns = {
                key: np.minimum(rng.geometric(2 / values, n) - 1, values - 1).astype(np.int8)
                for key, values in zip(KEYS, cardinalities, strict=True)
            }
            columns["target"] = rng.integers(0, 20, n).astype(np.int8)
            writer.write_table(pa.table(columns, schema=schema))


def divulge(path: str) -> Run:
    """Both sweeps, every measure at every step, from the file."""
    import divulge as dv

    def sweep() -> float:
        data = dv.read(path)
        data.load([*KEYS, "target"])
        together = [dv.measure(data, keys=KEYS[:n], target="target") for n in FIRST]
        alone = [dv.measure(data, keys=key, target="target") for key in KEYS]
        return float(
            sum(r.value for readings in (*together, *alone) for r in readings if r.value is not None)
        )

    return sweep


def divulge_together(path: str) -> Run:
    """The first n together, from the file: columns are read only while records still share a class."""
    import divulge as dv

    def sweep() -> int:
        data = dv.read(path)
        return len([r.value for n in FIRST for r in dv.measure(data, keys=KEYS[:n], target="target")])

    return sweep


def reading_alone(path: str) -> Run:
    """What it takes to read the columns at all."""
    import divulge as dv

    return lambda: dv.read(path).load([*KEYS, "target"])


def duckdb(path: str) -> Run:
    """One grouped count of the 130 columns, its rows counted inside DuckDB."""
    import duckdb as engine

    connection = engine.connect()
    keys = ", ".join(KEYS)
    query = f"SELECT count(*) FROM (SELECT {keys}, count(*) AS n FROM '{path}' GROUP BY {keys})"
    return lambda: connection.sql(query).fetchall()[0][0]


def main(full: bool = True) -> None:
    records = 10**7 if full else 10**6
    path = made(f"wide_{records}.parquet", partial(write, records))
    names = ["divulge", "divulge_together", "reading_alone", "duckdb"]
    results = [run("wide", name, path) for name in names]
    save("wide", [compare(f"wide, {records:,} records, 130 attributes", results, "divulge")])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
