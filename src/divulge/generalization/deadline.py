"""When a search has to stop, and what stopped it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Literal

Stopped = Literal["time", "interrupt"]


@dataclass(eq=False)
class Deadline:
    """When the search has to stop; None: never."""

    seconds: float | None = None
    began: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.interrupted or (self.seconds is not None and self.elapsed >= self.seconds)

    def half(self) -> Deadline:
        """When half of the time that is left is over."""
        if self.seconds is None or self.over:
            return self
        return replace(self, seconds=(self.elapsed + self.seconds) / 2)

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self.began

    @property
    def why(self) -> Stopped | None:
        """What ended the search, where it had to end."""
        return "interrupt" if self.interrupted else "time" if self.over else None
