"""The audit in words: a verdict, five numbers, and what drives the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge.assessment.all_checks import AnyCheck
from divulge.assessment.asked_check import AskedCheck
from divulge.assessment.checks import Check, Outcome
from divulge.assessment.combinations import Combinations, on_average
from divulge.assessment.distributions import SizeBin
from divulge.assessment.findings import Warning
from divulge.assessment.plans import Plan
from divulge.assessment.rates import TargetRates
from divulge.assessment.scope import Scope
from divulge.assessment.trial import Remedy
from divulge.counts import RECORD
from divulge.measures import get
from divulge.small_counts import hidden
from divulge.wording import enumerated, in_words, number, percent, quantity, records, share_of

SMALL_CLASS = 5
MOST_SAID = 4  # checks that are said at the top; all are among the checks
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
    scope: Scope, checks: Sequence[AnyCheck], help: Plan | Remedy | None, *, from_policy: bool
) -> Verdict:
    """The worst outcome decides, and its sentence is the headline; then the others, and what would help."""
    open_ = sorted(
        (check for check in checks if check.outcome != "pass"), key=lambda check: ORDER.index(check.outcome)
    )
    thresholds = "policy" if from_policy else "usual"
    if not checks:
        return Verdict(ORDER[1], "Nothing was checked", [], thresholds)
    if not open_:
        return Verdict("pass", _nothing_found(checks), _remarks(checks), thresholds)
    sentences = [*_own_fix(open_[0]), *(check.sentence for check in open_[1:MOST_SAID]), *_remarks(checks)]
    if help is not None and any(not check.holds(check.found) and not _own_fix(check) for check in checks):
        sentences.append(help.sentence)
    return Verdict(open_[0].outcome, _headline(open_), sentences, thresholds)


def _own_fix(check: AnyCheck) -> list[str]:
    """What a check says itself is to be done about it."""
    return [check.answer.fix] if isinstance(check, AskedCheck) and check.answer.fix else []


def _headline(found: Sequence[AnyCheck]) -> str:
    """The worst of what was found, and how much more there is."""
    worst, more = found[0], len(found) - 1
    said = worst.sentence
    if worst.outcome == "fail":
        named = isinstance(worst, AskedCheck) and worst.measure_name == "identifiers"
        said = f"Do not release{'' if named else ' as it is'}: {said}"
    return f"{said} And {more} more." if more else said


def _nothing_found(checks: Sequence[AnyCheck]) -> str:
    asked = [check for check in checks if isinstance(check, AskedCheck) and check.measure_name != "measured"]
    others = [check for check in checks if isinstance(check, Check)]
    said = [check.answer.sentence for check in asked]
    if others:
        said.append(
            "The check of the policy passes." if len(others) == 1 else f"{len(others)} thresholds hold."
        )
    return " ".join(["Nothing found.", *said])


def _remarks(checks: Sequence[AnyCheck]) -> list[str]:
    """What is said besides, though it passes: what the policy lets through, and what was not measured."""
    passed = [check for check in checks if isinstance(check, AskedCheck) and check.outcome == "pass"]
    allowed = [check.answer.hint for check in passed if check.answer.hint]
    return allowed + [check.answer.sentence for check in passed if check.measure_name == "measured"]


def numbers(
    scope: Scope,
    rates: Sequence[TargetRates],
    combinations: Combinations | None,
    checks: Sequence[AnyCheck] = (),
) -> list[Number]:
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
        _learned(checks) or _fifth(scope, rates, combinations),
    ]


def _learned(checks: Sequence[AnyCheck]) -> Number | None:
    """The share of people about whom something new is learned, for the worst sensitive attribute."""
    asked = [
        check
        for check in checks
        if isinstance(check, AskedCheck) and check.measure_name == "learned" and check.found is not None
    ]
    if not asked:
        return None
    worst = max(asked, key=lambda check: check.found or 0.0)
    concerned = worst.concerned
    value = None if worst.few else worst.found
    text = percent(worst.found or 0.0) if concerned is None else share_of(concerned, max(worst.counted, 1))
    title = f"People about whom {worst.target_name} is learned"
    return Number("learned", title, value, text, "certain or likely, and not common")


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
    """The smallest set that makes half of the records unique, or else someone; and what a part of it does."""
    for level in ("half", "someone"):
        sets = combinations.level(level)
        if sets and len(sets[0]) > 1:
            keys = sets[0]
            alone, counted = _unique(scope, keys)
            most = max(_unique(scope, [key for key in keys if key != left])[0] for left in keys)
            said = f"{records(alone, of=counted)} are unique on {enumerated(keys)}; "
            said += f"{_fewer(len(keys))} {_at_most(most, counted)}."
            return [Driver("combination", tuple(keys), RECORD, alone, said)]
    return []


def _unique(scope: Scope, keys: Sequence[str]) -> tuple[int, int]:
    """Records that are unique on some attributes, and how many are counted."""
    counts = scope.question(keys).counts
    return round(get("uniqueness").compute(counts) * counts.records), counts.records


def _at_most(most: int, counted: int) -> str:
    if most == 0:
        return "none"
    return f"{'at most ' if isinstance(hidden(most), int) else ''}{records(most, of=counted)}"


def _fewer(keys: int) -> str:
    """The sets with one attribute less; smaller ones make no more records unique."""
    return "on either of them alone" if keys == 2 else f"on any {keys - 1} of these {keys}"


def _attributes(combinations: Combinations) -> list[Driver]:
    lines = [line for line in combinations.contributions if line["average"] > 0][:3]
    return [
        Driver(
            "attribute",
            (line["attribute"],),
            RECORD,
            None,
            f"{line['attribute']} tells {percent(line['alone'])} of who is who when known alone, and adds "
            f"{on_average(line)}.",
        )
        for line in lines
    ]
