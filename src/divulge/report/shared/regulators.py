"""What regulators ask, in a few lines of text: each risk with its readings, and the identifiers found."""

from __future__ import annotations

from divulge._support.wording import enumerated
from divulge.report.shared.tables import Document

TITLE = "What regulators ask"
MOST_READINGS = 4
LIST = "identifiers listed in 45 CFR 164.514(b)(2)"


def risks(found: Document) -> list[tuple[str, str]]:
    """Each of the three risks, with what was read about it or else what was not measured."""
    return [(one["risk"], _readings(one)) for one in found["risks"]]


def listed(found: Document) -> str:
    """Which of the listed identifiers were found, and in which attributes."""
    seen = [one for one in found["identifiers"] if one["found"]]
    where = [f"{one['identifier']} ({enumerated(_attributes(one))})" for one in seen]
    said = f"{len(seen)} of {len(found['identifiers'])} {LIST} found"
    return f"{said}: {enumerated(where, most=6)}. {found['note']}" if where else f"{said}. {found['note']}"


def _attributes(line: Document) -> list[str]:
    return [one["attribute"] for one in line["found"]]


def _readings(risk: Document) -> str:
    found = [f"{one['what']}: {one['reads']}" for one in risk["readings"]]
    if not found:
        return f"not measured: {'; '.join(risk['not_measured'][:1])}"
    more = [f"{len(found) - MOST_READINGS} more"] if len(found) > MOST_READINGS else []
    return "; ".join([*found[:MOST_READINGS], *more])
