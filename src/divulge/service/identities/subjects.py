"""Somebody whom an issuer of tokens knows, rather than by a key of ours."""

from __future__ import annotations

from typing import NamedTuple

from divulge.service.identities.persons import require_storable
from divulge.service.ledger.canonical_json import canonical


class Subject(NamedTuple):
    """Somebody whom an issuer of tokens vouches for, by the name that it has for them."""

    issuer: str
    name: str

    @classmethod
    def of(cls, issuer: str, name: str) -> Subject:
        """One that an admin enters."""
        require_storable("The issuer or the subject", issuer, name)
        return cls(issuer, name)

    @property
    def text(self) -> str:
        """How the table of keys has it."""
        return canonical(list(self))
