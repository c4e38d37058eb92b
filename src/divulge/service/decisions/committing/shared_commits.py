"""Pieces of work on a log, done in groups: one transaction, one checkpoint, then the answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from divulge.errors import Unavailable
from divulge.service.decisions.committing.group_queue import Group, GroupQueue, Piece
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.log_tree import LogTree
from divulge.service.store.connection import WAIT


class Reached(NamedTuple):
    """Where a log stood after a transaction: the newest checkpoint, and the tree if it was added to."""

    checkpoint: Checkpoint | None
    tree: LogTree | None


class SharedCommits:
    """A line for each log that there is. ``decided`` does a group on a log and says where that got to.

    ``require`` refuses a log that there is not, so that nobody can have lines made for any name.
    """

    def __init__(self, decided: Callable[[str, Group], Reached], require: Callable[[str], object]) -> None:
        self._decided, self._require = decided, require
        self._queues: dict[str, GroupQueue] = {}

    def done(self, chain: str, piece: Piece) -> Any:
        """Have a piece done; its answer comes with where the log stood then."""
        queue = self.line(chain)
        if queue is None:
            self._require(chain)
            queue = self._queues.setdefault(chain, GroupQueue(partial(self._carry_out, chain), WAIT))
        return queue.done(piece)

    def line(self, chain: str) -> GroupQueue | None:
        """The line of a log, once something was done on it."""
        return self._queues.get(chain)

    def _carry_out(self, chain: str, group: Group) -> None:
        """Decide a group. If it fails as a whole, each piece is decided by itself, as long as time allows."""
        try:
            reached = self._decided(chain, group)
        except Exception:
            if len(group.pieces) == 1:
                raise
            until = time.monotonic() + WAIT
            for one in group.pieces:
                self._by_itself(chain, one, until)
        else:
            for one in group.pieces:
                one.answer = one.answer, reached

    def _by_itself(self, chain: str, piece: Piece, until: float) -> None:
        try:
            if time.monotonic() > until:
                raise Unavailable("The database failed, so nothing was decided.")
            reached = self._decided(chain, Group([piece], closed=True))
            piece.answer = piece.answer, reached
        except Exception as error:
            piece.error = error
