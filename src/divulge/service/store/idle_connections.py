"""Open connections to a database: taken by a thread that needs one, and given back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    @property
    def idle(self) -> bool:
        """Whether it is open, and in no transaction."""

    def close(self) -> None: ...


Connection = TypeVar("Connection", bound=Closable)


class IdleConnections(Generic[Connection]):
    """The one that was given back last is taken first: a server knows best what was used just now.

    With a connection for each thread, every thread that leads a group would have the server prepare and plan
    the same statements again.
    """

    def __init__(self, connect: Callable[[], Connection], failures: tuple[type[BaseException], ...]) -> None:
        self._connect, self._failures = connect, failures
        self._turn = threading.Lock()
        self._idle: list[Connection] = []
        self._closed = False

    @contextmanager
    def one(self) -> Iterator[Connection]:
        """A connection for nobody else meanwhile. After a failure, it and all that are idle are made anew."""
        with self._turn:
            found = self._idle.pop() if self._idle else None
        if found is None:
            found = self._connect()
        try:
            yield found
        except self._failures:
            found.close()
            self._close_idle()
            raise
        finally:
            self._give_back(found)

    def _give_back(self, connection: Connection) -> None:
        with self._turn:
            if connection.idle and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close all of them: those in use, once they are given back."""
        self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        with self._turn:
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()
