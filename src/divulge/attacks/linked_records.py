"""Record linkage as attacks: is the original that a released record is linked to its own?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge._support.seeds import SEED
from divulge._support.wording import enumerated, many, percent, share_in_percent
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.nearest import RightLinks
from divulge.attacks.changed_values.truth import MOST_CHANGED
from divulge.attacks.outcome import Outcome
from divulge.attacks.questions import NO_KEYS
from divulge.attacks.record_linkage import fellegi_sunter
from divulge.attacks.record_linkage.account import UNKNOWN
from divulge.attacks.record_linkage.compared_keys import (
    MOST_VALUES,
    NO_AGREEMENT,
    NO_DISTANCE,
    by_agreement,
    by_distance,
    compared_keys,
    no_number,
    not_compared,
    read_by_agreement,
    read_by_distance,
)
from divulge.attacks.record_linkage.coordinates import Scale, coordinates
from divulge.attacks.record_linkage.distance import distance_linkage
from divulge.attacks.record_linkage.intervals import interval_at_random, interval_disclosure
from divulge.attacks.record_linkage.linked_values import linked_values
from divulge.attacks.record_linkage.model_fit import off
from divulge.attacks.record_linkage.pair_patterns import MOST_ATTRIBUTES
from divulge.attacks.record_linkage.released_groups import common_columns, overlap_sentence, overlapping
from divulge.errors import Undefined

MANY_VALUES = f", or which have more than {MOST_VALUES} values without an order"
WIDTH = 0.1  # of the interval around a released value, as a share of all ranks
FEW_SIDES = 6  # up to which a tree finds the nearest record soon
MOST_PEOPLE, FEWEST_PEOPLE = 50_000, 500  # who are linked by distance, drawn at random where there are more
DISTANCES = 1_500_000_000  # sides compared for that, at most: some tenths of a second
THOROUGH = 10  # times as many where a bound is to be held against the share
PLACES = 1 << 23  # records times sides that are held
PATTERNS = 1 << 25  # records times patterns of agreement that are counted


def linked_distance(
    alignment: Alignment, *, scale: Scale | None = None, distances: int = DISTANCES, seed: int = SEED
) -> Outcome:
    """The share of released records whose nearest original record is their own.

    Numbers are standardized or, where they were changed, go by their ranks in each table: what links more
    counts (``scale`` may say otherwise). Ordered values lie evenly, values with a hierarchy differ by the
    share of levels on which they differ, others by 0 or 1; an original value does not differ from the group
    in which it was released. Of several originals that are equally near one is taken at
    random, so that each counts its share. Where it would take too many ``distances``, people are drawn at
    random. The details have what a link tells beyond identity: the discrimination rate of each sensitive
    attribute given its value in the linked record.
    """
    outcome = Outcome(
        "linked_distance",
        "Record linkage by distance",
        "the original, and links each released record to the nearest original one",
    )
    rows, unknown = alignment.rows, _unknown(alignment)
    if rows is None or unknown is not None:
        return outcome.failed(unknown or UNKNOWN)
    alignment, keys = read_by_distance(alignment, _both_have(alignment))
    used = by_distance(keys)
    records = max(alignment.original.records, alignment.released.records)
    sides = sum(one.sides for one in used)
    if not used:
        return outcome.failed(NO_DISTANCE)
    if records * sides > PLACES:
        return outcome.failed(_too_many(PLACES // sides, "by these attributes"))
    ours, theirs = rows
    who = np.random.default_rng(seed).permutation(len(ours))[: _affordable(records, sides, distances)]
    names = [one.name for one in used]
    asked: list[Scale] = [scale or "standard"]
    if scale is None and any(one.kind == "number" and _changed(alignment, one.name) for one in used):
        asked.append("rank")
    tried = [coordinates(alignment, names, one) for one in asked]
    linked = [distance_linkage(points, (ours[who], theirs[who])) for points in tried]
    best = max(range(len(tried)), key=lambda place: linked[place].linked)
    points, found = tried[best], linked[best]
    links = RightLinks(found.first, who, len(ours), 1 / alignment.original.records)
    told = linked_values(alignment, points, alignment.original.schema.sensitive, seed, ours[who])
    left_out = not_compared(keys, names)
    details = {
        "keys": names,
        "not_compared": left_out,
        "second_nearest": found.linked_second / found.of,
        "linked_values": told,
    }
    nearest = "ranks, each in its own table," if asked[best] == "rank" else "values"
    said = f"{_linked(links)} by the nearest {nearest} of {enumerated(names)}"
    overlap = _overlap(alignment, [one.name for one in used if one.kind == "category"])
    return _counted(
        outcome,
        links,
        details,
        f"{said}; {_at_random(links.chance)}.{_left_out(left_out, MANY_VALUES)}{overlap}{_told(told)}",
    )


def linked_interval(alignment: Alignment, *, width: float = WIDTH, seed: int = SEED) -> Outcome:
    """The share of people whose numbers all lie near the released ones: within a share of all ranks.

    By rank, the interval around a released value has as many of the original's values on either side as the
    width says, a tenth of all unless given. Chance is the same for a record that is linked at random.
    """
    outcome = Outcome(
        "linked_interval",
        "Interval disclosure",
        "which released record is whose, and takes each original number to be near the released one",
    )
    rows, unknown = alignment.rows, _unknown(alignment)
    if rows is None or unknown is not None:
        return outcome.failed(unknown or UNKNOWN)
    keys = compared_keys(alignment, _both_have(alignment))
    numbers, gone = [one.name for one in keys if one.kind == "number"], no_number(alignment, keys)
    if not numbers:
        return outcome.failed(gone or "no quasi-identifier is a number in both tables")
    ours, theirs = rows
    original, released, there = alignment.original, alignment.released, alignment.columns
    pairs = {name: (original.numbers(name)[ours], released.numbers(there[name])[theirs]) for name in numbers}
    found, of = interval_disclosure(pairs, width=width), len(ours)
    at_random = interval_at_random(pairs, width=width, seed=seed)
    chance = at_random.all
    inside = [
        {"attribute": name, "inside": found.inside[name], "chance": at_random.inside[name]}
        for name in numbers
    ]
    said = (
        f"For {share_in_percent(found.all, of)} of {many(of)} people the original values of "
        f"{enumerated(numbers)} are within {percent(width)} of all ranks of the released ones"
    )
    return replace(
        outcome,
        risk=found.all,
        people=round(found.all * of),
        of=of,
        details={"keys": numbers, "width": width, "intervals": inside, "chance": chance},
        sentence=f"{said}; {_at_random(chance)}." + (f" {gone[0].upper()}{gone[1:]}." if gone else ""),
    )


def linked_probability(alignment: Alignment) -> Outcome:
    """The share of released records that Fellegi and Sunter's model links to their own original.

    Pairs are weighed by the attributes on which they agree: how often records that belong together do
    (estimated), and how often any two do (counted over all pairs, without making one). Each released
    record is linked to the original of highest weight, to one of several at random.
    """
    outcome = Outcome(
        "linked_probability",
        "Probabilistic record linkage",
        "the original, and links each released record to the original one that agrees with it best",
    )
    rows, unknown = alignment.rows, _unknown(alignment)
    if rows is None or unknown is not None:
        return outcome.failed(unknown or UNKNOWN)
    alignment, keys = read_by_agreement(alignment, _both_have(alignment))
    used = [one.name for one in by_agreement(keys)]
    if (reason := _disagreement(alignment, used)) is not None:
        return outcome.failed(reason)
    ours, theirs = common_columns(alignment, used)
    try:
        model = fellegi_sunter.fit(ours, theirs)
    except Undefined as undefined:
        return outcome.failed(undefined.message)
    wrong = fellegi_sunter.misled(model, fellegi_sunter.own_patterns(ours, theirs, rows))
    if wrong:
        return outcome.failed(fellegi_sunter.misled_reason([used[a] for a in wrong]))
    chances = fellegi_sunter.link_chances(model, ours, theirs, rows)
    links = RightLinks(chances, np.arange(len(chances)), len(chances), 1 / alignment.original.records)
    left_out = not_compared(keys, used)
    caution = off(model, used, ours, theirs, rows)
    details = {
        "keys": used,
        "not_compared": left_out,
        "agreement": [
            {"attribute": name, "same_person": float(m), "any_pair": float(u)}
            for name, m, u in zip(used, model.m, model.u, strict=True)
        ],
    }
    said = f"{_linked(links)} by agreement on {enumerated(used)}"
    return _counted(
        outcome,
        links,
        details,
        f"{said}; {_at_random(links.chance)}.{f' Caution: {caution}' if caution else ''}"
        f"{_left_out(left_out)}{_overlap(alignment, used)}",
    )


def every_linkage(alignment: Alignment, *, thorough: bool = False, seed: int = SEED) -> list[Outcome]:
    """The three attacks, each beside what a link at random would give."""
    distances = DISTANCES * (THOROUGH if thorough else 1)
    return [
        linked_distance(alignment, distances=distances, seed=seed),
        linked_interval(alignment, seed=seed),
        linked_probability(alignment),
    ]


# -- what can be tried -----------------------------------------------------------------------------


def _both_have(alignment: Alignment) -> list[str]:
    """The quasi-identifiers of the original that the release has."""
    return [name for name in alignment.original.schema.quasi_identifiers if name in alignment.columns]


def _unknown(alignment: Alignment) -> str | None:
    """Why no link can be held against the truth; None where it can."""
    if not _both_have(alignment):
        named = alignment.original.schema.quasi_identifiers
        return "the release has none of the quasi-identifiers" if named else NO_KEYS
    if alignment.rows is None:
        return alignment.nobody_matched or UNKNOWN
    return alignment.few_matched


def _disagreement(alignment: Alignment, used: Sequence[str]) -> str | None:
    """Why agreement cannot be counted; None where it can."""
    if not used:
        return NO_AGREEMENT
    if len(used) > MOST_ATTRIBUTES:
        return f"agreement is counted on at most {MOST_ATTRIBUTES} attributes, and {len(used)} are given"
    records = alignment.original.records + alignment.released.records
    if records << len(used) > PATTERNS:
        return _too_many(PATTERNS >> len(used), f"of both tables by {len(used)} attributes")
    return None


def _changed(alignment: Alignment, name: str) -> bool:
    """Whether released numbers are not the people's own."""
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    mine = alignment.original.numbers(name)[ours]
    yours = alignment.released.numbers(alignment.columns[name])[theirs]
    known = ~np.isnan(mine) & ~np.isnan(yours)
    return bool((mine[known] != yours[known]).mean() > MOST_CHANGED) if known.any() else False


