"""Counted questions, remembered in one place: as long as somebody holds them, and the latest longer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from divulge.engines.base import Counted

HELD = 1 << 24  # rows of questions that are held on to, though nobody else does
FEWEST = 4

Kind = TypeVar("Kind", bound=Counted)


class CountedCache(Generic[Kind]):
    """Questions about the same records, each counted once. What is held grows with neither time nor rows.

    Those about ``passing`` records are not held on to: they hold their records, which go with them.
    """

    def __init__(self, *, passing: bool = False) -> None:
        self._held = 0 if passing else HELD
        self._alive: WeakValueDictionary[Hashable, Kind] = WeakValueDictionary()
        self._latest: deque[Kind] = deque()
        self._lock = Lock()

    def get(self, identity: Hashable, make: Callable[[], Kind], rows: int) -> Kind:
        """The question that is the same as this one, or a new one."""
        with self._lock:
            found = self._alive.get(identity)
            if found is None:
                found = self._alive[identity] = make()
                self._latest.append(found)
                while len(self._latest) > (self._held and max(FEWEST, self._held // max(rows, 1))):
                    self._latest.popleft()
        return found
