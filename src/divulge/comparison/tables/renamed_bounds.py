"""The bounds and the population of a policy under the names that attributes have in a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from divulge.counting.counts import RECORD
from divulge.policy import Demands, Learning, Population, SinglingOut, Threshold

Bound = TypeVar("Bound", Threshold, SinglingOut, Learning)


def renamed(threshold: Bound, columns: Mapping[str, str]) -> Bound | None:
    """The threshold under the names of the release; None where nothing it is about is left."""

    def there(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if names is None else tuple(columns[name] for name in names if name in columns)

    keys = there(threshold.keys)
    if isinstance(threshold, SinglingOut):
        return None if keys == () else replace(threshold, keys=keys)
    about = threshold.target in (None, (RECORD,))
    target = threshold.target if about else there(threshold.target)
    if keys == () or target == () or (not about and len(target or ()) < len(threshold.target or ())):
        return None
    return replace(threshold, keys=keys, target=target)


def renamed_demands(demands: Demands, columns: Mapping[str, str]) -> Demands:
    """What is required besides measures, likewise; what nothing is left of is left out."""
    return replace(
        demands,
        singled_out=tuple(filter(None, (renamed(one, columns) for one in demands.singled_out))),
        learned=tuple(filter(None, (renamed(one, columns) for one in demands.learned))),
        allowed=tuple(columns.get(name, name) for name in demands.allowed),
        declared=tuple(columns.get(name, name) for name in demands.declared),
    )


def renamed_population(
    asked: Population | None, columns: Mapping[str, str]
) -> tuple[Population | None, list[str]]:
    """What the release is a sample of, under its own names, and what is to be said where it cannot say so."""
    if asked is None or asked.weight is None:
        return asked, []
    if asked.weight in columns:
        return replace(asked, weight=columns[asked.weight]), []
    return None, [
        f"The weights {asked.weight} are not in the release; it is treated as the whole population."
    ]
