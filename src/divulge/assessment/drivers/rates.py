"""What each attribute alone, and all quasi-identifiers together, tell about each target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from divulge._support.stages import Stage, Steps, silent
from divulge._support.threads import ahead
from divulge.assessment.population.declared import declared
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.errors import Undefined
from divulge.measures import MEASURES, identifier
from divulge.questions.question import Question
from divulge.readings.chance import PERMUTATIONS, USUAL
from divulge.readings.printable_reading import said_interval
from divulge.readings.reading import Reading
from divulge.readings.sampled_question import AVERAGE_RISK, RATE, UNIQUE

RATES = ("discrimination_rate", "itpr")
FEW = 100  # questions up to which each has as many shuffles as one alone
_RATE = (
    *("value", "undefined", "chance", "chance_undefined", "chance_method", "chance_error", "chance_spread"),
    *("chance_reach", "adjusted", "noise", "p_value", "p_undefined", "in_population"),
)


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


def all_rates(scope: Scope, stage: Stage = silent) -> list[TargetRates]:
    """For every target, the rates of each attribute alone and of the quasi-identifiers together."""
    scope.count_targets()
    keys = {target: scope.asked_alone(target) for target in scope.targets}
    steps = Steps(stage, sum(len(alone) + 1 for alone in keys.values()))
    side_by_side = ahead if scope.held_here else map
    together = list(steps.each(side_by_side(partial(_together, scope), keys)))
    asked = zip(keys.items(), together, strict=True)
    return [_target_rates(scope, target, alone, known, steps) for (target, alone), known in asked]


def _target_rates(
    scope: Scope, target: str, alone: Sequence[str], together: Together, steps: Steps
) -> TargetRates:
    entropy = scope.question(scope.keys, target).counts.entropy
    return TargetRates(
        target,
        "re-identification" if target == RECORD else f"inference of {target}",
        entropy,
        None if entropy > 0 else _nothing_to_tell(target),
        list(steps.each(ahead(lambda asked: _key_rates(scope, asked), _counted(scope, alone, target)))),
        together,
    )


def _counted(scope: Scope, keys: Sequence[str], target: str) -> Iterator[Question]:
    """Questions about each key alone, counted one after the other; what is read of them can be shared out."""
    for key in keys:
        question = scope.alone(key, target)
        _ = question.counts
        yield question


def named_class(question: Question) -> str | None:
    """What kind of identifier the keys are; None where that is undefined."""
    try:
        return identifier.identifier_class(question.counts).value
    except Undefined:
        return None


def _nothing_to_tell(target: str) -> str:
    if target == RECORD:
        return "there is one record only, so there is nobody to distinguish it from"
    return f"{target} has one value only, so there is nothing to infer"


def _key_rates(scope: Scope, question: Question) -> KeyRates:
    [key] = question.keys
    asked: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in RATES]
    found = [_entry(scope, reading) for reading in scope.read(asked, question, most=_shuffles(scope))]
    discrimination, itpr = ({name: one[name] for name in _RATE if name in one} for one in found)
    role = scope.data.schema.role(key).value
    return KeyRates(key, role, question.counts.classes, named_class(question), discrimination, itpr)


def _shuffles(scope: Scope) -> int:
    """How many shuffles each attribute alone has at most: of very many attributes fewer, but some."""
    return max(min(PERMUTATIONS, PERMUTATIONS * FEW // scope.compared), USUAL)


def _together(scope: Scope, target: str) -> Together:
    question = scope.question(scope.keys, target)
    apply = [
        (measure, variant)
        for measure in MEASURES.values()
        for variant in measure.variants
        if measure.applies(question.counts, variant)
    ]
    readings = [_entry(scope, reading) for reading in scope.read(apply, question)]
    return Together(scope.keys, question.counts.classes, named_class(question), readings)


def _entry(scope: Scope, reading: Reading) -> dict[str, Any]:
    """A reading as a document has it; of a sample also what is known of it in the population.

    Mutual information has the ends of the rate times the entropy, and shares of people do not depend on the
    target: of these each is worked out once.
    """
    found = reading.to_dict()
    once = (UNIQUE, AVERAGE_RISK) if reading.question.about_records else (RATE,)
    drawn = None if declared(scope) is None or reading.name not in once else _drawn(scope, reading.question)
    if drawn is not None:
        found["in_population"] = vars(said_interval(replace(reading, question=drawn)))
    return found


def _drawn(scope: Scope, question: Question) -> Question | None:
    """A question with the weights by which its records were drawn; None where it is about these weights."""
    weight = None if scope.population is None else scope.population.weight
    if weight is None or question.data.weights is not None:
        return question
    if weight in (*question.keys, *question.target):
        return None
    return replace(question, data=replace(question.data, weights=weight))
