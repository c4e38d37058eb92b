"""Spark on this machine: readings against the same aggregation by hand, by classes and by cores."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Result, compare, made, run, save

Run = Callable[[], Any]
KEYS = [f"q{i}" for i in range(6)]
READINGS = ["discrimination_rate", "itpr", "k_anonymity", "distinct_l_diversity", "worst_posterior"]
BLOCK = 1 << 20


def write(records: int, classes: int, path: Path) -> None:
    """Records of about so many classes, of which the first is a hundred times as large as others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(classes)
    with pq.ParquetWriter(path, pa.schema({**dict.fromkeys(KEYS, pa.int32()), "ill": pa.string()})) as writer:
        for first in range(0, records, BLOCK):
            n = min(BLOCK, records - first)
            which = rng.integers(0, classes, n)
            which[rng.random(n) < min(0.1, 100 / classes)] = 0
            if classes >= records:
                which = np.arange(first, first + n)
            columns: dict[str, Any] = {}
            for place, key in enumerate(KEYS):
                columns[key] = pa.array((which // 16**place % 16 if place < 5 else which >> 20), pa.int32())
            columns["ill"] = pa.array(np.char.add("illness ", rng.integers(0, 30, n).astype(str)))
            writer.write_table(pa.table(columns))


def _session(cores: str) -> Any:
    from divulge.engines.spark.session import started

    session = started(f"local[{cores}]")
    session.conf.set("spark.sql.shuffle.partitions", 8)
    session.range(1000).selectExpr("sum(id)").collect()
    return session


def divulge(path: str, cores: str) -> Run:
    """Five readings of what the keys tell about the illness, from a Spark frame."""
    import divulge as dv

    session = _session(cores)

    def measured() -> list[float]:
        data = dv.read(session.read.parquet(path))
        readings = dv.measure(data, READINGS, keys=KEYS, target="ill")
        return [reading.value for reading in readings] + [_most()]

    return measured


def by_hand(path: str, cores: str) -> Run:
    """The same readings as somebody who knows Spark would write them: cells, classes, one row."""
    session = _session(cores)
    keys = ", ".join(KEYS)
    query = f"""
        WITH cells AS (SELECT {keys}, ill, count(*) AS c FROM {{table}} GROUP BY {keys}, ill),
             classes AS (SELECT sum(c) AS n, sum(c * log2(c)) AS s, max(c) AS m, count(*) AS d
                         FROM cells GROUP BY {keys})
        SELECT count(*), sum(n), sum(n * log2(n) - s), min(n * log2(n) - s), min(n), min(d), max(m / n)
        FROM classes"""
    margin = "SELECT count(*) AS t FROM {table} GROUP BY ill"

    def counted() -> list[float]:
        table = session.read.parquet(path)
        [[y, n, left, least, k, l, top]] = session.sql(query, table=table).collect()
        share = np.array([row.t for row in session.sql(margin, table=table).collect()]) / n
        entropy = -(share * np.log2(share)).sum()
        return [1 - left / n / entropy, 1 - y * least / n / entropy, k, l, top, _most()]

    return counted


def _most() -> float:
    """The most memory this Python process has held, in MiB: the driver's side of what comes over."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(full: bool = True) -> None:
    records = 10**7 if full else 10**6
    tables, driver = [], {}
    for classes in (10**5, 10**6, 10**7) if full else (10**4, 10**5, 10**6):
        path = made(f"scale_spark_{records}_{classes}.parquet", partial(write, records, classes))
        results = [run("scale_spark", name, path, 2, repeats=2) for name in ("by_hand", "divulge")]
        _check(results)
        title = f"Spark local[2], {records:,} records, {classes:,} classes"
        tables.append(compare(title, results, "by_hand"))
        driver[classes] = results[1].peak
        if classes == 10**6:
            alone = [run("scale_spark", name, path, 1, repeats=2) for name in ("by_hand", "divulge")]
            tables.append(compare(title.replace("[2]", "[1]"), alone, "by_hand"))
            gain = [one.best / two.best for one, two in zip(alone, results, strict=True)]
            print(f"  local[1] takes {gain[1]:.2f} times as long as local[2] (by hand: {gain[0]:.2f})")
    print(
        "  the driver's Python held at most " + ", ".join(f"{m:.0f} MiB at {c:,}" for c, m in driver.items())
    )
    save("scale_spark", tables)


def _check(results: list[Result]) -> None:
    by_hand, ours = (result.answer[:5] for result in results)
    assert np.allclose(by_hand, ours, rtol=1e-9), (by_hand, ours)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
