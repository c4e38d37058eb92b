"""Where requests are decided: one transaction reads, decides, records and logs; the answer comes after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from divulge._support.stages import Stage, silent
from divulge.errors import Conflict, Forbidden, NotFound, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.checked_rows import (
    RECORD,
    LoggedRows,
    own_request,
    removed_query,
    stored,
    told_answer,
)
from divulge.service.decisions.checkpointed import known_tip
from divulge.service.decisions.dry_run import dry_run
from divulge.service.decisions.issued_keys import KeyIssuer
from divulge.service.decisions.loading import Dataset, load
from divulge.service.decisions.open_requests import OpenLimits, OpenRequests, TooManyOpen, open_queries
from divulge.service.decisions.policies import (
    ACTIVE,
    EXPIRED,
    INSERT,
    PROPOSED,
    RETIRE,
    SETTLE_PROPOSAL,
    PolicyVersion,
    active_query,
    policies_of,
    policy_of,
)
from divulge.service.decisions.proofs import Decided
from divulge.service.decisions.standing import DatasetReader
from divulge.service.decisions.transaction import RELEASED, WAITING, DecisionSession, Held
from divulge.service.decisions.updating import update
from divulge.service.identities.approvals import ApprovalRule, OpenProposal, Signatory
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.known_states import hash_at
from divulge.service.ledger.log_tree import LogTree, tree_at
from divulge.service.ledger.log_writer import SERVICE, Head, LogWriter, Tip, tip_of, tip_query
from divulge.service.store.connection import Found, Query, Row, Transaction, Writing

ANSWER = "INSERT INTO answer (owner, key, asked, answer) VALUES (?, ?, ?, ?)"
ANSWERED = "SELECT asked, answer FROM answer WHERE owner = ? AND key = ?"


class RecordRequest(NamedTuple):
    """A request for a record, under a key that makes asking again harmless."""

    record: str
    key: str


class Reached(NamedTuple):
    """Where a log stood after a transaction: the newest checkpoint, and the tree if it was added to."""

    checkpoint: Checkpoint | None
    tree: LogTree | None


@dataclass
class Work:
    """What a decision needs of the transaction it is taken in, and how the dataset stands after it."""

    connection: Transaction
    dataset: str
    held: Held
    writer: LogWriter
    key: bytes
    found: list[list[Row]]  # of the queries that were known beforehand
    after: Held | None = None

    def session(self) -> DecisionSession:
        return DecisionSession(self.connection, self.dataset, self.held, self.writer, self.key)

    def write(self, session: DecisionSession, more: Sequence[Writing] = ()) -> None:
        """Everything that was decided, into the database."""
        self.connection.write([one for one in (*session.writings(self.held), *more) if one[1]])
        self.after = session.held()


@dataclass
class DecisionService(DatasetReader, KeyIssuer):
    """The service without HTTP: every method is one thing somebody may ask for.

    Access is checked before: a caller here may do what it asks for.
    """

    open_limits: OpenLimits = field(default_factory=OpenLimits)
    _held: dict[str, Held] = field(init=False, repr=False, default_factory=dict)
    _trees: dict[str, LogTree] = field(init=False, repr=False, default_factory=dict)

    # -- requests -------------------------------------------------------------------------------

    def request(self, dataset: str, asked: RecordRequest, owner: str) -> dict[str, Any]:
        """Decide one request."""
        (answer,) = self.decided_one(dataset, asked, owner).answers
        return answer

    def decided_one(self, dataset: str, asked: RecordRequest, owner: str) -> Decided:
        """The same, with what proves the answer."""
        found = self.decided(dataset, [asked], owner)
        (answer,) = found.answers
        if "message" in answer:
            raise TooManyOpen(answer["message"])
        if answer.get("error") == "conflict":
            raise Conflict("This idempotency key was used for another request.", hint="Use a new key.")
        if answer.get("error") == "not found":
            raise NotFound("The record does not exist.")
        return found

    def batch(self, dataset: str, asked: Sequence[RecordRequest], owner: str) -> list[dict[str, Any]]:
        """Decide several requests in the order in which they stand, all in one transaction."""
        return [*self.decided(dataset, asked, owner).answers]

    def decided(self, dataset: str, asked: Sequence[RecordRequest], owner: str) -> Decided:
        """The same, with what proves the answers."""
        records = [one.record for one in asked]
        queries: list[Query] = [(ANSWERED, (owner, one.key)) for one in asked]
        queries += [(RECORD, (dataset, record)) for record in records]
        queries.append(removed_query(self.secrets.digest, owner, [one.key for one in asked]))
        queries += open_queries(dataset, records, owner)
        found, at = self._checkpointed(dataset, lambda work: self._decide(work, asked, owner), queries)
        last = max((one["index"] for one in found if "index" in one), default=0)
        return Decided(found, self.covering(dataset, last, at.checkpoint), at.tree)

    def _decide(self, work: Work, asked: Sequence[RecordRequest], owner: str) -> list[dict[str, Any]]:
        number = len(asked)
        before, stored_rows = work.found[:number], work.found[number:-3]
        removed = {row[0]: row[1:] for row in work.found[-3]}
        waiting = OpenRequests(self.open_limits, owner, work.found[-2:])
        given: set[str] = set()  # keys under which something is decided now
        answers = {
            one.key: (rows[0][0], json.loads(rows[0][1]))
            for one, rows in zip(asked, before, strict=True)
            if rows
        }
        session, fresh, found = work.session(), [], []
        logged = LoggedRows(work.connection, work.dataset, work.key)
        for one, rows in zip(asked, stored_rows, strict=True):
            named = session.named(one.record)
            record = stored(work.key, work.dataset, one.record, rows[0]) if rows else None
            known = answers.get(one.key) or logged.removed_answer(removed, owner, one.key)
            if known is not None and known[0] == named and one.key not in given:
                logged.require_answer(named, known[1], owner, one.key)
                if known[1]["decision"] == RELEASED:
                    logged.require_release(record or logged.record(one.record))
            elif known is None and record is not None:
                refusal = waiting.refusal(one.record, session.opened)
                if refusal is not None and record.released is None:
                    found.append({"error": "too many open", "message": refusal})
                    continue
                answer = session.request(record, owner, one.key)
                known = answers[one.key] = named, answer
                given.add(one.key)
                fresh.append((owner, one.key, named, json.dumps(answer)))
            found.append(told_answer(known, named, record))
        work.write(session, [(ANSWER, fresh)] if fresh else [])
        return found

    def ticket(self, dataset: str, ticket: str, owner: str) -> dict[str, Any]:
        """How a request of one's own stands, by its last entry; with the record, once it is released."""
        (answer,) = self.followed(dataset, ticket, owner).answers
        return answer

    def followed(self, dataset: str, ticket: str, owner: str) -> Decided:
        """The same, with what proves the answer."""

        expected = self.expected(dataset)

        def work(connection: Transaction) -> dict[str, Any]:
            tip = known_tip(connection, dataset)
            status, record, _, index = own_request(connection, dataset, ticket, owner, self.secrets.digest)
            self.require_newest(connection, dataset, tip, expected)
            at = hash_at(connection, dataset, index)
            found: dict[str, Any] = {"decision": status, "ticket": ticket, "index": index, "hash": at}
            if status == RELEASED:
                logged = LoggedRows(connection, dataset, self.secrets.digest)
                outside = logged.record(record)
                logged.require_release(outside)
                found["record"] = json.loads(outside.body)
            return found

        answer = self.database.read(work)
        return Decided([answer], self.covering(dataset, answer["index"], expected.signed))

    def withdraw(self, dataset: str, ticket: str, owner: str) -> dict[str, Any]:
        """Take back a waiting request of one's own."""
        (answer,) = self.withdrawn(dataset, ticket, owner).answers
        return answer

    def withdrawn(self, dataset: str, ticket: str, owner: str) -> Decided:
        """The same, with what proves the answer."""

        def decide(work: Work) -> dict[str, Any]:
            status, _, cell, _ = own_request(work.connection, dataset, ticket, owner, work.key)
            if status != WAITING:
                raise Conflict(f"The request is not waiting: it is {status}.")
            session = work.session()
            answer = session.withdraw(ticket, cell)
            work.write(session)
            return answer

        answer, at = self._checkpointed(dataset, decide)
        return Decided([answer], self.covering(dataset, answer["index"], at.checkpoint), at.tree)

    # -- policies -------------------------------------------------------------------------------

    def propose(
        self,
        dataset: str,
        rules: Rules,
        by: str,
        by_key: str | None = None,
        changed: Callable[[ApprovalRule], ApprovalRule] = lambda rule: rule,
    ) -> dict[str, Any]:
        """Propose other rules; they hold once as many others have approved them as those in force demand.

        ``changed`` says how rules are changed from then on, given how they are now.
        """

        def decide(work: Work) -> dict[str, Any]:
            version = len(policies_of(work.connection, dataset)) + 1
            held = work.held.policy
            guard = held.guard.held_to(rules, version)
            policy = PolicyVersion.of(
                version,
                guard,
                status=PROPOSED,
                proposed_by=by,
                approved_by=None,
                approval=changed(held.approval),
                entry=work.writer.next,
            )
            proposal = OpenProposal.made(Signatory(by, by_key), work.writer.at, held.approval)
            told = {"policy": version, "digest": policy.digest, "rules": rules.to_dict()}
            told |= {**policy.approval.described, **proposal.proposer.told(), **proposal.told()}
            entry = work.writer.add("policy proposed", told)
            work.write(work.session(), [(INSERT, [policy.row(dataset)])])
            return {
                **policy.to_dict(),
                **proposal.shown(),
                "dry_run": dry_run(work.connection, dataset, work.held, guard),
                "index": entry.index,
                "hash": entry.hash,
            }

        return self._transact(dataset, decide)

    def approve(self, dataset: str, version: int, by: str, by_key: str | None = None) -> dict[str, Any]:
        """Approve proposed rules, which the person who proposed them cannot; the last one needed puts them
        in force."""
        answer = self._transact(dataset, lambda work: self._approve(work, version, Signatory(by, by_key)))
        if answer["status"] == EXPIRED:
            raise Conflict(
                f"The proposal expired on {answer['expires'][:10]}.", hint="Propose the rules again."
            )
        return answer

    def _approve(self, work: Work, version: int, by: Signatory) -> dict[str, Any]:
        policy = policy_of(work.connection, work.dataset, version)
        if policy is None:
            raise NotFound("This version of the policy does not exist.")
        if policy.status != PROPOSED:
            raise Conflict(f"Version {version} of the policy is {policy.status}, not proposed.")
        proposal = self.open_proposal(work.connection, work.dataset, policy)
        session = work.session()
        told = {"policy": version, "digest": policy.digest, **by.told()}
        if proposal.expires <= work.writer.at:
            policy = replace(policy, status=EXPIRED)
            entry = work.writer.add("proposal expired", {**told, **proposal.told()})
        else:
            revoked = self.revoked_keys(work.connection)
            if by.key in revoked:
                raise Forbidden("This key is revoked.")
            proposal = proposal.without(revoked).with_approval(by, work.held.policy.approval)
            if not policy.expects_the_same(work.held.policy):
                raise Conflict(
                    f"The baseline has changed since version {version} was proposed.",
                    hint="Propose the rules again.",
                )
            if proposal.complete:
                policy = replace(policy, status=ACTIVE, approved_by=by.person)
                entry = session.hold_to(policy, "policy approved", {**by.told(), **proposal.told()})
            else:
                entry = work.writer.add("approval given", {**told, **proposal.told()})
        retired: list[Writing] = [(RETIRE, [(work.dataset,)])] if policy.status == ACTIVE else []
        row = (policy.status, policy.approved_by, entry.index, work.dataset, version)
        work.write(session, [*retired, (SETTLE_PROPOSAL, [row])])
        return {**policy.to_dict(), **proposal.shown(), "index": entry.index, "hash": entry.hash}

    # -- datasets -------------------------------------------------------------------------------

    def load(self, dataset: Dataset, by: str, *, following: bool, stage: Stage = silent) -> None:
        """Put a dataset into the database, and sign that it is there."""
        if SERVICE in self.behind:
            raise Unavailable(f"No dataset can be added. {self.behind[SERVICE]}")
        self.require_signer()
        self.anchors.make()
        key, at = self.secrets.digest, self.time()
        work = partial(load, dataset=dataset, key=key, at=at, by=by, following=following, stage=stage)
        self.database.transact(dataset.name, work)
        self.checkpoint(dataset.name)

    def update(self, dataset: Dataset, by: str, *, stage: Stage = silent) -> dict[str, int]:
        """Take the holder's table as it is now."""

        def decide(work: Work) -> dict[str, int]:
            following = bool(self.description(work.connection, dataset.name)[-1])
            given = (work.connection, dataset, work.held, work.writer, work.key)
            work.after, told = update(*given, by=by, following=following, stage=stage)
            return told

        return self._transact(dataset.name, decide)

    # -- transactions ---------------------------------------------------------------------------

    def _transact(self, dataset: str, decide: Callable[[Work], Found]) -> Found:
        """One transaction on a dataset, then the checkpoint of where it got to, then the answer."""
        return self._checkpointed(dataset, decide)[0]

    def _checkpointed(
        self, dataset: str, decide: Callable[[Work], Found], queries: Sequence[Query] = ()
    ) -> tuple[Found, Reached]:
        """The same, with the checkpoint.

        Queries that are known beforehand are asked together with what every decision needs.
        """
        self.require_signer()
        expected = self.expected(dataset)

        def work(connection: Transaction) -> tuple[Found, Held | None, LogWriter]:
            tips, active, *found = connection.several([tip_query(dataset), active_query(dataset), *queries])
            tip = tip_of(tips)
            if tip is None or not active:
                raise NotFound(f"There is no dataset '{dataset}'.")
            self.require_newest(connection, dataset, tip, expected)
            held = self._current(connection, dataset, tip.head, *active[0])
            tree = self._tree(connection, dataset, tip.head)
            writer = LogWriter(dataset, held.head, self.secrets.digest, self.time(tip.at), tree)
            done = Work(connection, dataset, held, writer, self.secrets.digest, found)
            return decide(done), done.after, writer

        before = self._held.get(dataset)
        answer, after, writer = self.database.transact(dataset, work)
        if after is not None:
            self.known.saw(dataset, Tip(after.head, after.head.hash, writer.at))
        if after is None or (before is not None and after.head == before.head):
            return answer, Reached(expected.signed, None)
        signed = self.note(
            dataset,
            0 if before is None else before.head.entries,
            after.head,
            writer.tree.root,
            writer.tree,
        )
        self._held[dataset], self._trees[dataset] = after, writer.tree
        return answer, Reached(signed, writer.tree)

    def _tree(self, connection: Transaction, dataset: str, head: Head) -> LogTree:
        """The tree over the log as it stands: what was kept, if the log has not moved on since."""
        kept = self._trees.get(dataset)
        if kept is not None and (kept.size, kept.last) == (head.entries, head.hash):
            return kept.continued()
        return tree_at(connection, dataset, head.entries)

    def _current(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> Held:
        """The dataset as it stands: what was kept, if the log has not moved on since."""
        kept = self._held.get(dataset)
        if kept is not None and kept.head == head and kept.policy.version == version:
            return kept
        return self.standing_at(connection, dataset, head, version, fingerprint)
