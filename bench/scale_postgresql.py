"""A PostgreSQL table of 10^7 rows: the whole audit against the bare queries that it sends."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bench.cluster import postgresql, server_seconds
from bench.harness import DATA, compare, run, save

Run = Callable[[], Any]
#: Columns of a register with their numbers of values; combinations are fewer, since they go together.
KEYS = {
    "birth_year": 80,
    "sex": 2,
    "region": 18,
    "education": 6,
    "marital": 4,
    "household": 7,
    "born": 9,
    "work": 7,
}
TARGETS = {"income": 10, "health": 5}
TABLE = "register"
ROLES: dict[str, Any] = {"identifiers": "id", "quasi_identifiers": list(KEYS), "sensitive": list(TARGETS)}
BLOCK = 200_000
REPEATS = 2


def fill(url: str, records: int) -> None:
    """The table by COPY; texts for all but the years and the household, as registers have them."""
    import psycopg

    rng = np.random.default_rng(4)
    kinds = {name: "smallint" if name in ("birth_year", "household") else "text" for name in KEYS | TARGETS}
    columns = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE UNLOGGED TABLE {TABLE} (id bigint, {columns})")
        with connection.cursor().copy(f"COPY {TABLE} FROM STDIN") as copy:
            for first in range(0, records, BLOCK):
                copy.write(_lines(rng, first, min(BLOCK, records - first), kinds))
        connection.execute(f"VACUUM ANALYZE {TABLE}")


def _lines(rng: np.random.Generator, first: int, n: int, kinds: dict[str, str]) -> bytes:
    import polars as pl

    codes = {
        name: np.minimum(rng.geometric(min(0.9, 5 / values), n) - 1, values - 1)
        for name, values in (KEYS | TARGETS).items()
    }
    codes |= {name: rng.integers(0, KEYS[name], n) for name in ("birth_year", "sex", "region")}
    codes["income"] = (codes["education"] + codes["birth_year"] // 8) % TARGETS["income"]
    table = {"id": rng.permutation(n) + first}
    for name, kind in kinds.items():
        words = np.asarray([i if kind == "smallint" else f"{name} {i}" for i in range(100)])
        table[name] = words[codes[name]]
    text = io.BytesIO()
    pl.DataFrame(table).write_csv(text, include_header=False, separator="\t", quote_style="never")
    return text.getvalue()


@contextmanager
def _noted(into: list[Any]) -> Iterator[None]:
    """Every statement that SQLAlchemy sends, in order, and whether its rows are fetched block by block."""
    from sqlalchemy import Engine, event

    def sent(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        into.append((statement, parameters, "stream_results" in context.execution_options))

    event.listen(Engine, "before_cursor_execute", sent)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", sent)


def audit(url: str, noted: str) -> Run:
    """The whole audit; the statements are noted in a file, and seconds by stage are the answer."""
    import divulge as dv

    def audited() -> dict[str, float]:
        spent: dict[str, float] = {}
        current = ["Opening", time.perf_counter()]

        def stage(doing: str) -> None:
            now = time.perf_counter()
            spent[current[0]] = spent.get(current[0], 0.0) + now - current[1]
            current[:] = [doing, now]

        statements: list[Any] = []
        with _noted(statements):
            data = dv.read(url.replace("://", "+psycopg://"), table=TABLE, **ROLES)
            found = dv.audit(data, stage=stage)
            stage("Telling")
            found.to_dict()
            stage("")
        with open(noted, "w") as file:
            json.dump([one for one in statements if TABLE in one[0] and "pg_catalog" not in one[0]], file)
        return spent

    return audited


def queries(url: str, noted: str) -> Run:
    """The same statements sent bare, one after the other on one connection, and their rows fetched."""
    import psycopg

    with open(noted) as file:
        statements = json.load(file)

    def sent() -> list[float]:
        spent = []
        with psycopg.connect(url) as connection:
            connection.read_only = True
            for statement, parameters, blocks in statements:
                began = time.perf_counter()
                with connection.cursor("blocks") if blocks else connection.cursor() as cursor:
                    cursor.execute(statement, parameters)
                    while cursor.fetchmany(50_000):
                        pass
                spent.append(time.perf_counter() - began)
        return spent

    return sent


def main(full: bool = True) -> None:
    records = 10**7 if full else 10**6
    with postgresql() as url:
        if url is None:
            print("No PostgreSQL is installed.")
            return
        print("filling the table ...", flush=True)
        fill(url, records)
        DATA.mkdir(exist_ok=True)
        noted = str(DATA / "scale_postgresql.json")
        results, server = [], {}
        for name in ("audit", "queries"):
            before = server_seconds(url)
            results.append(run("scale_postgresql", name, url, noted, repeats=REPEATS))
            server[name] = (server_seconds(url) - before) / REPEATS
        table = compare(
            f"PostgreSQL, {records:,} rows: whole audit and its {len(results[1].answer)} queries",
            results,
            "queries",
        )
        said = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in results[0].answer.items())
        print(f"  by stage: {said}")
        used = ", ".join(f"{one.contender} {server[one.contender]:.1f} + {one.cpu:.1f}" for one in results)
        print(f"  processor seconds of the server and of the client: {used}")
        longest = sorted(results[1].answer, reverse=True)[:5]
        print(f"  longest queries: {', '.join(f'{seconds:.1f} s' for seconds in longest)}")
    save("scale_postgresql", [table])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
