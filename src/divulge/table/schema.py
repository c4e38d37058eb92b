"""Roles: what an attribute is to the people in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from divulge.errors import SchemaError, UnknownAttribute, listing


class Role(Enum):
    """The role of an attribute for re-identification."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"


@dataclass(frozen=True)
class Schema:
    """The attributes of a source and the roles they were given."""

    attributes: tuple[str, ...]
    identifiers: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = [*self.identifiers, *self.quasi_identifiers, *self.sensitive]
        self.check(given)
        twice = [name for name, times in Counter(given).items() if times > 1]
        if twice:
            raise SchemaError(
                f"{listing(twice)} has more than one role.", hint="Give each attribute one role."
            )

    def check(self, names: Iterable[str]) -> None:
        """Refuse names that the source does not have."""
        for name in names:
            if name not in self.attributes:
                raise UnknownAttribute(name, self.attributes)

    def role(self, attribute: str) -> Role:
        self.check([attribute])
        if attribute in self.identifiers:
            return Role.IDENTIFIER
        if attribute in self.quasi_identifiers:
            return Role.QUASI_IDENTIFIER
        return Role.SENSITIVE if attribute in self.sensitive else Role.OTHER

    def without_role(self, attribute: str) -> Schema:
        """The same attributes, one of them with no role."""
        kept = [
            tuple(name for name in role if name != attribute)
            for role in (self.identifiers, self.quasi_identifiers, self.sensitive)
        ]
        return Schema(self.attributes, *kept)


def names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name, several or none, as a tuple."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else tuple(given)
