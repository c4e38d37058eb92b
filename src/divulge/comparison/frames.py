"""Parts of a comparison as frames: its releases, their readings, checks and attacks."""

from __future__ import annotations

from typing import Any

from divulge.assessment.frames import CHECKS
from divulge.documents.comparison import ComparisonDocument
from divulge.errors import ParameterError
from divulge.readings.frames import COUNT, SHARE, FrameColumn, picked

OUTCOMES = {"pass": "passed", "warn": "warned", "fail": "failed", "not evaluated": "not_evaluated"}
RELEASES = {
    "release": str,
    "records": int,
    "recommended": bool,
    **dict.fromkeys(OUTCOMES.values(), int),
    "risk": float,
    "risk_undefined": str,
    "utility": float,
    "utility_undefined": str,
}
READINGS = {
    **dict.fromkeys(("release", "measure", "title", "target", "riskier"), str),
    "original": SHARE,
    "value": SHARE,
    "risk": str,
}
ATTACKS = {
    **dict.fromkeys(("release", "attack", "title", "knows"), str),
    "risk": float,
    "undefined": str,
    "people": COUNT,
    "of": COUNT,
    "sentence": str,
}
PARTS = ("releases", "readings", "checks", "attacks")


def columns(part: str, document: ComparisonDocument) -> dict[str, FrameColumn]:
    """The columns of a part of a comparison."""
    releases = document["releases"]
    if part == "releases":
        return picked(_releases(document), RELEASES)
    if part == "readings":
        return picked(_readings(document), READINGS)
    if part == "checks":
        entries = [{**check, "release": one["name"]} for one in releases for check in one["checks"]]
        return picked(entries, {"release": str, **CHECKS})
    if part == "attacks":
        return picked(
            [{**attack, "release": one["name"]} for one in releases for attack in one["attacks"]], ATTACKS
        )
    raise ParameterError(f"A comparison has no frame '{part}'.", hint=f"It has {', '.join(PARTS)}.")


def _releases(document: ComparisonDocument) -> list[dict[str, Any]]:
    """Each release with how its checks ended, its risk and what it keeps."""
    best = document["recommendation"]["release"]
    return [
        {
            "release": one["name"],
            "records": one["records"],
            "recommended": one["name"] == best,
            **{
                word: sum(check["outcome"] == outcome for check in one["checks"])
                for outcome, word in OUTCOMES.items()
            },
            **one["score"],
        }
        for one in document["releases"]
    ]


def _readings(document: ComparisonDocument) -> list[dict[str, Any]]:
    """A line for each reading of each release, beside that of the original."""
    return [
        {
            **line,
            "title": line["what"],
            "release": release["name"],
            "value": line["releases"][place],
            "risk": line["risk"][place],
        }
        for place, release in enumerate(document["releases"])
        for line in document["changes"]
    ]
