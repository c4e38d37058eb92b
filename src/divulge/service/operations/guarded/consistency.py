"""Whether the tables of a database say of a guarded table what its log says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from divulge.service.ledger.chain import Fault
from divulge.service.ledger.paging import paged
from divulge.service.operations.history import Ledger
from divulge.service.queries.entries import table_digest
from divulge.service.queries.guarded_tables import COLUMNS
from divulge.service.store.connection import Transaction

OF_GUARDED_TABLES = {"guarded_table": "name", "query": "dataset"}  # and the column that names it
OF_DATASETS = {
    "dataset": "name",
    **dict.fromkeys(("policy", "record", "cell", "request", "removed_answer"), "dataset"),
}


def disagreement_about_queries(
    connection: Transaction, name: str, ledger: Ledger, key: bytes
) -> Fault | None:
    """The first entry of a guarded table's log that the tables contradict."""
    found = [*_faults(connection, name, ledger, key)]
    found += filter(None, [stray_rows(connection, name, OF_DATASETS, ledger)])
    return min(found, key=lambda fault: fault.index, default=None)


def _faults(connection: Transaction, name: str, ledger: Ledger, key: bytes) -> Iterator[Fault]:
    rows = connection.rows(f"SELECT {COLUMNS} FROM guarded_table WHERE name = ?", (name,))
    if [table_digest(key, row) for row in rows] != [ledger.guarded]:
        yield Fault(1, "The guarded table is not described as in entry 1.")
    unseen = dict(ledger.queries)
    for repeat, index in paged(connection, "query", "repeat", "idx", name):
        told = unseen.pop(repeat, None)
        if told is None:
            yield Fault(ledger.entries, "The table of queries has one that no entry has.")
        elif told != index:
            yield Fault(told, f"A query is not that of entry {told}.")
    for index in unseen.values():
        yield Fault(index, f"The query of entry {index} is missing.")


def stray_rows(connection: Transaction, name: str, tables: Mapping[str, str], ledger: Ledger) -> Fault | None:
    """Rows under the name of a log that is about something else."""
    for table, column in tables.items():
        if connection.rows(f"SELECT 1 FROM {table} WHERE {column} = ? LIMIT 1", (name,)):
            return Fault(ledger.entries, f"The table {table} has rows of '{name}' that no entry has.")
    return None
