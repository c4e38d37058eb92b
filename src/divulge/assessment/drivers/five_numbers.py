"""The five numbers that matter most: who is unique, in what company, at what risk, and what is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge._support.small_counts import SMALL, hidden, hidden_part
from divulge._support.wording import number, percent, quantity, records, share_of
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.singled_out import is_estimated
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.drivers.class_company import average_risk, copies_counted_once, smallest_class, unique
from divulge.assessment.drivers.combinations import Combinations
from divulge.assessment.drivers.nested_counts import said_by_checks, unique_at_most
from divulge.assessment.population.beyond_table import beyond_table
from divulge.assessment.scope import Scope


@dataclass(frozen=True)
class Number:
    """One of the numbers that matter most."""

    name: str
    title: str
    value: float | None
    text: str
    meaning: str


def numbers(scope: Scope, combinations: Combinations | None, checks: Sequence[AnyCheck] = ()) -> list[Number]:
    """The five numbers; the first three count people as the checks do."""
    k, rate = smallest_class(scope), scope.reading("discrimination_rate", scope.question(scope.keys))
    also = ", copies included" if copies_counted_once(scope) else ""
    return [
        _unique(scope, checks),
        Number("k_anonymity", "Smallest group", k, quantity(k, "records"), "k-anonymity"),
        _risk(scope, checks),
        Number(
            "discrimination_rate",
            "Identifying information in all quasi-identifiers",
            rate.value,
            "undefined" if rate.value is None else percent(rate.value),
            f"discrimination rate for re-identification{also}",
        ),
        _learned(checks) or _fifth(scope, combinations),
    ]


def _unique(scope: Scope, checks: Sequence[AnyCheck]) -> Number:
    alone, counted = unique(scope)
    most = unique_at_most(scope, said_by_checks(scope, checks))
    if most is not None:
        text = f"at most {share_of(most, counted)}"
        return Number(
            "uniqueness", "Unique records", None, text, "no other record has the same quasi-identifiers"
        )
    few = counted <= SMALL and isinstance(hidden(alone), str)
    text = records(alone) if few else share_of(alone, counted)
    value = alone / counted if isinstance(hidden_part(alone, of=counted), int) else None
    return Number(
        "uniqueness", "Unique records", value, text, "no other record has the same quasi-identifiers"
    )


def _risk(scope: Scope, checks: Sequence[AnyCheck]) -> Number:
    """The average risk, and that it leaves aside what names people; of a sample between what it lies."""
    named = any(
        check.outcome != "pass" or check.answer.hint
        for check in checks
        if isinstance(check, TableCheck) and check.measure_name == "identifiers"
    )
    title = "Average re-identification risk" + (", by quasi-identifiers only" if named else "")
    outside = ", people outside the table taken into account" if scope.sample.partial else ""
    value = average_risk(scope)
    meaning = f"chance that a guess within the group is right{outside}"
    if not is_estimated(scope):
        return Number("reidentification_risk", title, value, percent(value), meaning)
    title, text = f"Estimated {title[0].lower()}{title[1:]}", percent(value)
    found = beyond_table(scope).found
    if found is not None and (ends := found.expected) is not None:
        low, high = (end / found.counts.records for end in (ends.low, ends.high))
        meaning += f"; {text} by the one model that changes are compared by"
        text = " to ".join(dict.fromkeys([percent(low), percent(high)]))
    return Number("reidentification_risk", title, value, text, meaning)


def _learned(checks: Sequence[AnyCheck]) -> Number | None:
    """The share of people about whom something new is learned, for the worst sensitive attribute."""
    asked = [
        check
        for check in checks
        if isinstance(check, TableCheck) and check.measure_name == "learned" and check.found is not None
    ]
    if not asked:
        return None
    worst = max(asked, key=lambda check: check.found or 0.0)
    concerned = worst.concerned
    value = None if worst.few or worst.nearly_all else worst.found
    text = percent(worst.found or 0.0) if concerned is None else share_of(concerned, max(worst.counted, 1))
    title = f"People about whom {worst.target_name} is learned"
    meaning = "certain or likely, not common; groups smaller than 3 not counted"
    return Number("learned", title, value, text, meaning)


def _fifth(scope: Scope, combinations: Combinations | None) -> Number:
    """What is told about the worst sensitive attribute, or how few attributes single someone out."""
    told = []
    for target in scope.sensitive:
        reading = scope.reading("discrimination_rate", scope.question(scope.keys, target))
        if reading.value is not None:
            # Where hardly anyone shares key values, what is beyond chance says nothing.
            beyond = None if reading.at_chance.unsure else reading.adjusted
            told.append((reading.value if beyond is None else beyond, target, beyond is not None))
    if told:
        value, target, adjusted = max(told)
        meaning = "discrimination rate of all quasi-identifiers, " + (
            "0 is chance" if adjusted else "chance included"
        )
        title = f"{target} predictable{' beyond chance' if adjusted else ', chance included'}"
        return Number("inference", title, value, percent(max(value, 0.0)), meaning)
    sets = combinations.level("someone") if combinations else []
    few = len(sets[0]) if sets else None
    title = "Fewest attributes that single someone out"
    return Number("identifying", title, few, "none" if few is None else number(few), "the smallest such set")
