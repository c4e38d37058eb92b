"""Whether a log is what it was, and the tables what the log says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import Unavailable
from divulge.service.ledger.chain import ODD, Entry, Fault
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.hand_overs import HandOver, HolderKeys, logged_hand_overs
from divulge.service.ledger.log_writer import SERVICE, entries_of, head_of
from divulge.service.ledger.paging import PAGE, log
from divulge.service.operations.consistency import (
    disagreement,
    disagreement_about_keys,
    tree_disagreement,
)
from divulge.service.operations.exporting import Export
from divulge.service.operations.guarded.replaying import replay_queries
from divulge.service.operations.logs import Log
from divulge.service.operations.replaying import replay
from divulge.service.store.connection import Database, Row, Transaction

# what only the holder's key can compare with a log: of a dataset, of the service
KEYED = ("answer", "cell", "dataset", "policy", "record", "removed_answer", "request"), ("api_key",)
KEYED_QUERIES = ("guarded_table", "query")  # the same of a guarded table
NAMED = (
    "SELECT DISTINCT chain FROM entry",
    "SELECT name FROM dataset",
    *(f"SELECT DISTINCT dataset FROM {table}" for table in ("policy", "record", "cell", "request")),
    "SELECT DISTINCT dataset FROM removed_answer",
    "SELECT name FROM guarded_table",
    "SELECT DISTINCT dataset FROM query",
    f"SELECT '{SERVICE}' FROM api_key LIMIT 1",
    "SELECT DISTINCT chain FROM tree_node",
)


@dataclass(frozen=True)
class Verified:
    """A chain that was checked: how far it goes, by what it was checked, and its first fault."""

    chain: str
    entries: int
    sealed: bool  # whether the holder's seals were checked
    checkpoints: int  # that bind it
    lost: int  # entries that were signed once, and whose loss was accepted
    decisions: int | None  # taken again; None where that was not asked for
    fault: Fault | None
    not_covered: tuple[str, ...] = ()  # tables that were not compared with it
    removed: int = 0  # answers, by the retention rule
    removed_to: int | None = None  # the entry up to which answers were removed

    def to_dict(self) -> dict[str, Any]:
        fault = None if self.fault is None else {"index": self.fault.index, "sentence": self.fault.sentence}
        return {**vars(self), "fault": fault, "not_covered": list(self.not_covered)}


@dataclass(frozen=True)
class LogCheck:
    """What a log is checked with. Without the holder's key, a rewritten log is told by checkpoints alone."""

    key: bytes | None
    public: Ed25519PublicKey | None
    checkpoints: Mapping[str, Sequence[Checkpoint]] = field(default_factory=dict)
    hand_overs: tuple[HandOver, ...] = ()  # by which the keys of the holder are followed

    def log(self, chain: str, entries: Iterable[Entry]) -> tuple[Log, Verified]:
        """A chain by itself."""
        given = self.checkpoints.get(chain, ())
        keys = self._keys()
        line = [] if keys is None else keys.line(chain)
        ends = [one.state for one in line if one.chain == chain]
        found = Log(chain, entries, self.key, {one.count for one in (*given, *ends) if one.root is not None})
        check = replace(self, hand_overs=(*self.hand_overs, *(one for _, one in found.ledger.handed_over)))
        binding = found.binding(given)
        fault = found.fault or check._handed_over(found, given) or check._unsigned(chain, given)
        fault = fault or found.against(found.binding([*given, *ends])) or found.backwards
        lost = sum(loss.signed - loss.kept for loss in found.ledger.reconciled)
        removed = found.ledger.removed, found.ledger.removed_to or None
        seen = (chain, len(found), self.key is not None, len(binding), lost, None, fault)
        return found, Verified(*seen, (), *removed)

    def _unsigned(self, chain: str, checkpoints: Sequence[Checkpoint]) -> Fault | None:
        """The first checkpoint that the holder has not signed for this chain."""
        keys = self._keys()
        for one in sorted(checkpoints, key=lambda one: one.count):
            if keys is None or one.chain != chain:
                return Fault(one.count, f"A checkpoint after entry {one.count} was not signed by the holder.")
            if (unsigned := keys.fault(one)) is not None:
                return Fault(one.count, f"A checkpoint after entry {one.count} {unsigned}.")
        return None

    def _keys(self) -> HolderKeys | None:
        return None if self.public is None else HolderKeys(self.public, self.hand_overs)

    def _handed_over(self, found: Log, given: Sequence[Checkpoint]) -> Fault | None:
        """The first entry that hands over a key that was not the holder's, or not with both signatures.

        Where a key was lost, a loss was accepted and another key begins: what led to the lost one stays.
        """
        keys = self._keys()
        losses = found.believed(given) if self.key is None else found.ledger.reconciled
        begun = max((loss.index for loss in losses), default=0)
        for index, one in found.ledger.handed_over:
            if not one.is_whole:
                return Fault(
                    index,
                    f"Entry {index} hands the key over without the signatures of both keys.",
                )
            if keys is None or one in keys.line(one.chain):
                continue
            if index > begun or keys.leads_through(one.chain, one.old, one.new):
                return Fault(index, f"Entry {index} hands over a key that was not the holder's.")
        return None

    def export(self, export: Export) -> Verified:
        """An exported log, whose own public key counts where no other is given."""
        given = (*self.checkpoints.get(export.chain, ()), *export.checkpoints)
        handed = (*self.hand_overs, *export.hand_overs)
        check = LogCheck(self.key, self.public or export.public, {export.chain: given}, hand_overs=handed)
        found, verified = check.log(export.chain, export.entries())
        if found.fault is None and export.public_keys != 1:
            what = "without its public key" if export.public is None else "with several public keys"
            fault = Fault(len(found) + 1, f"The export ends after entry {len(found)}, {what}.")
            return replace(verified, fault=fault)
        if found.fault is None and not all(one.is_whole for one in export.hand_overs):
            fault = Fault(len(found), "A hand-over of the key was not signed by the old and the new key.")
            return replace(verified, fault=fault)
        signed = max((one.count for one in found.binding(given)), default=0)
        if verified.fault is None and self.key is None and signed < len(found):
            fault = Fault(signed + 1, f"Entry {signed + 1} and later entries have no checkpoint.")
            return replace(verified, fault=fault)
        return verified

    def database(self, database: Database, *, again: bool = False) -> list[Verified]:
        """All chains of a database, their tables where the key is known, and on request every decision."""
        check = replace(self, hand_overs=self._all_hand_overs(database))
        return [check._chain(database, chain, again) for chain in self._chains(database)]

    def _all_hand_overs(self, database: Database) -> tuple[HandOver, ...]:
        """Those that are known and those in the log of the service, if that can be read."""
        with suppress(Unavailable):
            return (*self.hand_overs, *database.read(logged_hand_overs))
        return self.hand_overs

    def _chains(self, database: Database) -> list[str]:
        rows = database.read(lambda connection: connection.rows("SELECT chain FROM head"))
        with suppress(Unavailable):  # a name that is no text: the chain it was in lacks an entry
            for named in NAMED:  # rows of a dataset that no log has are found, too
                rows += database.read(partial(_rows, sql=named))
        return sorted({*(str(chain) for (chain,) in rows), *self.checkpoints})

    def _chain(self, database: Database, chain: str, again: bool) -> Verified:
        try:
            return database.read(lambda connection: self.in_tables(connection, chain, again=again))
        except Unavailable:
            index = _unreadable(database, chain)
            if index is None:
                raise
            fault = Fault(index, f"Entry {index} cannot be read.")
            return Verified(chain, index - 1, self.key is not None, 0, 0, None, fault)

    def in_tables(self, connection: Transaction, chain: str, *, again: bool = False) -> Verified:
        """A chain, its tree, the tables where the key is known, and on request every decision."""
        found, verified = self.log(chain, log(connection, chain))
        fault, decisions = verified.fault, None
        try:
            fault = fault or found.short_of(head_of(connection, chain))
            fault = fault or tree_disagreement(connection, found)
            if fault is None and self.key is not None:
                fault, decisions = _contents(connection, found, self.key, again)
        except ODD:
            last = len(found)
            fault = Fault(last, f"The tables cannot be what they were at entry {last}.")
        keyed = KEYED_QUERIES if found.ledger.guarded is not None else KEYED[chain == SERVICE]
        tables = () if self.key is not None else keyed
        return replace(verified, decisions=decisions, fault=fault, not_covered=tables)


