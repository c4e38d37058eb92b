"""Checkpoints on their way to other places, beside the service: an answer never waits for them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence

from divulge.errors import DivulgeError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.proofs import Decided
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.cosignatures import keep_cosigned
from divulge.service.operations.pushed.places import Place

LOGGER = logging.getLogger("divulge.service")
PAUSE = 1.0  # seconds between checkpoints to one place; those in between are not pushed
LONGEST = 60.0  # seconds until a place that failed is tried again
GRACE = 20.0  # seconds for the last ones when the service stops


class Pushing:
    """A thread for each place, which has the newest checkpoint of every chain pushed there."""

    def __init__(self, decider: DecisionService, places: Sequence[Place], pause: float = PAUSE) -> None:
        self._decider = decider
        turn = threading.Lock()  # to keep a witness's signature
        self._threads = [
            _ToPlace(decider, place, number, pause, turn) for number, place in enumerate(places, 1)
        ]

    def start(self) -> None:
        """Begin, with where every log stands."""
        self._decider.announce = self.offer
        for thread in self._threads:
            thread.start()
        if self._threads:
            for chain in sorted({*self._decider.anchors.chains()} - {*self._decider.behind}):
                self.offer(self._decider.covering(chain, 0, self._decider.anchors.newest(chain)))

    def offer(self, checkpoint: Checkpoint) -> None:
        """A checkpoint that was signed just now."""
        for thread in self._threads:
            thread.offer(checkpoint)

    def stop(self) -> None:
        """Push what is left, if that is possible soon."""
        until = time.monotonic() + GRACE
        for thread in self._threads:
            thread.finish()
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))


class _ToPlace(threading.Thread):
    def __init__(
        self, decider: DecisionService, place: Place, number: int, pause: float, turn: threading.Lock
    ) -> None:
        super().__init__(name=f"checkpoints to place {number}", daemon=True)
        self._turn = turn
        self._decider, self._place, self._number, self._pause = decider, place, number, pause
        self._newest: dict[str, Checkpoint] = {}
        self._changed = threading.Condition()
        self._finishing = threading.Event()
        self._failed = 0

    def offer(self, checkpoint: Checkpoint) -> None:
        with self._changed:
            first = not self._newest
            self._put(checkpoint)
            if first:
                self._changed.notify()

    def finish(self) -> None:
        with self._changed:
            self._finishing.set()
            self._changed.notify()

    def run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._newest or self._finishing.is_set())
                due, self._newest = self._newest, {}
                last = self._finishing.is_set()
            if not due:
                return
            failed = [one for one in due.values() if not self._pushed(one)]
            with self._changed:
                for one in failed:
                    self._put(one)
                if failed and last:
                    return
                self._failed = self._failed + 1 if failed else 0
                wait = min(LONGEST, self._pause * 2 ** min(self._failed, 10)) if failed else self._pause
            self._finishing.wait(wait)  # not woken by what is signed meanwhile

    def _put(self, checkpoint: Checkpoint) -> None:
        known = self._newest.get(checkpoint.chain)
        if known is None or (known.epoch, known.count) < (checkpoint.epoch, checkpoint.count):
            self._newest[checkpoint.chain] = checkpoint

    def _pushed(self, checkpoint: Checkpoint) -> bool:
        """Push a checkpoint, unless the place has one that shows that the log was turned back."""
        try:
            last = self._place.last(checkpoint.chain)
            if last is not None and self._decider.keys.has_signed(last):
                fault = self._decider.held_against(last)
                if fault is not None:
                    LOGGER.error("Place %d contradicts '%s': %s", self._number, checkpoint.chain, fault)
                    return True  # it will not be taken later either
                if last.count >= checkpoint.count:
                    return True
            since = 0 if last is None or last.root is None else last.count
            _, statement = Decided([], checkpoint).proved(self._decider.database, since)
            cosigned = self._place.push({**statement, **self._decider.keys.shown(checkpoint.chain)})
            if cosigned is not None:
                with self._turn:
                    keep_cosigned(self._decider.anchors.folder, cosigned)
        except (DivulgeError, OSError, *ODD) as error:  # what one place says never ends the pushing
            if self._failed == 0:
                LOGGER.warning("Checkpoints cannot be pushed to place %d: %s", self._number, error)
            return False
        return True
