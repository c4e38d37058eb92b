"""The readings by which tables are compared side by side, needs among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.scope import Scope
from divulge.attacks.questions import AttackQuestion
from divulge.attacks.suppressed_readings import NO_CHANCE, Fitted, average_risk, fitted
from divulge.errors import PartitionError, PolicyError, Undefined
from divulge.measures import get
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.utility import Need, NeedReading, utility

OF_RECORDS: dict[str, tuple[str, dict[str, Any]]] = {
    "k": ("k_anonymity", {}),
    "uniqueness": ("uniqueness", {}),
    "average_risk": ("reidentification_risk", {"kind": "average"}),
    "discrimination_rate": ("discrimination_rate", {}),
    "itpr": ("itpr", {}),
}
OF_TARGETS = ("discrimination_rate", "itpr", "distinct_l_diversity", "t_closeness")


def state(scope: Scope, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the quasi-identifiers together tell about records and about each sensitive attribute.

    ``names`` has the names that attributes are to be told under, where these differ. A suppressed cell fits
    any value, and a record whose keys are all suppressed counts among all, as for the attacks; how many are
    alike is counted by the original values where the scope has them, as for the checks.
    """
    names = names or {}
    question = scope.question(scope.keys)
    found = (
        _read(question, OF_RECORDS)
        | {"average_risk": average_risk(question)}
        | _of_originals(scope, question)
    )
    return found | {"targets": {names.get(name, name): _about(scope, name) for name in scope.sensitive}}


def _of_originals(scope: Scope, question: Question) -> dict[str, Any]:
    """What is read of those who could be meant by original values; nothing where these are not needed."""
    try:
        known = None if scope.rows is None else candidate_sets(scope.rows, scope.keys)
    except Undefined:
        return {}
    if known is None:
        return {}
    counts = known.counts(scope.data.people < scope.data.records)
    by_originals = Fitted(AttackQuestion(question), counts)
    asked = {name: OF_RECORDS[name] for name in ("k", "uniqueness", "average_risk")}
    return {name: by_originals.value(get(measure), given) for name, (measure, given) in asked.items()}


def _about(scope: Scope, target: str) -> dict[str, Any]:
    question = scope.question(scope.keys, target)
    found = _read(question, {name: (name, {}) for name in OF_TARGETS})
    said = {"t_closeness_compared_with": question.compared_with}
    if "undefined" in found:
        found["undefined"]["adjusted"] = NO_CHANCE
        distance = found["undefined"].pop("t_closeness", None)
        return found | {"adjusted": None} | said | ({"t_closeness_undefined": distance} if distance else {})
    found |= {"adjusted": scope.reading("discrimination_rate", question).adjusted}
    why = scope.reading("t_closeness", question).undefined
    return found | said | ({"t_closeness_undefined": why} if why else {})


def _read(question: Question, asked: Mapping[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Readings by their names; where cells are suppressed, with the reasons of those that have no value."""
    suppressed, found, why = fitted(question), dict[str, Any](), dict[str, str]()
    for name, (measure, given) in asked.items():
        try:
            if suppressed is None:
                found[name] = get(measure).compute(question.counts, given)
            else:
                found[name] = suppressed.value(get(measure), given)
        except Undefined as undefined:
            found[name], why[name] = None, undefined.message
    return found if suppressed is None else found | {"undefined": why}


def need_on_both(
    need: Need, original: Data, released: Data, columns: Mapping[str, str], seed: int, *, show_values: bool
) -> dict[str, Any]:
    """A need read on both tables, under the names that attributes have there."""
    back = {there: here for here, there in columns.items() if there not in original.schema.attributes}
    try:
        after = utility(released, need.renamed(columns), seed=seed, show_values=show_values)
        before = utility(original, need.renamed(back), seed=seed).utility
    except (PartitionError, PolicyError) as error:
        return _unread(need, error.message)
    return {**after.to_dict(), "original": before}


def need_served(
    need: Need, found: Mapping[str, Any], original: Data, released: Data, columns: Mapping[str, str]
) -> float | None:
    """The share of a need's utility that is kept: nothing without its attributes; None where unknown."""
    if found["utility"] is not None and found["original"]:
        return min(found["utility"] / found["original"], 1.0)
    asked = need.renamed(columns)
    lacking = {*asked.keys, asked.target} - {*released.schema.attributes}
    return 0.0 if lacking and lacking.issubset(original.schema.attributes) else None


def _unread(need: Need, reason: str) -> dict[str, Any]:
    """A need that one of the tables cannot be asked, and why."""
    found = NeedReading(
        need.name, need.keys, need.target, None, None, None, need.at_least, None, reason, 0, 0
    )
    return {**found.to_dict(), "original": None}
