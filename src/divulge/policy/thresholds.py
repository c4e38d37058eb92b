"""Thresholds: bounds on readings, as a policy writes them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from divulge._support.rounding import above, below
from divulge.errors import ParameterError, UnknownMeasure, suggestion
from divulge.measures import MEASURES, Measure, get
from divulge.measures.registry import example_counts
from divulge.policy.place import PolicyPlace, kind

SETTINGS = ("min", "max", "target", "keys", "severity", "adjusted")
EXAMPLE = "For example: k_anonymity = { min = 5 }."


@dataclass(frozen=True)
class Threshold:
    """A bound that a measure's reading is held against.

    Without ``target`` it is about every sensitive attribute in turn, or about @record where the measure
    does not read the target; without ``keys`` about all quasi-identifiers together. ``adjusted`` holds
    the bound against the reading above chance.
    """

    measure: Measure
    parameters: Mapping[str, Any]
    target: tuple[str, ...] | None
    keys: tuple[str, ...] | None
    min: float | None
    max: float | None
    adjusted: bool
    severity: Literal["fail", "warn"]
    place: str

    def keeps(self, found: Any) -> Any:
        """Whether a reading, or each of an array of them, is within the bounds; rounding is forgiven."""
        inside = True if self.min is None else ~np.asarray(below(found, self.min))
        return inside & (True if self.max is None else ~np.asarray(above(found, self.max)))


def thresholds_of(
    given: object, place: PolicyPlace, others: Sequence[str] = ()
) -> list[tuple[Threshold, PolicyPlace]]:
    """The thresholds of a policy and where each stands; ``others`` are names of what is no measure."""
    found = [
        (_threshold(measure, table, here), here)
        for measure, table, here in _entries(place.table(given, EXAMPLE), place, others)
    ]
    if not found:
        raise place.error("a policy without thresholds would always pass.", EXAMPLE)
    return found


def _entries(
    asked: Mapping[str, Any], place: PolicyPlace, others: Sequence[str]
) -> Iterator[tuple[Measure, dict[str, Any], PolicyPlace]]:
    for name, given in asked.items():
        try:
            measure = get(name)
        except UnknownMeasure as error:
            hint = suggestion(name, (*MEASURES, *others)) or error.hint or ""
            raise (place / name).error(error.message, hint) from None
        bound = "min" if measure.riskier == "lower" else "max"
        hint = f"Write {name} = {{ {bound} = ... }}, or several such tables in a list."
        yield from ((measure, *one) for one in (place / name).tables(given, hint))


def _threshold(measure: Measure, table: Mapping[str, Any], place: PolicyPlace) -> Threshold:
    place.check_keys(table, (*SETTINGS, *measure.parameters))
    adjusted = place.flag(table, "adjusted", False)
    names = 'Write names of attributes, such as "age" or ["age", "sex"].'
    return Threshold(
        measure,
        _parameters(measure, table, place),
        place.named(table, "target", names),
        place.named(table, "keys", names),
        bound("min", table, place),
        bound("max", table, place),
        adjusted,
        place.severity(table),
        place.key or "",
    )


def _parameters(measure: Measure, table: Mapping[str, Any], place: PolicyPlace) -> dict[str, Any]:
    given = {name: table[name] for name in measure.parameters if name in table}
    takes = inspect.signature(measure.function).parameters
    for name, value in given.items():
        default = takes[name].default
        hint = f"Left out, it is {str(default).lower()}."
        if type(value) is not type(default):
            wanted = "a whole number" if type(default) is int else kind(default)
            raise (place / name).error(f"this must be {wanted}.", hint)
        try:
            measure.compute(example_counts(), {name: value})
        except ParameterError as error:
            raise (place / name).error(error.message, error.hint or hint) from None
    return given


def bound(which: str, table: Mapping[str, Any], place: PolicyPlace) -> float | None:
    """The bound under one key of the table that stands here; None where it is left out."""
    value = table.get(which)
    if value is None:
        return None
    value = (place / which).number(value, f"Write {which} = 5.")
    if not abs(value) <= sys.float_info.max:  # whole numbers have no end, and nan compares with nothing
        raise (place / which).error("this must be a finite number.", "Neither inf nor nan is a bound.")
    return value
