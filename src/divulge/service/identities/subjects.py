"""Somebody whom an issuer of tokens knows, rather than by a key of ours."""

from __future__ import annotations

from typing import NamedTuple

from divulge.service.ledger.canonical_json import canonical


class Subject(NamedTuple):
    """Somebody whom an issuer of tokens vouches for, by the name that it has for them."""

    issuer: str
    name: str

    @property
    def text(self) -> str:
        """How the table of keys has it."""
        return canonical(list(self))
