"""What a log says: which records are outside, where every request stands, what was in force, who had keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from divulge.service.decisions.issued_keys import Issued, add_key_entry
from divulge.service.decisions.policies import ACTIVE, EXPIRED, PROPOSED, RETIRED
from divulge.service.decisions.transaction import RELEASED, WAITING, WITHDRAWN
from divulge.service.identities.approvals import ONE_PERSON, ApprovalRule
from divulge.service.ledger.chain import Entry
from divulge.service.ledger.hand_overs import HANDED_OVER, HandOver, hand_overs_in
from divulge.service.ledger.tail import AcceptedLoss, additions
from divulge.service.queries.entries import GUARDED, QUERY

REPEATED = "repeated"  # the reason of a release that changes nothing


@dataclass
class LoggedRequest:
    """A request, as its entries tell it."""

    record: str  # keyed digests
    cell: str
    policy: int
    arrived: int
    status: str
    settled: int | None
    owner: str  # keyed digests
    asked: str
    answer: dict[str, Any]  # what was answered then

    @property
    def last(self) -> int:
        """The last entry that concerns it."""
        return self.arrived if self.settled is None else self.settled


@dataclass
class Version:
    """A version of a policy, as its entries tell it."""

    digest: str
    status: str
    proposed_by: str
    approved_by: str | None
    rules: dict[str, Any] | None  # of one that was proposed
    entry: int  # that brought it in
    approval: ApprovalRule = ONE_PERSON
    last: int | None = None  # the last entry about a proposal, but for those made before keys had persons


@dataclass
class Ledger:
    """A log added up, entry by entry; nothing is decided here."""

    entries: int = 0
    requests: dict[str, LoggedRequest] = field(default_factory=dict)  # by ticket
    released: dict[str, int] = field(default_factory=dict)  # the entry that let a record out, by its digest
    bodies: dict[str, str] = field(default_factory=dict)  # digests of what left, by that of the record
    contents: str = ""  # digests of all records, and of how the dataset is described
    dataset: str = ""
    policies: dict[int, Version] = field(default_factory=dict)
    keys: dict[str, Issued] = field(default_factory=dict)
    reconciled: list[AcceptedLoss] = field(default_factory=list)
    _unsaid: dict[int, str] = field(default_factory=dict)  # tickets of entries that do not say whose
    _bare: dict[int, str] = field(default_factory=dict)  # records of those that do not say what was released
    handed_over: list[tuple[int, HandOver]] = field(default_factory=list)  # each with its entry
    removed: int = 0  # answers, by the retention rule
    removed_to: int = 0  # the entry up to which
    guarded: str | None = None  # the digest of how a guarded table is described; None for a dataset
    restored: set[str] = field(default_factory=set)  # keys whose secrets were lost and that are nobody's
    queries: dict[str, int] = field(default_factory=dict)  # their entries, by who asked under which key

    @property
    def epoch(self) -> int:
        return self.reconciled[-1].epoch if self.reconciled else 0

    @property
    def active(self) -> int:
        """The version of the policy that is in force."""
        return next(version for version, one in self.policies.items() if one.status == ACTIVE)

    def add(self, entry: Entry) -> None:
        """The next entry of the log."""
        self.entries = entry.index
        told = entry.fields
        match entry.kind:
            case "decision":
                self._decided(entry, told)
            case "left":
                self._let_out(entry.index, told)
                self._settle(told["tickets"], RELEASED, entry.index)
            case "withdrawn":
                self._settle(told["tickets"], WITHDRAWN, entry.index)
            case "policy proposed":
                known = (told["digest"], PROPOSED, told["by"], None, told.get("rules"), entry.index)
                self.policies[told["policy"]] = Version(*known, ApprovalRule.of(told))
                self._follow(entry.index, told)
            case "approval given":
                self._follow(entry.index, told)
            case "proposal expired":
                self.policies[told["policy"]].status = EXPIRED
                self._follow(entry.index, told)
            case "loaded" | "baseline followed" | "policy approved":
                self._hold_to(entry.index, told)
                self._follow(entry.index, told)
                self.contents = told.get("contents", self.contents)
                self.dataset = told.get("dataset", self.dataset)
            case "key made" | "key revoked":
                add_key_entry(self.keys, entry)
            case "migrated":
                add_key_entry(self.keys, entry)
                self._add_to_earlier(entry)
                self.contents = told.get("contents", self.contents)
            case kind if kind == HANDED_OVER:
                self.handed_over += [(entry.index, one) for one in hand_overs_in(told)]
            case "answers removed":
                self.removed, self.removed_to = self.removed + told["answers"], told["to"]
            case kind if kind == GUARDED:
                self.guarded = told["table"]
            case kind if kind == QUERY:
                self.queries[told["repeat"]] = entry.index
            case "keys restored":
                self.restored |= {*told["keys"]}
            case "reconciled":
                self.reconciled.append(AcceptedLoss.of(entry))

    def _decided(self, entry: Entry, told: dict[str, Any]) -> None:
        status = told["verdict"]
        settled = None if status == WAITING else entry.index
        (ticket,) = told["tickets"]
        answer = {"decision": status, "ticket": ticket, "index": entry.index, "hash": entry.hash}
        asked = (told["record"], told["cell"], told["policy"], entry.index, status, settled)
        self.requests[ticket] = LoggedRequest(*asked, told.get("owner", ""), told.get("asked", ""), answer)
        if "owner" not in told:
            self._unsaid[entry.index] = ticket
        if status == RELEASED and told["reason"] != REPEATED:
            self._let_out(entry.index, told)

    def _let_out(self, index: int, told: dict[str, Any]) -> None:
        self.released[told["record"]], self.bodies[told["record"]] = index, told.get("body", "")
        if "body" not in told:
            self._bare[index] = told["record"]

    def _add_to_earlier(self, entry: Entry) -> None:
        """What a migration adds to entries of an earlier version."""
        for index, more in additions(entry).items():
            if index in self._unsaid:
                request = self.requests[self._unsaid.pop(index)]
                request.owner, request.asked = more["owner"], more["asked"]
            if index in self._bare:
                self.bodies[self._bare.pop(index)] = more["body"]
            self.dataset = more.get("dataset", self.dataset)

    def _settle(self, tickets: list[str], status: str, index: int) -> None:
        for ticket in tickets:
            self.requests[ticket].status, self.requests[ticket].settled = status, index

    def _follow(self, index: int, told: dict[str, Any]) -> None:
        """The last entry about a proposal."""
        if "proposer" in told:
            self.policies[told["policy"]].last = index

    def _hold_to(self, index: int, told: dict[str, Any]) -> None:
        """The policy that an entry names is in force from there on."""
        known = self.policies.get(told["policy"])
        if known is not None and known.status == ACTIVE:
            return
        for one in self.policies.values():
            if one.status == ACTIVE:
                one.status = RETIRED
        if known is None:
            known = Version(told["digest"], ACTIVE, told["by"], None, None, index)
            self.policies[told["policy"]] = known
        known.status, known.approved_by = ACTIVE, told["by"]
