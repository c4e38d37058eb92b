"""What a PostgreSQL server knows of tables that grow: told to look again, it uses the right index."""

from __future__ import annotations

import threading
from typing import Any

from divulge.service.store.exchanges import Exchanges

LOOK = 1_000  # rows that are written, some 200 decisions, before it is asked how many wait
GROWTH = 1.0  # rows written since, of all there were
TABLES = {  # with the columns by which rows are found: to look at the others takes twice as long
    "request": "dataset, record, x, y, owner, status, arrived",
    "answer": "owner, key",
    "removed_answer": "digest",
    "entry": "chain, idx, kind",
    "tree_node": "chain, idx",
}
WAITING = "SELECT COUNT(*) FROM request WHERE status = 'waiting'"
ROWS = "SELECT COALESCE(SUM(GREATEST(reltuples, 0)), 0) FROM pg_class WHERE oid IN ({})"
# without waiting for whoever looks at the same table; who may not look gets a notice, and no error
ANALYZE = f"ANALYZE (SKIP_LOCKED) {', '.join(f'{one} ({columns})' for one, columns in TABLES.items())}"


class PlannerStatistics:
    """When a server was last told to look at its tables, and what has been written since.

    The server looks by itself once in a minute at the earliest, and only when a tenth of a table has
    changed. Until then it takes a new table for empty: for one row it reads all of it, and for the requests
    of one record all that wait. A statement that was prepared keeps its plan until the server has looked.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._unseen, self._since, self._enough, self._waiting = 0, 0, float(LOOK), 0

    def follow(self, connection: Exchanges, written: int) -> None:
        """Note how many rows a transaction has written; look again where much has changed."""
        with self._turn:
            self._unseen += written
            self._since += written
            if self._unseen < LOOK:
                return
            self._unseen = 0
        waiting = _number(connection, WAITING)
        if self._since < self._enough and waiting <= 2 * self._waiting + LOOK // 10:
            return
        connection.ask([(ANALYZE, ())])
        tables = ", ".join(f"'{one}'::regclass" for one in TABLES)
        rows = _number(connection, ROWS.format(tables))
        with self._turn:
            self._since, self._enough, self._waiting = 0, max(LOOK, GROWTH * rows), waiting


def _number(connection: Exchanges, sql: str) -> Any:
    (((found,),),) = connection.ask([(sql, ())])
    return found
