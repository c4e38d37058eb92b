"""A database that was restored from a copy returns to service: with what it forgot, or admitting the loss."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.errors import Conflict, NotFound
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.log_writer import INSERT, SERVICE, Head, LogWriter, head_of
from divulge.service.ledger.paging import log
from divulge.service.operations.consistency import disagreement, disagreement_about_keys
from divulge.service.operations.exporting import Export
from divulge.service.operations.logs import Log
from divulge.service.operations.missing_entries import implied, implied_keys
from divulge.service.operations.verifying import LogCheck
from divulge.service.store.connection import Transaction


@dataclass(frozen=True)
class Reconciled:
    """What became of a chain: how many entries it had and has, and why it is still read-only, if it is."""

    before: int
    after: int
    behind: str | None


def carry_in(desk: DecisionService, chain: str, export: Export) -> Reconciled:
    """Append the entries that a database lacks, as they were exported, and bring its tables to their state.

    The chain goes on unbroken. What is released by these entries is known again; whose requests they were
    is not.
    """
    key = desk.secrets.digest
    check = LogCheck(key, desk.secrets.public, {chain: export.checkpoints})
    found, verified = check.log(chain, export.entries())
    if verified.fault is not None:
        raise Conflict(f"The export is not a whole log of '{chain}'. {verified.fault.sentence}")

    def work(connection: Transaction) -> int:
        head = _whole(connection, chain, key).head
        if len(found) <= head.entries:
            raise Conflict(f"The export has nothing that the database lacks: it ends at entry {len(found)}.")
        if found.hash(head.entries) != head.hash:
            raise Conflict("The export is of another log: they differ before the database's last entry.")
        missing = [entry for entry in export.entries() if entry.index > head.entries]
        rows = [(e.chain, e.index, e.at, e.kind, e.body, e.hash, e.seal) for e in missing]
        now = (found.ledger.epoch, len(found), found.hash(len(found)), chain)
        connection.write(
            [(INSERT, rows), ("UPDATE head SET epoch = ?, idx = ?, hash = ? WHERE chain = ?", [now])]
        )
        if chain == SERVICE:
            connection.write(implied_keys(connection, found.ledger))
            fault = disagreement_about_keys(connection, found.ledger)
        else:
            connection.write(implied(connection, chain, found.ledger, head.entries, key))
            fault = disagreement(connection, chain, found.ledger, key)
        if fault is not None:
            raise Conflict(f"The tables cannot be brought to what the export says. {fault.sentence}")
        return head.entries

    before = desk.database.transact(chain, work)
    return _after(desk, chain, before)


def accept_loss(desk: DecisionService, chain: str, by: str) -> Reconciled:
    """Go on from what the database has; the log says what was signed once and is lost."""
    key, newest = desk.secrets.digest, desk.anchors.newest(chain)
    if chain not in desk.behind or newest is None:
        raise Conflict(f"'{chain}' is not behind its checkpoints, so there is no loss to accept.")

    def work(connection: Transaction) -> int:
        found = _whole(connection, chain, key)
        head = found.head
        kept = found.agreed(
            [one for one in desk.anchors.kept(chain) if one.is_signed_by(desk.secrets.public)]
        )
        epoch = max(head.epoch, newest.epoch) + 1
        book = LogWriter(chain, Head(epoch, head.entries, head.hash), key, desk.clock())
        book.add("reconciled", {"from": kept, "to": newest.count, "epoch": epoch, "by": by})
        connection.write(book.writings())
        return head.entries

    before = desk.database.transact(chain, work)
    return _after(desk, chain, before)


def _whole(connection: Transaction, chain: str, key: bytes) -> Log:
    """A chain with which nothing else is wrong than that it ends too early."""
    head = head_of(connection, chain)
    if head is None:
        raise NotFound(f"There is no log '{chain}' in the database.")
    found = Log(chain, log(connection, chain), key)
    fault = found.fault or found.short_of(head)
    if fault is not None:
        raise Conflict(f"The database's log is not whole. {fault.sentence}")
    return found


def _after(desk: DecisionService, chain: str, before: int) -> Reconciled:
    desk.check_anchors()
    if chain not in desk.behind:
        desk.checkpoint(chain)
    head = desk.database.read(lambda connection: head_of(connection, chain))
    assert head is not None
    return Reconciled(before, head.entries, desk.behind.get(chain))
