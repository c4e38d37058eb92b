"""A database that was restored from a copy returns to service: with what it forgot, or admitting the loss."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.errors import Conflict, NotFound
from divulge.service.decisions.checkpointed import known_tip
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.chain import Fault
from divulge.service.ledger.known_states import LOSS_HINT
from divulge.service.ledger.log_tree import tree_at
from divulge.service.ledger.log_writer import SERVICE, Head, LogWriter, appended, head_of, open_chain
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


def carry_in(decider: DecisionService, chain: str, export: Export) -> Reconciled:
    """Append the entries that a database lacks, as they were exported, and bring its tables to their state.

    The chain goes on unbroken. What is released by these entries is known again; whose requests they were
    is not.
    """
    key = decider.secrets.digest
    keys = decider.keys.with_more(export.hand_overs)
    check = LogCheck(key, keys.trusted, {chain: export.checkpoints}, hand_overs=keys.hand_overs)
    found, verified = check.log(chain, export.entries())
    if verified.fault is not None:
        raise Conflict(f"The export is not a complete log of '{chain}'. {verified.fault.sentence}")

    def work(connection: Transaction) -> int:
        head = _whole(connection, chain, key).head
        if len(found) <= head.entries:
            raise Conflict(f"The export has nothing that the database lacks: it ends at entry {len(found)}.")
        if found.hash(head.entries) != head.hash:
            raise Conflict("The export is of another log: they differ before the database's last entry.")
        missing = [entry for entry in export.entries() if entry.index > head.entries]
        tree = tree_at(connection, chain, head.entries)
        nodes = [row for entry in missing for row in tree.row(chain, entry.hash)]
        connection.write(appended([one.row for one in missing], found.head, chain, nodes))
        if chain == SERVICE:
            writings, restored = implied_keys(connection, found.ledger)
            connection.write(writings)
            if restored:
                at = decider.time(missing[-1].at)
                writer = LogWriter(chain, found.head, key, at, tree)
                writer.add("keys restored", {"keys": restored})
                connection.write(writer.writings())
        else:
            connection.write(implied(connection, chain, found.ledger, head.entries, key))
        fault = _contradiction(connection, _whole(connection, chain, key), key)
        if fault is not None:
            raise Conflict(f"The tables cannot be made to match the export. {fault.sentence}")
        return head.entries

    before = decider.database.transact(chain, work)
    return _after(decider, chain, before)


def accept_loss(decider: DecisionService, chain: str, by: str) -> Reconciled:
    """Go on from what the database has; the log says what was signed once and is lost.

    A signer that is another process has to have allowed it before anything is written. Where the loss was
    written and not signed, it is signed.
    """
    key = decider.secrets.digest
    if chain not in decider.behind:
        raise Conflict(f"'{chain}' is not behind its checkpoints, so there is no loss to accept.")
    kept, shown = decider.anchors.kept(chain), decider.last_signed(chain)
    signed = [one for one in (*kept, shown) if one is not None and decider.keys.has_signed(one)]
    newest = max(signed, key=lambda one: (one.epoch, one.count), default=None)
    allowed = decider.signer.allows_loss(chain)

    def work(connection: Transaction) -> int:
        if chain == SERVICE:
            open_chain(connection, chain)  # where all keys were made since
        found = _whole(connection, chain, key)
        head = found.head
        fault = _contradiction(connection, found, key)
        if fault is not None:
            raise Conflict(
                f"The tables are not what the log says. {fault.sentence}", hint="Restore a backup."
            )
        if shown is not None and not allowed:
            raise Conflict("The signer has not allowed this loss.", hint=LOSS_HINT.format(chain))
        if newest is not None and newest.epoch < head.epoch:
            return head.entries  # the loss was accepted before, and only not signed
        epoch = max(head.epoch, newest.epoch if newest else 0) + 1
        agreed = found.agreed(signed)
        lost = {"from": agreed, "to": max(newest.count if newest else head.entries, agreed)}
        at = decider.time(known_tip(connection, chain).at)
        tree = tree_at(connection, chain, head.entries)
        writer = LogWriter(chain, Head(epoch, head.entries, head.hash), key, at, tree)
        if newest is None:
            lost["checkpoints"] = 0  # so that it is not known how much is lost
        writer.add("reconciled", {**lost, "epoch": epoch, "by": by})
        connection.write(writer.writings())
        return head.entries

    before = decider.database.transact(chain, work)
    head, root = decider.database.read(lambda connection: _state(connection, chain))
    decider.anchors.make().note(decider.signed(chain, head, root))
    return _after(decider, chain, before)


def _state(connection: Transaction, chain: str) -> tuple[Head, str]:
    head = known_tip(connection, chain).head
    return head, tree_at(connection, chain, head.entries).root


def _contradiction(connection: Transaction, found: Log, key: bytes) -> Fault | None:
    """The first entry that the tables contradict."""
    if found.chain == SERVICE:
        return disagreement_about_keys(connection, found.ledger, key)
    return disagreement(connection, found.chain, found.ledger, key)


def _whole(connection: Transaction, chain: str, key: bytes) -> Log:
    """A chain with which nothing else is wrong than that it ends too early."""
    head = head_of(connection, chain)
    if head is None:
        raise NotFound(f"There is no log '{chain}' in the database.")
    found = Log(chain, log(connection, chain), key)
    fault = found.fault or found.short_of(head)
    if fault is not None:
        raise Conflict(f"The log of the database is not complete. {fault.sentence}")
    return found


def _after(decider: DecisionService, chain: str, before: int) -> Reconciled:
    decider.known.forget(chain)
    decider.check_anchors()
    if chain not in decider.behind:
        decider.checkpoint(chain)
    head = decider.database.read(lambda connection: head_of(connection, chain))
    assert head is not None
    return Reconciled(before, head.entries, decider.behind.get(chain))
