"""How datasets stand: what is outside, who waits, what was decided, each read at one moment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from divulge.errors import Conflict, NotFound
from divulge.safe_release.decision import typical
from divulge.safe_release.printable import exposures
from divulge.safe_release.state import State
from divulge.service.decisions.checked_datasets import CheckedDatasets
from divulge.service.decisions.checked_rows import changed
from divulge.service.decisions.dry_run import dry_run, stuck_summary
from divulge.service.decisions.held_state.held import Held
from divulge.service.decisions.policies import EXPIRED, PROPOSED, active_query, policies_of, policy_of
from divulge.service.decisions.proofs import Decided
from divulge.service.identities.approvals import OpenProposal
from divulge.service.ledger.chain import Entry
from divulge.service.ledger.log_writer import Head, entries_of
from divulge.service.ledger.tail import entry_query, sealed
from divulge.service.store.connection import Transaction

DRAWS = 4  # of the next typical records
NO_PROPOSAL: dict[str, Any] = {"expires": None, "approvals_needed": None, "approvals": []}


@dataclass
class DatasetReader(CheckedDatasets):
    """What stewards and auditors may ask; nothing is decided or written."""

    _outlooks: dict[str, tuple[str, dict[str, Any]]] = field(init=False, repr=False, default_factory=dict)

    def status(self, dataset: str) -> dict[str, Any]:
        """How a dataset stands: what is outside, who waits, how near the limits are.

        How many records are outside and how many requests wait says nothing of any value, and is said as it
        is. What would say how many records of a target are outside is not, where they are few; the figure
        nearest to each limit names no target, as in the log.
        """

        def work(connection: Transaction, head: Head) -> dict[str, Any]:
            active = connection.rows(*active_query(dataset))
            if not active:
                raise NotFound(f"There is no dataset '{dataset}'.")
            held = self._shown(connection, dataset, head, *active[0])
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
                **self._outlook(dataset, head, held.state),
                "read_only": self.behind.get(dataset),
            }

        return self.at_one_moment(dataset, work)

    def _outlook(self, dataset: str, head: Head, state: State) -> dict[str, Any]:
        """How many of the next typical records could leave, and of how many targets none could.

        It is worked out once for every entry of the log.
        """
        known = self._outlooks.get(dataset)
        if known is None or known[0] != head.hash:
            found = {"typical": typical(state, draws=DRAWS), **stuck_summary(state)}
            known = self._outlooks[dataset] = (head.hash, found)
        return known[1]

    def dry_run(self, dataset: str, version: int) -> dict[str, Any]:
        """What a proposed version of the policy would do now."""

        def work(connection: Transaction, head: Head) -> dict[str, Any]:
            policy = policy_of(connection, dataset, version)
            if policy is None:
                raise NotFound("This version of the policy does not exist.")
            (active,) = connection.rows(*active_query(dataset))
            held = self._shown(connection, dataset, head, *active)
            if not policy.expects_the_same(held.policy):
                raise Conflict(f"The baseline has changed since version {version} was proposed.")
            return dry_run(connection, dataset, held, policy.guard)

        return self.newest_of(dataset, work)

    def decisions(self, dataset: str, after: int, most: int) -> list[dict[str, Any]]:
        """What was decided, when and why, without anything that is made from a record or names a request."""
        return self.newest_of(
            dataset,
            lambda connection, _: [_decision(one) for one in entries_of(connection, dataset, after, most)],
        )

    def log(self, dataset: str, after: int, most: int) -> list[dict[str, Any]]:
        """Entries of a dataset's log, as an export has them."""
        return self.log_and_fault(dataset, after, most)[0]

    def log_and_fault(self, dataset: str, after: int, most: int) -> tuple[list[dict[str, Any]], str | None]:
        """The same, even where it is older than what was answered, and in a sentence why it is read-only."""
        expected = self.expected(dataset)

        def look(connection: Transaction) -> tuple[list[dict[str, Any]], str | None]:
            tip = self.tip_there(connection, dataset, expected)
            fault = self.turned_back(connection, dataset, tip, expected)
            return [one.exported() for one in entries_of(connection, dataset, after, most)], fault

        return self.database.read(look)

    def series(self, dataset: str, points: int) -> list[dict[str, Any]]:
        """Exposure, releases and waiting requests over the log, at entries spread evenly up to the last."""

        def work(connection: Transaction, _: Head) -> list[dict[str, Any]]:
            told = """SELECT idx, at, body FROM entry WHERE chain = ?
                AND kind NOT IN ('loaded', 'policy proposed')"""
            newest = connection.rows(f"{told} ORDER BY idx DESC LIMIT 1", (dataset,))
            last = newest[0][0] if newest else 0
            places = sorted({last - i * last // points for i in range(points)} - {0})
            found = connection.several([(f"{told} AND idx = ?", (dataset, place)) for place in places])
            return [_moment(*rows[0]) for rows in found if rows and '"exposures"' in rows[0][2]]

        return self.newest_of(dataset, work)

    def queue(self, dataset: str, most: int) -> list[dict[str, Any]]:
        """Who waits, in the order in which they came: tickets and when, nothing of the records."""

        def work(connection: Transaction, _: Head) -> list[dict[str, Any]]:
            sql = f"""SELECT request.ticket, request.arrived, entry.at FROM request JOIN entry
                ON entry.chain = request.dataset AND entry.idx = request.arrived
                WHERE request.dataset = ? AND request.status = 'waiting'
                ORDER BY request.arrived LIMIT {int(most)}"""
            rows = connection.rows(sql, (dataset,))
            return [{"ticket": ticket, "arrived": arrived, "at": at} for ticket, arrived, at in rows]

        return self.newest_of(dataset, work)

    def policies(self, dataset: str) -> list[dict[str, Any]]:
        """All versions, each with who has approved it and, while it is open, until when that is possible."""
        return self.newest_of(dataset, lambda connection, _: self._versions(connection, dataset))

    def _versions(self, connection: Transaction, dataset: str) -> list[dict[str, Any]]:
        versions, now = policies_of(connection, dataset), self.time()
        queries = [entry_query(dataset, one.entry or 0) for one in versions]
        found = []
        for policy, rows in zip(versions, connection.several(queries), strict=True):
            entry = sealed(rows, policy.entry, self.secrets.digest) if policy.entry else None
            told = {} if entry is None else entry.fields
            proposal = OpenProposal.of(told).shown() if "proposer" in told else NO_PROPOSAL
            late = policy.status == PROPOSED and entry is not None and proposal["expires"] <= now
            shown = {**policy.to_dict(), **({"status": EXPIRED} if late else {})}
            found.append({**shown, **proposal, "approval": policy.approval.to_dict()})
        return found

    def proving(self, chain: str, answer: dict[str, Any]) -> Decided:
        """An answer that names its entry, with what proves it."""
        return Decided([answer], self.covering(chain, answer["index"], self.expected(chain).signed))

    def newest(self, chain: str) -> Decided:
        """The newest checkpoint of a log that is what was signed."""
        expected = self.expected(chain)

        self.database.read(lambda connection: self.require_newest_log(connection, chain, expected))
        return Decided([], self.covering(chain, 0, expected.signed))

    def _shown(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> Held:
        """How a dataset stands by its tables, even where they are not what the log says; then it says so."""
        held, fault = self.held_and_fault(connection, dataset, head, version, fingerprint)
        if fault is not None:
            self.behind.setdefault(dataset, str(changed(fault)))
        return held


def _decision(entry: Entry) -> dict[str, Any]:
    fields = entry.fields
    said = {name: fields.get(name) for name in ("verdict", "reason", "policy", "outside", "waiting", "by")}
    return {"index": entry.index, "at": entry.at, "kind": entry.kind, **said}


def _moment(index: int, at: str, body: str) -> dict[str, Any]:
    told = json.loads(body)
    return {"index": index, "at": at, **{name: told[name] for name in ("outside", "waiting", "exposures")}}
