"""Statements that go to a PostgreSQL server together, and what it answers to them.

They are sent by libpq, as psycopg wraps it: a cursor of psycopg's sends each statement by itself, and takes
ten times as long for it.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from operator import index
from typing import Any

from divulge.service.store.connection import Query, Row

AFTER = 5  # uses of a statement from which on the server has it prepared, as with psycopg
KEPT = 256  # statements that are known; beyond it, the one that was used longest ago is forgotten


class Exchanges:
    """A connection of psycopg's, and the statements that it has prepared."""

    def __init__(self, connection: Any) -> None:
        from psycopg import adapt, errors, pq

        self.connection, self._libpq = connection, connection.pgconn
        self._pq, self._errors = pq, errors
        self._reader = adapt.Transformer(connection)
        self._uses: dict[str, int] = {}  # of each statement, the one that was used last at the end
        self._names: dict[str, bytes] = {}  # of those that are prepared
        self._numbers = count(1)
        self._poll = select.poll()
        self._poll.register(self._libpq.socket)

    @property
    def idle(self) -> bool:
        """Whether it is open, and in no transaction."""
        return self._libpq.transaction_status == self._pq.TransactionStatus.IDLE

    def ask(self, queries: Sequence[Query], meanwhile: Callable[[], object] | None = None) -> list[list[Row]]:
        """The rows that each statement finds; parameters are $1, $2 and so on.

        All are sent before the first answer is waited for. The first error is raised, and nothing that stands
        after it was done. What is to be done meanwhile is left where it fails.
        """
        given = [(sql, self._spelled(parameters)) for sql, parameters in queries]
        names, ends = dict(self._names), list[int]()
        self._libpq.enter_pipeline_mode()
        try:
            sent = 0
            for sql, parameters in given:
                sent += self._send(sql, parameters)
                ends.append(sent - 1)
            self._libpq.pipeline_sync()
            if meanwhile is not None:
                with suppress(Exception):
                    meanwhile()
            results = self._results()
            self._libpq.exit_pipeline_mode()
        except BaseException:  # what is still to come would be taken for answers to the next
            self.connection.close()
            raise
        for result in results:
            if result.status == self._pq.ExecStatus.FATAL_ERROR:
                self._names = {sql: name for sql, name in names.items() if sql in self._names}
                raise self._error(result)
        return [self._rows(results[end]) for end in ends]

    @property
    def closed(self) -> bool:
        return bool(self.connection.closed)

    def close(self) -> None:
        self.connection.close()

    def _spelled(self, parameters: Sequence[Any]) -> list[bytes | None]:
        """Parameters as text, whose types the server finds from where they stand."""
        return [
            one.encode() if type(one) is str and "\0" not in one else self._other(one) for one in parameters
        ]

    def _other(self, value: Any) -> bytes | None:
        if value is None or not isinstance(value, str):
            return None if value is None else b"%d" % index(value)
        if "\0" in value:  # it would end there
            raise self._errors.DataError("A text in the database has no NUL.")
        return value.encode()

    def _send(self, sql: str, parameters: Sequence[bytes | None]) -> int:
        """Send a statement; says how many answers there will be, of which the last is its own."""
        uses = self._uses.pop(sql, 0) + 1
        self._uses[sql] = uses
        name, before = self._names.get(sql), 0
        if name is None and uses > AFTER:
            name = self._names[sql] = f"divulge_{next(self._numbers)}".encode()
            self._libpq.send_prepare(name, sql.encode())
            before += 1
        if len(self._uses) > KEPT:
            before += self._forget(next(iter(self._uses)))
        if name is None:
            self._libpq.send_query_params(sql.encode(), parameters)
        else:
            self._libpq.send_query_prepared(name, parameters)
        return before + 1

    def _forget(self, sql: str) -> int:
        del self._uses[sql]
        name = self._names.pop(sql, None)
        if name is None:
            return 0
        self._libpq.send_query_params(b"DEALLOCATE " + name, None)
        return 1

    def _results(self) -> list[Any]:
        """The answer to each statement that was sent."""
        libpq, synced, found = self._libpq, self._pq.ExecStatus.PIPELINE_SYNC, list[Any]()
        while libpq.flush():  # the server may want to be read from before it reads on
            if self._awaited(select.POLLIN | select.POLLOUT) & ~select.POLLOUT:
                libpq.consume_input()
        while True:
            while libpq.is_busy():
                self._awaited(select.POLLIN)
                libpq.consume_input()
            result = libpq.get_result()
            if result is None:  # the end of what is told of a statement
                if libpq.status == self._pq.ConnStatus.BAD:
                    raise self._errors.OperationalError("The connection is lost.")
                continue
            if result.status == synced:
                return found
            found.append(result)

    def _awaited(self, events: int) -> int:
        """Wait for the socket, and say what it is ready for."""
        self._poll.modify(self._libpq.socket, events)
        return self._poll.poll()[0][1]

    def _rows(self, result: Any) -> list[Row]:
        if not result.nfields:
            return []
        self._reader.set_pgresult(result)
        return self._reader.load_rows(0, result.ntuples, tuple)

    def _error(self, result: Any) -> Exception:
        """What psycopg would raise."""
        state = result.error_field(self._pq.DiagnosticField.SQLSTATE) or b""
        try:
            kind = self._errors.lookup(state.decode())
        except KeyError:
            kind = self._errors.DatabaseError
        return kind(result.get_error_message())
