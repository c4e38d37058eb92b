"""Age (120 values) and disease (100): all measures against a bare grouped count of the same file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save

Run = Callable[[], Any]
GROUPED = "SELECT age, disease, count(*) AS n FROM '{}' GROUP BY age, disease"


def write(records: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(records)
    diseases = pa.array([f"disease {i:02d}" for i in range(100)])
    schema = pa.schema({"age": pa.int16(), "disease": pa.string()})
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, records, 1 << 20):
            n = min(1 << 20, records - first)
            age = rng.binomial(119, rng.beta(2, 3, n)).astype(np.int16)
            # Diseases lean with age, so that the measures have something to find.
            disease = (rng.geometric(0.05, n) + age // 10) % 100
            coded = pa.DictionaryArray.from_arrays(disease.astype(np.int32), diseases)
            writer.write_table(pa.table({"age": age, "disease": coded.cast(pa.string())}, schema=schema))


def divulge(path: str) -> Run:
    import divulge as dv

    return lambda: len([r.value for r in dv.measure(dv.read(path), keys="age", target="disease")])


def divulge_with_chance(path: str) -> Run:
    import divulge as dv

    return lambda: len([(r.value, r.chance) for r in dv.measure(dv.read(path), keys="age", target="disease")])


def duckdb(path: str) -> Run:
    import duckdb as engine

    connection = engine.connect()
    return lambda: len(connection.sql(GROUPED.format(path)).fetchall())


def polars_streaming(path: str) -> Run:
    import polars as pl

    grouped = pl.scan_parquet(path).group_by("age", "disease").len()
    return lambda: grouped.collect(engine="streaming").height


def _frame(path: str, kind: str) -> Any:
    import pyarrow.parquet as pq

    table = pq.read_table(path, read_dictionary=["disease"])
    if kind == "arrow":
        return table
    import polars as pl

    return table.to_pandas() if kind == "pandas" else pl.from_arrow(table)


def divulge_on_frame(path: str, kind: str) -> Run:
    import divulge as dv

    frame = _frame(path, kind)
    return lambda: len([r.value for r in dv.measure(frame, keys="age", target="disease")])


def own_grouped_count(path: str, kind: str) -> Run:
    frame = _frame(path, kind)
    if kind == "pandas":
        return lambda: len(frame.groupby(["age", "disease"], observed=True).size())
    if kind == "polars":
        return lambda: frame.group_by("age", "disease").len().height
    frame = frame.unify_dictionaries()
    return lambda: frame.group_by(["age", "disease"]).aggregate([([], "count_all")]).num_rows


def main(full: bool = True) -> None:
    tables = []
    for records in (10**7, 10**8) if full else (10**6,):
        path = made(f"low_{records}.parquet", partial(write, records))
        names = ["duckdb", "divulge", "divulge_with_chance", "polars_streaming"]
        results = [run("low_cardinality", name, path, repeats=5 if records < 10**8 else 2) for name in names]
        tables.append(compare(f"low cardinality, {records:,} records, Parquet", results, "duckdb"))
    path = made(f"low_{10**7 if full else 10**6}.parquet", partial(write, 10**7 if full else 10**6))
    for kind in ("pandas", "polars", "arrow"):
        results = [
            run("low_cardinality", name, path, kind) for name in ("own_grouped_count", "divulge_on_frame")
        ]
        title = f"low cardinality, {kind} with a dictionary column in memory, against its own grouped count"
        tables.append(compare(title, results, "own_grouped_count"))
    save("low_cardinality", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
