"""A whole audit with its report, and the share of it spent reading, counting, searching, trying, drawing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.first_run import KEYS
from bench.first_run import write as write_small
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
    return _audited(path, ROLES)


def small_audit(path: str) -> Run:
    """The same of a table of the shape of the Adult data."""
    return _audited(path, {"quasi_identifiers": KEYS, "sensitive": ["occupation", "income"]})


def _audited(path: str, roles: dict[str, Any]) -> Run:
    import divulge as dv
    from divulge.report.audit.page import page

    def audited() -> dict[str, Any]:
        stages = Stages("Reading")
        found = dv.audit(dv.read(path, **roles), stage=stages)
        stages("Telling")
        document = found.to_dict()
        stages("Drawing")
        size = len(page(document)) / 1e6
        stages("")
        return {"stages": stages.spent, "page": size}

    return audited


class Stages:
    """How long each stage takes, by the clock and in processor time of all threads."""

    def __init__(self, first: str) -> None:
        self.spent: dict[str, list[float]] = {}
        self._doing, self._began = first, (time.perf_counter(), time.process_time())

    def __call__(self, doing: str) -> None:
        now = time.perf_counter(), time.process_time()
        spent = self.spent.setdefault(self._doing, [0.0, 0.0])
        for place, (end, begin) in enumerate(zip(now, self._began, strict=True)):
            spent[place] += end - begin
        self._doing, self._began = doing, now

    @staticmethod
    def said(spent: dict[str, list[float]]) -> str:
        return ", ".join(f"{name} {wall:.2f} s ({used:.2f} CPU)" for name, (wall, used) in spent.items())


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


def _say(answer: dict[str, Any]) -> None:
    print(f"  by stage: {Stages.said(answer['stages'])}")
    print(f"  the page has {answer['page']:.2f} MB")


def main(full: bool = True) -> None:
    tables = []
    for records in (10**6, 10**7) if full else (10**6,):
        path = made(f"audit_{records}.parquet", partial(write, records))
        names = ["audit", "one_question", "reading"]
        results = [run("audit", name, path, repeats=2) for name in names]
        tables.append(
            compare(f"audit, {records:,} records, 8 quasi-identifiers, 2 sensitive", results, "audit")
        )
        _say(results[0].answer)
    small = run("audit", "small_audit", made("adult_like.csv", write_small), repeats=3)
    tables.append(compare("audit of 30,162 people, 7 quasi-identifiers, 2 sensitive", [small], "small_audit"))
    _say(small.answer)
    save("audit", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
