"""Thresholds of a policy under the names that attributes have in a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from divulge.counting.counts import RECORD
from divulge.policy import Learning, SinglingOut, Threshold

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
