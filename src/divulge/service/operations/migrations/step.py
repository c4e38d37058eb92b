"""One change of the tables: its number, what it is, and what it works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from divulge.service.ledger.log_writer import LogWriter
from divulge.service.store.connection import Transaction
from divulge.service.store.schema import FIRST, STEPS


@dataclass(frozen=True)
class Migrating:
    """What a change works with: a transaction, the holder's key of seals, and who makes it when."""

    connection: Transaction
    key: bytes
    at: str  # the time of entries, not before any in the database
    by: str

    def writer(self, chain: str) -> LogWriter:
        """For entries of a chain, if what they seal is to change; the caller writes what it has."""
        return LogWriter.opened(self.connection, chain, self.key, self.at)


@dataclass(frozen=True)
class MigrationStep:
    """A change, by the version that the tables have after it."""

    version: int
    said: str  # what it changes, in a sentence
    migrate: Callable[[Migrating], None]


def steps_after(version: int) -> list[MigrationStep]:
    """The changes that a database of a version lacks, in their order."""
    found = []
    for number, name in enumerate(STEPS, FIRST + 1):
        if number > version:
            module = import_module(f"{__package__}.{name}")
            found.append(MigrationStep(number, (module.__doc__ or name).splitlines()[0], module.migrate))
    return found
