"""The audit in words: a verdict, five numbers, and what drives the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge.assessment.checks import Check, Outcome
from divulge.assessment.combinations import Combinations
from divulge.assessment.distributions import SizeBin
from divulge.assessment.findings import Warning
from divulge.assessment.rates import TargetRates
from divulge.assessment.remedies import Plan, Remedy
from divulge.assessment.scope import Scope
from divulge.attacks.homogeneity import certain_records
from divulge.counts import RECORD
from divulge.measures import get
from divulge.small_counts import hidden
from divulge.wording import enumerated, in_words, number, percent, quantity, records, share_of

SMALL_CLASS = 5
ORDER: tuple[Outcome, ...] = ("fail", "not evaluated", "warn", "pass")


@dataclass(frozen=True)
class Verdict:
    """What follows from the checks, in words."""

    outcome: Outcome
    headline: str
    sentences: list[str]
    thresholds: str


@dataclass(frozen=True)
class Number:
    """One of the numbers that matter most."""

    name: str
    title: str
    value: float | None
    text: str
    meaning: str


@dataclass(frozen=True)
class Driver:
    """Something that makes the risk what it is."""

    kind: str
    keys: tuple[str, ...]
    target: str
    records: int | None
    sentence: str


def verdict(
    scope: Scope, checks: Sequence[Check], help: Plan | Remedy | None, *, from_policy: bool
) -> Verdict:
    """The worst outcome decides; the sentences say who, what, and what would help most."""
    found = {check.outcome for check in checks}
    outcome = next((one for one in ORDER if one in found), ORDER[1])
    counts = scope.question(scope.keys).counts
    alone = round(get("uniqueness").compute(counts) * counts.records)
    sentences = [
        f"Whoever knows {enumerated(scope.keys)} of a person finds {records(alone, of=counts.records)} "
        f"standing alone; the smallest class has {records(int(counts.people.min()))}."
    ]
    sentences += [_inference(scope, target) for target in scope.sensitive[:2]]
    if help is not None and outcome != "pass":
        sentences.append(help.sentence)
    return Verdict(outcome, _headline(checks, outcome), sentences, "policy" if from_policy else "usual")


def _inference(scope: Scope, target: str) -> str:
    counts = scope.question(scope.keys, target).counts
    if counts.entropy == 0:
        return f"{target} has one value only: there is nothing to infer."
    return f"{target} is then certain for {records(certain_records(counts), of=counts.records)}."


def _headline(checks: Sequence[Check], outcome: Outcome) -> str:
    total = len(checks)
    count = {one: sum(check.outcome == one for check in checks) for one in ORDER}
    of = f"of {total} check{'' if total == 1 else 's'}"
    parts = []
    if count["fail"]:
        parts.append(f"{count['fail']} {of} fail{'s' if count['fail'] == 1 else ''}")
    if count["not evaluated"]:
        parts.append(f"{count['not evaluated']} {of} could not be evaluated")
    if count["warn"]:
        parts.append(f"{count['warn']} {of} warn{'s' if count['warn'] == 1 else ''}")
    if outcome == "pass":
        return "The only check passes" if total == 1 else f"All {total} checks pass"
    said = ", ".join(parts)
    return f"Do not release as it is: {said}" if count["fail"] else said[0].upper() + said[1:]


def numbers(scope: Scope, rates: Sequence[TargetRates], combinations: Combinations | None) -> list[Number]:
    """The five numbers that matter: who stands alone, in what company, at what risk, and what is told."""
    question = scope.question(scope.keys)
    counts = question.counts
    unique = get("uniqueness").compute(counts)
    average = get("reidentification_risk").compute(counts, {"kind": "average"})
    k = int(get("k_anonymity").compute(counts))
    rate = scope.reading("discrimination_rate", question)
    return [
        Number(
            "uniqueness",
            "Records that stand alone",
            unique,
            share_of(round(unique * counts.records), counts.records),
            "nobody else shares their keys",
        ),
        Number("k_anonymity", "Smallest class", k, quantity(k, "records"), "k-anonymity"),
        Number(
            "reidentification_risk",
            "Average risk of being named",
            average,
            percent(average),
            "guessing within the right class",
        ),
        Number(
            "discrimination_rate",
            "Identity told by all keys",
            rate.value,
            "undefined" if rate.value is None else percent(rate.value),
            "discrimination rate for re-identification",
        ),
        _fifth(scope, rates, combinations),
    ]


def _fifth(scope: Scope, rates: Sequence[TargetRates], combinations: Combinations | None) -> Number:
    """What is told about the worst sensitive attribute, or how few attributes single someone out."""
    told = []
    for target in scope.sensitive:
        reading = scope.reading("discrimination_rate", scope.question(scope.keys, target))
        if reading.value is not None:
            beyond = reading.adjusted
            told.append((reading.value if beyond is None else beyond, target, beyond is not None))
    if told:
        value, target, adjusted = max(told)
        meaning = "discrimination rate of all keys, " + ("0 being chance" if adjusted else "chance included")
        return Number("inference", f"Told about {target}", value, percent(max(value, 0.0)), meaning)
    sets = combinations.level("someone") if combinations else []
    few = len(sets[0]) if sets else None
    title = "Keys that single someone out"
    return Number("identifying", title, few, "none" if few is None else number(few), "the smallest such set")


def drivers(
    scope: Scope,
    combinations: Combinations | None,
    warnings: Sequence[Warning],
    sizes: Sequence[SizeBin],
    lone: Sequence[tuple[str, int]],
) -> list[Driver]:
    """What makes the risk what it is: combinations, attributes, proxies, lone values, small classes."""
    found = []
    if combinations is not None:
        found += _combination(scope, combinations) + _attributes(combinations)
    found += [
        Driver("proxy", one.attributes[:1], one.attributes[1], None, one.sentence)
        for one in warnings
        if one.kind == "proxy"
    ]
    found += [
        Driver(
            "value",
            (name,),
            RECORD,
            many_lone,
            f"{name} has {in_words(hidden(many_lone))} values that one record alone has.",
        )
        for name, many_lone in lone
    ]
    below = sum(one.records for one in sizes if one.high is not None and one.high < SMALL_CLASS)
    if below:
        share = records(below, of=scope.question(scope.keys).records)
        said = f"{share} are in classes below {SMALL_CLASS}."
        found.append(Driver("class", scope.keys, RECORD, below, said))
    return found


def _combination(scope: Scope, combinations: Combinations) -> list[Driver]:
    """The smallest set that sets half of the records apart, or else someone."""
    for level in ("half", "someone"):
        sets = combinations.level(level)
        if sets and len(sets[0]) > 1:
            keys = sets[0]
            counts = scope.question(keys).counts
            alone = round(get("uniqueness").compute(counts) * counts.records)
            said = (
                f"{enumerated(keys)} together set {records(alone, of=counts.records)} apart; "
                f"{'neither' if len(keys) == 2 else 'no part of them'} does so alone."
            )
            return [Driver("combination", tuple(keys), RECORD, alone, said)]
    return []


def _attributes(combinations: Combinations) -> list[Driver]:
    lines = [line for line in combinations.contributions if line["average"] > 0][:3]
    return [
        Driver(
            "attribute",
            (line["attribute"],),
            RECORD,
            None,
            f"{line['attribute']} tells {percent(line['alone'])} of who is who when known alone, and adds "
            f"{percent(line['average'])} on average to what else is known.",
        )
        for line in lines
    ]
