"""What a dataset is held to, as the database keeps it: rules and baseline, in versions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from divulge._support.threads import cached_property
from divulge.safe_release import Baseline, Domain, Guard, Rules
from divulge.safe_release.rules import SEQ
from divulge.safe_release.several.guards import JointGuard
from divulge.safe_release.several.tables import ALL
from divulge.service.identities.approvals import ONE_PERSON, ApprovalRule
from divulge.service.ledger.chain import in_ascii
from divulge.service.store.connection import Query, Row, Transaction

ACTIVE, PROPOSED, RETIRED = "active", "proposed", "retired"
EXPIRED = "expired"
COLUMNS = "version, status, body, digest, proposed_by, approved_by, entry"


@dataclass(frozen=True)
class PolicyVersion:
    """One version of what a dataset is held to. Its digest stands in every decision taken under it."""

    version: int
    status: str
    body: str
    digest: str
    proposed_by: str
    approved_by: str | None
    entry: int | None = None  # the last entry about a proposal

    @classmethod
    def of(
        cls,
        version: int,
        guard: Guard,
        *,
        status: str,
        proposed_by: str,
        approved_by: str | None,
        approval: ApprovalRule = ONE_PERSON,
        entry: int | None = None,
    ) -> PolicyVersion:
        body = in_ascii({**described(guard), **approval.described})
        return cls(version, status, body, fingerprint(body), proposed_by, approved_by, entry)

    @cached_property
    def approval(self) -> ApprovalRule:
        """How it can be changed while it is in force."""
        return ApprovalRule.of(json.loads(self.body))

    def is_of(self, guard: Guard) -> bool:
        """Whether this version says what a guard is held to."""
        return self.digest == fingerprint(in_ascii(described(guard)))

    @cached_property
    def guard(self) -> Guard:
        given = json.loads(self.body)
        rules = Rules.kept(given["rules"])
        if "dependencies" not in given:
            return Guard(_baseline(given, self.version), rules)
        guards = [Guard(_baseline(one, self.version), rules) for one in given["dependencies"]]
        kinds = tuple(map(tuple, given["kinds"]))
        names = tuple(name for one in guards for name in (",".join(one.domain.x), ",".join(one.domain.y)))
        return JointGuard.over(Domain(names, (ALL,), kinds, (ALL,)), guards)

    def expects_the_same(self, other: PolicyVersion) -> bool:
        """Whether the baseline of another version is the same, in all that both say about it."""
        ours, theirs = json.loads(self.body), json.loads(other.body)
        return all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys() - {"rules", "approval"})

    def to_dict(self) -> dict[str, Any]:
        """What stewards and auditors see of it."""
        return {
            "version": self.version,
            "status": self.status,
            "rules": json.loads(self.body)["rules"],
            "digest": self.digest,
            "proposed_by": self.proposed_by,
            "approved_by": self.approved_by,
        }

    def row(self, dataset: str) -> Row:
        return dataset, *astuple(self)


RETIRE = "UPDATE policy SET status = 'retired' WHERE dataset = ? AND status = 'active'"
INSERT = f"INSERT INTO policy (dataset, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
SETTLE_PROPOSAL = """UPDATE policy SET status = ?, approved_by = ?, entry = ?
    WHERE dataset = ? AND version = ?"""


def described(guard: Guard) -> dict[str, Any]:
    """A guard as plain values; counts of the table are written down where a test needs them."""
    rules = {"rules": guard.rules.to_dict()}
    if isinstance(guard, JointGuard):
        kinds = [list(value) for value in guard.kinds.values if isinstance(value, tuple)]
        return {**rules, "dependencies": [_expectations(one) for one in guard.parts], "kinds": kinds}
    return {**rules, **_expectations(guard)}


def _baseline(given: dict[str, Any], version: int) -> Baseline:
    domain = Domain(tuple(given["x"]), tuple(given["y"]), tuple(given["values"]), tuple(given["targets"]))
    shares, target_shares = np.asarray(given["shares"]), np.asarray(given["target_shares"])
    counts = np.asarray(given["counts"]) if "counts" in given else None
    return Baseline(domain, shares, target_shares, version, counts)


def _expectations(guard: Guard) -> dict[str, Any]:
    baseline = guard.baseline
    known = guard.critical.priors.known if SEQ in guard.rules.tests else None
    return {
        "x": list(baseline.domain.x),
        "y": list(baseline.domain.y),
        "values": list(baseline.domain.values),
        "targets": list(baseline.domain.targets),
        "shares": baseline.shares.tolist(),
        "target_shares": baseline.target_shares.tolist(),
        **({} if known is None else {"counts": known.tolist()}),
    }


def fingerprint(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def active_query(dataset: str) -> Query:
    return "SELECT version, digest FROM policy WHERE dataset = ? AND status = 'active'", (dataset,)


def policies_of(connection: Transaction, dataset: str) -> list[PolicyVersion]:
    """All versions, the first one first."""
    sql = f"SELECT {COLUMNS} FROM policy WHERE dataset = ? ORDER BY version"
    return [PolicyVersion(*row) for row in connection.rows(sql, (dataset,))]


def policy_of(connection: Transaction, dataset: str, version: int) -> PolicyVersion | None:
    sql = f"SELECT {COLUMNS} FROM policy WHERE dataset = ? AND version = ?"
    found = connection.rows(sql, (dataset, version))
    return PolicyVersion(*found[0]) if found else None
