"""What is said of sensitive values that keys reveal, and of those that do not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from divulge._support.rounding import above
from divulge._support.small_counts import SMALL
from divulge._support.wording import capitalized, enumerated, many, number, people, percent, share_of
from divulge.assessment.inference.asked.sensitive_questions import BEYOND_DOUBT, SURE
from divulge.assessment.inference.key_set_findings import Told
from divulge.assessment.inference.revealing_groups import SMALLEST, Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.inference.shown_groups import shown_by_chance, shown_in_sample
from divulge.policy import Learning

CERTAIN = 0.9


@dataclass(frozen=True, eq=False)
class Revealed:
    """People about whom a value is revealed, held against one level."""

    outcome: Literal["fail", "warn"]  # what follows where they are too many
    share: float  # of all people
    told: Told
    level: Learning
    beyond: bool  # whether they count whatever chance explains


def in_bands(asked: Inference) -> bool:
    """Whether a number is asked about in bands: what is revealed is then a range, and no value."""
    return any(way.by_two for way in asked.asked[:1])


def sentence(
    target: str, one: Revealed, keys: Sequence[str], counted: int, *, banded: bool, also: str = ""
) -> str:
    """What was found about people, held against one level; ``also`` is said of it besides."""
    if one.beyond:  # or chance is no excuse
        return _beyond(target, one.told, one.level, counted, banded, also)
    return _within(target, one.told, keys, counted, banded or one.told.kind == "range", also)


def nothing(target: str, levels: Sequence[Learning], asked: Inference, counted: int) -> tuple[str, str]:
    """What groups show at most, and why that does not count; then in a few words if chance does it."""
    lowest = min(levels, key=lambda level: level.certain)
    bar = Bar(lowest.certain, lowest.gain)
    whom, why = (
        shown_by_chance(asked.findings, asked.asked, bar),
        "Groups of this size show that by chance alone",
    )
    short = "0% of people beyond chance"
    if whom is None:
        whom = shown_in_sample(asked.findings, asked.asked, bar)
        short = ""
        why = "These groups are too small a sample to say so of all people alike"
    if whom is not None:
        some = "A few people" if whom.people < SMALL else f"At least {people(whom.people, of=counted)}"
        shared = {
            "value": f"has the same {target}",
            "range": f"is in one range of {target}",
            "part": f"has the same part of {target}",
        }["range" if whom.kind == "value" and in_bands(asked) else whom.kind]
        sure = max(lowest.certain, whom.sure)
        reached = f"{_reached(sure)}, up to {percent(whom.share)}"
        nearly = "a large part of the people" if sure < CERTAIN else "nearly everyone"
        return f"{some} are in groups where {nearly} ({reached}) {shared}. {why}, so the check passes.", short
    size = f" of {SMALLEST} or more" if asked.small_sets else ""
    gain = number(round(100 * lowest.gain))
    looked = _looked_at(target, asked)
    said = (
        f"No {looked[0]} reaches {_reached(lowest.certain)} in a group{size} and at least {gain} points more "
        "than among all people"
    )
    if looked[1:]:
        said += f"; nor does {' or '.join(looked[1:])} reach {_reached(max(lowest.certain, SURE))}"
    if any(way.limit for way in asked.asked):
        one = " (of people with one value each)" if asked.people_repeat else ""
        limit = f"what is below or above a limit{one}"
        reached = _reached(max(lowest.certain, BEYOND_DOUBT))
        said += f", or {limit} {reached}" if looked[1:] else f"; nor does {limit} reach {reached}"
    return f"{said}.", ""


def _reached(certain: float) -> str:
    return f"{number(100 * certain)}%{'' if certain == 1 else ' or more'}"


def _looked_at(target: str, asked: Inference) -> list[str]:
    """What was looked at: values or narrow ranges, and then what has to be all but certain to count."""
    ways = asked.asked
    limits = any(way.limit for way in ways)
    if in_bands(asked):
        first = f"range of {target} with a tenth of the people"
    else:
        first = f"{'single ' if limits else ''}value of {target}"
    found = [first]
    if any(way.by_two and way.rough for way in ways):
        found.append("a twentieth of its range")
    if any(way.kind == "part" for way in ways):
        found.append("a part or word of it")
    return found


def _beyond(target: str, told: Told, level: Learning, counted: int, banded: bool, also: str = "") -> str:
    whom, which = people(told.people, of=counted), "such a" if told.several else "this"
    kind = "range" if banded and told.kind == "value" else told.kind
    what, have = {
        "value": (target, f"have {which} value"),
        "range": (f"the {target} range", f"are in {which} range"),
        "part": (f"a part of {target}", f"have {which} part"),
    }[kind]
    among = " with a known value" if told.among_known else ""
    having = f"{_having(told.having, counted)} of all people{among} {have}"
    having = f"{'On average ' if told.several else ''}{having}{', both by weight' if told.by_weight else ''}."
    begun = what if kind == "value" else capitalized(what)
    if above(CERTAIN, level.certain):
        by = f"from {enumerated(told.keys)}" if told.alone else f"for some by {enumerated(told.keys)} alone"
        return f"{begun} becomes likely for {whom}, {by}{also}. {having}"
    sure = f"{number(100 * level.certain)}% certainty{'' if level.certain == 1 else ' or more'}"
    if not told.alone:
        return (
            f"{begun} of {whom} is revealed with {sure}, for some by {enumerated(told.keys)} alone{also}. "
            f"{having}"
        )
    verb = "reveals" if len(told.keys) == 1 else "reveal"
    return f"{enumerated(told.keys)} {verb} {what} of {whom} with {sure}{also}. {having}"


def pooled(target: str, one: Revealed, counted: int, *, banded: bool) -> str:
    """What groups of a sample show together, though each is too small to say so of all people alike."""
    reached = f"{number(100 * one.level.certain)}% or more"
    return (
        f"{capitalized(people(one.told.people, of=counted))} are in groups of this sample where a "
        f"{'range' if banded else 'value'} of {target} reaches {reached}, which chance does not explain. "
        "Each group is too small to say so of all people alike, so what is learned was not evaluated."
    )


def _having(share: float, counted: int) -> str:
    """The share of people who have a value; of very few, not how many these are."""
    having = share * counted
    return share_of(max(round(having), 1), counted) if 0 < having < SMALL else percent(share)


def _within(target: str, told: Told, keys: Sequence[str], counted: int, banded: bool, also: str = "") -> str:
    sets = (
        "a small group"
        if told.sets == 1
        else f"{many(told.sets)} small groups"
        if told.sets >= 5
        else "a few small groups"
    )
    whom, kind = people(told.people, of=counted), "range" if banded else "value"
    same = f"is within the same range of {target}" if banded else f"has the same {target}"
    return (
        f"{capitalized(whom)} are in {sets} on {enumerated(keys)} where nearly everyone {same}{also}. Chance "
        f"alone explains this, but the {kind} is revealed all the same."
    )


def fix(target: str, one: Revealed, asked: Inference) -> str:
    """What would help against it."""
    told = one.told
    banded = in_bands(asked) or told.kind == "range"
    if not one.beyond:
        return f"Make the groups larger{f', or release {target} in wider bands' if banded else ''}."
    bands = f"; or release {target} in wider bands" if banded else ""
    if len(told.keys) == 1:
        return f"Leave out {told.keys[0]}, or release it more coarsely{bands}."
    which = " or ".join(told.keys) if len(told.keys) == 2 else "some of the quasi-identifiers"
    return f"Leave out {which}, or release them more coarsely{bands}."
