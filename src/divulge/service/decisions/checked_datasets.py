"""Datasets whose tables are held to the last entries of their logs, before anything is decided on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from divulge.errors import Conflict, NotFound, Unavailable
from divulge.service.decisions.checked_rows import changed, last_standing, standing_fault
from divulge.service.decisions.checkpointed import CheckpointedChains
from divulge.service.decisions.held_state.held import Held, HeldRows
from divulge.service.decisions.logged.content_digests import MODULUS, cell_weight, description_digest
from divulge.service.decisions.policies import PolicyVersion, active_query, policy_of
from divulge.service.decisions.policies import fingerprint as digest_of
from divulge.service.identities.approvals import OpenProposal
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.log_writer import Head
from divulge.service.ledger.tail import added_to, sealed_entry
from divulge.service.store.connection import Found, Row, Transaction

OPEN = ("policy proposed", "approval given")  # entries after which a proposal is open
LastStanding = dict[str, Any] | None
DESCRIPTION = "name, identifier, x, y, partitions, following"


@dataclass
class CheckedDatasets(CheckpointedChains):
    """Datasets by their tables, which have to be what their logs say."""

    _policies: dict[tuple[str, int, str], PolicyVersion] = field(init=False, repr=False, default_factory=dict)

    def datasets(self) -> list[str]:
        rows = self.database.read(
            lambda connection: connection.rows("SELECT name FROM dataset ORDER BY name")
        )
        return [name for (name,) in rows]

    def guarded_tables(self) -> list[str]:
        """Tables that are asked queries, each with a log as a dataset has one."""
        sql = "SELECT name FROM guarded_table ORDER BY name"
        return [name for (name,) in self.database.read(lambda connection: connection.rows(sql))]

    def logs(self) -> list[str]:
        """Datasets and guarded tables."""
        return [*self.datasets(), *self.guarded_tables()]

    def check_anchors(self) -> None:
        """Find also datasets whose tables are not what the last entries of their logs say."""
        super().check_anchors()
        for dataset in self.datasets():
            if dataset not in self.behind:
                try:
                    fault = self.at_one_moment(dataset, partial(self._table_fault, dataset))
                except NotFound:
                    continue  # its log is gone, which its checkpoints tell
                except Unavailable:
                    fault = "The database"
                if fault is not None:
                    self.behind[dataset] = str(changed(fault))

    def _table_fault(self, dataset: str, connection: Transaction, head: Head) -> str | None:
        """Which table is not what the last entry says, found without evaluating what is outside."""
        key = self.secrets.digest
        try:
            version, fingerprint = connection.rows(*active_query(dataset))[0]
            self.policy_in_force(connection, dataset, version, fingerprint)
            rows = connection.rows("SELECT x, y, released FROM cell WHERE dataset = ?", (dataset,))
            total = sum(cell_weight(key, dataset, *row) for row in rows) % MODULUS
            waiting = "SELECT COUNT(*) FROM request WHERE dataset = ? AND status = 'waiting'"
            ((requests,),) = connection.rows(waiting, (dataset,))
            outside = sum(released for *_, released in rows)
            told = last_standing(connection, dataset, head, key)
            return standing_fault(told, version, fingerprint, total, outside, requests, key, dataset)
        except (Unavailable, *ODD):
            return "The policy in force"

    def at_one_moment(self, dataset: str, work: Callable[[Transaction, Head], Found]) -> Found:
        """What is to be read of a dataset that there is, all of it at one moment.

        It is read even where it is older than what was answered; how it stands then says so.
        """
        expected = self.expected(dataset)

        def look(connection: Transaction) -> Found:
            tip = self.tip_there(connection, dataset, expected)
            self.turned_back(connection, dataset, tip, expected)
            return work(connection, tip.head)

        return self.database.read(look)

    def newest_of(self, dataset: str, work: Callable[[Transaction, Head], Found]) -> Found:
        """The same of a dataset that is not older than what was answered, or else refused."""
        expected = self.expected(dataset)

        def look(connection: Transaction) -> Found:
            return work(connection, self.require_newest_log(connection, dataset, expected).head)

        return self.database.read(look)

    def held_and_fault(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> tuple[Held, str | None]:
        """How a dataset stands by its tables, and which of them is not what the last entry says."""
        return self.evaluated(dataset, *self.standing_rows(connection, dataset, head, version, fingerprint))

    def standing_rows(
        self, connection: Transaction, dataset: str, head: Head, version: int, fingerprint: str
    ) -> tuple[HeldRows, LastStanding]:
        """What the tables have of it, and what the last entry says."""
        policy = self.policy_in_force(connection, dataset, version, fingerprint)
        try:
            told = last_standing(connection, dataset, head, self.secrets.digest)
            return HeldRows.read(connection, dataset, head, policy), told
        except ODD:
            raise changed("The table of counts") from None

    def evaluated(self, dataset: str, rows: HeldRows, told: LastStanding) -> tuple[Held, str | None]:
        """How a dataset stands by its rows, and which table is not what the last entry says.

        On a cold cache this works out the limits of its policy, which may take long.
        """
        key, policy = self.secrets.digest, rows.policy
        try:
            held = rows.held(dataset, key)
        except ODD:
            raise changed("The table of counts") from None
        found = (policy.version, policy.digest, held.total, held.state.records, held.waiting)
        return held, standing_fault(told, *found, key, dataset)

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

    def open_proposal(self, connection: Transaction, dataset: str, policy: PolicyVersion) -> OpenProposal:
        """A proposed policy, if it is the one that was proposed, and by who is said to have done so."""
        if policy.entry is None:
            raise Conflict(
                f"Version {policy.version} was proposed before keys had persons, so nobody can approve it.",
                hint="Propose the rules again.",
            )
        entry = sealed_entry(connection, dataset, policy.entry, self.secrets.digest)
        told = {} if entry is None or entry.kind not in OPEN else entry.fields
        said = (told.get("policy"), told.get("digest"), told.get("proposer", [None])[0])
        right = said == (policy.version, digest_of(policy.body), policy.proposed_by)
        if not right or said[1] != policy.digest or self._went_on(connection, dataset, policy):
            raise changed("The proposed policy")
        return OpenProposal.of(told)

    def _went_on(self, connection: Transaction, dataset: str, policy: PolicyVersion) -> bool:
        """Whether a later entry is about the same proposal, so that its row was turned back."""
        sql = """SELECT body FROM entry WHERE chain = ? AND idx > ?
            AND kind IN ('approval given', 'proposal expired', 'policy approved')"""
        rows = connection.rows(sql, (dataset, policy.entry))
        return any(json.loads(body).get("policy") == policy.version for (body,) in rows)

    def description(self, connection: Transaction, dataset: str) -> Row:
        """How a dataset was described when it was loaded: its identifier, dependency and partitions."""
        rows = connection.rows(f"SELECT {DESCRIPTION} FROM dataset WHERE name = ?", (dataset,))
        if not rows:
            raise NotFound(f"There is no dataset '{dataset}'.", hint="Add it with: divulge release init")
        first = sealed_entry(connection, dataset, 1, self.secrets.digest)
        said = None if first is None else first.fields.get("dataset")
        if said is None:
            said = added_to(connection, dataset, 1, self.secrets.digest).get("dataset")
        if said != description_digest(self.secrets.digest, rows[0]):
            raise changed("The description of the dataset")
        return rows[0]
