"""What a set of keys tells: sets of people, which of them chance does not explain, and who they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.inference.asked.sensitive_questions import Kind
from divulge.assessment.inference.revealing_groups import Bar, Telling

Keys = tuple[str, ...]
Flags = npt.NDArray[np.bool_]
LEVEL = 0.01  # the probability from which on chance does not explain something


@dataclass(frozen=True)
class Told:
    """People about whom a value is told: how many, in how many sets, by which keys, and who has it."""

    people: int = field(repr=False)
    sets: int
    keys: Keys
    having: float  # the share of all people who have the value; of several values their mean
    several: bool  # whether different people are told different values
    alone: bool  # whether other key sets tell about nobody else
    by_weight: bool = False  # whether only shares by weight tell so
    rows: Flags | None = field(default=None, compare=False, repr=False)  # of these people, if at hand
    by_key_set: tuple[tuple[Keys, int], ...] = field(default=(), repr=False)  # people at least, for each
    kind: Kind = "value"  # what is told of people
    among_known: bool = False  # whether only shares of those with a known value tell so


@dataclass(eq=False)
class FlaggedSets:
    """Some of the sets that tell: flags for each way to ask, and the rows of these people, as bits."""

    keys: Keys
    ways: Sequence[Telling]
    flags: Sequence[Flags]
    rows: npt.NDArray[np.uint8] | None = None

    @cached_property
    def any(self) -> bool:
        return any(flag.any() for flag in self.flags)

    @property
    def least(self) -> int:
        """As many people as one way to ask tells about; of bands two by two someone may be in both."""
        return max(int(one.people[flag].sum()) // one.overlapping for one, flag in self.pairs)

    @property
    def pairs(self) -> list[tuple[Telling, Flags]]:
        return list(zip(self.ways, self.flags, strict=True))


@dataclass(frozen=True, eq=False)
class KeySetFindings:
    """The sets that tell something by one set of keys, for each bar and way to ask."""

    keys: Keys
    by_bar: Mapping[Bar, list[Telling]]
    _beyond: dict[tuple[Bar, int, int], FlaggedSets] = field(default_factory=dict)

    @cached_property
    def entries(self) -> int:
        """How many sets with a value there are, for all bars and ways to ask together."""
        return sum(len(one.owner) for ways in self.by_bar.values() for one in ways)

    def beyond(self, bar: Bar, values: int, tests: int) -> FlaggedSets:
        """Those that chance does not explain."""
        if (bar, values, tests) not in self._beyond:
            ways = self.by_bar[bar]
            flags = [one.beyond(values, tests, LEVEL) for one in ways]
            self._beyond[bar, values, tests] = FlaggedSets(self.keys, ways, flags)
        return self._beyond[bar, values, tests]


def all_sets(said: KeySetFindings, bar: Bar) -> FlaggedSets:
    """All sets that tell, whether chance explains them or not."""
    ways = said.by_bar[bar]
    return FlaggedSets(said.keys, ways, [one.once(np.ones(len(one.owner), bool)) for one in ways])
