"""The words of a report that do not come from the audit: outcomes, conventions, and a short glossary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class OutcomeSign(NamedTuple):
    """How an outcome is said and signed, so that colour is never alone in saying it."""

    sign: str
    word: str


OUTCOMES = {
    "fail": OutcomeSign("✕", "Fails"),
    "not evaluated": OutcomeSign("?", "Not evaluated"),
    "warn": OutcomeSign("!", "Warns"),
    "pass": OutcomeSign("✓", "Passes"),
}


def by_outcome(checks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The checks, those first that ask for attention."""
    return sorted(checks, key=lambda check: list(OUTCOMES).index(check["outcome"]))


CASES = {
    "worst": "About the class where an attacker learns most.",
    "average": "On average over records.",
    "whole": "About the table as a whole.",
    "best": "For the person who is best off.",
}
MISSING = {
    "value": "a missing value counts as a value of its own",
    "drop": "records with a missing value are left out",
    "wildcard": "a missing value matches anything",
}
PARTS = {
    "verdict": "Verdict",
    "checks": "Checks",
    "helps": "What would help",
    "attributes": "Attributes and roles",
    "combinations": "Combinations",
    "classes": "Groups",
    "warnings": "Data quality",
    "readings": "All readings",
    "glossary": "Glossary",
    "made": "How this was made",
}
#: Parts that a document need not have.
MORE_PARTS = {
    "regulators": "What regulators ask",
    "profile": "Attribute profile",
    "methods": "Methods",
}
WORDS = (
    (
        "quasi-identifier",
        "An attribute that others may know, and that may single someone out together with more.",
    ),
    ("sensitive attribute", "An attribute that should not be learned about a person."),
    ("class", "The records alike on all attributes that the attacker is assumed to know."),
    ("stand alone", "To be in a class of one record: nobody else fits."),
    ("re-identification", "Finding out whose record it is."),
    ("inference", "Finding out a sensitive value of a person, with or without finding the record."),
    ("by chance", "What a reading would be on average, were the sensitive values dealt out at random."),
    ("adjusted", "A reading rescaled: 0 at chance level, 1 at the riskiest possible."),
    ("noise", "The adjusted reading that unrelated data of the same shape reach; 1 in 100 goes beyond it."),
    ("p", "How often unrelated data of the same shape read as risky as these data."),
    ("identifier, as a class of keys", "Knowing it settles the target for everyone."),
    ("partial identifier", "Knowing it settles the target for someone, and not for everyone."),
    ("sketchy identifier", "Knowing it tells something about the target and settles it for nobody."),
    ("zero identifier", "Knowing it tells nothing about the target."),
)
