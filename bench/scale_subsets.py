"""All subsets of up to three of twelve keys on Spark, where all are unique, against counting each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save

Run = Callable[[], Any]
#: Values of birth year, sex, region, education, marital status, household, country, work, car, job, ...
CARDINALITIES = (90, 2, 40, 10, 6, 8, 30, 7, 4, 60, 25, 100)
KEYS = [f"q{i}" for i in range(len(CARDINALITIES))]
TIMED = 12  # subsets that are counted one by one, of all 298
BLOCK = 1 << 20


def write(records: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(12)
    schema = pa.schema(dict.fromkeys([*KEYS, "illness"], pa.int16()))
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, records, BLOCK):
            n = min(BLOCK, records - first)
            columns = {
                key: rng.integers(0, most, n, np.int16) for key, most in zip(KEYS, CARDINALITIES, strict=True)
            }
            columns["illness"] = rng.integers(0, 10, n, np.int16)
            writer.write_table(pa.table(columns, schema=schema))


def _opened(path: str) -> Any:
    from divulge.engines.spark.session import started

    session = started("local[2]")
    session.conf.set("spark.sql.shuffle.partitions", "8")
    return session.read.parquet(path)


def shared(path: str) -> Run:
    """Classes, the smallest, unique records, discrimination rate and ITPR of every subset, both targets."""
    import divulge as dv
    from divulge.assessment.drivers.subsets import search
    from divulge.assessment.scope import Scope

    frame = _opened(path)

    def searched() -> int:
        data = dv.read(frame, quasi_identifiers=KEYS, sensitive=["illness"])
        found = search(Scope(data))
        assert found is not None
        return len(found.masks)

    return searched


def one_by_one(path: str) -> Run:
    """The bare grouped count of some subsets with the illness, none of which leaves Spark."""
    frame = _opened(path)
    every = [names for size in (1, 2, 3) for names in combinations(KEYS, size)]
    some = every[:: len(every) // TIMED][:TIMED]

    def counted() -> int:
        return sum(frame.groupBy(*names, "illness").count().count() for names in some)

    return counted


def main(full: bool = True) -> None:
    records = 10**7 if full else 2 * 10**6
    path = made(f"scale_subsets_{records}.parquet", partial(write, records))
    mine = run("scale_subsets", "shared", path, repeats=1)
    bare = run("scale_subsets", "one_by_one", path, repeats=1)
    title = (
        f"{records:,} records, everyone unique, {mine.answer} subsets against {TIMED} counted on their own"
    )
    tables = [compare(title, [mine, bare], "shared")]
    times = bare.best * mine.answer / TIMED / mine.best
    print(f"  all {mine.answer} counted on their own would take {times:.1f} times as long", flush=True)
    save("scale_subsets", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
