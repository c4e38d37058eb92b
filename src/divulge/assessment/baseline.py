"""Not worse than before: checks compared with those of an earlier audit."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from divulge._support.small_counts import SMALL, hidden
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.documents.files import read_json
from divulge.errors import SourceError

PARTS = {"measure": str, "parameters": Mapping, "keys": list, "target": str, "adjusted": bool}


def read_baseline(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The document of an earlier audit."""
    hint = "Give a document that divulge audit --json or divulge check --json printed."
    document = read_json(Path(path), f"The baseline {path}", hint)
    if not isinstance(document, dict) or document.get("document") != "divulge audit":
        raise SourceError(f"The baseline {path} is not the document of an audit.", hint=hint)
    if not isinstance(document.get("checks"), list):
        raise SourceError(f"The baseline {path} has no list of checks.", hint=hint)
    if document.get("version") != 1:
        raise SourceError(f"The baseline {path} is of another version than 1.", hint=hint)
    _refuse_incomplete(document["checks"], f"The baseline {path}", hint)
    return document


def against(baseline: Mapping[str, Any] | None, checks: Sequence[AnyCheck]) -> list[AnyCheck]:
    """The checks, each told what the baseline found; one that is worse than before does not pass."""
    if baseline is None:
        return list(checks)
    _refuse_incomplete(baseline["checks"], "The baseline")
    before = {_identity(one): one for one in baseline["checks"]}
    return [_compared(check, before.get(_identity(check.to_dict()))) for check in checks]


def _compared(check: AnyCheck, before: Mapping[str, Any] | None) -> AnyCheck:
    if before is None or before.get("found") is None or check.found is None:
        return replace(check, baseline={"found": None, "worse": False})
    found = before["found"]
    few = before.get("records")
    if (
        _of_people(check) and isinstance(few, int) and isinstance(hidden(few), str)
    ):  # told exactly by the baseline, not here
        found = SMALL * found / few
    return replace(check, baseline={"found": found, "worse": _worse(check, before)})


def _worse(check: AnyCheck, before: Mapping[str, Any]) -> bool:
    """Whether more is found than before, whatever numbers of very few people either run does not say.

    What the baseline hides counts as five people, what this run hides as one, and both as the same; so
    with the few who are not concerned.
    """
    now, then = check.found or 0.0, float(before["found"])
    if _of_people(check) and check.concerned is not None:
        hidden_then = isinstance(before.get("records"), str)
        if (check.few or hidden_then) and 0 < check.concerned < SMALL and _few(before):
            return False
        if 0 < check.counted - check.concerned < SMALL and _side(before) == ">":
            return False
        now = 1 / max(check.counted, 1) if check.few and check.bound_said is None else now
        now = 1 - SMALL / check.counted if check.nearly_all else now
    return check.worse(now, than=then)


def _of_people(check: AnyCheck) -> bool:
    """Whether a check is about a share of people, which is not always said."""
    return isinstance(check, TableCheck) or check.measure.counts_people


def _few(before: Mapping[str, Any]) -> bool:
    """Whether the baseline found somebody, but fewer than five people."""
    records = before.get("records")
    return _side(before) == "<" or (isinstance(records, int) and 0 < records < SMALL)


def _side(before: Mapping[str, Any]) -> str:
    """On which side of the truth the baseline's number of people is, where it does not say it."""
    records = before.get("records")
    return records[:1] if isinstance(records, str) else ""


def _refuse_incomplete(checks: Sequence[Any], name: str, hint: str | None = None) -> None:
    """Say which part of a check is not there, instead of failing on it."""
    for one in checks:
        if not isinstance(one, Mapping):
            raise SourceError(f"{name} has a check that is no table of values.", hint=hint)
        for part, kind in PARTS.items():
            if not isinstance(one.get(part), kind):
                raise SourceError(
                    f"{name} has a check without '{part}', or with another kind of it.", hint=hint
                )
        found = one.get("found")
        if found is not None and not (isinstance(found, int | float) and math.isfinite(found)):
            raise SourceError(f"{name} has a check whose 'found' is no number.", hint=hint)


def _identity(check: Mapping[str, Any]) -> tuple[Any, ...]:
    """What says that two checks read the same thing."""
    parameters = tuple(sorted((name, str(value)) for name, value in check["parameters"].items()))
    return check["measure"], parameters, tuple(sorted(check["keys"])), check["target"], check["adjusted"]
