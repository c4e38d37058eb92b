"""The verdict in one line: what to do, and the worst finding."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.wording import enumerated, shortened
from divulge.policy.demands import QUESTIONS

OF_PEOPLE = ("singled_out", "learned")
_OF_ALL = (
    *QUESTIONS,
    "suppressed",
    "incomplete",
    "declared_missing",
)  # what is checked whether a policy asks it or not
LONGEST, LINE = 30, 90  # signs of a name, and of a line
ORDER = ("fail", "not evaluated", "warn", "pass")


def headline(checks: Sequence[Mapping[str, Any]], *, from_policy: bool) -> str:
    """What follows from the worst of some checks, given as a document has them."""
    if not checks:
        return "Nothing was checked"
    worst = min(checks, key=lambda check: ORDER.index(check["outcome"]))
    if worst["outcome"] == "pass":
        return _passed(checks, from_policy=from_policy)
    if worst["outcome"] != "fail":
        return re.sub(r"^(above|fewer|no|not|the)\b", lambda word: word[0].capitalize(), _finding(worst))
    return f"Do not release{'' if worst['measure'] == 'identifiers' else ' as it is'}: {_finding(worst)}"


def _passed(checks: Sequence[Mapping[str, Any]], *, from_policy: bool) -> str:
    """That all checks pass, and of a policy for how many it sets a bound."""
    own = [one for one in checks if one["measure"] not in _OF_ALL or one["measure"] in OF_PEOPLE]
    if from_policy and not own:
        return "The policy sets no bound"
    said = "The 1 check passes" if len(checks) == 1 else f"All {len(checks)} checks pass"
    return f"{said}; the policy sets {len(own)} of them" if from_policy and len(own) < len(checks) else said


def _finding(check: Mapping[str, Any]) -> str:
    """What a check found, in a few words."""
    if check["outcome"] == "not evaluated":
        return f"{shortened(check['title'], 60)} could not be evaluated"
    if "brief" in check:
        return str(check["brief"])
    found = "fewer than 5 people" if check.get("found_is_below") else check["found_text"]
    if check["measure"] == "identifiers":
        names = enumerated([f"'{shortened(name, LONGEST)}'" for name in check["keys"]], most=3)
        if check["outcome"] == "fail":
            return f"direct identifiers found ({names})"
        denied = check["found_text"].startswith("none")  # where it is but a record number
        return f"no direct identifier found, but check {names}" if denied else f"{names} may name people"
    if check["measure"] == "singled_out":
        return f"{found} can be singled out"
    if check["measure"] == "learned":
        return f"{shortened(check['target'], LONGEST)} of {found} can be inferred"
    if check["measure"] == "suppressed":
        return "the suppressed records together do not meet the policy"
    if check["measure"] == "incomplete":
        return "the records left out for missing values do not pass"
    if check["measure"] == "measured":
        said = check["concerns"].removesuffix(".")
        return said if len(said) <= LINE else f"not everything could be measured ({found})"
    return f"{shortened(check['title'], 60)}: {found} (required: {check['asked']})"
