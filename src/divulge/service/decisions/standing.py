"""How datasets stand: what is outside, who waits, what was decided, each read at one moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from divulge.errors import NotFound, Unavailable
from divulge.safe_release.decision import typical
from divulge.safe_release.printable import exposures
from divulge.safe_release.state import State
from divulge.service.decisions.checked_rows import changed, last_standing
from divulge.service.decisions.checkpointed import CheckpointedChains, known_tip
from divulge.service.decisions.content_digests import description_digest, sum_digest
from divulge.service.decisions.policies import (
    PolicyVersion,
    active_query,
    policies_of,
    policy_of,
)
from divulge.service.decisions.policies import fingerprint as digest_of
from divulge.service.decisions.proofs import Decided
from divulge.service.decisions.transaction import Held
from divulge.service.ledger.chain import ODD, Entry
from divulge.service.ledger.log_writer import Head, entries_of
from divulge.service.ledger.tail import sealed_entry
from divulge.service.store.connection import Found, Row, Transaction

DRAWS = 4  # of the next typical records
DESCRIPTION = "name, identifier, x, y, partitions, following"


@dataclass
class DatasetReader(CheckpointedChains):
    """What stewards and auditors may ask; nothing is decided or written."""

    _policies: dict[tuple[str, int, str], PolicyVersion] = field(init=False, repr=False, default_factory=dict)
    _typical: dict[str, tuple[str, dict[str, float]]] = field(init=False, repr=False, default_factory=dict)

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
                "typical": self._typical_of(dataset, head, held.state),
                "read_only": self.behind.get(dataset),
            }

        return self._read(dataset, work)

    def _typical_of(self, dataset: str, head: Head, state: State) -> dict[str, float]:
        """How many of the next typical records could leave, worked out once for every entry of the log."""
        known = self._typical.get(dataset)
        if known is None or known[0] != head.hash:
            known = self._typical[dataset] = (head.hash, typical(state, draws=DRAWS))
        return known[1]

    def decisions(self, dataset: str, after: int, most: int) -> list[dict[str, Any]]:
        """What was decided, when and why, without anything that is made from a record or names a request."""
        return self._read(
            dataset,
            lambda connection, _: [_decision(one) for one in entries_of(connection, dataset, after, most)],
        )

    def log(self, dataset: str, after: int, most: int) -> list[dict[str, Any]]:
        """Entries of a dataset's log, as an export has them."""
        return self._read(
            dataset,
            lambda connection, _: [one.exported() for one in entries_of(connection, dataset, after, most)],
        )

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

        return self._read(dataset, work)

    def queue(self, dataset: str, most: int) -> list[dict[str, Any]]:
        """Who waits, in the order in which they came: tickets and when, nothing of the records."""

        def work(connection: Transaction, _: Head) -> list[dict[str, Any]]:
            sql = f"""SELECT request.ticket, request.arrived, entry.at FROM request JOIN entry
                ON entry.chain = request.dataset AND entry.idx = request.arrived
                WHERE request.dataset = ? AND request.status = 'waiting'
                ORDER BY request.arrived LIMIT {int(most)}"""
            rows = connection.rows(sql, (dataset,))
            return [{"ticket": ticket, "arrived": arrived, "at": at} for ticket, arrived, at in rows]

        return self._read(dataset, work)

    def policies(self, dataset: str) -> list[dict[str, Any]]:
        return self._read(
            dataset, lambda connection, _: [one.to_dict() for one in policies_of(connection, dataset)]
        )

    def proving(self, chain: str, answer: dict[str, Any]) -> Decided:
        """An answer that names its entry, with what proves it."""
        return Decided([answer], self.covering(chain, answer["index"], self.expected(chain).signed))

    def newest(self, chain: str) -> Decided:
        """The newest checkpoint of a log that is what was signed."""
        expected = self.expected(chain)

        def work(connection: Transaction) -> None:
            self.require_newest(connection, chain, known_tip(connection, chain), expected)

        self.database.read(work)
        return Decided([], self.covering(chain, 0, expected.signed))

    def _read(self, dataset: str, work: Callable[[Transaction, Head], Found]) -> Found:
        """What is to be read of a dataset that there is, all of it at one moment.

        It is read even where it is older than what was answered; how it stands then says so.
        """
        expected = self.expected(dataset)

        def look(connection: Transaction) -> Found:
            tip = known_tip(connection, dataset)
            self.turned_back(connection, dataset, tip, expected)
            return work(connection, tip.head)

        return self.database.read(look)

    def _shown(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> Held:
        """How a dataset stands by its tables, even where they are not what the log says; then it says so."""
        policy = self.policy_in_force(connection, dataset, version, fingerprint)
        try:
            self.standing_at(connection, dataset, head, version, fingerprint)
        except Unavailable as error:
            self.behind.setdefault(dataset, str(error))
        try:
            return Held.read(connection, dataset, head, policy, self.secrets.digest)
        except ODD:
            raise changed("The table of counts") from None

    def standing_at(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> Held:
        """How a dataset stands by its tables, if that is what the last entry of its log says."""
        key = self.secrets.digest
        try:
            told = last_standing(connection, dataset, head, key)
            policy = self.policy_in_force(connection, dataset, version, fingerprint)
            held = Held.read(connection, dataset, head, policy, key)
        except ODD:
            raise changed("The table of counts") from None
        counts = sum_digest(key, dataset, "cells", held.total)
        if told is None:
            raise changed("The log")
        if (told["policy"], told["digest"]) != (version, fingerprint):
            raise changed("The policy in force")
        if (told["counts"], told.get("outside", 0)) != (counts, held.state.records):
            raise changed("The table of counts")
        if told.get("waiting", 0) != held.waiting:
            raise changed("The table of requests")
        return held

    def policy_in_force(
        self, connection: Transaction, dataset: str, version: int, fingerprint: str
    ) -> PolicyVersion:
        """A version of a policy by its digest, read once."""
        known = self._policies.get((dataset, version, fingerprint))
        if known is None:
            known = policy_of(connection, dataset, version)
            if known is None or not known.digest == fingerprint == digest_of(known.body):
                raise changed("The policy in force")
            self._policies[dataset, version, fingerprint] = known
        return known

    def require_proposal(self, connection: Transaction, dataset: str, policy: PolicyVersion) -> None:
        """Refuse a policy that is not the one that was proposed, or not by who is said to have done so."""
        sql = "SELECT idx, body FROM entry WHERE chain = ? AND kind = 'policy proposed' ORDER BY idx"
        proposed = {json.loads(body).get("policy"): idx for idx, body in connection.rows(sql, (dataset,))}
        entry = sealed_entry(connection, dataset, proposed.get(policy.version, 0), self.secrets.digest)
        told = {} if entry is None else entry.fields
        said = (told.get("digest"), told.get("by"), policy.digest)
        if said != (policy.digest, policy.proposed_by, digest_of(policy.body)):
            raise changed("The proposed policy")

    def description(self, connection: Transaction, dataset: str) -> Row:
        """How a dataset was described when it was loaded: its identifier, dependency and partitions."""
        rows = connection.rows(f"SELECT {DESCRIPTION} FROM dataset WHERE name = ?", (dataset,))
        if not rows:
            raise NotFound(f"There is no dataset '{dataset}'.", hint="Add it with: divulge release init")
        first = sealed_entry(connection, dataset, 1, self.secrets.digest)
        said = None if first is None else first.fields.get("dataset")
        if said != description_digest(self.secrets.digest, rows[0]):
            raise changed("The description of the dataset")
        return rows[0]


def _decision(entry: Entry) -> dict[str, Any]:
    fields = entry.fields
    said = {name: fields.get(name) for name in ("verdict", "reason", "policy", "outside", "waiting")}
    return {"index": entry.index, "at": entry.at, "kind": entry.kind, **said}


def _moment(index: int, at: str, body: str) -> dict[str, Any]:
    told = json.loads(body)
    return {"index": index, "at": at, **{name: told[name] for name in ("outside", "waiting", "exposures")}}
