"""Suppression of cells to at least k matches for every record, a suppressed cell matching any value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.algorithms.suppression_patterns import (
    Patterns,
    class_sizes,
    sets_of,
    suppressed_columns,
)

Array = npt.NDArray[Any]
SUPPRESSED = -1


def wildcard_patterns(kinds: Array, records: Array, k: int) -> Patterns:
    """What is suppressed of each kind of record so that all have k matches, and no cell can be put back.

    Each record loses the fewest keys without which k records have its values, of equally many the least
    important. What others lose adds matches, so cells are put back one after another as long as all records
    keep k. Suppressing never takes a match away, so a cell that could not be put back once never can.
    """
    matches = _Matches(kinds, records, k, _fewest(kinds, records, k))
    for key in range(kinds.shape[1]):
        matches.put_back(key)
    return matches.patterns()


def _fewest(kinds: Array, records: Array, k: int) -> Array:
    """For each kind the smallest set of keys, as bits, without which k records are alike."""
    found, open_kinds = np.zeros(len(kinds), np.int64), np.ones(len(kinds), np.bool_)
    for size in range(kinds.shape[1] + 1):
        for one in sets_of(size, kinds.shape[1]):
            if not open_kinds.any():
                return found
            enough = open_kinds & (class_sizes(kinds, records, one) >= k)
            found[enough] = one
            open_kinds &= ~enough
    return found


class _Matches:
    """Patterns with how many records match each; there is room for more patterns than there are."""

    def __init__(self, kinds: Array, records: Array, k: int, suppressed: Array) -> None:
        self._k, self._kinds, self._width = k, kinds, kinds.shape[1]
        cells = np.bitwise_count(suppressed).astype(np.int64)
        room = len(kinds) + int(np.minimum((1 << cells) - 1, cells * records).sum())
        self._kind, self._set = np.zeros(room, np.int64), np.zeros(room, np.int64)
        self._records, self._matching = np.zeros(room, np.int64), np.zeros(room, np.int64)
        self._selective = np.argsort(-kinds.max(axis=0), kind="stable").tolist()  # most values first
        self._codes = np.full((self._width, room), SUPPRESSED, np.int32)
        self._used, self._place = 0, dict[tuple[int, int], int]()
        for kind, (one, count) in enumerate(zip(suppressed.tolist(), records.tolist(), strict=True)):
            self._records[self._of(kind, one)] = count
        self._count()

    def _of(self, kind: int, suppressed: int) -> int:
        """The place of a pattern, a new one where there is none."""
        place = self._place.setdefault((kind, suppressed), self._used)
        if place == self._used:
            columns = suppressed_columns(np.array([suppressed]), self._width)[0]
            self._codes[:, place] = np.where(columns, SUPPRESSED, self._kinds[kind])
            self._kind[place], self._set[place] = kind, suppressed
            self._used += 1
        return place

    def _compatible(self, place: int) -> Array:
        """The patterns that match one; each key is looked at among those that still match."""
        found: Array | slice = slice(self._used)
        for key in self._selective:
            code = int(self._codes[key, place])
            if code != SUPPRESSED:
                own = self._codes[key, found]
                still = np.flatnonzero((own == code) | (own == SUPPRESSED))
                found = still if isinstance(found, slice) else found[still]
        return np.arange(self._used) if isinstance(found, slice) else found

    def _count(self) -> None:
        """How many records match each pattern: its own, and those that match it by a suppressed cell."""
        used, records = self._used, self._records
        self._matching[:used] = records[:used]
        with_cells = np.flatnonzero(self._set[:used])
        for place in with_cells.tolist():
            found = self._compatible(place)
            self._matching[place] = records[found].sum()
            whole = found[self._set[found] == 0]
            self._matching[whole] += records[place]

    def put_back(self, key: int) -> None:
        """Put a key back for as many records of each pattern as leave everybody with k matches."""
        bit = 1 << (self._width - 1 - key)
        for place in np.flatnonzero(self._set[: self._used] & bit).tolist():
            code = int(self._kinds[self._kind[place], key])
            found = self._compatible(place)
            found = found[self._records[found] > 0]
            own = self._codes[key, found]
            lost = found[(own != code) & (own != SUPPRESSED)]
            matching = int(self._matching[place] - self._records[lost].sum())
            spare = int((self._matching[lost] - self._k).min()) if len(lost) else int(self._records[place])
            moved = min(spare, int(self._records[place]))
            if matching < self._k or moved < 1:
                continue
            after = self._of(int(self._kind[place]), int(self._set[place]) & ~bit)
            self._matching[lost] -= moved
            self._matching[after] = matching
            self._records[place] -= moved
            self._records[after] += moved

    def patterns(self) -> Patterns:
        """What is suppressed of each kind, and of how many of its records."""
        some = np.flatnonzero(self._records[: self._used])
        return Patterns(self._kind[some], self._set[some], self._records[some])
