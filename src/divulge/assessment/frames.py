"""Parts of an audit as frames: its checks, attributes, combinations of attributes, and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
