"""How rules are changed: who proposed them, who has approved, how many persons must, and until when."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from divulge.errors import Conflict, Forbidden, ParameterError
from divulge.service.identities.persons import same_person

MOST_PERSONS, MOST_DAYS = 10, 365


@dataclass(frozen=True)
class ApprovalRule:
    """How many persons besides the proposer must approve a change of rules, and for how long it is open."""

    persons: int = 1
    days: int = 30

    def __post_init__(self) -> None:
        if not 1 <= self.persons <= MOST_PERSONS:
            raise ParameterError(f"1 to {MOST_PERSONS} persons must approve, besides the proposer.")
        if not 1 <= self.days <= MOST_DAYS:
            raise ParameterError(f"A proposal is open for 1 to {MOST_DAYS} days.")

    def to_dict(self) -> dict[str, int]:
        return {"persons": self.persons, "days": self.days}

    @property
    def described(self) -> dict[str, Any]:
        """What a policy says of it; nothing where it is as it was before a policy could say so."""
        return {} if self == ONE_PERSON else {"approval": self.to_dict()}

    @classmethod
    def of(cls, policy: Mapping[str, Any]) -> ApprovalRule:
        """What a policy, or the entry that proposed it, says."""
        return cls(**policy.get("approval", {}))


ONE_PERSON = ApprovalRule()


class Signatory(NamedTuple):
    """Who did something, and with which key."""

    person: str
    key: str | None

    def told(self) -> dict[str, str | None]:
        return {"by": self.person, "by_key": self.key}

    def is_same(self, other: Signatory) -> bool:
        """Whether it has to be taken for the same person, by name or because the key is the same."""
        return same_person(self.person, other.person) or (self.key is not None and self.key == other.key)


@dataclass(frozen=True)
class OpenProposal:
    """Rules that somebody proposed, as the last entry about them tells."""

    proposer: Signatory
    expires: str
    needed: int  # persons who must approve
    approved: tuple[Signatory, ...] = ()

    @classmethod
    def made(cls, by: Signatory, at: str, rule: ApprovalRule) -> OpenProposal:
        """A new one, under the rule that is in force."""
        end = datetime.fromisoformat(at) + timedelta(days=rule.days)
        return cls(by, end.isoformat(timespec="microseconds"), rule.persons)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> OpenProposal:
        """What an entry says, as ``told`` spelled it."""
        approved = tuple(Signatory(*one) for one in told["approved"])
        return cls(Signatory(*told["proposer"]), told["expires"], told["needed"], approved)

    def told(self) -> dict[str, Any]:
        return {
            "proposer": list(self.proposer),
            "expires": self.expires,
            "needed": self.needed,
            "approved": [list(one) for one in self.approved],
        }

    def shown(self) -> dict[str, Any]:
        """What stewards and auditors see of it."""
        return {
            "expires": self.expires,
            "approvals_needed": self.needed,
            "approvals": [one.person for one in self.approved],
        }

    def without(self, revoked: Collection[str]) -> OpenProposal:
        """The same without approvals given with keys that are revoked now; such a key proposes nothing."""
        if self.proposer.key in revoked:
            raise Conflict(
                "The key with which this version was proposed is revoked.", hint="Propose the rules again."
            )
        return replace(self, approved=tuple(one for one in self.approved if one.key not in revoked))

    def with_approval(self, by: Signatory, rule: ApprovalRule) -> OpenProposal:
        """The same with one more approval, and under the stricter of the rules in force then and now."""
        if by.is_same(self.proposer):
            raise Forbidden("You cannot approve a policy that you proposed.", hint="Ask another steward.")
        if any(by.is_same(one) for one in self.approved):
            raise Conflict("You have already approved this version.", hint="Ask another steward.")
        return replace(self, approved=(*self.approved, by), needed=max(self.needed, rule.persons))

    @property
    def complete(self) -> bool:
        return len(self.approved) >= self.needed

    def follows(self, before: OpenProposal | None, at: str, rule: ApprovalRule) -> bool:
        """Whether it is what was proposed, approved in time by as many other persons as it needs."""
        if before is None or (before.proposer, before.expires) != (self.proposer, self.expires):
            return False
        others = [self.proposer]
        for one in self.approved:
            if any(one.is_same(other) for other in others):
                return False
            others.append(one)
        return self.complete and at < self.expires and self.needed >= max(before.needed, rule.persons)
