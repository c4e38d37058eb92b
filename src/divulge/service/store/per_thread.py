"""A connection for each thread that asks for one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class PerThread:
    """Connections by thread; those of threads that are gone are closed when the next is made."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._turn = threading.Lock()
        self._held: dict[threading.Thread, Any] = {}

    def get(self) -> Any:
        """This thread's connection."""
        own = threading.current_thread()
        if own not in self._held:
            made = self._connect()
            with self._turn:
                for thread in [one for one in self._held if not one.is_alive()]:
                    self._held.pop(thread).close()
                self._held[own] = made
        return self._held[own]

    def drop(self) -> None:
        """Close this thread's connection; the next one is made anew."""
        with self._turn:
            connection = self._held.pop(threading.current_thread(), None)
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Close all of them."""
        with self._turn:
            for connection in self._held.values():
                connection.close()
            self._held.clear()
