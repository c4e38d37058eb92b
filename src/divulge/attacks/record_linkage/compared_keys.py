"""Which quasi-identifiers records can be linked by: those whose released values have to do with originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge.alignment.tables import Alignment
from divulge.attacks.record_linkage.coordinates import Kind, are_numbers, kind_of
from divulge.attacks.record_linkage.released_groups import shown_values

MOST_VALUES = 250  # of an attribute without an order, each of which is a side of its own


@dataclass(frozen=True)
class ComparedKey:
    """A quasi-identifier of both tables, what it is taken for, and how many sides of a point it makes."""

    name: str
    kind: Kind
    sides: int
    number: bool  # whether originals are numbers, and all that is released of them
    hidden: bool  # whether it is suppressed for everyone, so that every original is as near
    same: bool  # whether some released value is an original one
    placed: bool  # whether some released value has its place among the original ones


def compared_keys(alignment: Alignment) -> list[ComparedKey]:
    """The quasi-identifiers of the original that the release has."""
    schema = alignment.original.schema
    return [_compared(alignment, name) for name in schema.quasi_identifiers if name in alignment.columns]


def by_distance(keys: Sequence[ComparedKey]) -> list[ComparedKey]:
    """The keys that make up points: those that tell something, or else what is suppressed."""
    told = [one for one in keys if one.placed and one.sides <= MOST_VALUES]
    return told or [one for one in keys if one.hidden and one.sides <= MOST_VALUES][:1]


def by_agreement(keys: Sequence[ComparedKey]) -> list[ComparedKey]:
    """The keys that pairs may agree on: those with values in common, or else what is suppressed."""
    return [one for one in keys if one.same] or [one for one in keys if one.hidden][:1]


def _compared(alignment: Alignment, name: str) -> ComparedKey:
    original, released, there = alignment.original, alignment.released, alignment.columns[name]
    ours, theirs = shown_values(original, name), shown_values(released, there)
    kind, hidden, same = kind_of(alignment, name), not theirs, bool(ours & theirs)
    number = kind == "number" or (hidden and are_numbers(original, name))
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
    return ComparedKey(name, kind, sides, number, hidden, same, placed)


def _levels(alignment: Alignment, name: str) -> Sequence[Sequence[str]]:
    """The groups of every level of a hierarchy but the top, which tells nothing apart."""
    hierarchy = alignment.original.hierarchies[name]
    return [hierarchy.values, *hierarchy.groups][: hierarchy.levels]
