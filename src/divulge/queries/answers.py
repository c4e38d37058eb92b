"""Answers of each kind: exact, an interval, changed by a key, or with noise under differential privacy."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from divulge.errors import SchemaError
from divulge.mechanisms.synthesis.private_noise import noisy_counts, require_opendp
from divulge.queries.decision import QueryAnswer
from divulge.queries.policy import ColumnRule, QueryPolicy
from divulge.queries.query import Query
from divulge.queries.table import Flags, GuardedTable, SummedColumn
from divulge.tabulation.perturbation.cell_key import change_distribution

_DP = "differential privacy"
_FAR = 40  # scales of noise, beyond which it is once in 10^17


class NoValue(Exception):
    """A query has no answer: a mean or a sum of nothing."""


class Answers(Protocol):
    """Gives an answer for a query over the records that meet its conditions."""

    def answer(self, query: Query, members: Flags) -> QueryAnswer: ...


def answers_of(policy: QueryPolicy, table: GuardedTable, secret: bytes) -> Answers:
    """The kind of answers that a policy asks for."""
    match policy.answers.kind:
        case "exact":
            return Exact(table)
        case "camouflage":
            return Camouflage(policy, table)
        case "cell key":
            return CellKey(policy, table, secret)
    return Private(policy, table)


class Exact:
    """The number itself."""

    def __init__(self, table: GuardedTable) -> None:
        self._table = table

    def answer(self, query: Query, members: Flags) -> QueryAnswer:
        value = _exact(self._table, query, members)
        return QueryAnswer("exact", value, value)


def _exact(table: GuardedTable, query: Query, members: Flags) -> Fraction:
    """A count, a sum or a mean of the records that have a value."""
    if query.column is None:
        return Fraction(int(np.count_nonzero(members)))
    column = table.sums[query.column]
    number = int(np.count_nonzero(members & column.present))
    if number == 0:
        raise NoValue
    total = column.total(members)
    return total if query.aggregate == "sum" else total / number


class Camouflage:
    """Intervals: sums of the ends of the interval that each value lies in.

    The bounds of a column are cut into intervals of one width, the last up to twice as wide. Answers are made
    of which interval each value is in, and of nothing else: however many are asked for, nobody's value is
    known closer than to its interval.
    """

    def __init__(self, policy: QueryPolicy, table: GuardedTable) -> None:
        self._table = table
        self._rules = {name: policy.columns[name] for name in policy.summed}
        self._cells = {name: cells(table.sums[name], rule) for name, rule in self._rules.items()}

    def answer(self, query: Query, members: Flags) -> QueryAnswer:
        if query.column is None:
            value = Fraction(int(np.count_nonzero(members)))
            return QueryAnswer("camouflage", value, value)
        chosen = self._cells[query.column][members & self._table.sums[query.column].present]
        if len(chosen) == 0:
            raise NoValue
        start, width, number, last = grid(self._rules[query.column])
        low = len(chosen) * start + int(chosen.sum()) * width
        in_last = int(np.count_nonzero(chosen == number - 1))
        high = low + (len(chosen) - in_last) * width + in_last * last
        each = 1 if query.aggregate == "sum" else len(chosen)
        return QueryAnswer("camouflage", low / each, high / each)


def grid(rule: ColumnRule) -> tuple[Fraction, Fraction, int, Fraction]:
    """Where a column's intervals begin, their width, how many there are, and the width of the last."""
    assert rule.bounds is not None
    assert rule.camouflage is not None
    low, high, width = Fraction(rule.bounds[0]), Fraction(rule.bounds[1]), Fraction(rule.camouflage)
    number = int((high - low) // width)
    return low, width, number, high - low - (number - 1) * width


def cells(column: SummedColumn, rule: ColumnRule) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The interval that each value lies in, from 0."""
    low, width, number, _ = grid(rule)
    if column.unit is None:
        found = np.floor((column.values - float(low)) / float(width))
        found -= float(low) + found * float(width) > column.values  # rounded up across an end
        return np.clip(found, 0, number - 1).astype(np.int64)
    scale = math.lcm(column.unit.denominator, low.denominator, width.denominator)
    values = column.values.astype(object) * int(column.unit * scale) - int(low * scale)
    found = values // int(width * scale)
    return np.clip(found.astype(np.int64), 0, number - 1)


class CellKey:
    """Counts and sums changed by an amount that the query set decides, so that asking again gives the same.

    Every record has a number by lot. Those of a query set add up to its key, which picks a change from a
    distribution with mean 0. A sum changes by as many widths of its bounds as a count by ones, and by up to
    half a width more or less: whole widths alone would leave the rest of a difference as it is.
    """

    def __init__(self, policy: QueryPolicy, table: GuardedTable, secret: bytes) -> None:
        self._policy, self._table, self._secret = policy, table, secret
        said = hashlib.blake2b(table.fingerprint.encode(), key=secret[:64]).digest()
        lots = np.random.default_rng(int.from_bytes(said)).integers(0, 2**64, table.records, np.uint64)
        self._lots = lots
        rule = policy.answers
        self._chances = [
            np.cumsum(change_distribution(count, rule.largest, rule.variance))
            for count in range(rule.largest + 1)
        ]

    def answer(self, query: Query, members: Flags) -> QueryAnswer:
        largest = self._policy.answers.largest
        if query.column is None:
            number = int(np.count_nonzero(members))
            value = Fraction(number + self._change(members, number, ""))
            return QueryAnswer("cell key", value, value, f"changed by at most {largest}")
        members = members & self._table.sums[query.column].present
        number = int(np.count_nonzero(members))
        if number == 0:
            raise NoValue
        bounds = self._policy.columns[query.column].bounds
        assert bounds is not None
        width = Fraction(bounds[1] - bounds[0])
        change = self._change(members, max(number, largest), query.column)
        part = Fraction(self._lot(members, f"{query.column} part"), 2**64) - Fraction(1, 2)
        moved = self._table.sums[query.column].total(members) + (change + part) * width
        unit = self._table.sums[query.column].unit or width / 10**9
        total = round(moved / unit) * unit
        said = f"changed by at most {float((largest + Fraction(1, 2)) * width):,.12g}"
        if query.aggregate == "mean":
            number += self._change(members, number, "")
            if number <= 0:
                raise NoValue
            return QueryAnswer(
                "cell key", total / number, total / number, f"the sum {said}, the count by {largest}"
            )
        return QueryAnswer("cell key", total, total, said)

    def _change(self, members: Flags, number: int, column: str) -> int:
        chances = self._chances[min(number, self._policy.answers.largest)]
        lot = self._lot(members, column) / 2**64 * chances[-1]
        return int(np.searchsorted(chances, lot, side="right")) - self._policy.answers.largest

    def _lot(self, members: Flags, what: str) -> int:
        """A number below 2^64 that the query set and what is asked of it decide."""
        key = int(self._lots[members].sum(dtype=np.uint64)).to_bytes(8)
        said = hashlib.blake2b(key + what.encode(), key=self._secret[:64], digest_size=8).digest()
        return int.from_bytes(said)


class Private:
    """Counts and sums with discrete Laplace noise from OpenDP, of values cut to their bounds."""

    def __init__(self, policy: QueryPolicy, table: GuardedTable) -> None:
        require_opendp()
        self._policy = policy
        self._each = policy.table.records_per_person if table.persons is not None else 1
        self._kept = _first_records(table, self._each)
        self._present = {name: column.present for name, column in table.sums.items()}
        self._grains = {name: _in_grains(column, policy.columns[name]) for name, column in table.sums.items()}
        for name, values in self._grains.items():
            rule = policy.columns[name]
            assert rule.bounds is not None
            largest = max(abs(end / rule.grain) for end in rule.bounds)
            noise = 2 * _FAR * largest * self._each / policy.answers.epsilon  # a mean has half of epsilon
            if largest * len(values) + noise >= 2**62:
                raise SchemaError(
                    f"Sums of '{name}' could be too large to be exact in grains of {rule.grain}.",
                    hint="Write a larger grain, narrower bounds, or a larger epsilon.",
                )

    def answer(self, query: Query, members: Flags) -> QueryAnswer:
        epsilon, members = float(self._policy.answers.epsilon), members & self._kept
        if query.column is None:
            count, within = self._noisy(int(np.count_nonzero(members)), self._each, epsilon)
            return QueryAnswer(_DP, Fraction(count), Fraction(count), _said(within))
        rule = self._policy.columns[query.column]
        assert rule.bounds is not None
        members = members & self._present[query.column]
        grain = Fraction(rule.grain)
        reach = max(math.ceil(abs(Fraction(end)) / grain) for end in rule.bounds) * self._each
        share = epsilon if query.aggregate == "sum" else epsilon / 2
        total, within = self._noisy(int(self._grains[query.column][members].sum()), reach, share)
        if query.aggregate == "sum":
            value = total * grain
            return QueryAnswer(_DP, value, value, _said(within * grain))
        count, around = self._noisy(int(np.count_nonzero(members)), self._each, share)
        low, high = map(Fraction, rule.bounds)
        mean = min(max(total * grain / max(count, 1), low), high)
        parts = f"the sum {_said(within * grain)}, the count {_said(around)}"
        return QueryAnswer(_DP, mean, mean, parts)

    def _noisy(self, exact: int, reach: int, epsilon: float) -> tuple[int, Fraction]:
        """A number with noise, which one person changes by at most ``reach``; 95 % of noise is within."""
        (found,), _ = noisy_counts([exact], epsilon / reach)
        return found, Fraction(math.ceil(reach / epsilon * math.log(20)))


def _said(within: Fraction) -> str:
    return f"within {float(within):,.12g} of the truth in 95 % of cases"


def _first_records(table: GuardedTable, most: int) -> Flags:
    """Which records are among the first so many of their person."""
    if table.persons is None:
        return np.ones(table.records, np.bool_)
    order = np.argsort(table.persons, kind="stable")
    sorted_persons = table.persons[order]
    starts = np.searchsorted(sorted_persons, sorted_persons)
    kept = np.zeros(table.records, np.bool_)
    kept[order] = np.arange(table.records) - starts < most
    return kept


def _in_grains(column: SummedColumn, rule: ColumnRule) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Values cut to their bounds, in whole grains; what is no number is the lower bound."""
    assert rule.bounds is not None
    low, high, grain = (float(one) for one in (*rule.bounds, rule.grain))
    values = column.values * float(column.unit or 1)
    cut = np.clip(np.where(np.isnan(values), low, values), low, high)
    return np.rint(cut / grain).astype(np.int64)
