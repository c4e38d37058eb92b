"""Controls: what is refused before anything is answered, each with a sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from divulge.queries.decision import Control
from divulge.queries.margins import NoSolution, bounded, free
from divulge.queries.policy import Differencing, QueryPolicy
from divulge.queries.span import ALONE, NotCertified, QuerySpan, Whole
from divulge.queries.table import Flags

Bits = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class QueryRefusal:
    """What refuses a query, and why; ``from_data`` where confidential values had a part in it."""

    control: Control
    reason: str
    hint: str
    from_data: bool = False


@dataclass(frozen=True, eq=False)
class Family:
    """The queries that add up the same column, or columns that determine each other."""

    span: QuerySpan
    totals: tuple[Fraction, ...] = ()  # answers to the span's rows, of values scaled to between 0 and 1


def refused_size(policy: QueryPolicy, inside: int, people: int) -> QueryRefusal | None:
    """Refuse query sets of too few or too many people; for sums, of those who have a value."""
    least = policy.controls.set_size
    if least is None:
        return None
    limits = f"A query set has at least {least} people and at most {max(people - least, 0):,} of {people:,}."
    if inside < least:
        return QueryRefusal("set size", "Too few people meet the conditions.", limits)
    if inside > people - least:
        return QueryRefusal("set size", "Too many people meet the conditions.", limits)
    return None


def refused_overlap(policy: QueryPolicy, packed: Bits, earlier: Sequence[Bits]) -> QueryRefusal | None:
    """Refuse a query set that has too many records in common with one that was answered."""
    most = policy.controls.overlap
    if most is None:
        return None
    for other in earlier:
        if int(np.bitwise_count(packed & other).sum()) > most:
            return QueryRefusal(
                "overlap",
                f"The query set has more than {most:,} records in common with one that was answered.",
                "Ask about other people.",
            )
    return None


def audited(
    rule: Differencing, family: Family, members: Flags, total: Fraction, factors: Whole = ALONE
) -> Family | QueryRefusal:
    """The family of a query with the query in it, or why it is refused.

    ``members`` meet the conditions and have a value; ``total`` is the sum of their values, scaled;
    ``factors`` are those of the column.
    """
    grown = with_query(family, members, total, factors)
    if grown is None:
        return _differencing(
            "it could not be shown that nobody's value follows from this and earlier answers"
        )
    if grown.span.determined:
        return _differencing("with earlier answers it would determine somebody's value")
    if len(grown.span.rows) == len(family.span.rows):
        return grown  # it follows from earlier answers
    return _too_close(rule, grown) or grown


def with_query(family: Family, members: Flags, total: Fraction, factors: Whole = ALONE) -> Family | None:
    """The family with one more query; None where it could not be audited."""
    try:
        span = family.span.add(members, factors)
    except NotCertified:
        return None
    totals = family.totals if len(span.rows) == len(family.span.rows) else (*family.totals, total)
    return replace(family, span=span, totals=totals)


def _too_close(rule: Differencing, family: Family) -> QueryRefusal | None:
    """Refuse what would bound somebody's value within the margin."""
    if not rule.margin:
        return None
    by_answers = rule.decided_from == "answers"
    try:
        if by_answers:
            close = bounded(family.span, [float(one) for one in family.totals], float(rule.margin))
        else:
            close = not free(family.span, float(rule.margin))
    except NoSolution:
        return replace(_margin("it could not be worked out how closely"), from_data=by_answers)
    return replace(_margin("too closely"), from_data=by_answers) if close else None


def _differencing(why: str) -> QueryRefusal:
    return QueryRefusal(
        "differencing", f"This is not answered: {why}.", "Ask about a larger or another group."
    )


def _margin(how: str) -> QueryRefusal:
    reason = f"This is not answered: with earlier answers it would bound somebody's value {how}."
    return QueryRefusal("margin", reason, "Ask about a larger or another group.")
