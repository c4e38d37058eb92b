"""The similarity attack: sensitive values may differ and still mean the same to an attacker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from divulge._support.seeds import SEED
from divulge._support.wording import people, percent
from divulge.attacks.grouping import Grouping, group
from divulge.attacks.homogeneity import KNOWS
from divulge.attacks.outcome import Outcome, mean_rate, why
from divulge.attacks.questions import NO_KEYS, suppressed_keys
from divulge.questions.data import Data
from divulge.table.partition_files import as_partition

NO_PARTITION = "no partition or hierarchy of a sensitive attribute of the release is given"


def similarity(
    released: Data,
    *,
    partitions: Mapping[str, Mapping[str, object]] | None = None,
    show_values: bool = False,
    seed: int = SEED,
) -> Outcome:
    """How far quasi-identifiers determine a group of similar sensitive values.

    ``partitions`` has for a sensitive attribute one or several named partitions. Where a sensitive attribute
    has a hierarchy, all its levels are read. The risk is that of the level with the highest rate, so that
    suppressing a cell does not raise it. Under coarse groups a rate is high by chance alone: the readings are
    those of the level that leaks most beyond chance. People are those whose group is certain, under the
    partition or level where these are most.
    """
    outcome = Outcome(
        "similarity",
        "Similarity attack",
        (f"{KNOWS}; learning a group of similar values counts as learning the value"),
    )
    released.schema.check(partitions or {})
    searched = [name for name in released.schema.sensitive if name in released.hierarchies]
    if not released.schema.quasi_identifiers:
        return outcome.failed(NO_KEYS)
    if not partitions and not searched:
        return outcome.failed(NO_PARTITION)
    show: dict[str, Any] = {"show_values": show_values, "seed": seed}
    given = [
        group(released, target, name, as_partition(spec, attribute=target), **show)
        for target, named in (partitions or {}).items()
        for name, spec in named.items()
    ]
    searches = [_search(released, target, **show) for target in searched]
    readings = [line for one in (*given, *(one.leaks_most for one in searches)) for line in one.readings]
    highest = [*given, *(one.leaks_most_unadjusted for one in searches)]
    details = {"partitions": [one.to_dict() for one in given], "search": [one.to_dict() for one in searches]}
    risk = mean_rate([line for one in highest for line in one.readings], suppressed_keys(released))
    every = [*given, *(level for one in searches for level in one.levels)]
    told = [one for one in every if one.rate is not None]
    if risk is None or not told:
        return replace(outcome.failed(why(readings), readings), details=details)
    worst = max(told, key=lambda one: one.share)
    return replace(
        outcome,
        risk=risk,
        people=worst.certain,
        of=worst.records,
        readings=readings,
        details=details,
        sentence=_sentence(worst),
    )


@dataclass(frozen=True)
class _Search:
    """A sensitive attribute under every level of its hierarchy, level 0 being the values themselves."""

    target: str
    levels: list[Grouping]

    @property
    def leaks_most(self) -> Grouping:
        """The level where the keys tell most beyond chance; by plain rates where chance has no say."""
        return max(self.levels, key=lambda one: (_or_least(one.adjusted), _or_least(one.rate)))

    @property
    def leaks_most_unadjusted(self) -> Grouping:
        return max(self.levels, key=lambda one: _or_least(one.rate))

    def to_dict(self) -> dict[str, Any]:
        told = any(one.rate is not None for one in self.levels)
        return {
            "target": self.target,
            "levels": [one.to_dict() for one in self.levels],
            "leaks_most": self.leaks_most.name if told else None,
            "leaks_most_unadjusted": self.leaks_most_unadjusted.name if told else None,
        }


def _search(released: Data, target: str, *, show_values: bool, seed: int) -> _Search:
    hierarchy = released.hierarchies[target]
    levels = [(f"level {n}", hierarchy.level(n)) for n in range(hierarchy.levels + 1)]
    return _Search(
        target,
        [group(released, target, name, level, show_values=show_values, seed=seed) for name, level in levels],
    )


def _or_least(value: float | None) -> float:
    return float("-inf") if value is None else value


def _sentence(worst: Grouping) -> str:
    told = f"One quasi-identifier gives {percent(worst.rate or 0.0)} of the information about "
    told += f"{worst.target} ({worst.name}) on average"
    if worst.certain is None or worst.records is None:
        return f"{told}."
    return f"{told}. With all of them known, it is certain for {people(worst.certain, of=worst.records)}."
