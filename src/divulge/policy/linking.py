"""Bounds on record linkage with the original: only a comparison can read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from divulge.measures.linkage_figures import LINKAGE_FIGURES
from divulge.policy.place import PolicyPlace

#: What each bound is called, and the attack of a comparison that it is held against.
LINKED = {name: figure.title for name, figure in LINKAGE_FIGURES.items()}


@dataclass(frozen=True)
class Linking:
    """At most a share of people are linked to their own record by an attack."""

    attack: str
    max: float
    severity: Literal["fail", "warn"] = "fail"


def linking_of(thresholds: Mapping[str, Any], place: PolicyPlace) -> tuple[Linking, ...]:
    """The bounds on linkage that a policy sets."""
    return tuple(
        _linking(name, table, here)
        for name in LINKED
        if name in thresholds
        for table, here in (place / name).tables(
            thresholds[name], f"Write {name} = {{ max = 0.05 }}, or several such tables in a list."
        )
    )


def _linking(name: str, table: Mapping[str, Any], place: PolicyPlace) -> Linking:
    place.check_keys(table, ("max", "severity"))
    hint = "Write max = 0.05: the share of people who may be linked."
    if "max" not in table:
        raise place.error("there is no bound.", hint)
    most = (place / "max").number(table["max"], hint)
    if not 0 <= most < 1:
        raise (place / "max").error("this must be a share from 0 on, below 1.", hint)
    return Linking(name, float(most), place.severity(table))
