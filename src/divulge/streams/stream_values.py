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
        known = self._known
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
        if value is None:
            return self.partition.domain_of("")
        domain = self.partition.domain_of(value)
        return OUTSIDE if domain is None else domain
