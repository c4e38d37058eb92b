"""A stated limit of memory: how it is shared out, and disk for what goes beyond it."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from divulge._support.threads import cores
from divulge.errors import SourceError
from divulge.limits.sizes import spelled

_MEGABYTE = 10**6
LEAST = 500 * _MEGABYTE
_LIBRARIES = 220 * _MEGABYTE  # the interpreter, NumPy and Arrow, before any record is read
_THREAD = 70 * _MEGABYTE  # what a thread of DuckDB counts with
CELL = 200  # bytes for each cell of kinds of classes while they are measured
_GROUP = 80  # bytes for each group of a count in DuckDB, beside its keys
_SPLITS = 16  # times its memory that a thread of DuckDB counts safely, the rest on disk
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?))?b?", re.IGNORECASE)


@dataclass(frozen=True)
class Budget:
    """The memory that the whole process may take: a part is DuckDB's, a part for what it hands over."""

    total: int

    def __post_init__(self) -> None:
        if self.total < LEAST:
            raise SourceError(
                f"A memory budget of {spelled(self.total)} is too small; {spelled(LEAST)} is the least.",
                hint="Write a number and a unit, such as 4GB or 500MiB.",
            )

    @classmethod
    def of(cls, stated: str | int) -> Budget:
        return cls(parsed(stated))

    @property
    def free(self) -> int:
        """What is left once the libraries are loaded."""
        return self.total - _LIBRARIES

    @property
    def database(self) -> int:
        """The part that DuckDB counts in before it turns to the disk."""
        return self.free // 2

    @property
    def held(self) -> int:
        """The part for codes and combinations, and for measuring them."""
        return self.free - self.database

    @property
    def threads(self) -> int:
        return max(1, min(cores(), self.database // _THREAD))


def parsed(size: str | int) -> int:
    """A size in bytes, from its usual spellings; a number alone is bytes.

    >>> parsed("4GB"), parsed("500 MiB"), parsed("1.5g")
    (4000000000, 524288000, 1500000000)
    """
    found = _SIZE.fullmatch(str(size).strip())
    if found is None:
        raise SourceError(
            f"'{size}' is not a size of memory.", hint="Write a number and a unit, such as 4GB or 500MiB."
        )
    number, unit, binary = found.groups()
    power = "kmgt".index(unit.lower()) + 1 if unit else 0
    return int(float(number) * (1024 if binary else 1000) ** power)


def spilling(
    budget: Budget, records: int, groups: float, width: float, splits: int = _SPLITS
) -> tuple[int, int]:
    """In how many parts a grouped count is best done, and the bytes of disk that one may take.

    Nothing where the groups fit into memory. Otherwise, at worst, a row for each record, since those of
    one group may be written before they meet.
    """
    row = width + _GROUP
    parts = math.ceil(groups * row * budget.threads / (splits * budget.database)) or 1
    return parts, 0 if groups * row <= budget.database else int(records * row / parts)


def require_room(folder: Path, needed: int, doing: str) -> None:
    """Refuse what the disk has no room for, before it begins."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise SourceError(
            f"{doing} may take {spelled(needed)} of disk, and {folder} has {spelled(free)} free.",
            hint="Give a larger memory budget, use fewer attributes, or name a larger disk by TMPDIR.",
        )
