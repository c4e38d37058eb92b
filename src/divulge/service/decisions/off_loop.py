"""From the event loop to threads and back: many requests share one thread, and what it tells the loop.

A request that waits for a thread of its own costs more than what is decided for it: every thread has to be
woken, and takes the interpreter from the others.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from divulge.errors import Unavailable
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.keys import Key
from divulge.service.decisions.proofs import Decided
from divulge.service.store.connection import WAIT, Found

LEADERS = 8  # threads that lead groups: one for each log that is written to, and those that end


class LoopWaiter(NamedTuple):
    """Somebody on an event loop who waits for an answer."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]

    @classmethod
    def now(cls) -> LoopWaiter:
        loop = asyncio.get_running_loop()
        return cls(loop, loop.create_future())

    def take(self, found: Any, error: BaseException | None) -> None:
        """The answer, in the loop; nobody may wait any more."""
        if self.future.done():
            return
        if error is None:
            self.future.set_result(found)
        else:
            self.future.set_exception(error)


Told = tuple[LoopWaiter, Any, BaseException | None]  # who is told, the answer, or why there is none


class LoopAnswers:
    """What threads have for those who wait: an event loop is woken once for all that is there by then."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._told: dict[asyncio.AbstractEventLoop, list[Told]] = {}
        self._kept = threading.local()

    def tell(self, asked: LoopWaiter, found: Any, error: BaseException | None = None) -> None:
        """An answer, or why there is none."""
        told = asked, found, error
        if (kept := getattr(self._kept, "told", None)) is not None:
            kept.append(told)
        else:
            self._send([told])

    def together(self, work: Callable[[], object]) -> None:
        """Do some work; what this thread tells meanwhile goes out at its end.

        A loop that is woken earlier would only take the interpreter away from the work.
        """
        self._kept.told = kept = list[Told]()
        try:
            work()
        finally:
            self._kept.told = None
            self._send(kept)

    def _send(self, told: Sequence[Told]) -> None:
        first = dict[asyncio.AbstractEventLoop, None]()
        with self._mutex:
            for one in told:
                loop = one[0].loop
                if loop not in self._told:
                    first[loop], self._told[loop] = None, []
                self._told[loop].append(one)
        for loop in first:
            try:
                loop.call_soon_threadsafe(self._hand_out, loop)
            except RuntimeError:  # the loop is closed, and nobody waits
                self._hand_out(loop, closed=True)

    def _hand_out(self, loop: asyncio.AbstractEventLoop, *, closed: bool = False) -> None:
        with self._mutex:
            told = self._told.pop(loop, [])
        for asked, found, error in () if closed else told:
            asked.take(found, error)


class Leaders(ThreadPoolExecutor):
    """Threads that lead groups: all in a group are told at its end."""

    def __init__(self, telling: LoopAnswers) -> None:
        super().__init__(LEADERS, "deciding")
        self._telling = telling

    def submit(self, work: Callable[[], object]) -> Future[None]:  # type: ignore[override]
        return super().submit(self._telling.together, work)


class KeyChecks:
    """Keys that are shown, looked up by one thread at a time: those that come meanwhile are next, together.

    Each is held to a state of the database that is read after it was shown.
    """

    def __init__(self, decider: DecisionService, telling: LoopAnswers) -> None:
        self._decider, self._telling = decider, telling
        self._pool = ThreadPoolExecutor(1, "keys")
        self._mutex = threading.Lock()
        self._line: list[tuple[str, LoopWaiter]] = []
        self._busy = False

    async def shown(self, told: str) -> Key | None:
        """The key that somebody shows, if it is good."""
        asked = LoopWaiter.now()
        with self._mutex:
            self._line.append((told, asked))
            begins, self._busy = not self._busy, True
        if begins:
            asked.loop.call_soon(self._pool.submit, self._work)  # after all that has come by now
        return await asked.future

    def _work(self) -> None:
        while True:
            with self._mutex:
                line, self._line = self._line, []
                self._busy = bool(line)
            if not line:
                return
            self._telling.together(partial(self._look_up, line))

    def _look_up(self, line: Sequence[tuple[str, LoopWaiter]]) -> None:
        try:
            found = self._decider.keys_shown([told for told, _ in line])
        except BaseException as error:
            for _, asked in line:
                self._telling.tell(asked, None, error)
        else:
            for (_, asked), key in zip(line, found, strict=True):
                if isinstance(key, Unavailable):
                    self._telling.tell(asked, None, key)
                else:
                    self._telling.tell(asked, key)


class Deciders:
    """Requests for single records: in a line with all others, and no thread waits for each."""

    def __init__(self, decider: DecisionService, telling: LoopAnswers) -> None:
        self._decider, self._telling = decider, telling
        self._pool = Leaders(telling)

    async def answer(
        self, dataset: str, wanted: RecordRequest, owner: str, answer: Callable[[Decided], Found]
    ) -> Found:
        """What ``answer`` makes of what was decided, which a thread does as well."""
        asked = LoopWaiter.now()

        def told(outcome: Callable[[], Decided]) -> None:
            try:
                found = answer(outcome())
            except BaseException as error:
                self._telling.tell(asked, None, error)
            else:
                self._telling.tell(asked, found)

        piece = self._decider.awaited_one(dataset, wanted, owner, self._pool, told)
        if piece is None:
            return await asyncio.to_thread(lambda: answer(self._decider.decided_one(dataset, wanted, owner)))
        late = asked.loop.call_later(WAIT, piece.give_up)
        try:
            piece.enter()
            return await asked.future
        finally:
            late.cancel()
