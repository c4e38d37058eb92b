"""Which attributes records can be linked by: those whose released values have to do with originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge._support.wording import enumerated
from divulge.alignment.tables import Alignment
from divulge.attacks.record_linkage.coordinates import Kind, are_numbers, kind_of
from divulge.attacks.record_linkage.released_groups import in_released_groups, shown_values

NO_DISTANCE = (
    "no released attribute has values that can be compared by distance; a hierarchy (--hierarchy) "
    "or an order (--order) can say how far they are"
)
NO_AGREEMENT = "no released value of these attributes is an original one, so that no pair agrees on any"
MOST_VALUES = 250  # of an attribute without an order, each of which is a side of its own


@dataclass(frozen=True)
class ComparedKey:
    """An attribute of both tables, what it is taken for, and how many sides of a point it makes."""

    name: str
    kind: Kind
    sides: int
    hidden: bool  # whether it is suppressed for everyone, so that every original is as near
    same: bool  # whether some released value is an original one
    placed: bool  # whether some released value has its place among the original ones


def compared_keys(alignment: Alignment, attributes: Sequence[str]) -> list[ComparedKey]:
    """Attributes of the original that the release has, as its values can be compared."""
    return [_compared(alignment, name) for name in attributes]


def read_by_distance(alignment: Alignment, attributes: Sequence[str]) -> tuple[Alignment, list[ComparedKey]]:
    """Both tables as distances are taken: originals without an order in the groups they were released in."""
    named = [one.name for one in compared_keys(alignment, attributes) if one.kind == "category"]
    grouped = in_released_groups(alignment, named)
    return grouped, compared_keys(grouped, attributes)


def read_by_agreement(alignment: Alignment, attributes: Sequence[str]) -> tuple[Alignment, list[ComparedKey]]:
    """Both tables as agreement is counted: every original in the group it was released in."""
    grouped = in_released_groups(alignment, attributes)
    return grouped, compared_keys(grouped, attributes)


def by_distance(keys: Sequence[ComparedKey], most_values: float = MOST_VALUES) -> list[ComparedKey]:
    """The keys that make up points: those that tell something, or else what is suppressed."""
    told = [one for one in keys if one.placed and one.sides <= most_values]
    return told or [one for one in keys if one.hidden and one.sides <= most_values][:1]


def by_agreement(keys: Sequence[ComparedKey]) -> list[ComparedKey]:
    """The keys that pairs may agree on: those with values in common, or else what is suppressed."""
    return [one for one in keys if one.same] or [one for one in keys if one.hidden][:1]


def not_compared(keys: Sequence[ComparedKey], used: Sequence[str]) -> list[str]:
    """The attributes that show values which could not be compared."""
    return [one.name for one in keys if one.name not in used and not one.hidden]


def no_number(alignment: Alignment, keys: Sequence[ComparedKey]) -> str | None:
    """Of which original numbers no number was released, as a reason; None where there is none."""
    original, released, there = alignment.original, alignment.released, alignment.columns
    gone = [
        one.name
        for one in keys
        if are_numbers(original, one.name) and not are_numbers(released, there[one.name])
    ]
    return f"no number was released of {enumerated(gone)}" if gone else None


def _compared(alignment: Alignment, name: str) -> ComparedKey:
    original, released, there = alignment.original, alignment.released, alignment.columns[name]
    ours, theirs = shown_values(original, name), shown_values(released, there)
    kind, same = kind_of(alignment, name), bool(ours & theirs)
    if kind == "number":
        sides, placed = 2, True
    elif kind == "order":
        sides, placed = 2, bool({*map(str, original.orders[name])} & theirs)
    elif kind == "hierarchy":
        levels = _levels(alignment, name)
        sides, placed = sum(len(set(level)) for level in levels), any(theirs & set(level) for level in levels)
    else:
        listed = (*original.column(name).values, *released.column(there).values)
        sides, placed = len({*map(str, listed)}) + 1, same
    return ComparedKey(name, kind, sides, not theirs, same, placed)


def _levels(alignment: Alignment, name: str) -> Sequence[Sequence[str]]:
    """The groups of every level of a hierarchy but the top, which tells nothing apart."""
    hierarchy = alignment.original.hierarchies[name]
    return [hierarchy.values, *hierarchy.groups][: hierarchy.levels]
