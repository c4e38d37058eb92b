"""Where a source comes from: the file it was opened from, or the rows of an original it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from divulge.source.base import Source


class Origin(NamedTuple):
    """The file that a source was opened from, or why there is no single one."""

    file: Path | None
    why_none: str = ""


_ORIGINS: WeakKeyDictionary[Source, Origin] = WeakKeyDictionary()


_MADE_FROM: WeakKeyDictionary[Source, npt.NDArray[np.int64]] = WeakKeyDictionary()


def remember_rows(source: Source, rows: npt.NDArray[np.int64]) -> Source:
    """The source, of which it is known from now on which row of its original each record was made from."""
    _MADE_FROM[source] = rows
    return source


def rows_of(source: Source) -> npt.NDArray[np.int64] | None:
    """The original row of each record; None where nobody knows."""
    return _MADE_FROM.get(source)


def remember_origin(source: Source, origin: Origin) -> Source:
    """The source, of which it is known from now on where it was opened from."""
    _ORIGINS[source] = origin
    return source


def origin_of(source: Source) -> Origin | None:
    """Where a source was opened from; None where it was not opened from a path."""
    return _ORIGINS.get(source)
