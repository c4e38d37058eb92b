"""What a table is a sample of: how many people there are, or how many each record stands for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divulge.errors import ParameterError
from divulge.policy.place import Place, kind
from divulge.wording import many

_HINT = 'Write [population], and below it size = 80000, fraction = 0.05, or weight = "weight".'


@dataclass(frozen=True)
class Population:
    """The people a table is drawn from: their number, the share drawn, or an attribute with weights."""

    size: int | None = None
    fraction: float | None = None
    weight: str | None = None

    def share(self, people: int) -> float | None:
        """The share of the population that is in the table; None where weights say it."""
        if self.size is None:
            return self.fraction
        if self.size < people:
            raise ParameterError(
                f"The population is {many(self.size)} people, and the table has {many(people)}.",
                hint="Give how many people the table was drawn from.",
            )
        return people / self.size


def population_of(given: object, place: Place) -> Population | None:
    """The table [population], or a number alone; None where there is none."""
    if given is None:
        return None
    table: Mapping[str, Any] = {"size": given} if isinstance(given, int) else place.table(given, _HINT)
    place.check_keys(table, ("size", "fraction", "weight"), _HINT)
    if len(table) != 1:
        raise place.error("there must be one of size, fraction and weight.", _HINT)
    [(name, value)] = table.items()
    if name == "weight":
        return Population(weight=(place / name).string(value, _HINT))
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise (place / name).error(f"this must be a number, not {kind(value)}.", _HINT)
    if name == "size":
        if not isinstance(value, int) or value < 1:
            raise (place / name).error("this must be a whole number from 1 on.", _HINT)
        return Population(size=value)
    if not 0 < value <= 1:
        raise (place / name).error("this must be above 0 and at most 1.", _HINT)
    return Population(fraction=float(value))
