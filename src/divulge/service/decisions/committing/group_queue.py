"""Pieces of work of several threads, done together by one of them, in the order in which they came."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from divulge.errors import Unavailable

MOST = 64  # requests of several threads that are decided in one transaction
LONGEST = 250  # requests of one batch that are, while nobody else waits
ALWAYS = 16  # requests that may join a batch, however many it has
GATHERING = 0.2  # of the time that the last group took, for which its threads are waited for
PATIENCE = 0.02  # seconds of it at most


@dataclass(eq=False)
class Piece:
    """What one thread wants done. One that is not shared is done by itself."""

    work: Any
    size: int = 1  # requests in it
    shared: bool = False
    following: Callable[[], Piece | None] = lambda: None  # what the same thread wants next
    before: Piece | None = None  # of the same batch, without which it is not done
    answer: Any = None
    error: BaseException | None = None
    finished: bool = False
    leads: bool = False  # whether its thread has to do the next group
    _waits: threading.Lock = field(init=False, repr=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._waits.acquire()

    def wait(self, seconds: float = -1) -> bool:
        """Wait to be finished, or to lead; says whether it came to that."""
        return self._waits.acquire(timeout=seconds)

    def wake(self) -> None:
        self._waits.release()

    def outcome(self) -> Any:
        """The answer, or the error that there was instead."""
        if self.error is not None:
            raise self.error
        return self.answer


class Group:
    """Pieces that are done together. Others that come meanwhile may join, unless it is closed or full."""

    def __init__(
        self,
        pieces: list[Piece],
        join: Callable[[int], list[Piece]] = lambda room: [],
        others_wait: Callable[[], bool] = lambda: False,
        *,
        closed: bool = False,
    ) -> None:
        self.pieces, self._join, self._closed = pieces, join, closed or not pieces[0].shared
        self._others_wait = others_wait
        self._latest, self._waited_for = pieces, len(pieces) > 1

    def joined(self, *, newcomers: bool = True) -> list[Piece]:
        """Those that have come since, if they may join; while nobody has, what follows in a batch."""
        if self._closed:
            return []
        size = sum(one.size for one in self.pieces)
        more = self._join(max(MOST - size, 0 if self._waited_for else ALWAYS)) if newcomers else []
        self._waited_for |= bool(more) or (not newcomers and self._others_wait())
        if not self._waited_for and size < LONGEST:
            more = [one for one in (piece.following() for piece in self._latest) if one is not None]
        self._latest = more
        self.pieces = [*self.pieces, *more]
        return more


class GroupQueue:
    """A line of pieces. The thread of the first does it together with those behind it.

    Those that come while a group is under way wait, and the first of them does the next. A piece of many
    requests that does not fit in is passed by smaller ones, until it is the first.

    Who was answered often asks again at once. So the next group waits for them, but not for long: otherwise
    the first of them would go alone, and all others after it.
    """

    def __init__(self, carry_out: Callable[[Group], None], patience: float) -> None:
        self._carry_out, self._patience = carry_out, patience
        self._mutex = threading.Lock()
        self._line: list[Piece] = []
        self._led = False
        self._recent = 1  # threads that took part in the last group, or waited when it was done
        self._took = 0.0  # seconds, for the last group
        self._gathered: threading.Lock | None = None  # released when as many are in the line

    def done(self, piece: Piece) -> Any:
        """Have a piece done, and hand out what came of it; an error that is its own is raised."""
        if not self.enter(piece) and not piece.wait(self._patience):
            if self.give_up(piece):
                return piece.outcome()
            piece.wait()
        if not piece.finished:
            self.lead(piece)
        return piece.outcome()

    def enter(self, piece: Piece) -> bool:
        """Put a piece at the end of the line; says whether it has to lead the next group."""
        with self._mutex:
            self._line.append(piece)
            leads, self._led = not self._led, True
            piece.leads = leads
            if self._gathered is not None and len(self._line) >= self._recent:
                self._gathered.release()
                self._gathered = None
        return leads

    def give_up(self, piece: Piece) -> bool:
        """Take a piece out of the line after too long a wait, unless it is its turn by now."""
        with self._mutex:
            if piece not in self._line or piece.leads:
                return False
            self._line.remove(piece)
        piece.error = Unavailable("Too many requests are waiting for the database.")
        return True

    def _gather(self, piece: Piece) -> None:
        """Wait a moment for others; who asks for many records at once, or for something else, does not."""
        with self._mutex:
            if not piece.shared or piece.size > 1 or len(self._line) >= self._recent:
                return
            gathered = self._gathered = threading.Lock()
            gathered.acquire()
        gathered.acquire(timeout=min(self._took * GATHERING, PATIENCE))
        with self._mutex:
            self._gathered = None

    def lead(self, piece: Piece) -> None:
        """Do the first piece in the line, which this one is, together with others."""
        self._gather(piece)
        group = Group(self._taken(), self._next, self._others_wait)
        began = time.monotonic()
        try:
            self._carry_out(group)
        except BaseException as error:
            stopped = isinstance(error, Exception)
            for one in group.pieces:
                one.error = error if stopped or one is piece else Unavailable("The service is stopping.")
        finally:
            self._hand_over(group, time.monotonic() - began)
            for one in group.pieces:
                one.finished = True
                if one is not piece:
                    one.wake()

    def _hand_over(self, group: Group, took: float) -> None:
        """The first in the line leads from now on."""
        with self._mutex:
            near = [*self._line, *group.pieces]
            self._recent = 0 if any(one.size > 1 for one in near) else len(near)  # a batch gives time to join
            self._took = took
            self._led = bool(self._line)
            if self._line:
                self._line[0].leads = True
                self._line[0].wake()

    def _taken(self) -> list[Piece]:
        """The first in the line, and those behind it that it can be done together with."""
        with self._mutex:
            first = self._line.pop(0)
        return [first, *(self._next(MOST - first.size) if first.shared else ())]

    def _others_wait(self) -> bool:
        with self._mutex:
            return bool(self._line)

    def _next(self, room: int) -> list[Piece]:
        """Those next in the line for which there is room; nobody passes a piece that is not shared."""
        found: list[Piece] = []
        with self._mutex:
            for one in self._line:
                if not one.shared:
                    break
                if one.size <= room:
                    room -= one.size
                    found.append(one)
            if found:
                self._line = [one for one in self._line if one not in found]
        return found
