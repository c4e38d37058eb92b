"""A whole audit with its report, and the share of it spent reading, counting, searching, trying, drawing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import compare, made, run, save

Run = Callable[[], Any]
#: A census: values of sex, age, region, education, marital status, household, country and work.
VALUES = {
    "sex": 2,
    "age": 95,
    "region": 60,
    "education": 12,
    "marital": 6,
    "household": 8,
    "born": 40,
    "work": 9,
}
TARGETS = {"income": 12, "health": 5}
ROLES: dict[str, Any] = {"quasi_identifiers": list(VALUES), "sensitive": list(TARGETS)}


def write(records: int, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(8)
    columns = {
        name: np.minimum(rng.geometric(min(0.9, 3 / values), records) - 1, values - 1).astype(np.int16)
        for name, values in VALUES.items()
    }
    columns["income"] = (columns["education"] + rng.integers(0, 12, records)) % 12
    columns["health"] = np.minimum(columns["age"] // 20 + rng.integers(0, 2, records), 4)
    names = {name: np.asarray([f"{name} {i}" for i in range(200)]) for name in columns}
    texts = {
        name: pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int16)), pa.array(names[name]))
        for name, codes in columns.items()
    }
    pq.write_table(pa.table(texts), path)


def audit(path: str) -> Run:
    """Everything `divulge audit` does, the page in the end; seconds by stage are the answer."""
    import divulge as dv
    from divulge.report.audit.page import page

    def audited() -> dict[str, float]:
        spent: dict[str, float] = {}
        current = ["Reading", time.perf_counter()]

        def stage(doing: str) -> None:
            now = time.perf_counter()
            spent[current[0]] = spent.get(current[0], 0.0) + now - current[1]
            current[:] = [doing, now]

        found = dv.audit(dv.read(path, **ROLES), stage=stage)
        stage("Telling")
        document = found.to_dict()
        stage("Drawing")
        spent["page, MB"] = len(page(document)) / 1e6
        stage("")
        return spent

    return audited


def reading(path: str) -> Run:
    """What it takes to read the columns at all."""
    import divulge as dv

    return lambda: dv.read(path, **ROLES).load([*VALUES, *TARGETS])


def one_question(path: str) -> Run:
    """All measures of all quasi-identifiers together for one sensitive attribute, chance left out."""
    import divulge as dv

    def asked() -> int:
        data = dv.read(path, **ROLES)
        return len([one.value for one in dv.measure(data, keys=list(VALUES), target="income")])

    return asked


def main(full: bool = True) -> None:
    tables = []
    for records in (10**6, 10**7) if full else (10**6,):
        path = made(f"audit_{records}.parquet", partial(write, records))
        names = ["audit", "one_question", "reading"]
        results = [run("audit", name, path, repeats=2) for name in names]
        tables.append(
            compare(f"audit, {records:,} records, 8 quasi-identifiers, 2 sensitive", results, "audit")
        )
        total = results[0].answer
        page = total.pop("page, MB")
        print(f"  by stage: {', '.join(f'{name} {seconds:.2f} s' for name, seconds in total.items())}")
        print(f"  the page has {page:.2f} MB")
    save("audit", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
