"""The checks of a policy on the original and on the release, beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.assessment.checks.all_checks import AnyCheck

_READ = ("outcome", "found", "found_text", "undefined", "found_is_below", "found_is_above")
MEASURED = "measured"  # the check that says what a policy does not ask


def held_checks(before: Sequence[AnyCheck], after: Sequence[AnyCheck]) -> list[dict[str, Any]]:
    """Every check that bounds something, with what it finds before and after."""
    originally = {_asked(one): one for one in (check.to_dict() for check in before)}
    found = []
    for one in (check.to_dict() for check in after):
        first = originally.get(_asked(one))
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
    return (check["measure"], check["title"], check["target"], check["asked"], about, *check["keys"])


def _read(check: Mapping[str, Any]) -> dict[str, Any]:
    return {name: check[name] for name in _READ if name in check}
