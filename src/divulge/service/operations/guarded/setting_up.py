"""A guarded table is put into a service; what was killed half-way is taken away first, and done again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import astuple
from functools import partial

from divulge.queries.table import GuardedTable
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import all_keys
from divulge.service.ledger.log_writer import head_of
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.setting_up import (
    SetUp,
    has_logs,
    make_first_key,
    require_no_earlier,
    take_away_unsigned,
)
from divulge.service.queries.guarded_tables import COLUMNS, GuardedRow, put_in
from divulge.service.store.connection import Transaction


def guard(place: ServiceLocations, row: GuardedRow, table: GuardedTable, by: str) -> SetUp:
    """Put a guarded table into a service, which is made where there is none, with its keys and an admin's.

    If it was killed, it can be done again. Nothing is answered before the first checkpoint is signed.
    """
    if not has_logs(place.url):
        place.create().database.close()
    decider = place.open()
    with closing(decider.database):
        take_away_unsigned(decider, row.name)
        if not _lacks_only_a_key(decider, row):
            require_no_earlier(decider, row.name)
            add_table(decider, row, table.records, by)
        return SetUp(table.records, decider.database.name, make_first_key(decider, by))


def add_table(decider: DecisionService, row: GuardedRow, records: int, by: str) -> None:
    """Put a guarded table into a service that is open, and sign that it is there."""
    decider.require_additions()
    work = partial(put_in, row=row, records=records, key=decider.secrets.digest, at=decider.time(), by=by)
    decider.database.transact(row.name, work)
    decider.checkpoint(row.name)


def _lacks_only_a_key(decider: DecisionService, row: GuardedRow) -> bool:
    """Whether the table was put in and signed, but the service has no key yet: nothing was asked of it."""

    def work(connection: Transaction) -> bool:
        head = head_of(connection, row.name)
        if head is None or head.entries != 1 or all_keys(connection):
            return False
        found = connection.rows(f"SELECT {COLUMNS} FROM guarded_table WHERE name = ?", (row.name,))
        return found == [astuple(row)]

    return row.name not in decider.behind and decider.database.read(work)
