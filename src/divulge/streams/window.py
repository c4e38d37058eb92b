"""Which records are assessed: the last so many, or those of the last while."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from divulge.errors import ParameterError

_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)")


def seconds(text: str, option: str) -> float:
    """A span of time as people write it.

    >>> seconds("90s", "--every"), seconds("1h", "--window")
    (90.0, 3600.0)
    """
    found = _SPAN.fullmatch(text.strip())
    if found is None or float(found[1]) <= 0:
        raise ParameterError(
            f"{option} is a span of time above 0, not '{text}'.", hint="For example 5s, 10min, 1h or 1d."
        )
    return float(found[1]) * _UNITS[found[2]]


@dataclass
class Window:
    """How many records there may be, or how long ago they may have come.

    >>> window = Window.of("3")
    >>> window.leaving(2, 0.0), window.leaving(2, 1.0), window.held
    (0, 1, 3)
    """

    last: int | None = None
    span: float | None = None
    held: int = 0
    _arrivals: deque[tuple[float, int]] = field(default_factory=deque, repr=False)

    @classmethod
    def of(cls, text: str) -> Window:
        """A window as people write it: a number of records, or a span of time."""
        if re.fullmatch(r"[\d_,]+", text):
            number = int(text.replace("_", "").replace(",", "") or 0)
            if number < 1:
                raise ParameterError("--window has at least one record.", hint="For example 100000, or 1h.")
            return cls(last=number)
        if text[:1].isdigit() and _SPAN.fullmatch(text.strip()):
            return cls(span=seconds(text, "--window"))
        raise ParameterError(
            f"--window is a number of records or a span of time, not '{text}'.",
            hint="For example 100000, or 1h.",
        )

    def leaving(self, arrived: int, now: float) -> int:
        """How many of those that came first leave when so many come, at a time in seconds."""
        self.held += arrived
        left = 0
        if self.last is not None:
            left = max(self.held - self.last, 0)
        elif self.span is not None:
            if arrived:
                self._arrivals.append((now, arrived))
            while self._arrivals and self._arrivals[0][0] <= now - self.span:
                left += self._arrivals.popleft()[1]
        self.held -= left
        return left

    @property
    def arrivals(self) -> list[tuple[float, int]]:
        """When how many of those that are held came, where that decides who leaves."""
        return list(self._arrivals)
