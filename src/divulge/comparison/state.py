"""The readings by which tables are compared side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.assessment.scope import Scope
from divulge.comparison.starred import average_risk, of_records, of_target, starred
from divulge.errors import Undefined
from divulge.measures import get
from divulge.question import Question

OF_RECORDS = {
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
    any value, and a record whose keys are all suppressed counts among all, as for the attacks.
    """
    names = names or {}
    question = scope.question(scope.keys)
    asked = starred(question)
    if asked is None:
        found = {name: _value(question, measure, given) for name, (measure, given) in OF_RECORDS.items()}
    else:
        found = of_records(asked)
    found["average_risk"] = average_risk(question)
    return found | {"targets": {names.get(name, name): _about(scope, name) for name in scope.sensitive}}


def _about(scope: Scope, target: str) -> dict[str, Any]:
    question = scope.question(scope.keys, target)
    asked = starred(question)
    if asked is not None:
        return of_target(asked) | {"t_closeness_compared_with": question.compared_with}
    found = {name: _value(question, name, {}) for name in OF_TARGETS}
    found |= {"adjusted": scope.reading("discrimination_rate", question).adjusted}
    distance = scope.reading("t_closeness", question)
    said = {"t_closeness_compared_with": distance.compared_with}
    return found | said | ({"t_closeness_undefined": distance.undefined} if distance.undefined else {})


def _value(question: Question, measure: str, parameters: dict[str, Any]) -> float | None:
    try:
        return get(measure).compute(question.counts, parameters)
    except Undefined:
        return None
