"""Whether the indexes of a server's tables have all their rows: amcheck says it where it may be used.

A server whose collation changes reads its text in another order, and no longer finds what its indexes have.
"""

from __future__ import annotations

from divulge.errors import SourceError
from divulge.service.store.connection import Transaction

MAY_BE_USED = """SELECT quote_ident(n.nspname) || '.' || quote_ident(p.proname)
    FROM pg_extension e JOIN pg_depend d ON d.refobjid = e.oid AND d.deptype = 'e'
    JOIN pg_proc p ON p.oid = d.objid JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE e.extname = 'amcheck' AND p.proname = 'bt_index_check' AND p.pronargs = 2
    AND has_function_privilege(p.oid, 'EXECUTE')"""
CORRUPTED = ("XX001", "XX002")  # as PostgreSQL calls damaged data and indexes
INDEXES = """SELECT c.relname, c.oid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_am a ON a.oid = c.relam JOIN pg_class t ON t.oid = i.indrelid
    WHERE a.amname = 'btree' AND t.relnamespace = current_schema()::regnamespace ORDER BY c.relname"""


def indexes_are_whole(connection: Transaction, name: str) -> bool:
    """Refuse an index that lacks a row of its table; False where the server cannot be asked."""
    found = connection.rows(MAY_BE_USED)
    if not found:
        return False
    connection.rows("SET LOCAL statement_timeout = 0")
    for index, number in connection.rows(INDEXES):
        fault = _fault(connection, found[0][0], number)
        if fault is not None:
            raise SourceError(
                f"{name} is damaged: the index {index} is not what its table has: {fault}.",
                hint=f"Rebuild it with: REINDEX INDEX {index}",
            )
    return True


def _fault(connection: Transaction, check: str, number: int) -> str | None:
    try:
        connection.rows(f"SELECT {check}({int(number)}::regclass, true)")
    except Exception as error:
        if getattr(error, "sqlstate", None) in CORRUPTED:
            return str(error).strip().splitlines()[0]
        raise
    return None
