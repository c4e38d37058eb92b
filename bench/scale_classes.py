"""10^8 records, ten keys, tens of millions of classes: all measures against DuckDB's bare grouped count."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save

Run = Callable[[], Any]
#: Values of birth year, sex, region, education, marital status, household size, country, work, car, job.
CARDINALITIES = (90, 2, 40, 10, 6, 8, 30, 7, 4, 60)
KEYS = [f"q{i}" for i in range(len(CARDINALITIES))]
BLOCK = 1 << 21


def write(records: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(8)
    common = [
        np.minimum(rng.geometric(min(0.9, 6 / n), 1 << 14) - 1, n - 1).astype(np.int16) for n in CARDINALITIES
    ]
    schema = pa.schema(dict.fromkeys([*KEYS, "illness"], pa.int16()))
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, records, BLOCK):
            n = min(BLOCK, records - first)
            drawn = [values[rng.integers(0, 1 << 14, n, np.uint16)] for values in common]
            columns = dict(zip(KEYS, drawn, strict=True))
            columns["illness"] = rng.integers(0, 60, n, np.int16)
            writer.write_table(pa.table(columns, schema=schema))


def _all_of(path: str, target: str) -> Run:
    import divulge as dv

    def measured() -> int:
        readings = dv.measure(dv.read(path), keys=KEYS, target=target)
        assert len([reading.value for reading in readings]) > 5
        return int(readings[0].question.counts.classes)

    return measured


def divulge(path: str) -> Run:
    """Every measure of what the keys tell about the illness."""
    return _all_of(path, "illness")


def divulge_records(path: str) -> Run:
    """Every measure of whom the keys tell apart."""
    return _all_of(path, "@record")


def _grouped(path: str, memory: str, columns: list[str]) -> Run:
    import duckdb as engine

    spilled = tempfile.gettempdir()
    connection = engine.connect(config={"memory_limit": f"{memory}MiB", "temp_directory": spilled})
    names = ", ".join(columns)
    query = f"SELECT count(*), sum(n) FROM (SELECT {names}, count(*) AS n FROM '{path}' GROUP BY {names})"
    return lambda: connection.sql(query).fetchall()[0][0]


def duckdb(path: str, memory: str) -> Run:
    """The grouped count of keys and illness alone; its rows never leave DuckDB."""
    return _grouped(path, memory, [*KEYS, "illness"])


def duckdb_records(path: str, memory: str) -> Run:
    """The grouped count of the keys alone."""
    return _grouped(path, memory, KEYS)


def main(full: bool = True) -> None:
    records = 10**8 if full else 10**7
    path = made(f"scale_classes_{records}.parquet", partial(write, records))
    tables = []
    for ours, theirs in (("divulge", "duckdb"), ("divulge_records", "duckdb_records")):
        mine = run("scale_classes", ours, path, repeats=2)
        bare = run("scale_classes", theirs, path, int(mine.peak), repeats=1)
        title = f"{records:,} records, {mine.answer:,} classes, DuckDB within {mine.peak:,.0f} MiB"
        tables.append(compare(title, [mine, bare], ours))
    save("scale_classes", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
