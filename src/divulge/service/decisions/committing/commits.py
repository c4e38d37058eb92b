"""Decisions of several requesters share one transaction, one checkpoint and the time that disks take.

Each is decided in the order in which it came. Answers go out when the transaction that they share and the
checkpoint of it are on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from divulge.errors import DivulgeError, NotFound
from divulge.safe_release import Rules
from divulge.service.decisions.checked_datasets import LastStanding
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.checkpointed import known_tip
from divulge.service.decisions.committing.awaited import Awaited
from divulge.service.decisions.committing.group_queue import Group, Piece
from divulge.service.decisions.committing.looked_up import RequestedRows, row_queries
from divulge.service.decisions.committing.shared_commits import Reached, SharedCommits
from divulge.service.decisions.committing.work import Deciding, Work
from divulge.service.decisions.held_state.catching_up import caught_up
from divulge.service.decisions.held_state.held import Held, HeldRows
from divulge.service.decisions.issued_keys import KeyIssuer
from divulge.service.decisions.logged.request_digests import RequestDigests
from divulge.service.decisions.policies import PROPOSED, active_query, policy_of
from divulge.service.decisions.standing import DatasetReader
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.known_states import Expected
from divulge.service.ledger.log_tree import LogTree, tree_at
from divulge.service.ledger.log_writer import NO_TIP, SERVICE, Head, Tip, tips_of, tips_query
from divulge.service.signing.signer import Signer
from divulge.service.store.connection import Found, Query, Transaction

LOGGER = logging.getLogger("divulge.service")
AHEAD = 512  # records beyond those outside for which limits are at hand
ATTEMPTS = 3  # to begin where a dataset stands, while others go on


class _Unprepared(Exception):
    """What a decision needs is not at hand, and is not worked out within a transaction."""


@dataclass
class GroupCommits(DatasetReader, KeyIssuer):
    """Datasets on which pieces of work are decided, those of several threads together."""

    _held: dict[str, Held] = field(init=False, repr=False, default_factory=dict)
    _trees: dict[str, LogTree] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self, signed_by: Signer | None) -> None:
        super().__post_init__(signed_by)
        self._commits = SharedCommits(self._decided, self.require_log)

    def require_log(self, chain: str) -> None:
        """Refuse a dataset or a table that there is not."""
        self.database.read(lambda connection: known_tip(connection, chain))

    def prepare(self) -> None:
        """Work out beforehand what decisions need, so that the first does not wait for it."""
        for dataset in self.datasets():
            if dataset not in self.behind:
                try:
                    self.prepare_dataset(dataset)
                except DivulgeError as error:
                    LOGGER.warning("%s cannot be prepared: %s", dataset, error)

    def prepare_dataset(self, dataset: str) -> None:
        """The same for one dataset: it is read at one moment, and all else is done outside of it."""

        def rows(connection: Transaction, head: Head) -> tuple[HeldRows, LastStanding]:
            active = connection.rows(*active_query(dataset))
            if not active:
                raise NotFound(f"There is no dataset '{dataset}'.")
            return self.standing_rows(connection, dataset, head, *active[0])

        held, fault = self.evaluated(dataset, *self.at_one_moment(dataset, rows))
        if fault is not None:
            raise changed(fault)
        self._held[dataset] = held

    def prepare_rules(self, dataset: str, rules: Rules) -> None:
        """Find the limits of rules on a dataset, which are remembered, before a transaction needs them."""
        held = self._held.get(dataset)
        if held is not None:
            held.policy.guard.held_to(rules, held.policy.version).state(held.state.counts)

    def prepare_version(self, dataset: str, version: int) -> None:
        """The same for rules that were proposed; what is wrong with them is said when they are approved."""
        policy = self.at_one_moment(dataset, lambda connection, _: policy_of(connection, dataset, version))
        with suppress(DivulgeError, *ODD):
            if policy is not None and policy.status == PROPOSED:
                self.prepare_rules(dataset, policy.guard.rules)

    # -- pieces of work -------------------------------------------------------------------------

    def transact(self, dataset: str, decide: Callable[[Work], Found], by_key: str | None = None) -> Found:
        """Something decided by itself: one transaction, then its checkpoint, then the answer."""
        return self.checkpointed(dataset, decide, by_key)[0]

    def checkpointed(
        self, dataset: str, decide: Callable[[Work], Found], by_key: str | None = None
    ) -> tuple[Found, Reached]:
        """The same, with the checkpoint."""
        return self._commits.done(dataset, Piece(Deciding(decide, by_key=by_key)))

    def shared(self, dataset: str, work: Deciding) -> tuple[list[Any], Reached]:
        """A single request that may share a transaction with others."""
        return self._commits.done(dataset, Piece(work, shared=True))

    def awaited(
        self, dataset: str, work: Deciding, pool: Executor, told: Callable[[Piece], object]
    ) -> Awaited | None:
        """A single request that may share a transaction with others, for whom no thread waits.

        None for the first on a dataset, which may not exist: to look that up, a thread has to wait.
        """
        line = self._commits.line(dataset)
        return None if line is None else Awaited(work, line, pool, told)

    def in_slices(
        self, dataset: str, slices: Sequence[tuple[Deciding, int]]
    ) -> tuple[list[list[Any]], Reached]:
        """Slices of one requester with their sizes, in this order and in few transactions.

        They may share these with others' requests, and give way to them. After one that failed, none is.
        """
        left, pieces = iter(slices), list[Piece]()

        def following() -> Piece | None:
            before = pieces[-1] if pieces else None
            found = next(left, None) if before is None or before.error is None else None
            if found is None:
                return None
            pieces.append(Piece(*found, shared=True, following=following, before=before))
            return pieces[-1]

        while (piece := following()) is not None:
            self._commits.done(dataset, piece)
        outcomes = [one.outcome() for one in pieces]
        return [answers for answers, _ in outcomes], outcomes[-1][1]

    def _decided(self, dataset: str, group: Group) -> Reached:
        """One transaction, and the checkpoint of where it got to."""
        self.require_signer()
        expected = self.expected(dataset)
        work = self._transaction(dataset, group, expected)
        after, before = work.after, work.held.head
        if after is not None:
            self.known.saw(dataset, Tip(after.head, after.head.hash, work.at))
        signed = expected.signed
        if after is None or (after.head == before and signed is not None and signed.count == before.entries):
            return Reached(signed, None)
        tree = work.writer.tree
        self._held[dataset], self._trees[dataset] = after, tree
        return Reached(self.note(dataset, before.entries, after.head, tree.root, tree), tree)

    def _transaction(self, dataset: str, group: Group, expected: Expected) -> Work:
        self._look_ahead(dataset)
        for attempt in range(ATTEMPTS):
            try:
                last = attempt == ATTEMPTS - 1
                return self.database.transact(
                    dataset, partial(self._work, dataset, group, expected, prepared=not last)
                )
            except _Unprepared:
                self.prepare_dataset(dataset)
                self._look_ahead(dataset)
        raise AssertionError("the last attempt needs nothing that was prepared")

    def _look_ahead(self, dataset: str) -> None:
        """Have limits for as many records as a transaction lets out, which go by their number."""
        held = self._held.get(dataset)
        for part in () if held is None else held.state.parts:
            part.guard.limits(part.records + AHEAD)

    def _work(
        self, dataset: str, group: Group, expected: Expected, connection: Transaction, *, prepared: bool
    ) -> Work:
        """All pieces of a group, and of those that join it meanwhile, within a transaction."""
        pieces = list(group.pieces)
        digests = RequestDigests(dataset, self.secrets.digest)
        connection.meanwhile(partial(_prepare, digests, pieces))
        asked: list[Query] = [tips_query(dataset, SERVICE), active_query(dataset)]
        rows, active, *found = connection.several([*asked, *self._queries(dataset, pieces)])
        tips = tips_of(rows)
        tip = tips.get(dataset)
        if tip is None or not active:
            raise NotFound(f"There is no dataset '{dataset}'.")
        self.require_newest(connection, dataset, tip, expected)
        held = self._current(connection, dataset, tip.head, *active[0], prepared=prepared)
        tree = self._tree(connection, dataset, tip.head)
        keys = self.keys_at(connection, tips.get(SERVICE, NO_TIP))
        work = Work(connection, dataset, held, self.secrets.digest, self.time(tip.at), tree, keys, digests)
        while pieces:
            requested = RequestedRows.of(found)
            for piece in pieces:
                work.decide(piece, requested)
            # Others may have revoked a key since a server began the transaction, which does not see it.
            pieces = group.joined(newcomers=self.database.writes_alone)
            work.now = self.time(work.at)
            found = connection.several(self._queries(dataset, pieces)) if pieces else []
        work.finish()
        if work.after is not None:
            head, tree = work.after.head, work.writer.tree
            connection.meanwhile(lambda: self.sign_ahead(dataset, head, tree.root, work.at))
        return work

    def _queries(self, dataset: str, pieces: Sequence[Piece]) -> list[Query]:
        """For what all requests among these pieces need."""
        asked = [one.work.asked for one in pieces if one.work.asked is not None]
        return row_queries(dataset, asked, self.secrets.digest)

    def _tree(self, connection: Transaction, dataset: str, head: Head) -> LogTree:
        """The tree over the log as it stands: what was kept, if the log has not moved on since."""
        kept = self._trees.get(dataset)
        if kept is not None and (kept.size, kept.last) == (head.entries, head.hash):
            return kept
        return tree_at(connection, dataset, head.entries)

    def _current(
        self,
        connection: Transaction,
        dataset: str,
        head: Head,
        version: int,
        fingerprint: str,
        *,
        prepared: bool,
    ) -> Held:
        """The dataset as it stands: what was kept, brought up to date if others have decided since."""
        kept = self._held.get(dataset)
        if kept is not None and (kept.policy.version, kept.policy.digest) == (version, fingerprint):
            if kept.head == head:
                return kept
            later = caught_up(connection, dataset, kept, head, self.secrets.digest)
            if later is not None:
                return later
        if prepared:
            raise _Unprepared
        held, fault = self.held_and_fault(connection, dataset, head, version, fingerprint)
        if fault is not None:
            raise changed(fault)
        return held


def _prepare(digests: RequestDigests, pieces: Sequence[Piece]) -> None:
    """What requests among these pieces will need that is in no table."""
    for one in pieces:
        if one.work.asked is not None:
            digests.prepare(*one.work.asked)
