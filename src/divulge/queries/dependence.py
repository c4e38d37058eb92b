"""Columns that determine each other, and which are audited together for that.

Profit is turnover less cost, a monthly salary is a twelfth of a yearly one: sums of some columns tell what
sums of another would, and an audit of each column by itself sees nothing of it. So columns that are linear in
others (and in what an attacker knows of everyone, and a constant, which counts give) are written as sums of
parts, and queries about all of them are rows over the parts of records.

An approximate relation tells as well, and one that leaves little of one column may leave all of a smaller
one: a total is about a salary, and a bonus exactly their difference. So relations are looked for at several
levels of what they may leave, and whatever differs is an audit of its own. Each has to allow an answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from divulge._support.wording import enumerated
from divulge.queries.span import ALONE, LARGEST

LEVELS = (
    5e-2,
    1e-2,
    2e-3,
    5e-4,
    1e-4,
    1e-5,
    1e-6,
    1e-8,
)  # shares of a column's spread that a relation may leave
SHARES = (1.0, 0.9)  # of records that have to be within
EXACT = 1e-9  # shares of a spread that arithmetic may leave
SAMPLE = 2_000  # records that relations are looked for in
PATTERNS = 12  # of missing values that have relations of their own
FEWEST = 30  # records of such a pattern, and a share of all
LEAST_SHARE = 0.05
FEW_KNOWN = 20  # values of a known column, each of which may add another constant

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Whole = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Factors = list[list[Fraction]]  # of columns, by part; as many parts as columns


class Column(Protocol):
    """A summed column: its values, and which records have one."""

    @property
    def values(self) -> np.ndarray[Any, Any]: ...

    @property
    def present(self) -> Flags: ...


@dataclass(frozen=True, eq=False)
class Audit:
    """Columns whose answers are audited together: each a sum of parts, with factors by kind and part."""

    columns: tuple[str, ...]
    factors: Mapping[str, Whole]
    kinds: Whole | None = None  # of records
    parts: int = 1
    name: str = ""

    @property
    def named(self) -> str:
        """The columns, for a sentence."""
        return enumerated([f"'{name}'" for name in self.columns])

    @classmethod
    def alone(cls, name: str) -> Audit:
        return cls((name,), {name: ALONE}, name=name)


def audits_of(sums: Mapping[str, Column], known: Sequence[Numbers]) -> list[Audit]:
    """What has to be audited together; ``known`` are columns that an attacker knows, as numbers."""
    names = tuple(sums)
    found: dict[object, Audit] = {}
    if len(names) > 1:
        kinds, levels = _levels([sums[name] for name in names], known)
        for by_kind in levels:
            if any(_says_more(other, by_kind) for other in levels):
                continue  # then it refuses all that this would
            for together in _connected(by_kind):
                audit = _audit(names, together, kinds, by_kind, len(found))
                kept = (one.tobytes() for one in (*audit.factors.values(), audit.kinds) if one is not None)
                key = (audit.columns, *kept)
                found.setdefault(key, audit)
    within = {name for audit in found.values() for name in audit.columns}
    return [*found.values(), *(Audit.alone(name) for name in names if name not in within)]


def as_numbers(read: np.ndarray[Any, Any], number: bool) -> list[Numbers]:
    """A column that an attacker knows: which of few values each record has, or the number itself."""
    values, of = np.unique(read.astype(np.float64 if number else str), return_inverse=True)
    if len(values) <= FEW_KNOWN:
        return [(of == one).astype(np.float64) for one in range(1, len(values))]
    if not number:
        return []
    usable = np.isfinite(read.astype(np.float64))
    numbers = np.where(usable, read, 0.0).astype(np.float64)
    return [numbers / max(float(np.abs(numbers).max()), 1.0), usable.astype(np.float64)]


def _levels(columns: Sequence[Column], known: Sequence[Numbers]) -> tuple[Whole, list[list[Factors]]]:
    """The kind of each record, and at each level the factors of all columns by kind."""
    present = np.stack([column.present for column in columns], axis=1)
    values = np.stack([column.values.astype(np.float64) for column in columns], axis=1)
    of = np.zeros(len(present), np.int64)
    for flags in present.T:  # renumbered at each, since there may be many columns
        if not flags.all():
            of = np.unique(2 * of + flags, return_inverse=True)[1]
    _, first, number = np.unique(of, return_index=True, return_counts=True)
    patterns = present[first]
    order = np.argsort(-number, kind="stable")
    own: dict[int, _Relations] = {}
    for pattern in order[:PATTERNS].tolist():
        inside = of == pattern
        if number[pattern] < max(
            FEWEST, LEAST_SHARE * len(values)
        ):  # those who have other values too show as much
            if any((patterns[pattern] <= patterns[other]).all() for other in own):
                continue
            inside = present[:, patterns[pattern]].all(axis=1)
        own[pattern] = _Relations.among(values, patterns[pattern], np.flatnonzero(inside), known)
    of_pattern = [_nearest(patterns, pattern, own) for pattern in range(len(patterns))]
    kinds = np.array(of_pattern)[of]
    searched = list(own)
    renamed = np.searchsorted(np.sort(searched), kinds)
    in_order = [own[pattern] for pattern in sorted(searched)]
    return renamed, [[one.factors(level, share) for one in in_order] for share in SHARES for level in LEVELS]


def _says_more(other: Sequence[Factors], this: Sequence[Factors]) -> bool:
    """Whether all relations of these factors, and more, hold between others."""
    if other == this:
        return False
    for theirs, mine in zip(other, this, strict=True):
        for one, row in enumerate(mine):
            for part in range(len(row)):
                told = sum((factor * theirs[by][part] for by, factor in enumerate(row)), Fraction(0))
                if theirs[one][part] != told:
                    return False
    return True


def _nearest(patterns: Flags, pattern: int, own: Mapping[int, object]) -> int:
    """The pattern whose relations are taken for those of another: that with most of its columns."""
    if pattern in own:
        return pattern
    return max(own, key=lambda one: int((patterns[one] & patterns[pattern]).sum()))


class _Relations:
    """Relations among columns in some records."""

    def __init__(self, values: Numbers, known: Numbers, there: Sequence[int], columns: int) -> None:
        self._known, self._columns = known, columns
        self._spread = {
            one: spread
            for one, held in zip(there, values.T, strict=True)
            if (spread := _spread(held)) > EXACT * float(np.abs(held).max())
        }
        scaled = {one: held for one, held in zip(there, values.T, strict=True) if one in self._spread}
        self._values = {one: (held - np.median(held)) / self._spread[one] for one, held in scaled.items()}
        self._fits: dict[tuple[int, tuple[int, ...], float], tuple[Numbers, float]] = {}

    @classmethod
    def among(cls, values: Numbers, pattern: Flags, inside: Whole, known: Sequence[Numbers]) -> _Relations:
        there = np.flatnonzero(pattern)
        if len(inside) > SAMPLE:
            inside = np.sort(np.random.default_rng(0).choice(inside, SAMPLE, replace=False))
        regressors = np.stack([np.ones(len(inside)), *(one[inside] for one in known)], axis=1)
        regressors = regressors[:, : 1 + len(inside) // 4]
        if len(inside) < 2 * (len(there) + regressors.shape[1]) + 4:
            there = there[:0]  # so few records fit any relation
        return cls(values[np.ix_(inside, there)], regressors, there.tolist(), len(pattern))

    def factors(self, level: float, share: float) -> Factors:
        """Each column as a sum of parts, up to ``level`` of its spread in a ``share`` of records.

        Parts are columns. The next one is always that of which the others tell least.
        """
        found = [
            [Fraction(int(one == part)) for part in range(self._columns)] for one in range(self._columns)
        ]
        rest = [one for one in self._values if self._fit(one, (), share)[1] > level]
        parts: tuple[int, ...] = ()
        while rest:
            left = {one: self._fit(one, parts, share)[1] for one in rest}
            next_part = max(rest, key=left.__getitem__)
            if left[next_part] <= level:
                break
            rest.remove(next_part)
            parts = tuple(sorted((*parts, next_part)))
        for one in rest:
            by, left_over = self._fit(one, parts, share)
            row = [Fraction(0)] * self._columns
            for part, factor in zip(parts, by, strict=True):
                if abs(factor) > level:
                    unit = self._spread[one] / self._spread[part]
                    row[part] = _simplest(float(factor) * unit, max(left_over, EXACT) * unit)
            found[one] = row if any(row) else found[one]
        return _in_first_columns(found)

    def _fit(self, one: int, parts: tuple[int, ...], share: float) -> tuple[Numbers, float]:
        """Factors of parts, all in spreads, and what they leave in a share of records."""
        key = one, parts, share
        if key not in self._fits:
            matrix = np.stack([*(self._values[part] for part in parts), *self._known.T], axis=1)
            aim = self._values[one]
            by = _least_squares(matrix, aim) if share == 1.0 else _most_records(matrix, aim, share)
            left = float(np.quantile(np.abs(aim - matrix @ by), share))
            self._fits[key] = by[: len(parts)], left
        return self._fits[key]


def _spread(values: Numbers) -> float:
    """The standard deviation, or that of values without their tails where it is less."""
    if not len(values):
        return 0.0
    low, high = np.quantile(values, (0.1, 0.9))
    deviation = float(values.std())
    return min(deviation, float(high - low) / 2.56) or deviation


def _least_squares(matrix: Numbers, aim: Numbers) -> Numbers:
    return np.asarray(np.linalg.lstsq(matrix, aim, rcond=None)[0])


def _most_records(matrix: Numbers, aim: Numbers, share: float) -> Numbers:
    """Factors that fit most records, whatever the others are: those of least absolute deviations."""
    by = _least_squares(matrix, aim)
    for _ in range(12):
        left = np.abs(aim - matrix @ by)
        if float(left.max(initial=0.0)) <= EXACT:
            return by
        weight = 1 / np.sqrt(np.maximum(left, EXACT))
        by = _least_squares(matrix * weight[:, None], aim * weight)
    for _ in range(2):
        left = np.abs(aim - matrix @ by)
        kept = left <= np.quantile(left, share)
        by = _least_squares(matrix[kept], aim[kept])
    return by


def _simplest(value: float, within: float) -> Fraction:
    """A fraction with a small denominator near a number."""
    exact, most = Fraction(value), 1
    while abs((found := exact.limit_denominator(most)) - exact) > within:
        most *= 2
    return found


def _in_first_columns(factors: Factors) -> Factors:
    """The same relations with the first columns as parts, so that they are written in one way."""
    columns = len(factors)
    relations = []
    for one, row in enumerate(factors):
        relation = [-factor for factor in row]
        relation[one] += 1
        if any(relation):
            relations.append(relation)
    solved: dict[int, list[Fraction]] = {}
    for relation in relations:
        for last, other in solved.items():
            relation = [mine - relation[last] * theirs for mine, theirs in zip(relation, other, strict=True)]
        last = max(one for one in range(columns) if relation[one])
        relation = [factor / relation[last] for factor in relation]
        for one, other in solved.items():
            solved[one] = [mine - other[last] * new for mine, new in zip(other, relation, strict=True)]
        solved[last] = relation
    found = [[Fraction(int(one == part)) for part in range(columns)] for one in range(columns)]
    for one, relation in solved.items():
        found[one] = [Fraction(0) if part == one else -factor for part, factor in enumerate(relation)]
    return found


def _connected(by_kind: Sequence[Factors]) -> list[list[int]]:
    """Columns that have parts in common, where those are several."""
    group = list(range(len(by_kind[0])))
    for factors in by_kind:
        for one, row in enumerate(factors):
            for part in (part for part, factor in enumerate(row) if factor):
                old, new = group[one], group[part]
                group = [new if mine == old else mine for mine in group]
    together = [[one for one, mine in enumerate(group) if mine == which] for which in dict.fromkeys(group)]
    return [columns for columns in together if len(columns) > 1]


def _audit(
    names: Sequence[str], together: Sequence[int], kinds: Whole, by_kind: Sequence[Factors], number: int
) -> Audit:
    """The audit of some columns: their factors as whole numbers, for records of as few kinds as there are."""
    parts = [part for part in together if any(rows[one][part] for rows in by_kind for one in together)]
    whole = {one: _whole([[rows[one][part] for part in parts] for rows in by_kind]) for one in together}
    of_kind = np.stack(
        [np.concatenate([whole[one][kind] for one in together]) for kind in range(len(by_kind))]
    )
    _, first, same = np.unique(of_kind, axis=0, return_index=True, return_inverse=True)
    factors = {names[one]: whole[one][first] for one in together}
    columns = tuple(names[one] for one in together)
    merged = same.reshape(-1)[kinds] if len(first) > 1 else None
    return Audit(columns, factors, merged, len(parts), f"{', '.join(columns)} ({number})")


def _whole(rows: list[list[Fraction]]) -> Whole:
    """Factors as whole numbers: a sum and a multiple of it tell the same."""
    flat = [factor for row in rows for factor in row]
    scale = math.lcm(*(factor.denominator for factor in flat))
    whole = [int(factor * scale) for factor in flat]
    common = math.gcd(*whole)
    sign = -1 if next(one for one in whole if one) < 0 else 1
    whole = [sign * one // common for one in whole]
    largest = max(map(abs, whole))
    if largest > LARGEST:
        whole = [round(Fraction(one * LARGEST, largest)) for one in whole]
    return np.array(whole, np.int64).reshape(len(rows), -1)
