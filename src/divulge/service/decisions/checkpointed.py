"""The chains of a database and their checkpoints: a chain that is older than these is not written to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from divulge.errors import Conflict, NotFound, SourceError, Unavailable
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.log_writer import Head, entries_of, head_of
from divulge.service.ledger.secrets import Secrets
from divulge.service.store.connection import Database, Transaction

EVERY = 256  # entries between checkpoints that are kept


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def known_head(connection: Transaction, dataset: str) -> Head:
    """The last entry of a dataset's log; NotFound where there is no such dataset."""
    head = head_of(connection, dataset)
    if head is None:
        raise NotFound(f"There is no dataset '{dataset}'.")
    return head


@dataclass
class CheckpointedChains:
    """A database with its chains, the holder's secrets, and where checkpoints are kept."""

    database: Database
    secrets: Secrets
    anchors: Anchors
    clock: Callable[[], str] = now
    behind: dict[str, str] = field(init=False, default_factory=dict)  # chains not to be written to, and why

    def __post_init__(self) -> None:
        self.check_anchors()

    def checkpoint(self, chain: str) -> Checkpoint:
        """Sign how far a chain has come, and keep that outside the database."""
        if chain in self.behind:
            raise Unavailable("This log is not the one that was signed before, so nothing is signed.")
        signed = self.signed(chain, self._head(chain))
        self.anchors.keep(signed)
        return signed

    def signed(self, chain: str, head: Head) -> Checkpoint:
        """A checkpoint of how far a chain has come."""
        return Checkpoint.signed(self.secrets.signing, chain, *head, self.clock())

    def note(self, chain: str, before: int, head: Head) -> None:
        """Put down how far a chain has come since so many entries; where that fails, no answer may go out."""
        signed = self.signed(chain, head)
        try:
            if before // EVERY < head.entries // EVERY:
                self.anchors.keep(signed)
            else:
                self.anchors.note(signed)
        except Conflict as error:
            self.behind[chain] = str(error)
            raise Unavailable("Another database signed the same entry, so no answer is given.") from error
        except (OSError, SourceError) as error:
            raise Unavailable("The checkpoint could not be written, so no answer is given.") from error

    def check_anchors(self) -> None:
        """Find chains that are older than their newest checkpoint, or others: they may not be written to."""
        rows = self.database.read(lambda connection: connection.rows("SELECT chain FROM head"))
        for (chain,) in rows:
            fault = self._against(chain)
            if fault is None:
                self.behind.pop(chain, None)
            else:
                self.behind[chain] = fault

    def _against(self, chain: str) -> str | None:
        try:
            newest = self.anchors.newest(chain)  # before the database, which others may add to meanwhile
        except SourceError as error:
            return str(error)
        head = self._head(chain)
        if newest is None or newest.count == 0 or newest.epoch < head.epoch:
            return None
        if newest.epoch > head.epoch or newest.count > head.entries:
            return (
                f"The database has {head.entries} entries, and a checkpoint was signed after {newest.count}: "
                "it is older than what was released."
            )
        there = self.database.read(lambda connection: entries_of(connection, chain, newest.count - 1, 1))
        if not there or there[0].hash != newest.head:
            return f"Entry {newest.count} is not the one that was signed: this is another database."
        return None

    def _head(self, chain: str) -> Head:
        return self.database.read(lambda connection: known_head(connection, chain))
