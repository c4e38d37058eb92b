"""Where requests are decided: one transaction reads, decides, records and logs; the answer comes after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from divulge._support.stages import Stage, silent
from divulge.errors import Conflict, NotFound, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.checked_rows import LoggedRows, own_request
from divulge.service.decisions.committing.awaited import Awaited
from divulge.service.decisions.committing.commits import GroupCommits
from divulge.service.decisions.committing.group_queue import Piece
from divulge.service.decisions.committing.looked_up import RecordRequest, RequestsOf
from divulge.service.decisions.committing.requested import decide_requests
from divulge.service.decisions.committing.shared_commits import Reached
from divulge.service.decisions.committing.work import Deciding, Work
from divulge.service.decisions.dry_run import dry_run
from divulge.service.decisions.loading import Dataset, load
from divulge.service.decisions.open_requests import OpenLimits, TooManyOpen
from divulge.service.decisions.policies import (
    ACTIVE,
    EXPIRED,
    INSERT,
    PROPOSED,
    RETIRE,
    SETTLE_PROPOSAL,
    PolicyVersion,
    policies_of,
    policy_of,
)
from divulge.service.decisions.proofs import Decided
from divulge.service.decisions.transaction import RELEASED, WAITING
from divulge.service.decisions.updating import update
from divulge.service.identities.approvals import ApprovalRule, OpenProposal, Signatory
from divulge.service.ledger.known_states import hash_at
from divulge.service.ledger.log_writer import SERVICE
from divulge.service.store.connection import Transaction, Writing

__all__ = ["DecisionService", "RecordRequest"]
SLICE = 50  # requests of a batch that are decided together: others may come in between


@dataclass
class DecisionService(GroupCommits):
    """The service without HTTP: every method is one thing somebody may ask for.

    Access is checked before: a caller here may do what it asks for, unless its key has ended since.
    """

    open_limits: OpenLimits = field(default_factory=OpenLimits)

    # -- requests -------------------------------------------------------------------------------

    def request(self, dataset: str, asked: RecordRequest, owner: str) -> dict[str, Any]:
        """Decide one request."""
        (answer,) = self.decided_one(dataset, asked, owner).answers
        return answer

    def decided_one(self, dataset: str, asked: RecordRequest, owner: str) -> Decided:
        """The same, with what proves the answer."""
        answers, at = self.shared(dataset, self._deciding([asked], owner))
        return _of_one(self._decided_as(dataset, answers, at))

    def awaited_one(
        self,
        dataset: str,
        asked: RecordRequest,
        owner: str,
        pool: Executor,
        told: Callable[[Callable[[], Decided]], object],
    ) -> Awaited | None:
        """The same as a piece that no thread waits for: ``told`` is given how to come by what was decided.

        None for the first on a dataset, for which a thread has to wait.
        """

        def outcome(piece: Piece) -> Decided:
            answers, at = piece.outcome()
            return _of_one(self._decided_as(dataset, answers, at))

        work = self._deciding([asked], owner)
        return self.awaited(dataset, work, pool, lambda piece: told(partial(outcome, piece)))

    def batch(self, dataset: str, asked: Sequence[RecordRequest], owner: str) -> list[dict[str, Any]]:
        """Decide several requests in the order in which they stand.

        A long batch is decided in slices, in transactions that it may share with others' requests. If one
        fails, what was decided before it stays so, and is answered the same when it is repeated.
        """
        return [*self.decided(dataset, asked, owner).answers]

    def decided(self, dataset: str, asked: Sequence[RecordRequest], owner: str) -> Decided:
        """The same, with what proves the answers."""
        if not asked:
            return self.newest(dataset)
        parts = [asked[start : start + SLICE] for start in range(0, len(asked), SLICE)]
        answers, at = self.in_slices(dataset, [(self._deciding(part, owner), len(part)) for part in parts])
        return self._decided_as(dataset, [one for part in answers for one in part], at)

    def _deciding(self, asked: Sequence[RecordRequest], owner: str) -> Deciding:
        """Requests that are decided together."""
        decide = partial(decide_requests, asked=asked, owner=owner, limits=self.open_limits)
        return Deciding(decide, RequestsOf(owner, asked), owner)

    def _decided_as(self, dataset: str, answers: Sequence[dict[str, Any]], at: Reached) -> Decided:
        """Answers, with a checkpoint that has the entries of all of them."""
        last = max((one["index"] for one in answers if "index" in one), default=0)
        return Decided(answers, self.covering(dataset, last, at.checkpoint), at.tree)

    def ticket(self, dataset: str, ticket: str, owner: str) -> dict[str, Any]:
        """How a request of one's own stands, by its last entry; with the record, once it is released."""
        (answer,) = self.followed(dataset, ticket, owner).answers
        return answer

    def followed(self, dataset: str, ticket: str, owner: str) -> Decided:
        """The same, with what proves the answer."""

        expected = self.expected(dataset)

        def work(connection: Transaction) -> dict[str, Any]:
            self.require_newest_log(connection, dataset, expected)
            status, record, _, index = own_request(connection, dataset, ticket, owner, self.secrets.digest)
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

        answer, at = self.checkpointed(dataset, decide, owner)
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
        self.prepare_rules(dataset, rules)

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

        return self.transact(dataset, decide, by_key)

    def approve(self, dataset: str, version: int, by: str, by_key: str | None = None) -> dict[str, Any]:
        """Approve proposed rules, which the person who proposed them cannot; the last one needed puts them
        in force."""
        self.prepare_version(dataset, version)
        by_whom = Signatory(by, by_key)
        answer = self.transact(dataset, lambda work: self._approve(work, version, by_whom), by_key)
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
            valid = proposal.without(work.keys.revoked)
            proposal = valid.with_approval(by, work.held.policy.approval)
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
        self.require_additions()
        key, at = self.secrets.digest, self.time()
        work = partial(load, dataset=dataset, key=key, at=at, by=by, following=following, stage=stage)
        self.database.transact(dataset.name, work)
        self.checkpoint(dataset.name)

    def require_additions(self) -> None:
        """Refuse to add what could not be signed; and have a place for the first checkpoint."""
        if SERVICE in self.behind:
            raise Unavailable(f"No dataset can be added. {self.behind[SERVICE]}")
        self.require_signer()
        self.anchors.make()

    def update(self, dataset: Dataset, by: str, *, stage: Stage = silent) -> dict[str, int]:
        """Take the holder's table as it is now."""

        def decide(work: Work) -> dict[str, int]:
            following = bool(self.description(work.connection, dataset.name)[-1])
            given = (work.connection, dataset, work.held, work.writer, work.key)
            work.after, told = update(*given, by=by, following=following, stage=stage)
            return told

        return self.transact(dataset.name, decide)


def _of_one(found: Decided) -> Decided:
    """The one answer there is, unless it is an error."""
    (answer,) = found.answers
    if "message" in answer:
        raise TooManyOpen(answer["message"])
    if answer.get("error") == "conflict":
        raise Conflict("This idempotency key was used for another request.", hint="Use a new key.")
    if answer.get("error") == "not found":
        raise NotFound("The record does not exist.")
    return found
