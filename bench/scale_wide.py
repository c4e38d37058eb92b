"""10^7 records of 130 attributes: the whole audit, with roles given, proposed, and everything a key."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.audit import Stages
from bench.harness import compare, made, run, save

Run = Callable[[], Any]
#: What an attacker may know, with its number of values; those that end in "text" are written as texts.
KEYS = {
    "age": 95,
    "sex text": 2,
    "postcode": 900,
    "education text": 12,
    "marital_status text": 6,
    "household_size": 9,
    "country_of_birth text": 60,
    "nationality text": 40,
    "occupation text": 80,
    "religion text": 8,
    "commute_minutes": 90,
    "children": 8,
}
TARGETS = {"diagnosis text": 50, "income": 40, "medication text": 30}
#: Answers to a questionnaire, each on a scale of its own; every sixth is written as texts.
ANSWERS = {f"answer_{i:03d}{' text' if i % 6 == 0 else ''}": 2 + i * 37 % 60 for i in range(115)}
VALUES = {**KEYS, **TARGETS, **ANSWERS}
BLOCK = 1 << 20


def plain(name: str) -> str:
    return name.removesuffix(" text")


def write(records: int, path: Path) -> None:
    """Few values are common and many are rare, and neighbours have something to do with each other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(130)
    common = {
        name: np.minimum(rng.geometric(min(0.9, 3 / n), 1 << 12) - 1, n - 1) for name, n in VALUES.items()
    }
    texts = {name: pa.array([f"{plain(name)} {i}" for i in range(n)]) for name, n in VALUES.items()}
    kinds = {
        plain(name): pa.dictionary(pa.int16(), pa.string()) if " " in name else pa.int16() for name in VALUES
    }
    with pq.ParquetWriter(path, pa.schema(kinds), compression="zstd") as writer:
        for first in range(0, records, BLOCK):
            columns, before = {}, np.zeros(min(BLOCK, records - first), np.int16)
            for name, n in VALUES.items():
                drawn = common[name][rng.integers(0, 1 << 12, len(before), np.uint16)]
                codes = np.where(rng.integers(0, 8, len(before), np.uint8) == 0, before % n, drawn).astype(
                    np.int16
                )
                before = codes
                columns[plain(name)] = (
                    pa.DictionaryArray.from_arrays(codes, texts[name]) if " " in name else pa.array(codes)
                )
            writer.write_table(pa.table(columns))


def _roles(which: str) -> dict[str, Any]:
    keys, targets = ([plain(name) for name in names] for names in (KEYS, TARGETS))
    answers = [plain(name) for name in ANSWERS]
    if which == "proposed":
        return {}
    return {"quasi_identifiers": keys if which == "given" else [*keys, *answers], "sensitive": targets}


def audit(path: str, which: str = "given") -> Run:
    """The whole audit; seconds by stage are the answer."""
    import divulge as dv

    def audited() -> dict[str, list[float]]:
        stages = Stages("Opening")
        found = dv.audit(dv.read(path, **_roles(which)), stage=stages)
        stages("Telling")
        found.to_dict()
        stages("")
        return stages.spent

    return audited


def audit_proposed(path: str) -> Run:
    """The same when nobody said what an attacker knows."""
    return audit(path, "proposed")


def audit_all_keys(path: str) -> Run:
    """The same when an attacker may know everything that is not sensitive."""
    return audit(path, "everything")


def reading(path: str) -> Run:
    """What it takes to read the columns at all."""
    import divulge as dv

    return lambda: dv.read(path).load([plain(name) for name in VALUES])


def duckdb(path: str) -> Run:
    """The bare counts of every attribute alone and with each target: 130 and three times 130 queries."""
    import duckdb as engine

    connection = engine.connect()
    names = [plain(name) for name in VALUES]
    pairs = [(a, b) for b in map(plain, TARGETS) for a in names if a != b]
    grouped = [", ".join(columns) for columns in [*((name,) for name in names), *pairs]]

    def counted() -> int:
        rows = 0
        for columns in grouped:
            query = f"SELECT count(*) FROM (SELECT {columns}, count(*) FROM '{path}' GROUP BY {columns})"
            rows += connection.sql(query).fetchall()[0][0]
        return rows

    return counted


def main(full: bool = True) -> None:
    records = 10**7 if full else 10**6
    path = made(f"scale_wide_{records}.parquet", partial(write, records))
    names = ["audit", "audit_proposed", "audit_all_keys", "reading", "duckdb"]
    results = [run("scale_wide", name, path, repeats=1) for name in names]
    table = compare(f"whole audit, {records:,} records, 130 attributes", results, "audit")
    for result in results[:3]:
        print(f"  {result.contender} by stage: {Stages.said(result.answer)}")
    save("scale_wide", [table])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
