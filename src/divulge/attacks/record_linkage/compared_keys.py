"""Which quasi-identifiers records can be linked by: those whose released values have to do with originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge.alignment.tables import Alignment
from divulge.attacks.record_linkage.coordinates import Kind, kind_of
from divulge.attacks.record_linkage.released_groups import shown_values

MOST_VALUES = 250  # of an attribute without an order, each of which is a side of its own


@dataclass(frozen=True)
class ComparedKey:
    """A quasi-identifier of both tables, what it is taken for, and how many sides of a point it makes.

    One that is suppressed for everyone is compared too: it tells nothing, and every original is as near.
    """

    name: str
    kind: Kind
    sides: int
    same: bool  # whether some released value is an original one, or none is shown
    placed: bool  # whether some released value has its place among the original ones, or none is shown

    @property
    def by_distance(self) -> bool:
        return self.placed and self.sides <= MOST_VALUES


def compared_keys(alignment: Alignment) -> list[ComparedKey]:
    """The quasi-identifiers of the original that the release has."""
    schema = alignment.original.schema
    return [_compared(alignment, name) for name in schema.quasi_identifiers if name in alignment.columns]


def _compared(alignment: Alignment, name: str) -> ComparedKey:
    original, released, there = alignment.original, alignment.released, alignment.columns[name]
    kind = kind_of(alignment, name)
    ours, theirs = shown_values(original, name), shown_values(released, there)
    same = bool(ours & theirs) or not theirs
    if kind == "number":
        return ComparedKey(name, kind, 2, same, True)
    if kind == "order":
        return ComparedKey(name, kind, 2, same, same or bool({*map(str, original.orders[name])} & theirs))
    if kind == "hierarchy":
        levels = _levels(alignment, name)
        sides = sum(len(set(level)) for level in levels)
        return ComparedKey(name, kind, sides, same, same or any(theirs & set(level) for level in levels))
    listed = (*original.column(name).values, *released.column(there).values)
    return ComparedKey(name, kind, len({*map(str, listed)}) + 1, same, same)


def _levels(alignment: Alignment, name: str) -> Sequence[Sequence[str]]:
    """The groups of every level of a hierarchy but the top, which tells nothing apart."""
    hierarchy = alignment.original.hierarchies[name]
    return [hierarchy.values, *hierarchy.groups][: hierarchy.levels]
