"""What a table is a sample of: how many people there are, how many a record stands for, or a table of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge._support.addresses import is_address
from divulge._support.wording import many
from divulge.errors import ParameterError
from divulge.policy.place import PolicyPlace

MOST_PEOPLE = 10**10  # more than there are; a larger population would make every risk vanish
WAYS = ("size", "fraction", "weight", "source")
_HINT = (
    'Write [population], and below it size = 80000, fraction = 0.05, weight = "weight", or '
    'source = "everyone.csv".'
)


@dataclass(frozen=True)
class Population:
    """The people a table is drawn from: their number, the share drawn, weights, or a table of all of them.

    ``household`` is an attribute of the table that people who live together share.
    """

    size: int | None = None
    fraction: float | None = None
    weight: str | None = None
    source: str | None = None
    household: str | None = None

    def __post_init__(self) -> None:
        if self.size is not None and self.size > MOST_PEOPLE:
            raise too_many("The population")
        if self.size is not None and self.size < 1:
            raise ParameterError(
                f"The population is {self.size} people.", hint="Give how many people there are."
            )
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ParameterError(
                f"The sampled fraction is {self.fraction}.",
                hint="It lies above 0 and is at most 1, such as 0.05.",
            )

    def share(self, people: int) -> float | None:
        """The share of the population that is in the table; None where weights or a table say it."""
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

    def once_drawn(self, people: int) -> Population:
        """The same by the share that was drawn, so that it holds for a release that lacks some of them.

        >>> Population(size=1000).once_drawn(people=50).fraction
        0.05
        """
        if self.size is None:
            return self
        return Population(fraction=self.share(people), household=self.household)


def too_many(what: str) -> ParameterError:
    """The refusal of a population larger than mankind."""
    verb = "is" if what == "The population" else "make it"
    return ParameterError(
        f"{what} {verb} more than {many(MOST_PEOPLE)} people, which is impossible.",
        hint="Give how many people the table was drawn from.",
    )


def population_of(given: object, place: PolicyPlace, folder: Path) -> Population | None:
    """The table [population], or a number alone; None where there is none. A path starts from the folder."""
    if given is None:
        return None
    table: Mapping[str, Any] = {"size": given} if isinstance(given, int) else place.table(given, _HINT)
    place.check_keys(table, (*WAYS, "household"), _HINT)
    if len(table.keys() & {*WAYS}) != 1:
        raise place.error("there must be one of size, fraction, weight and source.", _HINT)
    found = {name: _said(name, value, place / name, folder) for name, value in table.items()}
    return Population(**found)


def _said(name: str, value: Any, here: PolicyPlace, folder: Path) -> Any:
    """What stands under one key of the table."""
    if name == "size":
        return _size(here.number(value, _HINT), here)
    if name == "fraction":
        return _fraction(here.number(value, _HINT), here)
    if name == "household":
        return here.string(value, 'Write the attribute that a household shares: household = "house".')
    text = here.string(value, _HINT)
    return text if name == "weight" or is_address(text) else str(folder / Path(text).expanduser())


def _size(value: float, here: PolicyPlace) -> int:
    if not isinstance(value, int) or not 1 <= value <= MOST_PEOPLE:
        raise here.error(f"this must be a whole number from 1 to {many(MOST_PEOPLE)}.", _HINT)
    return value


def _fraction(value: float, here: PolicyPlace) -> float:
    if not 0 < value <= 1:
        raise here.error("this must be above 0 and at most 1.", _HINT)
    if value * MOST_PEOPLE < 1:
        raise here.error(f"with it one record stands for more than {many(MOST_PEOPLE)} people.", _HINT)
    return float(value)
