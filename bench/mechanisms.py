"""Releases: recoding against Polars, post-randomisation and rank swapping against reading and writing."""

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
GROUPS = {f"{zip_code:05d}": f"{zip_code // 100:03d}**" for zip_code in range(10_000, 11_000)}
COLUMNS = {"zip": 1_000, "age": 90, "sex": 2, "job": 40, "income": 50_000, "illness": 25}


def write_people(records: int, ending: str, path: Path) -> None:
    import polars as pl

    rng = np.random.default_rng(records)
    zips = np.array(list(GROUPS))
    columns: dict[str, Any] = {"zip": zips[rng.integers(0, len(zips), records)]}
    for name, values in COLUMNS.items():
        if name != "zip":
            columns[name] = np.minimum(rng.geometric(min(0.9, 4 / values), records) - 1, values - 1)
    frame = pl.DataFrame(columns).with_columns(pl.format("illness {}", "illness").alias("illness"))
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)


def _out(path: str) -> Path:
    return Path(tempfile.mkdtemp(prefix="divulge-bench-"), f"released{Path(path).suffix}")


def _transformed(path: str, steps: list[dict[str, Any]], **how: Any) -> Run:
    """A file read, released by a recipe and written."""
    import divulge as dv

    out = _out(path)

    def made_once() -> int:
        recipe = dv.Recipe.of({"seed": 1, "step": steps})
        return dv.transform(path, recipe, out=out, overwrite=True, **how).manifest.records_out

    return made_once


def recode(path: str) -> Run:
    from divulge.table.hierarchy import Hierarchy

    hierarchy = Hierarchy.of(GROUPS.items(), attribute="zip")
    step = {"mechanism": "recode", "attributes": ["zip"], "hierarchy": {"zip": hierarchy}, "level": 1}
    return _transformed(path, [step], keep_order=True)


def polars_replace(path: str) -> Run:
    """The same in Polars: read, replace, write."""
    import polars as pl

    out = _out(path)
    csv = path.endswith(".csv")

    def replaced() -> int:
        frame = pl.read_csv(path, schema_overrides={"zip": pl.String}) if csv else pl.read_parquet(path)
        frame = frame.with_columns(pl.col("zip").replace(GROUPS))
        frame.write_csv(out) if csv else frame.write_parquet(out)
        return frame.height

    return replaced


def read_and_write(path: str) -> Run:
    """A file read and written by divulge, with nothing done to it but one column left out."""
    return _transformed(path, [{"mechanism": "remove", "attributes": ["job"]}], keep_order=True)


def shuffle(path: str) -> Run:
    return _transformed(path, [{"mechanism": "remove", "attributes": ["job"]}])


def pram(path: str) -> Run:
    step = {"mechanism": "pram", "attributes": ["illness"], "retention": 0.8}
    return _transformed(path, [step], keep_order=True)


def pram_within_budget(path: str) -> Run:
    """The same by DuckDB within 500 MB."""
    step = {"mechanism": "pram", "attributes": ["illness"], "retention": 0.8}
    return _transformed(path, [step], keep_order=True, memory="500MB")


def rank_swapping(path: str) -> Run:
    step = {"mechanism": "rank_swapping", "attributes": ["income"], "percent": 5}
    return _transformed(path, [step], keep_order=True)


def main(full: bool = True) -> None:
    tables = []
    for records in (1_000_000, 10_000_000) if full else (1_000_000,):
        for ending in ("csv", "parquet"):
            path = made(f"people_{records}.{ending}", partial(write_people, records, ending))
            named = f"{records:,} records, {ending}"
            times = partial(run, "mechanisms", repeats=3 if records < 10**7 else 2)
            tables.append(
                compare(
                    f"Recoding of {named}",
                    [times(one, path) for one in ("polars_replace", "recode")],
                    "polars_replace",
                )
            )
            tables.append(
                compare(
                    f"Random steps on {named}",
                    [times(one, path) for one in ("read_and_write", "shuffle", "pram", "rank_swapping")],
                    "read_and_write",
                )
            )
            if records == 10**7:  # fewer fit into the budget
                within = [times(one, path) for one in ("pram", "pram_within_budget")]
                tables.append(compare(f"Within a budget, {named}", within, "pram"))
    save("mechanisms", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
