"""What a reader of a comparison has to know first: who gave roles, whether records are matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge._support.wording import enumerated, many, percent
from divulge.assessment.scope import Scope
from divulge.comparison.release import Release
from divulge.policy import Population

MANY = 20
CANNOT = "Rows cannot be aligned"
SUPPRESSED = (
    "Some cells are suppressed, and here they fit any value. An attacker who knows a suppressed value "
    "may still find the person: audit the release as well, which measures that."
)
VALUES = (
    "Some cells are suppressed. Who can be singled out, what is learned, group sizes and people truly linked "
    "are counted by the original values. Attacks and thresholds on sensitive values let a suppressed cell "
    "fit any value, and may understate the risk."
)
ABOUT_THESE = "What is compared record by record is about these only."


def notices(releases: Sequence[Release], original: Scope, *, proposed: bool) -> list[dict[str, Any]]:
    """Sentences for the top of every output, with the release that each is about."""
    found: list[dict[str, Any]] = []
    if proposed:
        found.append({"release": None, "kind": "roles", "text": _suggested(original)})
    if original.population is not None:
        found.append({"release": None, "kind": "population", "text": _sampled(original.population)})
    for release in releases:
        if release.matching:
            text = _still_there(release.matching, release.naming)
            found.append({"release": release.name, "kind": "matching", "text": text})
        if release.alignment.by and release.alignment.rows is None:
            text = next(note for note in release.alignment.notes if note.startswith(CANNOT))
            found.append({"release": release.name, "kind": "by", "text": text})
        if release.alignment.few_matched is not None:
            text = f"{_sentence(release.alignment.few_matched)} {ABOUT_THESE}"
            found.append({"release": release.name, "kind": "by", "text": text})
        if release.alignment.refused is not None:
            found.append({"release": release.name, "kind": "order", "text": release.alignment.refused})
        if release.partly_suppressed:
            text = SUPPRESSED if release.originals is None else VALUES
            found.append({"release": release.name, "kind": "suppressed", "text": text})
        changed = release.changed or release.exchanged
        if changed is not None:
            found.append({"release": release.name, "kind": "changed", "text": _sentence(changed)})
    return found


def _suggested(original: Scope) -> str:
    keys, sensitive = (
        enumerated(list(names), most=MANY) if names else "" for names in (original.keys, original.sensitive)
    )
    return (
        f"No roles given; using these suggestions: quasi-identifiers {keys}; sensitive "
        f"{sensitive or 'none'}. To set them, use --quasi-identifiers and --sensitive or a policy."
    )


def _sampled(population: Population) -> str:
    """What the checks take the releases for, and that nothing else does."""
    if population.weight is not None:
        people = f"the people that {population.weight} adds up to"
    elif population.size is not None:
        people = f"{many(population.size)} people"
    else:
        people = f"a population, of which {percent(population.fraction or 1.0)} are in it"
    return (
        f"The checks treat each release as a sample of {people} ([population] of the policy). Readings and "
        "attacks count only the people in the table."
    )


def _still_there(matching: Sequence[str], naming: Sequence[str]) -> str:
    """What matches records and is no part of what may be published, those that name people first."""
    there, it = ("is", "it") if len(matching) == 1 else ("are", "them")
    names = f" {enumerated(list(naming))} name{'s'[: len(naming) == 1]} people." if naming else ""
    return (
        f"{enumerated(list(matching), most=MANY)} {there} still in the release, used to match records (--by)."
        f"{names} Leave {it} out of what is published."
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
