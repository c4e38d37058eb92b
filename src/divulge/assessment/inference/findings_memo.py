"""What key sets tell, remembered for other changes; large findings for a while only."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

from divulge.assessment.inference.key_set_findings import KeySetFindings

HELD = 1 << 22  # entries of large findings that are held on to, about 70 bytes each
LARGE = 1 << 13  # entries from which findings are large


class FindingsMemo:
    """Findings by what they depend on. Of large ones those asked for last are held, one in any case."""

    def __init__(self, held: int = HELD, large: int = LARGE) -> None:
        self._most, self._large, self._entries = held, large, 0
        self._found: dict[Hashable, tuple[KeySetFindings, object]] = {}
        self._latest: dict[Hashable, int] = {}  # the entries of large ones
        self._lock = Lock()

    def __contains__(self, address: Hashable) -> bool:
        return address in self._found

    def get(self, address: Hashable) -> KeySetFindings | None:
        """What is remembered, if it still is."""
        with self._lock:
            if address in self._latest:
                self._latest[address] = self._latest.pop(address)
            return self._found[address][0] if address in self._found else None

    def hold(self, address: Hashable, said: KeySetFindings, beside: object) -> None:
        """Remember findings, and ``beside`` them what the address has by its id."""
        with self._lock:
            self._hold(address, said, beside)

    def _hold(self, address: Hashable, said: KeySetFindings, beside: object) -> None:
        self._found[address] = said, beside
        if said.entries < self._large:
            return
        self._entries += said.entries - self._latest.pop(address, 0)  # two threads may have found the same
        self._latest[address] = said.entries
        while self._entries > self._most and len(self._latest) > 1:
            oldest = next(iter(self._latest))
            self._entries -= self._latest.pop(oldest)
            del self._found[oldest]
