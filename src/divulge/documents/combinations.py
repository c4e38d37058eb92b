"""The part of an audit's document about combinations of quasi-identifiers."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from divulge.documents.fields import Count


class RatesEntry(TypedDict):
    """The two rates of one target."""

    discrimination_rate: float | None
    itpr: float | None


class SubsetEntry(TypedDict):
    """One combination of attributes, at most ten of each size."""

    keys: list[str]
    classes: int
    k: Annotated[int, "size of the smallest group"]
    records: Annotated[Count, "records counted"]
    unique: Annotated[Count, "unique records"]
    uniqueness: Annotated[float | None, "their share; null where it would reveal a hidden count"]
    discrimination_rate: float
    itpr: float
    targets: Annotated[dict[str, RatesEntry], "rates of each sensitive attribute"]


class SizeEntry(TypedDict):
    """All combinations of so many attributes: least, median and most."""

    size: Annotated[int, "attributes known"]
    subsets: Annotated[int, "combinations of that size"]
    uniqueness: Annotated[list[float | None], "null where it would reveal a hidden count"]
    discrimination_rate: list[float]


class IdentifyingEntry(TypedDict):
    """The smallest combinations that identify someone, half of the records, or all."""

    level: Literal["someone", "half", "all"]
    meaning: str
    sets: Annotated[list[list[str]], "minimal combinations"]
    more: Annotated[int, "how many more there are"]
    folded: Annotated[int, "supersets that are not listed"]


class ContributionEntry(TypedDict):
    """What an attribute adds to the others, in discrimination rate."""

    attribute: str
    alone: float
    last: Annotated[float, "when all others are known"]
    average: Annotated[float, "over the orders in which attributes become known"]
    average_error: Annotated[float | None, "its standard error; 0 where exact, null where unknown"]
    average_over: str
    uniqueness_last: Annotated[
        float | None,
        "share of records that become unique when it is known last; null where it would reveal a "
        "hidden count",
    ]


class CombinationsEntry(TypedDict):
    """The search over combinations of quasi-identifiers."""

    attributes: list[str]
    searched: Annotated[int, "combinations read"]
    possible: Annotated[int, "combinations there are"]
    largest: Annotated[int, "attributes in the largest one read"]
    complete: bool
    limited: Annotated[str | None, "why not all were read"]
    by_size: list[SizeEntry]
    subsets: list[SubsetEntry]
    map: Annotated[list[list[float | None]], "points of size, discrimination rate and uniqueness"]
    identifying: list[IdentifyingEntry]
    contributions: list[ContributionEntry]
