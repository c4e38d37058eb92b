"""Who is unique, as lines on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge._support.wording import (
    aligned,
    amount,
    capitalized,
    chance_in_percent,
    in_words,
    many,
    number,
    percent,
    said_in_percent,
)
from divulge.errors import counted

Document = Mapping[str, Any]


def page(document: Document) -> list[str]:
    """The document of a uniqueness account, the table first, then the population and special uniques."""
    sample, keys = document["sample"], ", ".join(document["keys"])
    return [
        f"{document['source']}: {counted(document['records'], 'record')}",
        f"Unique on {keys}: {_people(sample['unique'])} ({said_in_percent(sample['share'])})",
        f"  Smallest group: {many(sample['k'])}",
        f"  In groups of two: {_people(sample['in_pairs'])}",
        "",
        *_population(document),
        *_special(document),
    ]


def _people(said: int | str) -> str:
    return f"{in_words(said)} {'person' if said == 1 else 'people'}"


def _population(document: Document) -> list[str]:
    if document["population_size"] is None:
        return [
            "Population: not given, so every unique person counts as unique in the population too.",
            "  Give --population N, --fraction F, --weights A or --population FILE.",
        ]
    head = _drawn_from(document["population_size"], document["fraction"])
    chances = _chances(document, in_words(document["counted"]))
    known = [] if document["known"] is None else _known(document["known"])
    estimated = [] if document["estimated"] is None else _estimated(document)
    return [head, *chances, *known, *estimated, *_models(document)]


def known_population(found: Document, counted: int | str) -> list[str]:
    """What a table of the whole population says, beside as many records."""
    head = _drawn_from(found["people"], found["fraction"])
    return [head, *_chances(found, in_words(counted)), *_known(found)]


def _drawn_from(people: float, fraction: float) -> str:
    return f"Population: {many(round(people))} people, {chance_in_percent(fraction)} of them here"


def _chances(document: Document, of: str) -> list[str]:
    """How sure a match is, and how many people would be named."""
    lines, match, risk = [], document["match"], document["risk"]
    if match is not None:
        low, high = map(chance_in_percent, match["interval"])
        between = "" if match["interval"][0] == match["interval"][1] else f" ({low} to {high})"
        lines.append(f"  A match with a unique record is right: {chance_in_percent(match['value'])}{between}")
    average = document.get("average_risk")
    if average is not None:
        low, high = map(chance_in_percent, average["interval"])
        lines.append(f"  Average risk of everyone in the population: {low} to {high}")
    lines.append(f"  Expected re-identifications: {expected_text(risk)} of {of} records ({risk['method']})")
    if "model" in risk:
        said = expected_text(risk["model"])
        lines.append(f"    By a model alone, which can be far off: {said} ({risk['model']['method']})")
    by_household = risk.get("model", risk).get("expected_by_household")
    if by_household is not None:
        by = ", by the same model" if "model" in risk else ""
        said = expected_text({"expected": by_household})
        lines.append(f"    Through anyone of the household: {said} of {of} records{by}")
    return lines


def expected_text(risk: Document) -> str:
    """How many people would be named; between which numbers that lies where it is not known.

    >>> expected_text({"expected": None, "interval": [336.1, 1583.0]}), expected_text({"expected": 1.25})
    ('336 to 1,583', '1.2')
    """
    ends = risk.get("interval") or [risk["expected"]]
    said = [many(round(one)) if one >= 10 else number(round(one, 1)) for one in ends]
    return " to ".join(dict.fromkeys(said))


def _known(known: Document) -> list[str]:
    least, largest = (number(known["delta_presence"][end]) for end in ("least", "largest"))
    return [
        f"  Unique in the population: {_unique_there(known)}",
        f"  k-map {many(known['k_map'])}, delta-presence {least} to {largest}",
    ]


def _unique_there(known: Document) -> str:
    """How many people there are unique, and how many of them are in the table."""
    here, everywhere = in_words(known["unique"]), known.get("unique_in_population")
    return (
        f"{here} of the people here" if everywhere is None else f"{_people(everywhere)}, {here} of them here"
    )


def _estimated(document: Document) -> list[str]:
    """Ends of what only a table of the population gives, and how many people have little company there."""
    found = document["estimated"]
    of_these = {2: f", of {in_words(document['sample']['unique'])} unique here"}
    rows = [
        [
            f"fewer than {one['k']}{of_these.get(one['k'], '')}",
            "not known" if one["value"] is None else many(round(one["value"])),
            ends_text(one),
        ]
        for one in found["people_below"]
    ]
    reasons = dict.fromkeys(one["undefined"] for one in found["people_below"] if one["undefined"])
    return [
        f"  k-map: {ends_text(found['k_map'])}, estimated with 95% confidence",
        f"  delta-presence: {presence_text(found['delta_presence'])}, estimated with 95% confidence",
        "",
        f"People of the {in_words(document['counted'])} here who share their values with few people in the "
        "population, themselves among them",
        *aligned(["people alike", "by the model", "between"], rows, right=(1, 2)),
        *(f"The model gives no number: {reason}." for reason in reasons),
    ]


def ends_text(found: Document) -> str:
    """Between what a number of people lies."""
    return " to ".join(dict.fromkeys(many(round(one)) for one in found["interval"]))


def presence_text(found: Document) -> str:
    """Between what the largest share of a group's people in the table lies."""
    return " to ".join(dict.fromkeys(map(percent, found["interval"])))


def _models(document: Document) -> list[str]:
    rows = [
        [
            name,
            "undefined" if one["uniques"] is None else many(round(one["uniques"])),
            one["undefined"] or one["note"] or "",
        ]
        for name, one in document["population"].items()
    ]
    if not rows:
        return []
    everyone = many(round(document["population_size"]))
    lines = ["", f"People unique in the population, of all {everyone} people, by model"]
    lines += aligned(["model", "people", "note"], rows, right=(1,))
    return [*lines, *_spread(document)]


def _spread(document: Document) -> list[str]:
    """How far models are apart, or from what is known."""
    known, spread = document["known"], document["spread"]
    if spread is None:
        return []
    if known is not None:
        return [f"In the population table: {_unique_there(known)}."]
    if sum(one["uniques"] is not None for one in document["population"].values()) == 1:
        return ["This is the number of one model, and models can be far off."]
    least, largest = (many(round(spread[end])) for end in ("least", "largest"))
    if least == largest:
        return [f"All of these models say {least}."]
    return [f"Models say {least} to {largest}. Do not rely on one of them alone."]


def _special(document: Document) -> list[str]:
    found = document["special"]
    if found is None:
        return []
    ranked = sorted(found["by_attribute"].items(), key=lambda one: -(one[1] or 0.0))
    rows = [[name, percent(share)] for name, share in ranked if share is not None]
    sets = f"sets of up to {found['largest']} attributes"
    return [
        "",
        f"Special uniques: {in_words(found['records'])} records ({sets})",
        *([f"  Without a score: {in_words(found['unscored'])} unique records"] if found["unscored"] else ()),
        *([f"  {capitalized(found['undefined'])}"] if found["undefined"] else ()),
        *_scores(found),
        *(aligned(["attribute", "share of all scores"], rows, right=(1,)) if rows else ()),
    ]


def _scores(found: Document) -> list[str]:
    if found["score_sum"] is None:
        return []
    dis = [] if found["dis_max"] is None else [f"  DIS: {number(found['dis_max'])} at most"]
    return [
        f"  SUDA score{' (scaled)' if found.get('scores') == 'scaled' else ''}: "
        f"{amount(found['score_sum'])} in all, {amount(found['score_max'])} at most",
        *dis,
    ]
