"""What would help: changes to attributes, tried on the data alone and in a row, with what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.assessment.all_checks import AnyCheck
from divulge.assessment.asked_check import AskedCheck
from divulge.assessment.beyond import CANNOT_TELL
from divulge.assessment.checks import Check
from divulge.assessment.scope import Scope
from divulge.errors import Undefined, counted
from divulge.measures import get
from divulge.stages import Stage, Steps, silent
from divulge.wording import enumerated, number, percent, records

MOST = 12  # attributes tried
MUCH = 5_000_000  # records from which only so many are tried:
FEWER = 4
STEPS = 8  # changes of a plan
PLANNED = 100_000  # records up to which a plan is tried


_TOLD: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("uniqueness", "the records that stand alone", percent),
    ("average_risk", "the average risk", percent),
    ("k", "the smallest class", str),
)


@dataclass(frozen=True, eq=False)
class Remedy:
    """One change to one attribute, with readings before and after."""

    action: str
    attribute: str
    level: int | None
    before: dict[str, Any]
    after: dict[str, Any]
    found: tuple[float | None, ...]  # what each check would find
    failing: int
    bits_lost: float
    scope: Scope  # the data after the change

    @property
    def matters(self) -> bool:
        """Whether the change can be seen in what is told of it."""
        return any(words(self.before[name]) != words(self.after[name]) for name, _, words in _TOLD)

    @property
    def does(self) -> str:
        """The change as the beginning of a sentence."""
        if self.action == "suppress":
            return f"Leaving out {self.attribute}"
        return f"Taking {self.attribute} one level up its hierarchy, to level {self.level},"

    @property
    def sentence(self) -> str:
        left = f"leaves {self.failing or 'none'} of {counted(len(self.found), 'check')} unmet"
        said = [
            f"takes {what} from {words(self.before[name])} to {words(self.after[name])}"
            for name, what, words in _TOLD
            if words(self.before[name]) != words(self.after[name])
        ]
        gives = f"gives up {number(round(self.bits_lost, 2))} bits"
        return f"{self.does} {enumerated([*said[:2], left, gives])}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "attribute": self.attribute,
            "level": self.level,
            "sentence": self.sentence,
            "before": self.before,
            "after": self.after,
            "failing": self.failing,
            "matters": self.matters,
            "bits_lost": self.bits_lost,
        }


def remedies(
    scope: Scope, checks: Sequence[AnyCheck], order: Sequence[str], stage: Stage = silent
) -> list[Remedy]:
    """Every change to one attribute that drives the risk, the most helpful first.

    ``order`` has the attributes that add most first; of very many, or on very many records, only the
    first are tried.
    """
    most = FEWER if scope.data.records > MUCH else MOST
    asked = (key for check in checks if check.outcome != "pass" for key in check.keys)
    attributes = dict.fromkeys([*order[:most], *(key for key in asked if key not in order)])
    before = _state(scope)
    found = [
        _remedy(scope, changed, action, attribute, level, checks, before)
        for attribute in Steps(stage, len(attributes)).each(attributes)
        for action, level, changed in _changes(scope, attribute)
    ]
    return sorted(found, key=_helpful)


@dataclass(frozen=True)
class Plan:
    """Several changes in a row."""

    steps: list[Remedy]
    checks: int

    @property
    def sentence(self) -> str:
        out = [step.attribute for step in self.steps if step.action == "suppress"]
        up = {step.attribute: step.level for step in self.steps if step.action == "generalize"}
        words = [f"leaving out {enumerated(out, most=STEPS)}"] if out else []
        words += [f"taking {name} to level {level}" for name, level in up.items() if name not in out]
        does = ", ".join(words)
        left = self.steps[-1].failing
        end = "no check" if left == 0 else f"{left} of {self.checks} checks"
        return f"{does[0].upper()}{does[1:]} would leave {end} unmet."

    def to_dict(self) -> dict[str, Any]:
        return {"sentence": self.sentence, "steps": [step.to_dict() for step in self.steps]}


def plan(checks: Sequence[AnyCheck], tried: Sequence[Remedy], stage: Stage = silent) -> Plan | None:
    """Changes one after the other, each the most helpful next, until the checks hold or nothing helps.

    Each step is the best one at its place; another sequence may cost less.
    """
    steps: list[Remedy] = []
    while tried and tried[0].scope.data.records <= PLANNED and len(steps) < STEPS:
        best = tried[0]
        if steps and best.failing >= steps[-1].failing and _risk(best) >= _risk(steps[-1]):
            break
        steps.append(best)
        if best.failing == 0:
            break
        stage("Trying several changes")
        tried = remedies(best.scope, checks, best.scope.keys, stage)
    return Plan(steps, len(checks)) if len(steps) > 1 else None


def _helpful(one: Remedy) -> tuple[Any, ...]:
    return one.failing, _risk(one), one.bits_lost, one.attribute


def _risk(one: Remedy) -> float:
    return float(one.after["average_risk"])


def with_fixes(checks: Sequence[AnyCheck], tried: Sequence[Remedy]) -> list[AnyCheck]:
    """The checks that do not pass, each with the cheapest change that would mend it."""
    return [
        check
        if check.outcome == "pass" or _has_its_own(check)
        else replace(check, fix=_fix(place, check, tried))
        for place, check in enumerate(checks)
    ]


def _has_its_own(check: AnyCheck) -> bool:
    """Whether a check says itself what to do, or no change to attributes could help."""
    return isinstance(check, AskedCheck) and (bool(check.answer.fix) or not check.mendable)


def _fix(place: int, check: AnyCheck, tried: Sequence[Remedy]) -> str:
    if check.undefined is not None and check.undefined.startswith(CANNOT_TELL):
        said = check.undefined.removeprefix(f"{CANNOT_TELL}: ")
        return f"Too little to tell: {said}. More records, or keys with fewer values, would tell."
    if check.found is None:
        return f"It has no value here: {check.undefined}. Leave the check out, or change what it is about."
    tried = [one for one in tried if one.attribute in check.keys]
    able = [one for one in tried if check.holds(one.found[place])]
    if able:
        best = min(able, key=lambda one: one.bits_lost)
        return f"{best.does} would give {_number(best.found[place])}."
    return " ".join(filter(None, [_nearest(place, check, tried), _leaving_out_records(check)]))


def _nearest(place: int, check: AnyCheck, tried: Sequence[Remedy]) -> str:
    """The change that comes nearest, where none is enough and one helps at all."""
    better = [
        one
        for one in tried
        if (value := one.found[place]) is not None and check.worse(check.found or 0.0, than=value)
    ]
    if not better:
        return "No change to a single attribute is enough."
    lower = isinstance(check, Check) and check.measure.riskier == "lower"
    best = (max if lower else min)(better, key=lambda one: one.found[place] or 0.0)
    return (
        f"No change to a single attribute is enough; nearest comes {best.does[0].lower()}{best.does[1:]} "
        f"with {_number(best.found[place])}."
    )


def _leaving_out_records(check: AnyCheck) -> str:
    """Where a reading is the worst over classes that do not depend on each other, those may go."""
    if isinstance(check, AskedCheck):
        alone = check.measure_name == "singled_out"
    else:
        alone = check.measure.family in ("class_size", "diversity") and check.measure.case == "worst"
    if not alone or not check.concerned or check.concerned == check.counted:
        return ""
    return f"Leaving out the {records(check.concerned, of=check.counted)} concerned would reach it."


def _changes(scope: Scope, attribute: str) -> Iterator[tuple[str, int | None, Scope]]:
    if set(scope.keys) != {attribute} and (left := scope.without(attribute)).records:
        yield "suppress", None, left  # what is left may be suppressed on every record
    hierarchy = scope.data.hierarchies.get(attribute)
    if hierarchy is None:
        return
    level = _level(scope, attribute) + 1
    if level <= hierarchy.levels:
        yield "generalize", level, scope.grouped(attribute, hierarchy.level(level))


def _level(scope: Scope, attribute: str) -> int:
    """The level of its hierarchy on which an attribute is counted now."""
    partition = scope.partitions.get(attribute)
    if partition is None:
        return 0
    hierarchy = scope.data.hierarchies[attribute]
    same = [n for n in range(1, hierarchy.levels + 1) if hierarchy.level(n) == partition]
    return same[0] if same else hierarchy.levels


def _remedy(
    scope: Scope,
    changed: Scope,
    action: str,
    attribute: str,
    level: int | None,
    checks: Sequence[AnyCheck],
    before: dict[str, Any],
) -> Remedy:
    found = tuple(check.again(changed) for check in checks)
    failing = sum(not check.holds(value) for check, value in zip(checks, found, strict=True))
    kept = 0.0 if action == "suppress" else _bits(changed, attribute)
    lost = _bits(scope, attribute) - kept
    return Remedy(action, attribute, level, before, _state(changed), found, failing, lost, changed)


def _state(scope: Scope) -> dict[str, Any]:
    """The readings that a change is judged by."""
    counts = scope.question(scope.keys).counts
    return {
        "k": get("k_anonymity").compute(counts),
        "uniqueness": get("uniqueness").compute(counts),
        "average_risk": get("reidentification_risk").compute(counts, {"kind": "average"}),
        "discrimination_rate": _rate(scope, None),
        "targets": {name: _rate(scope, name) for name in scope.sensitive},
    }


def _rate(scope: Scope, target: str | None) -> float | None:
    question = scope.question(scope.keys) if target is None else scope.question(scope.keys, target)
    try:
        return get("discrimination_rate").compute(question.counts)
    except Undefined:
        return None


def _bits(scope: Scope, attribute: str) -> float:
    """The entropy of an attribute as it is counted."""
    counts = scope.alone(attribute).counts
    p = counts.members[counts.members > 0] / counts.records
    times = 1 if counts.multiplicity is None else counts.multiplicity[counts.members > 0]
    return max(float(-(times * p * np.log2(p)).sum()), 0.0)


def _number(value: float | None) -> str:
    return "no value" if value is None else number(value)
