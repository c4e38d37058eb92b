"""Whether a threshold makes sense: a bound that could not hold anything back is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from divulge._support.wording import number
from divulge.counting.counts import RECORD
from divulge.errors import listing
from divulge.policy.place import PolicyPlace
from divulge.policy.thresholds import Threshold
from divulge.table.schema import Role


@dataclass(frozen=True)
class Context:
    """What the rest of a policy says that thresholds depend on."""

    roles: Mapping[str, Role]
    weights: str | None

    def having(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, given in self.roles.items() if given is role)

    def check_has_keys(self, place: PolicyPlace) -> None:
        """Refuse what is about all quasi-identifiers where there is none."""
        if not self.having(Role.QUASI_IDENTIFIER):
            raise place.error(
                "no attribute is a quasi-identifier, and no keys are given.",
                'Give attributes the role "quasi-identifier", or name them here: keys = [...].',
            )


class Bounded(Protocol):
    """What is held to a bound: a measure, or a figure of the population."""

    @property
    def name(self) -> str: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    @property
    def riskier(self) -> str: ...


class BoundOn(Protocol):
    """A bound on a measure or a figure, as a policy writes it."""

    @property
    def measure(self) -> Bounded: ...
    @property
    def adjusted(self) -> bool: ...
    @property
    def min(self) -> float | None: ...
    @property
    def max(self) -> float | None: ...
    @property
    def keys(self) -> tuple[str, ...] | None: ...


def check(threshold: Threshold, place: PolicyPlace, context: Context) -> None:
    """Refuse a threshold that cannot be evaluated, cannot fail or cannot pass."""
    _check_adjusted(threshold, place, context)
    check_bounds(threshold, place)
    check_keys(threshold, place, context)
    _check_target(threshold, place, context)


def check_bounds(threshold: BoundOn, place: PolicyPlace) -> None:
    """Refuse a bound that is missing, on the wrong side, or kept by every reading or by none."""
    measure, least, most = threshold.measure, threshold.min, threshold.max
    higher = threshold.adjusted or measure.riskier == "higher"
    right, wrong = ("max", "min") if higher else ("min", "max")
    bound, other = (most, least) if higher else (least, most)
    if least is not None and most is not None and least > most:
        raise (place / "min").error("min is above max, so nothing could pass.", f"Leave {wrong} out.")
    if other is not None:
        what = f"adjusted {measure.name}" if threshold.adjusted else measure.name
        hint = f"Leave {wrong} out." if bound is not None else f"Write {right} = {number(other)} instead."
        raise (place / wrong).error(f"{what} is riskier the {'higher' if higher else 'lower'} it is.", hint)
    low, high = (0, 1) if threshold.adjusted else measure.bounds
    possible = _possible(right, low, high)
    if bound is None:
        raise place.error("there is no bound.", possible)
    if bound >= high if higher else bound <= low:
        raise (place / right).error(f"this can never fail: {_range(threshold)}.", possible)
    if bound < low if higher else bound > high:
        raise (place / right).error(f"this can never pass: {_range(threshold)}.", possible)


def _range(threshold: BoundOn) -> str:
    """What the measure can read, in words."""
    if threshold.adjusted:
        return "adjusted, chance is 0 and the worst case 1"
    low, high = threshold.measure.bounds
    to = "upwards" if math.isinf(high) else f"to {number(high)}"
    return f"{threshold.measure.name} runs from {number(low)} {to}"


def _possible(right: str, low: float, high: float) -> str:
    """Which bounds make sense, in words."""
    if right == "max":
        words, end = f"to {number(low)} or more", f" and below {number(high)}"
    else:
        words, end = f"above {number(low)}", f" and at most {number(high)}"
    return f"Set {right} {words}{'' if math.isinf(high) else end}."


def check_keys(threshold: BoundOn, place: PolicyPlace, context: Context) -> None:
    """Refuse keys that are no attributes an attacker may know."""
    if threshold.keys is None:
        context.check_has_keys(place)
        return
    here = place / "keys"
    for name in threshold.keys:
        if name == RECORD:
            raise here.error(f"{RECORD} is a target, not a key.", "Name attributes an attacker may know.")
        if context.roles.get(name) is Role.IDENTIFIER:
            raise here.error(
                f"'{name}' is an identifier, which names people by itself.",
                "Leave it out, or give it another role.",
            )
        _check_weights(name, here, context)


def _check_target(threshold: Threshold, place: PolicyPlace, context: Context) -> None:
    measure, target, here = threshold.measure, threshold.target, place / "target"
    sensitive = context.having(Role.SENSITIVE)
    if target is None and measure.reads_target and not sensitive:
        hint = 'Give an attribute the role "sensitive", or name a target'
        raise place.error(
            f"{measure.name} is about sensitive attributes, and there is none.",
            f"{hint}." if measure.needs_target else f'{hint}, which may be "{RECORD}".',
        )
    for name in target or ():
        if name.startswith("@") and name not in context.roles and target != (RECORD,):
            raise here.error(
                f"'{name}' cannot be a target here.", f'Write "{RECORD}" alone, or names of attributes.'
            )
        _check_weights(name, here, context)
    if target == (RECORD,) and measure.needs_target:
        raise here.error(
            f"{measure.name} compares target values, and with {RECORD} every record is its own value.",
            "Name an attribute, or leave target out to check every sensitive one.",
        )
    keys = threshold.keys or context.having(Role.QUASI_IDENTIFIER)
    both = [name for name in target or (sensitive if measure.reads_target else ()) if name in keys]
    if both:
        implied = "keys" if threshold.keys is None else "target" if target is None else None
        hint = "Leave it out of one of them." if implied is None else f"Name {implied} without it."
        raise place.error(f"{listing(both)} is both a key and a target.", hint)


def _check_adjusted(threshold: Threshold, place: PolicyPlace, context: Context) -> None:
    """Refuse to adjust for chance where there is no chance level."""
    measure, here = threshold.measure, place / "adjusted"
    if not threshold.adjusted:
        return
    hint = "Leave adjusted out."
    if threshold.target == (RECORD,):
        raise here.error(f"with the target {RECORD} there is no chance level.", hint)
    if not measure.reads_target or measure.ceiling is None:
        raise here.error(f"{measure.name} has no adjusted reading.", hint)
    if context.weights is not None:
        raise here.error("under weights there is no chance level.", hint)


def _check_weights(name: str, place: PolicyPlace, context: Context) -> None:
    if name == context.weights:
        raise place.error(f"'{name}' holds the weights.", "Leave it out, or measure without weights.")
