"""Where requests are decided: one transaction reads, decides, records and logs; the answer comes after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from divulge.errors import Conflict, Forbidden, NotFound, Unavailable
from divulge.safe_release import Rules
from divulge.service.decisions.checked_rows import LoggedRows, changed
from divulge.service.decisions.checkpointed import known_tip
from divulge.service.decisions.committing.commits import GroupCommits
from divulge.service.decisions.committing.requested import (
    RecordRequest,
    decide_requests,
    own_request,
    queries,
)
from divulge.service.decisions.committing.work import Deciding, Work
from divulge.service.decisions.dry_run import dry_run
from divulge.service.decisions.issued_keys import KeyRegister
from divulge.service.decisions.keys import Key, known_key, make_key, revoke_key
from divulge.service.decisions.loading import Dataset, load
from divulge.service.decisions.policies import (
    ACTIVE,
    INSERT,
    PROPOSED,
    RETIRE,
    PolicyVersion,
    policies_of,
    policy_of,
)
from divulge.service.decisions.proofs import Decided
from divulge.service.decisions.transaction import RELEASED, WAITING
from divulge.service.decisions.updating import update
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.known_states import hash_at
from divulge.service.ledger.log_writer import NO_TIP, SERVICE, Tip, tip_of, tip_query
from divulge.service.store.connection import Found, Transaction

__all__ = ["DecisionService", "RecordRequest"]
SLICE = 50  # requests of a batch that are decided together: others may come in between


@dataclass
class DecisionService(GroupCommits):
    """The service without HTTP: every method is one thing somebody may ask for.

    Access is checked before: a caller here may do what it asks for.
    """

    _register: KeyRegister = field(init=False, repr=False, default_factory=KeyRegister)

    # -- requests -------------------------------------------------------------------------------

    def request(self, dataset: str, asked: RecordRequest, owner: str) -> dict[str, Any]:
        """Decide one request."""
        (answer,) = self.decided_one(dataset, asked, owner).answers
        return answer

    def decided_one(self, dataset: str, asked: RecordRequest, owner: str) -> Decided:
        """The same, with what proves the answer."""
        found = self.decided(dataset, [asked], owner)
        (answer,) = found.answers
        if answer.get("error") == "conflict":
            raise Conflict("This idempotency key was used for another request.", hint="Use a new key.")
        if answer.get("error") == "not found":
            raise NotFound("The record does not exist.")
        return found

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
        slices = [
            (
                Deciding(partial(decide_requests, asked=part, owner=owner), queries(dataset, part, owner)),
                len(part),
            )
            for part in parts
        ]
        answers, at = self.in_slices(dataset, slices)
        found = [one for part in answers for one in part]
        last = max((one["index"] for one in found if "index" in one), default=0)
        return Decided(found, self.covering(dataset, last, at.checkpoint), at.tree)

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

        answer, at = self.checkpointed(dataset, decide)
        return Decided([answer], self.covering(dataset, answer["index"], at.checkpoint), at.tree)

    # -- policies -------------------------------------------------------------------------------

    def propose(self, dataset: str, rules: Rules, by: str) -> dict[str, Any]:
        """Propose other rules; they hold once somebody else has approved them."""
        self.prepare_rules(dataset, rules)

        def decide(work: Work) -> dict[str, Any]:
            version = len(policies_of(work.connection, dataset)) + 1
            guard = work.held.policy.guard.held_to(rules, version)
            policy = PolicyVersion.of(version, guard, status=PROPOSED, proposed_by=by, approved_by=None)
            told = {"policy": version, "digest": policy.digest, "rules": rules.to_dict(), "by": by}
            entry = work.writer.add("policy proposed", told)
            work.write(work.session(), [(INSERT, [policy.row(dataset)])])
            return {
                **policy.to_dict(),
                "dry_run": dry_run(work.connection, dataset, work.held, guard),
                "index": entry.index,
                "hash": entry.hash,
            }

        return self.transact(dataset, decide)

    def approve(self, dataset: str, version: int, by: str) -> dict[str, Any]:
        """Put proposed rules in force; the steward who proposed them cannot approve them."""
        self.prepare_version(dataset, version)

        def decide(work: Work) -> dict[str, Any]:
            policy = policy_of(work.connection, dataset, version)
            if policy is None:
                raise NotFound("This version of the policy does not exist.")
            if policy.status != PROPOSED:
                raise Conflict(f"Version {version} of the policy is {policy.status}, not proposed.")
            self.require_proposal(work.connection, dataset, policy)
            if policy.proposed_by == by:
                raise Forbidden("You cannot approve a policy that you proposed.", hint="Ask another steward.")
            if not policy.expects_the_same(work.held.policy):
                raise Conflict(
                    f"The baseline has changed since version {version} was proposed.",
                    hint="Propose the rules again.",
                )
            active = replace(policy, status=ACTIVE, approved_by=by)
            session = work.session()
            entry = session.hold_to(active, "policy approved", {"by": by})
            take = "UPDATE policy SET status = 'active', approved_by = ? WHERE dataset = ? AND version = ?"
            work.write(session, [(RETIRE, [(dataset,)]), (take, [(by, dataset, version)])])
            return {**active.to_dict(), "index": entry.index, "hash": entry.hash}

        return self.transact(dataset, decide)

    # -- datasets -------------------------------------------------------------------------------

    def load(self, dataset: Dataset, by: str, *, following: bool) -> None:
        """Put a dataset into the database, and sign that it is there."""
        if SERVICE in self.behind:
            raise Unavailable(f"No dataset can be added. {self.behind[SERVICE]}")
        self.anchors.make()
        key, at = self.secrets.digest, self.time()
        work = partial(load, dataset=dataset, key=key, at=at, by=by, following=following)
        self.database.transact(dataset.name, work)
        self.checkpoint(dataset.name)

    def update(self, dataset: Dataset, by: str) -> dict[str, int]:
        """Take the holder's table as it is now."""

        def decide(work: Work) -> dict[str, int]:
            following = self.description(work.connection, dataset.name)[-1]
            work.after, told = update(
                work.connection, dataset, work.held, work.writer, work.key, by=by, following=bool(following)
            )
            return told

        return self.transact(dataset.name, decide)

    # -- keys -----------------------------------------------------------------------------------

    def make_key(self, *, role: str, name: str, by: str, expires: str | None = None) -> tuple[str, Key]:
        """A new key, told once, and what is kept of it."""
        return self._on_keys(partial(make_key, role=role, name=name, by=by, expires=expires))

    def revoke_key(self, identity: str, by: str) -> None:
        """A key that is good no longer."""
        self._on_keys(partial(revoke_key, identity=identity, by=by))

    def _on_keys(self, change: Callable[[Transaction, bytes, str], Found]) -> Found:
        """A change to the keys, and a checkpoint of the log that tells of it."""
        expected = self.expected(SERVICE)

        def work(connection: Transaction) -> Found:
            tip = tip_of(connection.rows(*tip_query(SERVICE))) or NO_TIP
            if self.turned_back(connection, SERVICE, tip, expected) is not None:
                raise Unavailable(
                    "The log of keys is read-only until it is reconciled.",
                    hint="divulge release reconcile --name service",
                )
            return change(connection, self.secrets.digest, self.time(tip.at))

        found = self.database.transact(SERVICE, work)
        self.checkpoint(SERVICE)
        return found

    def key_shown(self, told: str) -> Key | None:
        """The key that somebody shows, if it is good by the newest state of the log of keys."""
        expected = self.expected(SERVICE)

        def work(connection: Transaction) -> tuple[Tip, Key | None]:
            tip = tip_of(connection.rows(*tip_query(SERVICE))) or NO_TIP
            if self.turned_back(connection, SERVICE, tip, expected) is not None:
                raise Unavailable(
                    "The keys are older than the last signature: all requests are refused until reconciled."
                )
            try:
                found = known_key(connection, told, self.time(tip.at))
            except ODD:
                raise changed("This key") from None
            if found is not None:
                issued = self._register.up_to(connection, tip.head, key).keys.get(found.id)
                if issued is None or not issued.is_of(found, key):
                    raise changed("This key")
            return tip, found

        key = self.secrets.digest
        tip, found = self.database.read(work)
        self.known.saw(SERVICE, tip)
        return found
