"""Tables that are guarded: where they are, what they looked like when they were put in, and their policy."""

from __future__ import annotations

import json
import tomllib
import urllib.parse
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from divulge._support.threads import cached_property
from divulge.errors import NotFound, ParameterError, SchemaError, SourceError, UnknownAttribute
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.loading import require_name, require_new
from divulge.service.decisions.policies import fingerprint
from divulge.service.ledger.chain import digest
from divulge.service.ledger.log_writer import LogWriter
from divulge.service.ledger.tail import sealed_entry
from divulge.service.queries.entries import GUARDED, table_digest
from divulge.service.store.connection import Transaction
from divulge.service.store.database import is_server

if TYPE_CHECKING:
    from divulge.queries.guard import QueryGuard
    from divulge.queries.policy import QueryPolicy
    from divulge.queries.table import GuardedTable

COLUMNS = "name, source, fingerprint, policy"
INSERT = f"INSERT INTO guarded_table ({COLUMNS}) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True)
class GuardedRow:
    """A guarded table as the database has it; the table itself stays where it is."""

    name: str
    source: str  # a DuckDB file by its whole path, or postgresql://user@host/database
    fingerprint: str  # what the table was known as when it was put in
    text: str  # the policy, as its TOML file has it

    @classmethod
    def of(cls, name: str, policy_file: Path, source: str | None = None) -> tuple[GuardedRow, GuardedTable]:
        """A table to be put in, and the same opened; what is wrong with policy or table is said here."""
        from divulge.queries.policy import QueryPolicy
        from divulge.queries.table import open_table

        require_name(name)
        policy = QueryPolicy.read(policy_file)
        where = _placed(source, Path()) or _placed(policy.table.source, policy_file.parent)
        if where is None:
            raise ParameterError(
                "It is not said where the table is.",
                hint='Give --source, or write source = "clinic.duckdb" below [table].',
            )
        table = open_table(policy, where)
        return cls(name, where, table.known_as, policy_file.read_text("utf-8")), table

    @cached_property
    def policy(self) -> QueryPolicy:
        from divulge.queries.policy import QueryPolicy

        return QueryPolicy.of(tomllib.loads(self.text))

    @property
    def policy_digest(self) -> str:
        """What stands in every entry that was decided under the policy."""
        return fingerprint(self.text)

    def opened(self, key: bytes) -> tuple[GuardedTable, QueryGuard]:
        """The table to read from, and its guard; SourceError where it is gone or does not fit the policy."""
        from divulge.queries.guard import QueryGuard
        from divulge.queries.table import open_table

        try:
            table = open_table(self.policy, self.source)
        except (SchemaError, UnknownAttribute) as error:  # which are not for whoever asks
            raise SourceError(error.message, hint=error.hint) from None
        secret = bytes.fromhex(digest(key, "cell keys", self.name))
        return table, QueryGuard(self.policy, table, secret=secret, fingerprint=self.fingerprint)


def _placed(source: str | None, folder: Path) -> str | None:
    """A source by its whole path; a password in it is refused, since it would be kept."""
    if source is None:
        return None
    if not is_server(source):
        return str((folder / source).resolve())
    if urllib.parse.urlsplit(source).password or "password=" in source.casefold():
        raise ParameterError(
            "The address of the table has a password, which would be kept in the service's database.",
            hint="Leave it out, and set PGPASSWORD or use ~/.pgpass.",
        )
    return source


def put_in(connection: Transaction, row: GuardedRow, records: int, key: bytes, at: str, *, by: str) -> None:
    """Begin the log of a guarded table."""
    require_new(connection, row.name)
    writer = LogWriter.opened(connection, row.name, key, at)
    described = table_digest(key, astuple(row))
    writer.add(GUARDED, {"records": records, "table": described, "policy": row.policy_digest, "by": by})
    connection.write([(INSERT, [astuple(row)]), *writer.writings()])


def described(connection: Transaction, name: str, key: bytes) -> GuardedRow:
    """A guarded table, if its row is what its log says; NotFound where there is none."""
    rows = connection.rows(f"SELECT {COLUMNS} FROM guarded_table WHERE name = ?", (name,))
    if not rows:
        raise NotFound(f"There is no guarded table '{name}'.", hint="Add it with: divulge query init")
    first = sealed_entry(connection, name, 1, key)
    told = {} if first is None or first.kind != GUARDED else json.loads(first.body)
    if told.get("table") != table_digest(key, rows[0]):
        raise changed("The description of the table")
    return GuardedRow(*rows[0])
