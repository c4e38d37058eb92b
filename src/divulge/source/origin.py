"""Which file a source was opened from, so that a report can say which one it is about."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from divulge.source.base import Source


class Origin(NamedTuple):
    """The file that a source was opened from, or why there is no single one."""

    file: Path | None
    why_none: str = ""


_ORIGINS: WeakKeyDictionary[Source, Origin] = WeakKeyDictionary()


def remember_origin(source: Source, origin: Origin) -> Source:
    """The source, of which it is known from now on where it was opened from."""
    _ORIGINS[source] = origin
    return source


def origin_of(source: Source) -> Origin | None:
    """Where a source was opened from; None where it was not opened from a path."""
    return _ORIGINS.get(source)
