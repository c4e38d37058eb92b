"""Files three times the memory budget, counted on disk: memory against the budget, time against in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import Result, compare, made, run, save

Run = Callable[[], Any]
BUDGET = 500_000_000
RECORDS = 15_000_000  # 1.58 GB as CSV, and as much once the columns of Parquet are decoded
#: Attributes and how many values each has; the smaller its number, the more often a value occurs.
VALUES = {
    "sex": 2,
    "age": 95,
    "region": 20,
    "education": 6,
    "marital": 5,
    "postcode": 20_000,
    "birthday": 30_000,
    "income": 12,
    "health": 5,
}
FEW = ["sex", "age", "region", "education", "marital"]  # at most 114 000 combinations
MANY = ["sex", "postcode", "birthday"]  # nearly everyone is alone
ROLES: dict[str, Any] = {"quasi_identifiers": FEW, "sensitive": ["income", "health"]}


def write(form: str, path: Path) -> None:
    import duckdb

    picked = ["format('person {:06d}', i) AS person"] + [
        f"'{name} ' || ((hash(i, {place}) % {values} * (hash(i, {place + 100}) % 97 + 1)) // 97) AS {name}"
        for place, (name, values) in enumerate(VALUES.items())
    ]
    rows = f"SELECT {', '.join(picked)} FROM range({RECORDS}) AS numbers(i)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{path}' (FORMAT {form})")


def measured(path: str, keys: str, memory: str) -> Run:
    """All readings of some keys about income, the file read anew."""
    import divulge as dv

    def asked() -> list[float | None]:
        data = dv.read(path, memory=memory or None, **ROLES)
        return [one.value for one in dv.measure(data, keys=keys.split(","), target="income")]

    return asked


def audited(path: str, memory: str) -> Run:
    """A whole audit."""
    import divulge as dv

    return lambda: len(
        dv.audit(dv.read(path, memory=memory or None, identifiers="person", **ROLES)).to_dict()
    )


def bare_count(path: str, keys: str, memory: str) -> Run:
    """DuckDB's grouped count of the same columns, with as much memory and nothing made of it."""
    import tempfile

    import duckdb

    def counted() -> int:
        with tempfile.TemporaryDirectory() as folder:
            config = {"memory_limit": f"{int(memory) // 1000}KB", "temp_directory": folder}
            query = f"SELECT {keys}, income, count(*) FROM '{path}' GROUP BY ALL"
            with duckdb.connect(config=config) as connection:
                return int(connection.execute(f"SELECT count(*) FROM ({query})").fetchall()[0][0])

    return counted


def main(full: bool = True) -> None:
    tables = []
    for form in ("csv", "parquet") if full else ("parquet",):
        path = made(f"out_of_core_{RECORDS}.{form}", partial(write, form))
        for title, keys in {"few classes": FEW, "nearly everyone alone": MANY}.items():
            given = path, ",".join(keys)
            within = run("out_of_core", "measured", *given, BUDGET, repeats=1)
            results = [
                replace(within, contender="on disk"),
                replace(run("out_of_core", "measured", *given, "", repeats=1), contender="in memory"),
                run("out_of_core", "bare_count", *given, BUDGET, repeats=1),
            ]
            tables.append(compare(f"{form}, {title}", results, "in memory"))
            _tell(within)
        if full:
            within = run("out_of_core", "audited", path, BUDGET, repeats=1)
            in_memory = replace(run("out_of_core", "audited", path, "", repeats=1), contender="in memory")
            tables.append(compare(f"{form}, audit", [within, in_memory], "in memory"))
            _tell(within)
    save("out_of_core", tables)


def _tell(within: Result) -> None:
    print(f"  peak memory / budget: {within.peak * 2**20 / BUDGET:.2f}, aim 1.25 at most", flush=True)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