def _too_many(most: int, what: str) -> str:
    return f"at most {many(most)} records {what} are linked in a comparison; divulge link links more"


def _affordable(records: int, sides: int, distances: int) -> int:
    """How many people are linked by distance."""
    if sides <= FEW_SIDES:
        return MOST_PEOPLE
    return int(np.clip(distances // (records * sides), FEWEST_PEOPLE, MOST_PEOPLE))


# -- words -----------------------------------------------------------------------------------------


def _counted(outcome: Outcome, links: RightLinks, details: dict[str, Any], sentence: str) -> Outcome:
    """The outcome of links that were held against the truth."""
    sample = {"people_drawn": links.drawn, "right_links_at_most": links.at_most} if links.sampled else {}
    return replace(
        outcome,
        risk=links.rate,
        people=None if links.sampled else round(links.rate * links.people),
        people_at_most=math.ceil(links.at_most * links.people) if links.sampled else None,
        of=links.people,
        details={**details, "chance": links.chance, **sample},
        sentence=sentence,
    )


def _linked(links: RightLinks) -> str:
    return f"{links.said} are linked to their own record"


def _at_random(chance: float) -> str:
    return f"at random it would be {percent(chance)}"


def _left_out(names: Sequence[str], more: str = "") -> str:
    """Which attributes were not compared, and why, as a sentence."""
    if not names:
        return ""
    return f" Not compared: {enumerated(names)}, whose released values are not those of the original{more}."


def _overlap(alignment: Alignment, names: Sequence[str]) -> str:
    """Which compared attributes have released groups that overlap, as a sentence."""
    found = overlapping(alignment, names)
    return f" {overlap_sentence(found)}" if found else ""


def _told(told: Sequence[dict[str, Any]]) -> str:
    known = [one for one in told if one.get("discrimination_rate") is not None]
    said = [
        f"{percent(one['discrimination_rate'])} of {one['target']}"
        + ("" if one["chance"] is None else f" ({percent(one['chance'])} by chance)")
        for one in known
    ]
    return f" The linked record gives {enumerated(said)}." if said else ""
