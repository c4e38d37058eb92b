"""Decisions about queries with the exact audit of differencing, against the bare query on DuckDB."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import made, run, save

RECORDS, ANSWERED, TIMED = (10_000, 100_000, 1_000_000), (10, 100, 500), 20
COLUMNS = {"age": {"known": True}, "region": {"known": True}, "hours": {"known": True}}


def write_people(records: int, path: Path) -> None:
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS id, 18 + (hash(i) % 80)::INT AS age, "
            "(hash(i + 1) % 50)::INT AS region, (hash(i + 2) % 1000)::INT AS hours, "
            "(hash(i + 3) % 100000)::INT AS income "
            f"FROM range({records}) t(i)"
        )


def asked() -> Iterator[str]:
    """Sums over random conditions, of a hundredth to a half of all."""
    rng = np.random.default_rng(0)
    while True:
        age, hours = np.sort(rng.integers(18, 98, 2)), np.sort(rng.integers(0, 1000, 2))
        regions = ", ".join(map(str, rng.choice(50, rng.integers(5, 45), replace=False)))
        yield (
            f"SELECT SUM(income) FROM people WHERE age BETWEEN {age[0]} AND {age[1]} AND "
            f"hours BETWEEN {hours[0]} AND {hours[1]} AND region IN ({regions})"
        )


def guarded(path: str, controls: str = "exact") -> Callable[[], Any]:
    """Milliseconds of a decision after some answers, parsing and all, and how many groups there are."""
    from divulge.queries.guard import QueryGuard
    from divulge.queries.policy import QueryPolicy
    from divulge.queries.table import open_table

    audit = True if controls == "exact" else {"margin": 0.05}
    given = {
        "table": {"name": "people", "record": "id", "source": path},
        "columns": {**COLUMNS, "income": {"bounds": [0, 100_000]}},
        "controls": {"set_size": 5, "differencing": audit},
    }
    policy = QueryPolicy.of(given)
    table = open_table(policy)
    guard = QueryGuard(policy, table, secret=bytes(32))

    def measured() -> dict[str, Any]:
        state, texts, found = guard.replay([]), asked(), {}
        refused = 0
        for target in ANSWERED:
            while state.answered < target:
                decision = guard.decide(guard.parse(next(texts)), "ann", state)
                refused += decision.outcome == "refused"
                state = guard.after(state, decision)
            times = []
            for _ in range(TIMED):
                began = time.process_time()
                guard.decide(guard.parse(next(texts)), "ann", state)
                times.append(time.process_time() - began)
            groups = len(next(iter(state.families.values())).span.groups.size)
            found[str(target)] = {"ms": 1000 * float(np.median(times)), "groups": groups, "refused": refused}
        return found

    return measured


def bare(path: str) -> Callable[[], Any]:
    """Milliseconds of the query alone."""
    import duckdb

    connection = duckdb.connect(path, read_only=True)

    def measured() -> float:
        texts, times = asked(), []
        for _ in range(TIMED * 3):
            text = next(texts)
            began = time.process_time()
            connection.execute(text).fetchall()
            times.append(time.process_time() - began)
        return 1000 * float(np.median(times))

    return measured


def main(full: bool = True) -> None:
    rows = []
    print("processor time of one decision with the audit of differencing, parsed, decided and answered")
    print("  records  answered    groups  refused  decision ms  a second  bare query ms  ratio")
    for records in RECORDS if full else RECORDS[:2]:
        path = made(f"queries_{records}.duckdb", partial(write_people, records))
        alone = run("queries", "bare", path, repeats=1).answer
        for answered, one in run("queries", "guarded", path, repeats=1).answer.items():
            ratio = one["ms"] / alone
            print(
                f"{records:9,}  {answered:>8}  {one['groups']:8,}  {one['refused']:7,}  {one['ms']:11.1f}"
                f"  {1000 / one['ms']:8.1f}  {alone:13.2f}  {ratio:5.1f}",
                flush=True,
            )
            rows.append(
                {"records": records, "answered": int(answered), **one, "bare_ms": alone, "ratio": ratio}
            )
    save("queries", [{"title": "queries", "rows": rows}])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
