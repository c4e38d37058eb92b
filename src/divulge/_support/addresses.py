"""Addresses of databases, which may hold a password and so are left out of what is written."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"(?!https?:)\b[A-Za-z][\w+.-]*://(?:\\.|[^\s\"'\\])*")


def without_addresses(text: str) -> str:
    """A text in which no address of a database is left.

    >>> without_addresses('source = "postgresql://ann:secret@host/db#visits"  # https://example.org')
    'source = "DATABASE_URL"  # https://example.org'
    """
    return _ADDRESS.sub("DATABASE_URL", text)
