"""Pieces of work that no thread waits for: a few threads lead for all of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from divulge.service.decisions.committing.group_queue import GroupQueue, Piece


class Awaited(Piece):
    """One request of its own, which may share a transaction with others.

    ``told`` is called once it is finished, by the thread that has led its group. Groups are led by threads of
    the pool where it is the first of one.
    """

    def __init__(
        self, work: Any, queue: GroupQueue, pool: Executor, told: Callable[[Awaited], object]
    ) -> None:
        super().__init__(work, shared=True)
        self._queue, self._pool, self._told = queue, pool, told

    def enter(self) -> None:
        """Join the line."""
        if self._queue.enter(self):
            self._pool.submit(self._lead)

    def give_up(self) -> None:
        """Leave the line, unless it is its turn by now."""
        if self._queue.give_up(self):
            self.finished = True
            self._told(self)

    def wake(self) -> None:
        """It is finished, or has to lead."""
        if self.finished:
            self._told(self)
        else:
            self._pool.submit(self._lead)

    def _lead(self) -> None:
        self._queue.lead(self)
        self._told(self)
