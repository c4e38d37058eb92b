"""Parts of an audit as frames: its checks, attributes, combinations of attributes, and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden
from divulge.assessment.remedies.changes import Change
from divulge.assessment.remedies.record_changes import record_changes
from divulge.assessment.scope import Scope
from divulge.documents.audit import AuditDocument
from divulge.errors import ParameterError
from divulge.readings.frames import COUNT, FrameColumn, picked

CHECKS = {
    **dict.fromkeys(("measure", "title", "keys", "target", "severity", "outcome", "asked"), str),
    "found": float,
    "undefined": str,
    "records": COUNT,
    "share": float,
    "sentence": str,
    "fix": str,
}
ATTRIBUTES = {
    "name": str,
    "role": str,
    "values": int,
    "missing": COUNT,
    "lone": COUNT,
    "identifier_class": str,
    "discrimination_rate": float,
    "itpr": float,
    "reasons": str,
}
COMBINATIONS = {
    "keys": str,
    "size": int,
    "classes": int,
    "k": int,
    "records": COUNT,
    "unique": COUNT,
    **dict.fromkeys(("uniqueness", "discrimination_rate", "itpr"), float),
}
PLAN = {"record": int, "action": str, "attribute": str}
PARTS = ("checks", "attributes", "combinations", "records", "plan")


def columns(
    part: str, document: AuditDocument, scope: Scope, advised: Sequence[Change]
) -> dict[str, FrameColumn]:
    """The columns of a part of an audit; ``advised`` are the changes of its plan."""
    if part == "checks":
        return picked(document["checks"], CHECKS)
    if part == "attributes":
        return picked(_attributes(document), ATTRIBUTES)
    if part == "combinations":
        found = document["combinations"]
        subsets = [] if found is None else found["subsets"]
        return picked([{**one, "size": len(one["keys"])} for one in subsets], COMBINATIONS)
    if part == "records":
        return _records(scope)
    if part == "plan":
        return picked([one._asdict() for one in record_changes(scope, advised)], PLAN)
    raise ParameterError(f"An audit has no frame '{part}'.", hint=f"It has {', '.join(PARTS)}.")


def _attributes(document: AuditDocument) -> list[dict[str, Any]]:
    """Attributes with their rates for re-identification, each on its own."""
    rates = {
        one["key"]: {name: one[name]["value"] for name in ("discrimination_rate", "itpr")}
        for target in document["targets"]
        if target["target"] == "@record"
        for one in target["keys"]
    }
    return [{**one, **rates.get(one["name"], {})} for one in document["roles"]["attributes"]]


def _records(scope: Scope) -> dict[str, FrameColumn]:
    """Each record with the people alike on all quasi-identifiers, and the risk of a guess among them.

    Where that number is hidden the risk is hidden too: it would reveal the number.
    """
    alike = people_alike(scope).tolist()
    risks = [1 / one if one and isinstance(hidden(one), int) else None for one in alike]
    return {
        "record": FrameColumn(int, range(1, len(alike) + 1)),
        "counted": FrameColumn(bool, [one > 0 for one in alike]),
        "people_alike": FrameColumn(COUNT, [hidden(one) or None for one in alike]),
        "risk": FrameColumn(float, risks),
    }


def people_alike(scope: Scope) -> npt.NDArray[np.int64]:
    """For each record how many people are alike on all quasi-identifiers; 0 where it is not counted."""
    rows = scope.rows
    if rows is None or rows.data.times is not None:
        raise ParameterError(
            "Records cannot be listed if they are counted elsewhere, or if missing values fit any value.",
            hint="Read the table into memory, and count missing values as a value.",
        )
    kept = rows.kept(scope.keys, None)
    chosen: Any = slice(None) if kept is None else kept
    numbers, bound = rows.sets(scope.keys)
    sizes = rows.sizes(numbers, bound, chosen)
    found = np.zeros(len(numbers), np.int64)
    found[chosen] = sizes[numbers[chosen]]
    return found
