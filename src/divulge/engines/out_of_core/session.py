"""DuckDB within a memory budget: a database of its own on disk, which leaves nothing behind."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import duckdb

from divulge._support.wording import reported
from divulge.engines.out_of_core.budget import Budget
from divulge.errors import SourceError
from divulge.limits.sizes import spelled


class InterruptibleConnection:
    """A connection whose queries run in a thread beside, so that Ctrl-C stops them at once."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, query: str, *given: object) -> Any:
        return self._patiently(self._connection.execute, query, *given)

    def arrow(self, query: str) -> Any:
        """The rows as an Arrow table."""
        return self._patiently(lambda: self._connection.sql(query).to_arrow_table())

    def keep(self, query: str, most: int) -> int | None:
        """Keep the rows of a query as a table ``kept`` and say how many; None if more than ``most``."""
        self.execute(f"CREATE OR REPLACE TEMP TABLE kept AS {query} LIMIT {most + 1}")
        [(rows,)] = self.execute("SELECT count(*) FROM kept").fetchall()
        return rows if rows <= most else None

    def cursor(self) -> InterruptibleConnection:
        return InterruptibleConnection(self._connection.cursor())

    def __enter__(self) -> InterruptibleConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _patiently(self, job: Callable[..., Any], *arguments: Any) -> Any:
        running: Future[Any] = Future()

        def work() -> None:
            if running.set_running_or_notify_cancel():
                try:
                    running.set_result(job(*arguments))
                except BaseException as error:
                    running.set_exception(error)

        try:
            Thread(target=work, daemon=True).start()
            return running.result()
        except KeyboardInterrupt:
            while not (running.cancel() or running.done()):  # one interrupt may come too early
                self._connection.interrupt()
                wait([running], timeout=0.1)
            raise


class BudgetedDuckDB:
    """DuckDB with little memory and a folder of its own, which is removed when nobody needs it any more."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        folder = tempfile.TemporaryDirectory(prefix="divulge-", ignore_cleanup_errors=True)
        self.folder = Path(folder.name)
        config = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "memory_limit": f"{budget.database // 1000}KB",
            "threads": str(budget.threads),
            "temp_directory": str(self.folder / "spill"),
        }
        connection = duckdb.connect(str(self.folder / "records.duckdb"), config=config)
        self.connection = InterruptibleConnection(connection)
        self._lock = Lock()
        self._numbers = count()
        self._held: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()
        self.close = weakref.finalize(self, _gone, connection, folder)

    @property
    def left(self) -> int:
        """Bytes of the budget that nothing handed out takes; what was handed out counts while it is held."""
        return max(0, self.budget.held - sum(self._held.values()))

    def hand_out(self, held: object, size: int) -> None:
        self._held[held] = size

    def new_name(self) -> str:
        """A name for a table that no other has."""
        return f"table{next(self._numbers)}"

    @contextmanager
    def cursor(self, name: str) -> Iterator[InterruptibleConnection]:
        """A connection for queries about a file, one cursor at a time so that they do not share memory.

        Errors of DuckDB are told without its own words, which may quote records.
        """
        try:
            with self._lock, self.connection.cursor() as cursor:
                yield cursor
        except duckdb.OutOfMemoryException:
            raise SourceError(
                f"Counting {name} takes more than the {spelled(self.budget.database)} that DuckDB has of the "
                f"memory budget, or more disk than there is in {self.folder.parent}.",
                hint="Give a larger budget (--memory), or use fewer attributes.",
            ) from None
        except duckdb.Error as error:
            raise SourceError(
                f"{name} cannot be counted{reported(error)}.",
                hint="It may be damaged, or have been changed or removed meanwhile, or the disk may be full.",
            ) from None


def _gone(connection: Any, folder: tempfile.TemporaryDirectory[str]) -> None:
    try:
        connection.close()
        folder.cleanup()
    except KeyboardInterrupt:
        folder.cleanup()
        raise
