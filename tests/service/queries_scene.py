"""A clinic whose table stays where it is, a policy for queries of it, and a service that answers them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb

from divulge.service.decisions.decisions import DecisionService
from divulge.service.operations.guarded.setting_up import guard
from divulge.service.operations.locations import ServiceLocations
from divulge.service.queries.guarded_tables import GuardedRow
from divulge.service.queries.query_service import QueryService

CLINIC = "clinic"
PATIENTS = 120
EXACT = """
[table]
source = "clinic.duckdb"
name = "patients"
record = "id"
[columns.age]
known = true
[columns.ward]
known = true
[columns.cost]
bounds = [0, 1000]
[controls]
set_size = 3
differencing = true
"""
NOISY = """
[table]
source = "clinic.duckdb"
name = "patients"
record = "id"
[columns.age]
known = true
[columns.ward]
known = true
[columns.cost]
bounds = [0, 1000]
[answers]
kind = "differential privacy"
epsilon = 0.1
budget = 1.0
"""


def patients(number: int = PATIENTS) -> list[tuple[int, int, str, int]]:
    """Made-up patients: id, age, ward and cost; only the one with the first id is aged 99."""
    drawn = random.Random(5)
    found = [(n, drawn.randrange(20, 80), drawn.choice("abc"), drawn.randrange(1000)) for n in range(number)]
    return [(0, 99, "a", 777), *found[1:]]


def table_file(path: Path) -> Path:
    """The clinic's table in a DuckDB file."""
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE patients (id INTEGER, age INTEGER, ward VARCHAR, cost INTEGER)")
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?, ?)", patients())
    return path


def guarded(url: str, folder: Path, policy: str = EXACT) -> ServiceLocations:
    """A service with the clinic's table, its keys and checkpoints in a folder."""
    if not (folder / "clinic.duckdb").exists():
        table_file(folder / "clinic.duckdb")
    (folder / "queries.toml").write_text(policy)
    place = ServiceLocations.of(url, folder / "keys", folder / "checkpoints")
    row, table = GuardedRow.of(CLINIC, folder / "queries.toml")
    with table:
        guard(place, row, table, "me")
    return place


@contextmanager
def answering(place: ServiceLocations) -> Iterator[tuple[DecisionService, QueryService]]:
    decider = place.open()
    with closing(decider.database), closing(QueryService(decider)) as queries:
        yield decider, queries


def ask(queries: QueryService, text: str, key: str, person: str = "ann") -> dict[str, Any]:
    (answer,) = queries.ask(CLINIC, text, person, key).answers
    return answer


def between(low: int, high: int, ward: str | None = None) -> str:
    """A sum over an interval of ages, as the guard writes it."""
    of = "" if ward is None else f" AND \"ward\" = '{ward}'"
    return f'SELECT SUM("cost") FROM "patients" WHERE "age" < {high} AND "age" >= {low}{of}'


def chosen(text: str) -> list[bool]:
    """Whom such a sum is about."""
    found = re.fullmatch(r"""SELECT SUM\("cost"\) FROM "patients" WHERE (.*)""", text)
    assert found is not None, text
    parts = [re.fullmatch(r"""\"(\w+)\" (<|>=|=) '?(\w+)'?""", one) for one in found[1].split(" AND ")]
    return [all(_meets(one, *part.groups()) for part in parts if part) for one in patients()]


def _meets(patient: tuple[int, int, str, int], column: str, operator: str, value: str) -> bool:
    if column == "ward":
        return patient[2] == value
    return patient[1] < int(value) if operator == "<" else patient[1] >= int(value)
