"""What keeps a check from passing: for which share of people, in which rows, by which attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Unmet:
    """What a check that does not pass is about."""

    share: float  # of the people, or how far an average is from its bound, by how far it was at first
    rows: Mask | None = None  # of these people, where they are at hand
    by: tuple[str, ...] = ()  # the attributes that it names
    by_key_set: Sequence[tuple[tuple[str, ...], float]] = ()  # sets of attributes, and the share of people
    too_many: bool = False  # whether the rows are more than were asked for, and were not looked for


@dataclass(frozen=True, eq=False)
class OpenNeed:
    """What all checks together need that do not pass."""

    unmet: Sequence[Unmet]
    too_many: bool = False  # whether the rows are more than were asked for, and not all were looked for

    @property
    def failing(self) -> int:
        return len(self.unmet)

    @property
    def people(self) -> float:
        """Shares of people, summed over checks: someone whom two checks are about counts twice."""
        return sum(one.share for one in self.unmet)

    @property
    def rows(self) -> Mask | None:
        """The rows that any of them is about; None where they are too many, or not at hand."""
        if self.too_many:
            return None
        known = [one.rows for one in self.unmet if one.rows is not None]
        return np.logical_or.reduce(known) if known else None

    @property
    def by(self) -> list[str]:
        """The attributes that they name, each once."""
        return list(dict.fromkeys(name for one in self.unmet for name in one.by))
