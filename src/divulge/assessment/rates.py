"""What each attribute alone, and all quasi-identifiers together, tell about each target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from divulge.assessment.scope import Scope
from divulge.counts import RECORD
from divulge.errors import Undefined
from divulge.measures import MEASURES, identifier
from divulge.question import Question

RATES = ("discrimination_rate", "itpr")
_RATE = ("value", "undefined", "chance", "chance_undefined", "chance_method", "chance_error", "adjusted")


@dataclass(frozen=True)
class KeyRates:
    """What one attribute tells about a target."""

    key: str
    role: str
    classes: int
    identifier_class: str | None
    discrimination_rate: dict[str, Any]
    itpr: dict[str, Any]

    @property
    def beyond_chance(self) -> float:
        """The discrimination rate that chance does not explain; the plain rate where chance has no say."""
        rate = self.discrimination_rate
        return (rate["value"] if rate["chance"] is None else rate["adjusted"]) or 0.0


@dataclass(frozen=True)
class Together:
    """What the quasi-identifiers tell about a target when all are known: every measure that applies."""

    keys: tuple[str, ...]
    classes: int
    identifier_class: str | None
    readings: list[dict[str, Any]]


@dataclass(frozen=True)
class TargetRates:
    """What can be told about one target."""

    target: str
    title: str
    entropy: float
    undefined: str | None
    keys: list[KeyRates]
    together: Together


def target_rates(scope: Scope, target: str) -> TargetRates:
    """The rates of every attribute alone and of the quasi-identifiers together."""
    counts = scope.question(scope.keys, target).counts
    about_records = target == RECORD
    keys = [*scope.keys, *scope.others, *(() if about_records else scope.sensitive)]
    return TargetRates(
        target,
        "re-identification" if about_records else f"inference of {target}",
        counts.entropy,
        None if counts.entropy > 0 else _nothing_to_tell(target),
        [_key_rates(scope, key, target) for key in keys if key != target],
        _together(scope, target),
    )


def named_class(question: Question) -> str | None:
    """What kind of identifier the keys are; None where that is undefined."""
    try:
        return identifier.identifier_class(question.counts).value
    except Undefined:
        return None


def _nothing_to_tell(target: str) -> str:
    if target == RECORD:
        return "there is one record only, so there is nobody to tell it from"
    return f"{target} has one value only, so there is nothing to infer"


def _key_rates(scope: Scope, key: str, target: str) -> KeyRates:
    question = scope.question([key], target)
    found = [reading.to_dict() for reading in scope.read([(name, {}) for name in RATES], question)]
    discrimination, itpr = ({name: one[name] for name in _RATE if name in one} for one in found)
    role = scope.data.schema.role(key).value
    return KeyRates(key, role, question.counts.classes, named_class(question), discrimination, itpr)


def _together(scope: Scope, target: str) -> Together:
    question = scope.question(scope.keys, target)
    apply = [
        (measure, variant)
        for measure in MEASURES.values()
        for variant in measure.variants
        if measure.applies(question.counts, variant)
    ]
    readings = [reading.to_dict() for reading in scope.read(apply, question)]
    return Together(scope.keys, question.counts.classes, named_class(question), readings)
