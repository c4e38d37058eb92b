"""Whole numbers in a row, to which more are added at the end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


class GrowingArray:
    """Numbers in one array, with room for as many more.

    >>> numbers = GrowingArray()
    >>> numbers.append(7), numbers.append(8), numbers.filled.tolist()
    (0, 1, [7, 8])
    """

    def __init__(self) -> None:
        self._room: Integers = np.zeros(16, np.int64)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def filled(self) -> Integers:
        """The numbers; what is written to it is kept, until more are added."""
        return self._room[: self._length]

    def append(self, number: int) -> int:
        """Add a number; gives its place."""
        self._make_room(1)
        self._room[self._length] = number
        self._length += 1
        return self._length - 1

    def extend(self, numbers: Integers) -> None:
        """Add several."""
        self._make_room(len(numbers))
        self._room[self._length : self._length + len(numbers)] = numbers
        self._length += len(numbers)

    def reach(self, place: int) -> None:
        """Let there be a number at a place: 0 unless there is one."""
        if place >= self._length:
            self.extend(np.zeros(place + 1 - self._length, np.int64))

    def drop(self, first: int) -> None:
        """Leave out so many of the first."""
        self._room = self._room[first : self._length].copy()
        self._length = len(self._room)

    def _make_room(self, more: int) -> None:
        if self._length + more > len(self._room):
            room = np.zeros(max(2 * len(self._room), self._length + more), np.int64)
            room[: self._length] = self.filled
            self._room = room
