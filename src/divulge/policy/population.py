"""What a table is a sample of: how many people there are, or how many each record stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from divulge._support.wording import many
from divulge.errors import ParameterError
from divulge.policy.place import PolicyPlace

MOST_PEOPLE = 10**10  # more than there are; a larger population would make every risk vanish
_HINT = 'Write [population], and below it size = 80000, fraction = 0.05, or weight = "weight".'


@dataclass(frozen=True)
class Population:
    """The people a table is drawn from: their number, the share drawn, or an attribute with weights."""

    size: int | None = None
    fraction: float | None = None
    weight: str | None = None

    def __post_init__(self) -> None:
        if self.size is not None and self.size > MOST_PEOPLE:
            raise too_many("The population")

    def share(self, people: int) -> float | None:
        """The share of the population that is in the table; None where weights say it."""
        if self.size is None:
            if self.fraction is not None and people > self.fraction * MOST_PEOPLE:
                raise too_many("A table of this size and the fraction of the population")
            return self.fraction
        if self.size < people:
            raise ParameterError(
                f"The population is {many(self.size)} people, and the table has {many(people)}.",
                hint="Give how many people the table was drawn from.",
            )
        return people / self.size


def too_many(what: str) -> ParameterError:
    """The refusal of a population larger than mankind."""
    verb = "is" if what == "The population" else "make it"
    return ParameterError(
        f"{what} {verb} more than {many(MOST_PEOPLE)} people, which is impossible.",
        hint="Give how many people the table was drawn from.",
    )


def population_of(given: object, place: PolicyPlace) -> Population | None:
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
    here = place / name
    value = here.number(value, _HINT)
    if name == "size":
        if not isinstance(value, int) or not 1 <= value <= MOST_PEOPLE:
            raise here.error(f"this must be a whole number from 1 to {many(MOST_PEOPLE)}.", _HINT)
        return Population(size=value)
    if not 0 < value <= 1:
        raise here.error("this must be above 0 and at most 1.", _HINT)
    if value * MOST_PEOPLE < 1:
        raise here.error(f"with it one record stands for more than {many(MOST_PEOPLE)} people.", _HINT)
    return Population(fraction=float(value))
