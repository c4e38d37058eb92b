"""Addresses of databases, which may hold a password and so are left out of what is written."""

from __future__ import annotations

import re

ADDRESS = "DATABASE_URL"  # what stands for one
_WITH_PASSWORD = re.compile(r":[^@]*@")
_IN_TEXT = re.compile(r"(?!https?:)\b[A-Za-z][\w+.-]*://(?:\\.|[^\s\"'\\])*")


def is_address(text: str) -> bool:
    """Whether a text is the address of a database, or was meant to be: a user, a password and a host.

    >>> is_address("sqlite:///a.db"), is_address("postgres:ann:secret@host/db"), is_address("C:/people.csv")
    (True, True, False)
    """
    return "://" in text or _WITH_PASSWORD.search(text) is not None


def without_addresses(text: str) -> str:
    """A text in which no address of a database is left.

    >>> without_addresses('source = "postgresql://ann:secret@host/db#visits"  # https://example.org')
    'source = "DATABASE_URL"  # https://example.org'
    """
    return _IN_TEXT.sub(ADDRESS, text)
