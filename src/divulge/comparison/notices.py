"""What a reader of a comparison has to know first: who gave roles, whether records are matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.assessment.scope import Scope
from divulge.comparison.release import Release
from divulge.wording import enumerated

MANY = 20
CANNOT = "Rows cannot be aligned"
ABOUT_THESE = "What is compared record by record is about these only."


def notices(releases: Sequence[Release], original: Scope, *, proposed: bool) -> list[dict[str, Any]]:
    """Sentences for the top of every output, with the release that each is about."""
    found: list[dict[str, Any]] = []
    if proposed:
        found.append({"release": None, "kind": "roles", "text": _suggested(original)})
    for release in releases:
        if release.alignment.by and release.alignment.rows is None:
            text = next(note for note in release.alignment.notes if note.startswith(CANNOT))
            found.append({"release": release.name, "kind": "by", "text": text})
        if release.alignment.few_matched is not None:
            text = f"{_sentence(release.alignment.few_matched)} {ABOUT_THESE}"
            found.append({"release": release.name, "kind": "by", "text": text})
        if release.alignment.refused is not None:
            found.append({"release": release.name, "kind": "order", "text": release.alignment.refused})
        changed = release.changed or (None if release.judge is None else release.judge.apart)
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


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