def _rows(connection: Transaction, sql: str) -> list[Row]:
    return connection.rows(sql)


def _contents(
    connection: Transaction, found: Log, key: bytes, again: bool
) -> tuple[Fault | None, int | None]:
    """The first entry that the tables contradict, or that comes out otherwise when it is decided again."""
    if found.chain == SERVICE:
        return disagreement_about_keys(connection, found.ledger, key), None
    if not found.ledger.policies and found.ledger.guarded is None:
        return Fault(1, "No entry says that the dataset was loaded."), None
    fault = disagreement(connection, found.chain, found.ledger, key)
    if fault is not None or not again:
        return fault, None
    if found.ledger.guarded is not None:
        replayed = replay_queries(connection, found.chain, key)
        return replayed.fault, replayed.decisions
    replayed = replay(connection, found.chain, found.ledger.active, key)
    return replayed.fault, replayed.decisions


def _unreadable(database: Database, chain: str) -> int | None:
    """The first entry that the database cannot hand over."""
    after, most = 0, PAGE
    while True:
        try:
            found = database.read(partial(entries_of, chain=chain, after=after, most=most))
        except Unavailable:
            if most == 1:
                return after + 1
            most = 1
            continue
        if not found:
            return None
        if not isinstance(found[-1].index, int) or found[-1].index <= after:
            return after + 1
        after = found[-1].index
