"""Three releases beside their original, whole comparison, against the audit of one of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare as compared
from bench.harness import made, run, save

Run = Callable[[], Any]
VALUES = {
    "sex": 2,
    "age": 96,
    "region": 60,
    "education": 12,
    "marital": 6,
    "household": 8,
    "born": 40,
    "work": 9,
}
VALUES |= {"car": 5, "job": 100}
TARGETS = {"income": 12, "health": 5}
ROLES: dict[str, Any] = {"quasi_identifiers": list(VALUES), "sensitive": list(TARGETS)}
STEPS = (1, 2, 4, 10)  # how many values a release puts into one; the first is the original


def write(records: int, step: int, path: Path) -> None:
    """The same people each time, the values of large attributes in wider groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(10)
    columns = {
        name: np.minimum(rng.geometric(min(0.9, 3 / values), records) - 1, values - 1)
        for name, values in VALUES.items()
    }
    columns["income"] = (columns["education"] + rng.integers(0, 12, records)) % 12
    columns["health"] = np.minimum(columns["age"] // 20 + rng.integers(0, 2, records), 4)
    texts = {}
    for name, codes in columns.items():
        grouped = codes // step if name in VALUES and VALUES[name] > 10 else codes
        labels = pa.array([f"{name} {i}" if step == 1 else f"{name} {i} of {step}" for i in range(200)])
        texts[name] = pa.DictionaryArray.from_arrays(pa.array(grouped.astype(np.int16)), labels)
    pq.write_table(pa.table(texts), path)


def compare(*paths: str) -> Run:
    """Everything `divulge compare` does, the page in the end."""
    import divulge as dv
    from divulge.report.comparison.page import page

    def done() -> int:
        original, *releases = paths
        return len(page(dv.compare(dv.read(original, **ROLES), *releases).to_dict()))

    return done


def audit(*paths: str) -> Run:
    """The audit of the first release, its page in the end."""
    import divulge as dv
    from divulge.report.audit.page import page

    return lambda: len(page(dv.audit(dv.read(paths[1], **ROLES)).to_dict()))


def main(full: bool = True) -> None:
    records = 10**6 if full else 10**5
    paths = [made(f"compare_{records}_{step}.parquet", partial(write, records, step)) for step in STEPS]
    results = [run("compare", name, *paths, repeats=2) for name in ("audit", "compare")]
    title = f"three releases of {records:,} records, ten keys, two sensitive attributes"
    save("compare", [compared(title, results, "audit")])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
