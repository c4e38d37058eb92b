"""How much may be sent, and how fast: requests beyond the limits are refused before any work is done."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from divulge.errors import ParameterError
from divulge.service.http.problems import TooMany

MINUTE = 60.0
ADDRESSES = 10_000  # that are remembered; the one that asked longest ago is forgotten first


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
    strangers: int = 600  # requests without a valid key from one address in a minute
    connections: int = 256  # that are open
    per_address: int = 64  # connections of one client address; behind a proxy, its requests under way
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


@lru_cache(1024)  # with every request, from few addresses
def client_of(host: str) -> str:
    """What counts as one client: an IPv4 address, or the part of an IPv6 address that names a network.

    >>> client_of("2001:db8::17"), client_of("::ffff:192.0.2.1"), client_of("anything else")
    ('2001:db8::/64', '192.0.2.1', '')
    """
    try:
        found = ip_address(host)
    except ValueError:
        return ""
    if not isinstance(found, IPv6Address):
        return str(found)
    inside = found.ipv4_mapped
    return str(inside or ip_network((int(found) >> 64 << 64, 64)))


class TrustedProxies:
    """Reverse proxies whose word counts for who the client is: addresses, or networks such as 10.0.0.0/8."""

    def __init__(self, given: Sequence[str]) -> None:
        try:
            self._networks = [ip_network(one) for one in given]
        except ValueError:
            raise ParameterError(
                "A trusted proxy must be an address or a network.", hint="Example: --proxy 10.0.0.0/8"
            ) from None

    def __contains__(self, host: str) -> bool:
        try:
            found = ip_address(host)
        except ValueError:
            return False
        return any(found in network for network in self._networks)


class Pace:
    """Who has asked how often, for as long as the process lives. Used from the event loop alone."""

    def __init__(self, limits: ServiceLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._all, self._strangers = Bucket(limits.in_all, clock()), Bucket(limits.in_all, clock())
        self._keys: dict[str, Bucket] = {}
        self._addresses: OrderedDict[str, Bucket] = OrderedDict()
        self._under_way: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def turn(self, key: str | None, address: str = "") -> Iterator[None]:
        """A request's turn. What a key or an address asks beyond its own limit takes nothing from others'."""
        with self._one_of("address", address, self._limits.per_address):
            if key is None:
                self._take(self._bucket_of(address))
                self._take(self._strangers)
                yield
                return
            with self._one_of("key", key, self._limits.at_once):
                self._take(self._keys.setdefault(key, Bucket(self._limits.per_minute, self._clock())))
                self._take(self._all)
                yield

    @contextmanager
    def _one_of(self, kind: str, name: str, most: int) -> Iterator[None]:
        """One of the requests that somebody has under way; nobody is counted whose address is not known."""
        if not name:
            yield
            return
        if self._under_way[kind, name] >= most:
            raise TooMany(f"This {kind} has too many requests in progress.", 1, f"{kind} in progress")
        self._under_way[kind, name] += 1
        try:
            yield
        finally:
            self._under_way[kind, name] -= 1
            if not self._under_way[kind, name]:
                del self._under_way[kind, name]

    def _bucket_of(self, address: str) -> Bucket:
        found = self._addresses.setdefault(address, Bucket(self._limits.strangers, self._clock()))
        self._addresses.move_to_end(address)
        if len(self._addresses) > ADDRESSES:
            self._addresses.popitem(last=False)
        return found

    def count_more(self, key: str, number: int) -> None:
        """Count what a request of a key has asked for beyond one record."""
        for bucket in (self._keys[key], self._all):
            bucket.owe(number)

    def _take(self, bucket: Bucket) -> None:
        seconds = bucket.take(self._clock())
        if seconds:
            raise TooMany("Too many requests in a short time.", math.ceil(seconds))
