"""Whether the service can decide now, part by part: what a probe asks before requests are sent here."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from divulge.errors import DivulgeError
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.log_writer import NO_TIP, SERVICE, Tip, tip_of, tip_query
from divulge.service.store.connection import Transaction
from divulge.service.store.sqlite import SQLite

ENOUGH = 64 << 20  # bytes that have to be free on every disk that is written to
SLACK = timedelta(seconds=1)  # that the clocks of several services may be apart
KEPT = 1.0  # seconds for which an answer is given again, so that asking often costs nothing
OK = "ok"
FAILED = {
    "database": "The database does not answer, or cannot be written to.",
    "checkpoints": "The folder of checkpoints is not there, or cannot be written to.",
    "disk": f"Less than {ENOUGH >> 20} MiB are free on a disk that is written to.",
    "clock": "The clock is behind the last entry of a log.",
    "signer": "Nothing can be signed: the process that signs cannot be reached, or the key was rotated.",
    "logs": "The log of keys or all datasets are read-only until they are reconciled.",
}


class _NotKept(Exception):
    """Ends a transaction that tried to write."""


class Readiness:
    """What a service needs to decide. Nothing names a dataset or a path, since anyone may ask."""

    def __init__(self, decider: DecisionService, clock: Callable[[], float] = time.monotonic) -> None:
        self._decider, self._clock = decider, clock
        self._turn = threading.Lock()
        self._known: tuple[float, dict[str, str]] | None = None

    def parts(self) -> dict[str, str]:
        """Every part with "ok", or with what is wrong; found out anew at most once in a while."""
        known = self._known
        if not self._turn.acquire(blocking=known is None) and known is not None:
            return known[1]  # somebody is looking, and nobody has to wait for that
        try:
            if self._known is None or self._clock() - self._known[0] >= KEPT:
                self._known = self._clock(), self._looked()
            return self._known[1]
        finally:
            self._turn.release()

    def _looked(self) -> dict[str, str]:
        looks = (
            self._writes,
            self._signs,
            self._has_room,
            self._is_in_time,
            self._can_sign,
            self._may_decide,
        )
        return {part: OK if _holds(look) else FAILED[part] for part, look in zip(FAILED, looks, strict=True)}

    def _writes(self) -> bool:
        """Whether the database answers and would be written to; nothing is."""

        def work(connection: Transaction) -> None:
            connection.rows("UPDATE head SET idx = idx WHERE chain = ''")
            raise _NotKept

        try:
            self._decider.database.transact("readiness", work)
        except _NotKept:
            return True
        return False

    def _signs(self) -> bool:
        with tempfile.TemporaryFile(dir=self._decider.anchors.folder, buffering=0) as file:
            return file.write(b"\0") == 1

    def _has_room(self) -> bool:
        folders = [self._decider.anchors.folder]
        if isinstance(self._decider.database, SQLite):
            folders.append(Path(self._decider.database.name).absolute().parent)
        # A folder that is not there is another part's fault.
        return all(shutil.disk_usage(one).free >= ENOUGH for one in folders if one.is_dir())

    def _is_in_time(self) -> bool:
        tips = [self._decider.database.read(partial(_tip, chain=chain)) for chain in self._chains()]
        last = max((datetime.fromisoformat(tip.at) for tip in tips if tip.at), default=None)
        return last is None or datetime.fromisoformat(self._decider.clock()) + SLACK >= last

    def _can_sign(self) -> bool:
        return self._decider.signing_fault() is None

    def _may_decide(self) -> bool:
        refused = [chain for chain in self._chains() if self._is_refused(chain)]
        return SERVICE not in refused and (not refused or len(refused) < len(self._decider.logs()))

    def _is_refused(self, chain: str) -> bool:
        """Whether a log is not the one that was signed, or tables are not what it says."""
        decider = self._decider
        expected = decider.expected(chain)

        def work(connection: Transaction) -> bool:
            return decider.turned_back(connection, chain, _tip(connection, chain), expected) is not None

        return decider.database.read(work)

    def _chains(self) -> list[str]:
        return [*self._decider.logs(), SERVICE]


def _tip(connection: Transaction, chain: str) -> Tip:
    return tip_of(connection.rows(*tip_query(chain))) or NO_TIP


def _holds(look: Callable[[], bool]) -> bool:
    try:
        return look()
    except (DivulgeError, OSError, ValueError):
        return False
