"""Values of records that arrive as they are counted: missing ones, and groups that a policy puts them in."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from divulge.table.partition import Partition

MOST_KNOWN = 200_000  # values of an attribute that are remembered


class OutsideGroups:
    """What a value that no group has becomes."""

    def __repr__(self) -> str:
        return "OUTSIDE"


OUTSIDE = OutsideGroups()


@dataclass(frozen=True)
class TruthValue:
    """A truth value, which Python would take for the same as 1 or 0."""

    held: bool


@dataclass
class StreamValues:
    """What becomes of the values of one attribute.

    >>> StreamValues(missing_values=("NA",)).counted(["31", "NA", None])
    ['31', None, None]
    """

    missing_values: Collection[str] = ()
    partition: Partition | None = None
    _known: dict[Any, Hashable] = field(default_factory=dict, repr=False)

    def counted(self, values: Sequence[Any]) -> list[Hashable]:
        """Each value as it is counted; OUTSIDE where its attribute is counted in groups and none has it."""
        known, values = self._known, _told_apart(values)
        try:
            return list(map(known.__getitem__, values))
        except KeyError:
            if len(known) > MOST_KNOWN:
                known.clear()
            for value in set(values) - known.keys():
                known[value] = self._counted(value)
            return list(map(known.__getitem__, values))

    def _counted(self, value: Any) -> Hashable:
        if isinstance(value, str) and value in self.missing_values:
            value = None
        if self.partition is None:
            return value
        if isinstance(value, TruthValue):
            value = value.held
        if value is None:
            return self.partition.domain_of("")
        domain = self.partition.domain_of(value)
        return OUTSIDE if domain is None else domain


def _told_apart(values: Sequence[Any]) -> Sequence[Any]:
    """Values of which those are equal that a table counts as one; what is not a number is missing."""
    kinds = set(map(type, values))
    if float in kinds:
        values = [None if value != value else value for value in values]
    if bool in kinds:
        values = [TruthValue(value) if isinstance(value, bool) else value for value in values]
    return values
