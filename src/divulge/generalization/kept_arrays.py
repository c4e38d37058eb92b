"""Arrays that are made when they are asked for, the latest of them kept, up to so many bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

import numpy.typing as npt

MOST = 1 << 29  # bytes


class KeptArrays:
    """What is asked for again soon is not made again, and what is kept does not grow with what is asked for.

    >>> from numpy import ones, zeros
    >>> kept = KeptArrays(most=16)
    >>> one = kept.get("one", lambda: zeros(2))
    >>> kept.get("one", lambda: ones(2)) is one
    True
    >>> _ = kept.get("two", lambda: zeros(2))
    >>> kept.get("one", lambda: ones(2)) is one
    False
    """

    def __init__(self, most: int | None = None) -> None:
        self.most, self.size = MOST if most is None else most, 0
        self._lock, self._kept = Lock(), OrderedDict[Hashable, npt.NDArray[Any]]()

    def get(self, asked: Hashable, make: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """The array that is kept under a name, or else made; two threads may make one twice."""
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
                return self._kept[asked]
        made = make()
        with self._lock:
            if asked not in self._kept:
                self._kept[asked] = made
                self.size += made.nbytes
            while self.size > self.most:
                self.size -= self._kept.popitem(last=False)[1].nbytes
        return made
