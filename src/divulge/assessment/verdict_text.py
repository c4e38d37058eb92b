"""The audit in words: a verdict, and what drives the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from divulge._support.small_counts import hidden, leaves_few
from divulge._support.wording import capitalized, enumerated, percent, records, records_among, some
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import Outcome
from divulge.assessment.drivers.combinations import Combinations, on_average
from divulge.assessment.drivers.distributions import SizeBin
from divulge.assessment.findings import Warning
from divulge.assessment.remedies.plans import Plan
from divulge.assessment.remedies.trial import Remedy
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.report.audit.headline import ORDER, headline

SMALL_CLASS = 5
MOST_SAID = 3  # checks that are said at the top; all are among the checks


@dataclass(frozen=True)
class Verdict:
    """What follows from the checks, in words."""

    outcome: Outcome
    headline: str
    sentences: list[str]
    thresholds: str


@dataclass(frozen=True)
class Driver:
    """Something that makes the risk what it is."""

    kind: str
    keys: tuple[str, ...]
    target: str
    records: int | None = field(repr=False)
    sentence: str


def verdict(
    scope: Scope, checks: Sequence[AnyCheck], help: Plan | Remedy | None, *, from_policy: bool
) -> Verdict:
    """The worst outcome decides, in one line; then the sentences of checks, and what would help."""
    open_ = sorted(
        (check for check in checks if check.outcome != "pass"), key=lambda check: ORDER.index(check.outcome)
    )
    thresholds = "policy" if from_policy else "usual"
    line = headline([check.to_dict() for check in checks], from_policy=from_policy)
    if not checks:
        return Verdict("not evaluated", line, [], thresholds)
    if not open_:
        return Verdict("pass", line, [*_nothing_found(checks), *_remarks(checks)], thresholds)
    worst, *others = open_[:MOST_SAID]
    sentences = [worst.sentence, *_own_fix(worst), *(check.sentence for check in others), *_remarks(checks)]
    if help is not None and any(not check.holds(check.found) and not _own_fix(check) for check in checks):
        sentences.append(help.sentence)
    return Verdict(worst.outcome, line, sentences, thresholds)


def _own_fix(check: AnyCheck) -> list[str]:
    """What a check says itself is to be done about it."""
    return [check.answer.fix] if isinstance(check, TableCheck) and check.answer.fix else []


def _nothing_found(checks: Sequence[AnyCheck]) -> list[str]:
    """What each question that passes says, without what is said besides."""
    asked = [check for check in checks if isinstance(check, TableCheck) and check.measure_name != "measured"]
    return [check.answer.sentence for check in asked]


def _remarks(checks: Sequence[AnyCheck]) -> list[str]:
    """What is said besides: what the policy lets through, and what was not measured."""
    asked = [check for check in checks if isinstance(check, TableCheck)]
    allowed = [check.answer.hint for check in asked if check.outcome == "pass"]
    return [said for said in (*allowed, *(check.answer.note for check in asked)) if said]


def drivers(
    scope: Scope,
    combinations: Combinations | None,
    warnings: Sequence[Warning],
    sizes: Sequence[SizeBin],
    lone: Sequence[tuple[str, int]],
    said: Sequence[int] = (),
) -> list[Driver]:
    """What makes the risk what it is: combinations, attributes, proxies, lone values, small classes.

    Counts of people in small classes that are already ``said`` and one of these may not leave a few.
    """
    found = []
    if combinations is not None:
        found += [one for one in _combination(scope, combinations) if not leaves_few(one.records or 0, said)]
        found += _attributes(combinations)
    found += [
        Driver("proxy", one.attributes[:1], one.attributes[1], None, _with_role(scope, one))
        for one in warnings
        if one.kind == "proxy"
    ]
    found += [
        Driver(
            "value",
            (name,),
            RECORD,
            many_lone,
            f"{name} has {some(many_lone, 'value')} that occur on one record only.",
        )
        for name, many_lone in lone
        if name in scope.keys
    ]
    below = sum(one.records for one in sizes if one.high is not None and one.high < SMALL_CLASS)
    if below and not leaves_few(below, said):
        share = records_among(below, scope.question(scope.keys).records, scope.data.records)
        sentence = f"{capitalized(share)} are in groups smaller than {SMALL_CLASS}."
        found.append(Driver("class", scope.keys, RECORD, below, sentence))
    return found


def _with_role(scope: Scope, proxy: Warning) -> str:
    """What a proxy gives away, and whether anyone is taken to know it."""
    known = proxy.attributes[0] in scope.keys
    return proxy.sentence if known else f"{proxy.sentence} It is not a quasi-identifier."


def _combination(scope: Scope, combinations: Combinations) -> list[Driver]:
    """The smallest set that makes half of the records unique, or else someone; and what a part of it does."""
    if (found := combinations.smallest) is None:
        return []
    few = records_among(found.records, found.counted, scope.data.records)
    said = f"{capitalized(few)} are unique on {enumerated(found.keys)}; "
    said += f"{_fewer(len(found.keys))} {_at_most(found.most, found.counted)}."
    return [Driver("combination", found.keys, RECORD, found.records, said)]


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
            f"{line['attribute']} alone gives {percent(line['alone'])} of the information needed to identify "
            f"someone, and adds {on_average(line)}.",
        )
        for line in lines
    ]
