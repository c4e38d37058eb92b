"""The words of a report that do not come from the audit: outcomes, conventions, and a short glossary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from divulge.report.shared.tables import Document


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


def by_outcome(checks: Iterable[Document]) -> list[Document]:
    """The checks, those first that ask for attention, in the order given among equals."""
    return sorted(checks, key=lambda check: list(OUTCOMES).index(check["outcome"]))


CASES = {
    "worst": "For the group where an attacker learns most.",
    "average": "On average over records.",
    "whole": "For the whole table.",
    "best": "For the group where an attacker learns least.",
}
MISSING = {
    "value": "a missing value counts as a value of its own",
    "drop": "records with a missing value are left out",
    "wildcard": "a missing value matches anything",
}
PARTS = {
    "verdict": "Verdict",
    "checks": "Checks",
    "regulators": "What regulators ask",
    "helps": "What would help",
    "attributes": "Attributes and roles",
    "profile": "Attribute profile",
    "combinations": "Combinations",
    "classes": "Groups",
    "people_beyond_table": "People beyond this table",
    "warnings": "Data quality",
    "readings": "All readings",
    "methods": "Methods",
    "glossary": "Glossary",
    "made": "How this was made",
}
#: Parts that a document need not have.
OPTIONAL_PARTS = ("regulators", "profile", "people_beyond_table", "methods")
WORDS = (
    (
        "quasi-identifier",
        "An attribute that others may know and that, combined with others, may single someone out.",
    ),
    ("sensitive attribute", "An attribute that should not be learned about a person."),
    ("group", "The records with the same quasi-identifiers; also called an equivalence class."),
    ("unique", "In a group of one record: no other record has the same quasi-identifiers."),
    ("population", "The people that the table is a sample of; F of them are like a person of the table."),
    (
        "special unique",
        "A record that few attributes make unique. A set of attributes is minimal where no part of it does; "
        "the SUDA score counts small minimal sets more, the DIS score is a chance that a match is right.",
    ),
    ("re-identification", "Finding out whose record it is."),
    ("inference", "Finding out a sensitive value of a person, with or without finding the record."),
    ("by chance", "What a value would be on average, if the sensitive values were assigned at random."),
    ("adjusted", "A value rescaled: 0 is chance, 1 the riskiest possible."),
    ("noise", "The adjusted value that unrelated data of the same shape reach; 1 in 100 exceeds it."),
    ("p", "How often unrelated data of the same shape are as risky as these data."),
    ("identifier, as a class of keys", "Knowing it determines the target for everyone."),
    ("partial identifier", "Knowing it determines the target for some people, not for all."),
    (
        "sketchy identifier",
        ("Knowing it gives some information about the target and determines it for nobody."),
    ),
    ("zero identifier", "Knowing it gives no information about the target."),
)
