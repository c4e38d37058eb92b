"""How much may be sent, and how fast: requests beyond the limits are refused before any work is done."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from divulge.errors import ParameterError
from divulge.service.http.problems import TooMany

MINUTE = 60.0


@dataclass(frozen=True)
class ServiceLimits:
    """What anyone may ask of one process of the service."""

    body: int = 1 << 20  # bytes
    depth: int = 8  # of JSON
    batch: int = 1000  # requests
    per_minute: int = 600  # requests of a key; as many may come at once after a pause
    in_all: int = 60_000  # requests of all keys in a minute, and as many of those who have none
    at_once: int = 8  # requests of a key that are under way
    pause: float = 0.1  # seconds before anyone is told that they are unknown or too hasty
    connections: int = 256  # that are open
    patience: float = 10.0  # seconds that a client may take to send a request, or to take the answer

    def __post_init__(self) -> None:
        for one in fields(self):
            if not getattr(self, one.name) > 0:
                raise ParameterError(f"The limit '{one.name}' must be larger than 0.")


class Bucket:
    """Allowances that come in steadily and are taken one by one; a full bucket holds those of a minute.

    What turns out to be many, such as a batch, takes the others too: they come in before one is given again.
    """

    def __init__(self, per_minute: int, at: float) -> None:
        self._most = self._left = float(per_minute)
        self._at = at

    def take(self, at: float) -> float:
        """Take one, or say in how many seconds there will be one."""
        self._left = min(self._most, self._left + (at - self._at) * self._most / MINUTE)
        self._at = at
        if self._left < 1:
            return (1 - self._left) * MINUTE / self._most
        self._left -= 1
        return 0.0

    def owe(self, number: int) -> None:
        """Take so many that were given already."""
        self._left -= number


class Pace:
    """Who has asked how often, for as long as the process lives. Used from the event loop alone."""

    def __init__(self, limits: ServiceLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._all, self._strangers = Bucket(limits.in_all, clock()), Bucket(limits.in_all, clock())
        self._keys: dict[str, Bucket] = {}
        self._under_way: Counter[str] = Counter()

    @contextmanager
    def turn(self, key: str | None) -> Iterator[None]:
        """A request's turn. What a key asks beyond its own limit takes nothing from the others'."""
        if key is None:
            self._take(self._strangers)
            yield
            return
        if self._under_way[key] >= self._limits.at_once:
            raise TooMany("This key has too many requests in progress.", 1)
        at = self._clock()
        self._take(self._keys.setdefault(key, Bucket(self._limits.per_minute, at)))
        self._take(self._all)
        self._under_way[key] += 1
        try:
            yield
        finally:
            self._under_way[key] -= 1

    def count_more(self, key: str, number: int) -> None:
        """Count what a request of a key has asked for beyond one record."""
        for bucket in (self._keys[key], self._all):
            bucket.owe(number)

    def _take(self, bucket: Bucket) -> None:
        seconds = bucket.take(self._clock())
        if seconds:
            raise TooMany("Too many requests in a short time.", math.ceil(seconds))
