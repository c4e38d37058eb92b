"""The checks of a policy on the original and on the release, beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from divulge.anonymization.inputs import person_of
from divulge.anonymization.release import policy_scope, with_identifiers
from divulge.assessment.checks.all_checks import AnyCheck, by_level

if TYPE_CHECKING:
    from divulge.anonymization.found import Anonymization

_READ = ("outcome", "found", "found_text", "undefined", "found_is_below", "found_is_above")
MEASURED = "measured"  # the check that says what a policy does not ask
SUPPRESSED = "suppressed"  # the check of suppressed records, of which the original may have none
IDENTIFIERS = "identifiers"  # the check of attributes that name people


def checks_by_level(found: Anonymization) -> tuple[list[AnyCheck], list[AnyCheck]]:
    """The checks before and after, people held against one level at a time: the same one in both."""
    policy, released = found.policy, found.application.table
    table = released if person_of(found.data) is None else with_identifiers(found.data, found.recipe)
    original = found.original if found.recoded else found.data
    before = by_level(found.checks_before, policy.demands, policy_scope(original, policy))
    return before, by_level(found.checks_by_people, policy.demands, policy_scope(policy.open(table), policy))


def held_checks(before: Sequence[AnyCheck], after: Sequence[AnyCheck]) -> list[dict[str, Any]]:
    """Every check that bounds something, with what it finds before and after."""
    originally = {_asked(one): one for one in (check.to_dict() for check in before)}
    found = []
    for one in (check.to_dict() for check in after):
        first = originally.get(_asked(one))
        if one["measure"] == SUPPRESSED:
            first = first or {**one, "outcome": "pass", "found": 0.0, "found_text": "none", "undefined": None}
        if first is None or one["measure"] == MEASURED:
            continue
        found.append(
            {
                **{name: one[name] for name in ("measure", "title", "target")},
                "severity": "warn" if "warn" in (one["severity"], first["severity"]) else "fail",
                "asked": one["asked"],
                "before": _read(first),
                "after": _read(one),
            }
        )
    return found


def _asked(check: Mapping[str, Any]) -> tuple[str, ...]:
    """What makes a check another one than its neighbours."""
    about = str(sorted(check["parameters"].items()))
    keys = () if check["measure"] == IDENTIFIERS else check["keys"]  # these are what was found
    return (check["measure"], check["title"], check["target"], check["asked"], about, *keys)


def _read(check: Mapping[str, Any]) -> dict[str, Any]:
    return {name: check[name] for name in _READ if name in check}
