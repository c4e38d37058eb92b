"""Where requests are decided: one transaction reads, decides, records and logs; the answer comes after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from divulge.errors import Conflict, Forbidden, NotFound, SourceError, Unavailable
from divulge.safe_release import Cell, Guard, Rules
from divulge.safe_release.printable import exposures
from divulge.service.decisions.loading import Dataset
from divulge.service.decisions.policies import (
    ACTIVE,
    INSERT,
    PROPOSED,
    PolicyVersion,
    active_query,
    policies_of,
    policy_of,
)
from divulge.service.decisions.transaction import RELEASED, WAITING, Held, Stored
from divulge.service.decisions.updating import update
from divulge.service.decisions.work import (
    Work,
    answer_query,
    known_head,
    own_request,
    record_query,
    released_body,
)
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.log_writer import Head, entries_of
from divulge.service.ledger.secrets import Secrets
from divulge.service.store.connection import Database, Query, Transaction

EVERY = 256  # entries between checkpoints that are kept
ANSWER = "INSERT INTO answer (owner, key, asked, answer) VALUES (?, ?, ?, ?)"


class RecordRequest(NamedTuple):
    """A request for a record, under a key that makes asking again harmless."""

    record: str
    key: str


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass
class DecisionService:
    """The service without HTTP: every method is one thing somebody may ask for.

    Access is checked before: a caller here may do what it asks for.
    """

    database: Database
    secrets: Secrets
    anchors: Anchors
    clock: Callable[[], str] = now

    def __post_init__(self) -> None:
        self._held: dict[str, Held] = {}
        self._policies: dict[tuple[str, int, str], PolicyVersion] = {}
        self.behind: dict[str, str] = {}  # chains that may not be written to, and why
        self.check_anchors()

    # -- requests -------------------------------------------------------------------------------

    def request(self, dataset: str, asked: RecordRequest, owner: str) -> dict[str, Any]:
        """Decide one request."""
        (answer,) = self.batch(dataset, [asked], owner)
        if answer.get("error") == "conflict":
            raise Conflict("This idempotency key came with another request before.", hint="Use a new key.")
        if answer.get("error") == "not found":
            raise NotFound("There is no such record.")
        return answer

    def batch(self, dataset: str, asked: Sequence[RecordRequest], owner: str) -> list[dict[str, Any]]:
        """Decide several requests in the order in which they stand, all in one transaction."""
        queries = [answer_query(owner, one.key) for one in asked]
        queries += [record_query(dataset, one.record) for one in asked]
        return self._transact(dataset, lambda work: self._decide(work, asked, owner), queries)

    def _decide(self, work: Work, asked: Sequence[RecordRequest], owner: str) -> list[dict[str, Any]]:
        before, stored = work.found[: len(asked)], work.found[len(asked) :]
        answers = {
            one.key: (rows[0][0], json.loads(rows[0][1]))
            for one, rows in zip(asked, before, strict=True)
            if rows
        }
        session, fresh, found = work.session(), [], []
        for one, rows in zip(asked, stored, strict=True):
            body = session.named(one.record)
            if one.key not in answers and rows:
                x, y, released, _ = rows[0]
                answer = session.request(Stored(one.record, Cell(x, y), released), owner)
                answers[one.key] = body, answer
                fresh.append((owner, one.key, body, json.dumps(answer)))
            found.append(_told(answers.get(one.key), body, rows))
        work.write(session, [(ANSWER, fresh)] if fresh else [])
        return found

    def ticket(self, dataset: str, ticket: str, owner: str) -> dict[str, Any]:
        """How a request of one's own stands; with the record, once it is released."""

        def work(connection: Transaction) -> dict[str, Any]:
            status, record, _ = own_request(connection, dataset, ticket, owner)
            found = {"decision": status, "ticket": ticket}
            if status == RELEASED:
                found["record"] = released_body(connection, dataset, record)
            return found

        return self.database.read(work)

    def withdraw(self, dataset: str, ticket: str, owner: str) -> dict[str, Any]:
        """Take back a waiting request of one's own."""

        def decide(work: Work) -> dict[str, Any]:
            status, _, cell = own_request(work.connection, dataset, ticket, owner)
            if status != WAITING:
                raise Conflict(f"The request does not wait: it is {status}.")
            session = work.session()
            answer = session.withdraw(ticket, cell)
            work.write(session)
            return answer

        return self._transact(dataset, decide)

    # -- policies -------------------------------------------------------------------------------

    def propose(self, dataset: str, rules: Rules, by: str) -> dict[str, Any]:
        """Propose other rules; they hold once somebody else has approved them."""

        def decide(work: Work) -> dict[str, Any]:
            version = len(policies_of(work.connection, dataset)) + 1
            guard = Guard(work.held.policy.guard.baseline.numbered(version), rules)
            policy = PolicyVersion.of(version, guard, status=PROPOSED, proposed_by=by, approved_by=None)
            told = {"policy": version, "digest": policy.digest, "rules": rules.to_dict(), "by": by}
            work.writer.add("policy proposed", told)
            work.write(work.session(), [(INSERT, [policy.row(dataset)])])
            return policy.to_dict()

        return self._transact(dataset, decide)

    def approve(self, dataset: str, version: int, by: str) -> dict[str, Any]:
        """Have what is outside held to proposed rules; whoever proposed them may not approve them."""

        def decide(work: Work) -> dict[str, Any]:
            policy = policy_of(work.connection, dataset, version)
            if policy is None:
                raise NotFound("There is no such version of the policy.")
            if policy.status != PROPOSED:
                raise Conflict(f"Version {version} of the policy is {policy.status}, not proposed.")
            if policy.proposed_by == by:
                raise Forbidden("Whoever proposed a policy cannot approve it.", hint="Ask another steward.")
            if policy.baseline != work.held.policy.baseline:
                raise Conflict(
                    f"The baseline has changed since version {version} was proposed.",
                    hint="Propose the rules again.",
                )
            active = PolicyVersion(version, ACTIVE, policy.body, policy.digest, policy.proposed_by, by)
            session = work.session()
            session.hold_to(active, "policy approved", {"by": by})
            retire = "UPDATE policy SET status = 'retired' WHERE dataset = ? AND status = 'active'"
            take = "UPDATE policy SET status = 'active', approved_by = ? WHERE dataset = ? AND version = ?"
            work.write(session, [(retire, [(dataset,)]), (take, [(by, dataset, version)])])
            return active.to_dict()

        return self._transact(dataset, decide)

    def policies(self, dataset: str) -> list[dict[str, Any]]:
        def work(connection: Transaction) -> list[dict[str, Any]]:
            known_head(connection, dataset)
            return [policy.to_dict() for policy in policies_of(connection, dataset)]

        return self.database.read(work)

    def update(self, dataset: Dataset, by: str) -> dict[str, int]:
        """Take the holder's table as it is now."""

        def decide(work: Work) -> dict[str, int]:
            ((following,),) = work.connection.rows(
                "SELECT following FROM dataset WHERE name = ?", (dataset.name,)
            )
            held, told = update(
                work.connection,
                dataset,
                work.held,
                self.secrets.digest,
                self.clock(),
                by=by,
                following=bool(following),
            )
            work.done(held)
            return told

        return self._transact(dataset.name, decide)

    # -- how things stand -----------------------------------------------------------------------

    def datasets(self) -> list[str]:
        rows = self.database.read(
            lambda connection: connection.rows("SELECT name FROM dataset ORDER BY name")
        )
        return [name for (name,) in rows]

    def status(self, dataset: str) -> dict[str, Any]:
        """How a dataset stands: what is outside, who waits, how near the limits are.

        How many records are outside and how many requests wait says nothing of any value, and is said as it
        is. What would say how many records of a target are outside is not, where they are few; the figure
        nearest to each limit names no target, as in the log.
        """

        def work(connection: Transaction) -> dict[str, Any]:
            head = known_head(connection, dataset)
            active = connection.rows(*active_query(dataset))
            if not active:
                raise NotFound(f"There is no dataset '{dataset}'.")
            version, fingerprint = active[0]
            held = Held.read(
                connection, dataset, head, self._policy(connection, dataset, version, fingerprint)
            )
            ((records,),) = connection.rows("SELECT COUNT(*) FROM record WHERE dataset = ?", (dataset,))
            return {
                "dataset": dataset,
                "records": records,
                "outside": held.state.records,
                "waiting": held.waiting,
                "entries": head.entries,
                "hash": head.hash,
                "policy": held.policy.to_dict(),
                "exposures": exposures(held.state),
                "worst": [[one.test, one.value, one.critical] for one in held.state.worst()],
                **held.state.readings,
                "read_only": self.behind.get(dataset),
            }

        return self.database.read(work)

    def log(self, dataset: str, after: int, most: int) -> list[dict[str, Any]]:
        """Entries of a dataset's log."""

        def work(connection: Transaction) -> list[dict[str, Any]]:
            known_head(connection, dataset)
            return [entry.to_dict() for entry in entries_of(connection, dataset, after, most)]

        return self.database.read(work)

    def series(self, dataset: str, points: int) -> list[dict[str, Any]]:
        """Exposure, releases and waiting requests over the log, at entries spread evenly up to the last."""

        def work(connection: Transaction) -> list[dict[str, Any]]:
            known_head(connection, dataset)
            told = """SELECT idx, at, body FROM entry WHERE chain = ?
                AND kind NOT IN ('loaded', 'policy proposed')"""
            newest = connection.rows(f"{told} ORDER BY idx DESC LIMIT 1", (dataset,))
            last = newest[0][0] if newest else 0
            places = sorted({last - i * last // points for i in range(points)} - {0})
            found = connection.several([(f"{told} AND idx = ?", (dataset, place)) for place in places])
            return [_moment(*rows[0]) for rows in found if rows and '"exposures"' in rows[0][2]]

        return self.database.read(work)

    def queue(self, dataset: str, most: int) -> list[dict[str, Any]]:
        """Who waits, in the order in which they came: tickets and when, nothing of the records."""

        def work(connection: Transaction) -> list[dict[str, Any]]:
            known_head(connection, dataset)
            sql = f"""SELECT request.ticket, request.arrived, entry.at FROM request JOIN entry
                ON entry.chain = request.dataset AND entry.idx = request.arrived
                WHERE request.dataset = ? AND request.status = 'waiting'
                ORDER BY request.arrived LIMIT {int(most)}"""
            rows = connection.rows(sql, (dataset,))
            return [{"ticket": ticket, "arrived": arrived, "at": at} for ticket, arrived, at in rows]

        return self.database.read(work)

    # -- checkpoints ----------------------------------------------------------------------------

    def checkpoint(self, chain: str) -> Checkpoint:
        """Sign how far a chain has come, and keep that outside the database."""
        if chain in self.behind:
            raise Unavailable("This chain is not what was signed before, so nothing is signed.")
        head = self.database.read(lambda connection: known_head(connection, chain))
        signed = self.signed(chain, head)
        self.anchors.keep(signed)
        return signed

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
        head = self.database.read(lambda connection: known_head(connection, chain))
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

    def signed(self, chain: str, head: Head) -> Checkpoint:
        """A checkpoint of how far a chain has come."""
        return Checkpoint.signed(
            self.secrets.signing,
            chain=chain,
            epoch=head.epoch,
            count=head.entries,
            head=head.hash,
            at=self.clock(),
        )

    # -- transactions ---------------------------------------------------------------------------

    def _transact(self, dataset: str, decide: Callable[[Work], Any], queries: Sequence[Query] = ()) -> Any:
        """One transaction on a dataset, then the checkpoint of where it got to, then the answer.

        Queries that are known beforehand are asked together with what every decision needs.
        """
        if dataset in self.behind:
            raise Unavailable("This dataset is read-only until it is reconciled, so nothing is decided.")
        done: list[Held] = []

        def work(connection: Transaction) -> Any:
            done.clear()
            return decide(Work(self, connection, dataset, done, queries))

        before = self._held.get(dataset)
        answer = self.database.transact(dataset, work)
        if done and (before is None or done[0].head != before.head):
            self._note(dataset, 0 if before is None else before.head.entries, done[0].head)
            self._held[dataset] = done[0]
        return answer

    def _note(self, dataset: str, before: int, head: Head) -> None:
        signed = self.signed(dataset, head)
        try:
            if before // EVERY < head.entries // EVERY:
                self.anchors.keep(signed)
            else:
                self.anchors.note(signed)
        except Conflict as error:
            self.behind[dataset] = str(error)
            raise Unavailable("Another database signed the same entry, so no answer is given.") from error
        except (OSError, SourceError) as error:
            raise Unavailable("The checkpoint could not be written, so no answer is given.") from error

    def _policy(self, connection: Transaction, dataset: str, version: int, fingerprint: str) -> PolicyVersion:
        known = self._policies.get((dataset, version, fingerprint))
        if known is None:
            known = policy_of(connection, dataset, version)
            if known is None or known.digest != fingerprint:
                raise Unavailable("The policy in force cannot be read, so nothing is decided.")
            self._policies[dataset, version, fingerprint] = known
        return known

    def current(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> Held:
        """The dataset as it stands: what was kept, if the log has not moved on since."""
        kept = self._held.get(dataset)
        if kept is not None and kept.head == head and kept.policy.version == version:
            return kept
        return Held.read(connection, dataset, head, self._policy(connection, dataset, version, fingerprint))


def _told(known: tuple[str, dict[str, Any]] | None, body: str, rows: Sequence[Any]) -> dict[str, Any]:
    """What a requester is told: the decision under a key, with the record if it is released."""
    if known is None:
        return {"error": "not found"}
    asked, answer = known
    if asked != body:
        return {"error": "conflict"}
    return {**answer, "record": json.loads(rows[0][3])} if answer["decision"] == RELEASED else dict(answer)


def _moment(index: int, at: str, body: str) -> dict[str, Any]:
    told = json.loads(body)
    return {"index": index, "at": at, **{name: told[name] for name in ("outside", "waiting", "exposures")}}
