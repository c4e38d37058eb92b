"""Addresses of databases, which may hold a password and so are left out of what is written."""

from __future__ import annotations

import re

ADDRESS = "DATABASE_URL"  # what stands for one
_WITH_PASSWORD = re.compile(r":[^@]*@|\b(?:pwd|passw(?:or)?d|token)\s*=", re.IGNORECASE)


def is_address(text: str) -> bool:
    """Whether a text is the address of a database, or was meant to be: it has a password.

    >>> is_address("sqlite:///a.db"), is_address("postgres:ann:secret@host/db"), is_address("C:/people.csv")
    (True, True, False)
    """
    return "://" in text or _WITH_PASSWORD.search(text) is not None
