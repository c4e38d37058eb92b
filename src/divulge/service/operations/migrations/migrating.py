"""A database is brought to the version of this divulge: all changes in one transaction, or none."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime

from divulge.errors import SourceError, Unavailable
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.chain import Fault
from divulge.service.ledger.checkpoints import Anchors
from divulge.service.ledger.hand_overs import read_hand_overs
from divulge.service.ledger.known_states import hash_at
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.ledger.paging import log
from divulge.service.ledger.tail import MIGRATED
from divulge.service.operations.locations import ServiceLocations
from divulge.service.operations.migrations.step import Migrating, MigrationStep, steps_after
from divulge.service.operations.verifying import LogCheck
from divulge.service.signing.signer import Signer
from divulge.service.store.connection import Database, Transaction
from divulge.service.store.database import open_database
from divulge.service.store.schema import VERSION


@dataclass(frozen=True)
class Migrated:
    """A database that was migrated, or would be: from which version, by which changes."""

    name: str
    before: int
    steps: tuple[MigrationStep, ...]


class _OnlyTried(Exception):
    """What ends a transaction that is not to last."""


def migrate(place: ServiceLocations, by: str, *, dry_run: bool = False) -> Migrated:
    """Bring a database to this version, if its logs are what was signed; a dry run leaves it as it is.

    Everything is one transaction. Before it ends, all tables are compared with the logs, as ``verify`` does.
    The log of keys has an entry that says so, which is signed as others are; where nobody could sign it,
    nothing is changed.
    """
    secrets = place.secrets()
    anchors = Anchors(place.anchors)
    with closing(open_database(place.url, earlier=True)) as database:
        found = Migrated(database.name, database.version, tuple(steps_after(database.version)))
        if found.steps:
            signed = {chain: anchors.kept(chain) for chain in anchors.chains()}
            handed_over = tuple(read_hand_overs(place.anchors))
            check = LogCheck(secrets.digest, secrets.public, signed, hand_overs=handed_over)
            signer = place.signs(database, secrets)
            _transacted(
                database, _Migration(database.name, check, secrets.digest, by, found, signer, dry_run)
            )
            if not dry_run:
                _signed(DecisionService(database, secrets, anchors, signed_by=signer))
        return found


def _transacted(database: Database, work: _Migration) -> None:
    try:
        database.transact_alone(work)
    except _OnlyTried:
        pass
    except Unavailable as error:
        reason = str(error.__cause__ or error).strip().splitlines()[0]
        raise SourceError(f"{database.name} could not be migrated, and is as it was: {reason}.") from error


def _signed(decider: DecisionService) -> None:
    """Sign how far every log has come with what was written about the migration."""
    rows = decider.database.read(lambda connection: connection.rows("SELECT chain FROM head"))
    for (chain,) in rows:
        decider.checkpoint(chain)


@dataclass(frozen=True)
class _Migration:
    name: str
    check: LogCheck
    key: bytes
    by: str
    found: Migrated
    signer: Signer
    dry_run: bool

    def __call__(self, connection: Transaction) -> None:
        chains = {chain for (chain,) in connection.rows("SELECT chain FROM head")}
        for chain in sorted(chains | set(self.check.checkpoints)):
            self._require(chain, self._log_fault(connection, chain))
        work = Migrating(connection, self.key, self._time(connection), self.by)
        for step in self.found.steps:
            step.migrate(work)
            connection.rows("UPDATE made_by SET version = ?", (step.version,))
        if SERVICE in chains:  # else there is no key yet, and nothing was ever answered
            writer = work.writer(SERVICE)
            writer.add(MIGRATED, {"from": self.found.before, "to": VERSION, "by": self.by})
            connection.write(writer.writings())
        for chain in sorted(chains):
            self._require(chain, self.check.in_tables(connection, chain).fault)
        self._require_signatures(connection, chains)
        if self.dry_run:
            raise _OnlyTried

    def _require_signatures(self, connection: Transaction, chains: Iterable[str]) -> None:
        """Refuse what could not be signed once it is in the database."""
        fault = self.signer.fault()
        if fault is not None:
            raise SourceError(f"{self.name} was not migrated, and is as it was. {fault}")
        for chain in sorted(chains):
            last = self.signer.last(chain)
            if last is not None and hash_at(connection, chain, last.count) != last.head:
                said = f"The process that signs has signed {last.count} entries, which are not in this log."
                self._require(chain, Fault(last.count, said))

    def _time(self, connection: Transaction) -> str:
        """The time by the clock, but not before any entry."""
        ((last,),) = connection.rows("SELECT MAX(at) FROM entry")
        return max(datetime.now(UTC).isoformat(timespec="microseconds"), last or "")

    def _log_fault(self, connection: Transaction, chain: str) -> Fault | None:
        """Why a log is not what was signed, if it is not."""
        found, verified = self.check.log(chain, log(connection, chain))
        if verified.fault is None and len(found) and not self.check.checkpoints.get(chain):
            return Fault(
                1, f"There is no checkpoint of '{chain}', so it may be older than what was answered."
            )
        return verified.fault

    def _require(self, chain: str, fault: Fault | None) -> None:
        if fault is not None:
            raise SourceError(
                f"{self.name} was not migrated, and is as it was. {chain}: {fault.sentence}",
                hint="Verify it with the divulge that made it, and restore a backup.",
            )
