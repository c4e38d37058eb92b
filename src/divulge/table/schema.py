"""Roles: what an attribute is to the people in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import filterfalse

from divulge._support.threads import cached_property
from divulge.errors import SchemaError, UnknownAttribute, listing


class Role(Enum):
    """The role of an attribute for re-identification."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"


@dataclass(frozen=True)
class Schema:
    """The attributes of a source and the roles they were given; ``given_up`` are those that lost theirs."""

    attributes: tuple[str, ...]
    identifiers: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    given_up: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = [*self.identifiers, *self.quasi_identifiers, *self.sensitive]
        self.check(given)
        if len(set(given)) < len(given):
            twice = [name for name, times in Counter(given).items() if times > 1]
            raise SchemaError(
                f"{listing(twice)} has more than one role.", hint="Give each attribute one role."
            )

    def check(self, names: Iterable[str]) -> None:
        """Refuse names that the source does not have."""
        for name in filterfalse(self._known.__contains__, names):
            raise UnknownAttribute(name, self.attributes)

    @cached_property
    def _known(self) -> frozenset[str]:
        """The attributes, where one is found at once however many there are."""
        return frozenset(self.attributes)

    def role(self, attribute: str) -> Role:
        self.check([attribute])
        if attribute in self.identifiers:
            return Role.IDENTIFIER
        if attribute in self.quasi_identifiers:
            return Role.QUASI_IDENTIFIER
        return Role.SENSITIVE if attribute in self.sensitive else Role.OTHER

    def without_role(self, attribute: str) -> Schema:
        """The same attributes, one of them with no role."""
        roles = (self.identifiers, self.quasi_identifiers, self.sensitive)
        kept = (_left(role, attribute) if attribute in role else role for role in roles)
        identifiers, quasi_identifiers, sensitive = kept
        given_up = (*self.given_up, attribute)
        return Schema(self.attributes, identifiers, quasi_identifiers, sensitive, given_up)


def _left(role: tuple[str, ...], attribute: str) -> tuple[str, ...]:
    place = role.index(attribute)
    return role[:place] + role[place + 1 :]


def names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name, several or none, as a tuple."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else tuple(given)
