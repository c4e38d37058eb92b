"""The words of a comparison's report: its parts, and what a reader may not know."""

from __future__ import annotations

import re
from typing import Any

from divulge._support.wording import capitalized
from divulge.report.shared.tables import Document
from divulge.report.shared.wording import WORDS

CHANGED = "values were changed (see the notes)"
MISREAD = "values were changed or are misread (see the notes)"
DOUBT = "mean something else than they say"
PARTS = {
    "recommendation": "Recommendation",
    "notes": "Notes",
    "checks": "Checks",
    "regulators": "What regulators ask",
    "readings": "Before and after",
    "attacks": "Attacks",
    "needs": "Needs",
    "mining": "Models",
    "distributions": "Distributions",
    "loss": "Information lost",
    "alignment": "Alignment",
    "methods": "Methods",
    "glossary": "Glossary",
    "made": "How this was made",
}
COMPARISON_WORDS = (
    (
        "people truly linked",
        "The average risk of re-identification: the share of people whose link to a record is right, if "
        "everyone is linked to one of the records that fit best. Where people were drawn at random, the "
        "bound has 95% confidence.",
    ),
    (
        "utility kept",
        "The share of the information kept: of all attributes and records, or for the needs that were named. "
        "What a release does not have keeps nothing.",
    ),
    ("original", "The data as they were before any treatment."),
    ("release", "Data made from the original, to be handed to others."),
    ("alignment", "Which records and attributes of a release are which of the original."),
    ("record by record", "With the record of the same person known in both tables."),
    ("white box", "An attacker who knows how the data were changed, and the original values of the keys."),
    ("black box", "An attacker who has the release and nothing else."),
    ("grey box", "An attacker who also holds another table with some of the attributes."),
    (
        "homogeneity",
        "Everyone in a class has the same sensitive value, so it is learned without finding anyone's record.",
    ),
    (
        "background knowledge",
        "What an attacker knows besides the keys, such as values that a person does not have.",
    ),
    ("skewness", "A class whose sensitive values are distributed otherwise than in the whole table."),
    ("similarity", "A class whose sensitive values differ and mean nearly the same."),
    ("prosecutor", "An attacker who looks for a certain person and knows that the person is in the table."),
    (
        "journalist",
        "An attacker who looks for a certain person and knows only that the person is in the population.",
    ),
    ("marketer", "An attacker who wants to name as many people as possible."),
    (
        "record linkage by distance",
        "Each released record is linked to the original one with the nearest values. Where several are as "
        "near, one is taken at random.",
    ),
    (
        "interval disclosure",
        "The original values lie near the released ones: within a tenth of all records in their order.",
    ),
    (
        "probabilistic record linkage",
        "Each released record is linked to the original one that agrees with it on the attributes that say "
        "most, after Fellegi and Sunter.",
    ),
    ("information loss by attack", "What an attacker still lacks: 1 minus the risk under the attack."),
    ("need", "What an analyst wants to tell, and from which attributes, in groups of values that matter."),
    ("utility", "How far the attributes of a need tell its target: 0 not at all, 1 entirely."),
    ("mean variation", "The mean difference relative to the original value."),
    ("total variation", "Half the sum of the differences between shares: 0 the same, 1 nothing in common."),
    ("Jensen-Shannon divergence", "How many bits one value tells, on average, about which table it is from."),
    (
        "Hellinger distance",
        "A distance of distributions, 0 to 1, that weighs rare values more than total variation.",
    ),
    ("earth mover's distance", "How far shares have to be moved along the order of values."),
    *WORDS,
)


def with_warnings(document: Document) -> str:
    """That a check warns of the release that is recommended; empty where all pass."""
    chosen = [one for one in document["releases"] if one["name"] == document["recommendation"]["release"]]
    warned = any(check["outcome"] == "warn" for one in chosen for check in one["checks"] or ())
    return ", with warnings" if warned else ""


def said_once(document: Document) -> Document:
    """The document with what a note says of changed values said in short everywhere else."""
    notes = [one["text"].rstrip(".") for one in document.get("notices", ()) if one["kind"] == "changed"]
    if not notes:
        return document
    texts = dict.fromkeys([*notes, *(note.partition("; ")[0] for note in notes)])
    said = re.compile("|".join(f"(?i:{re.escape(text[:1])}){re.escape(text[1:])}" for text in texts))
    others = {name: _shortened(part, said) for name, part in document.items() if name != "notices"}
    return {**document, **others}


def _shortened(part: Any, said: re.Pattern[str]) -> Any:
    """A part of the document with the short words; they begin a sentence where one ended before."""
    if isinstance(part, str):
        return said.sub(lambda at: _in_short(at, begins=part[: at.start()].endswith(". ")), part)
    if isinstance(part, dict):
        return {name: _shortened(one, said) for name, one in part.items()}
    return [_shortened(one, said) for one in part] if isinstance(part, list) else part


def _in_short(found: re.Match[str], *, begins: bool) -> str:
    words = MISREAD if DOUBT in found.group() else CHANGED
    return capitalized(words) if begins else words
