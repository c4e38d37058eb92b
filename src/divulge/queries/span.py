"""The exact audit of differencing: what linear combinations of answers say about one person.

An answered sum is an equation over the records of its query set. Records that are in the same query sets are
a group, and combinations of answers are combinations of group totals. Somebody is determined when some
combination is zero on everything but groups that are theirs alone (Chin and Özsoyoğlu, 1982). Memberships
alone decide this, never values, so a refusal tells an attacker nothing that they could not work out.

Columns that determine each other are audited together: each is a sum of some parts with known factors
(profit is turnover less cost), and the unknowns are the parts of every record. A row is then a query set
times the factors of its column.

The arithmetic is modulo a prime. With r independent rows over the rationals that are independent modulo the
prime too, whatever is not in the span modulo the prime is not in it over the rationals: "nobody is
determined" is exact. A row that depends on others modulo the prime is taken as such only if it does modulo a
power of it that is large enough to show it; otherwise the query is refused. "Somebody is determined" could be
wrong only if the prime divided every other entry of a row, and then a query too many is refused.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

PRIME = 2**31 - 1
CHUNK = 512  # groups looked at together

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Whole = np.ndarray[Any, np.dtype[np.int64]]
Bits = np.ndarray[Any, np.dtype[np.uint8]]
LARGEST = 2**20  # factor of a part; with it, sums over fewer than 4,096 rows fit a machine number
MOST_ROWS = 2**12
ALONE: Whole = np.ones((1, 1), np.int64)  # factors of a column that no other depends on


class NotCertified(Exception):
    """A query set follows from others modulo the prime, and could not be shown to otherwise."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Records that are in the same query sets, numbered from 0."""

    of: Whole  # the group of each record
    size: Whole  # records in each group
    first: Whole  # a record of each group

    @classmethod
    def whole(cls, records: int) -> Groups:
        return cls(np.zeros(records, np.int64), np.array([records]), np.zeros(1, np.int64))

    @classmethod
    def by_kind(cls, kinds: Whole) -> Groups:
        """Records of a kind each, before anything was asked."""
        _, first, of, size = np.unique(kinds, return_index=True, return_inverse=True, return_counts=True)
        return cls(of, size, first)

    def split(self, members: Flags) -> Groups:
        """The groups after one more query set: those that it cuts are two."""
        inside = np.flatnonzero(members)
        mine = self.of[inside]
        number = np.bincount(mine, minlength=len(self.size))
        cut = np.flatnonzero((number > 0) & (number < self.size))
        if len(cut) == 0:
            return self
        renamed = np.arange(len(self.size))
        renamed[cut] = len(self.size) + np.arange(len(cut))
        of = self.of.copy()
        of[inside] = renamed[mine]
        size = np.concatenate([self.size, number[cut]])
        size[cut] -= number[cut]
        first = np.concatenate([self.first, np.zeros(len(cut), np.int64)])
        first[of[::-1]] = np.arange(len(of))[::-1]
        return Groups(of, size, first)

    def owners(self, persons: Whole | None) -> Whole:
        """Whom all records of a group are about; -1 for a group of several people."""
        if persons is None:
            return np.where(self.size == 1, self.first, -1)
        least, most = np.full(len(self.size), len(persons)), np.full(len(self.size), -1)
        np.minimum.at(least, self.of, persons)
        np.maximum.at(most, self.of, persons)
        return np.where(least == most, least, -1)


@dataclass(frozen=True, eq=False)
class QuerySpan:
    """What answered query sets span; adding one makes another span.

    An unknown is a part of a record, by its number: that of the record times how many parts it has, and
    that of the part.
    """

    records: int = field(repr=False)
    persons: Whole | None  # whom each record is about; None: each about another person
    groups: Groups
    kinds: Whole | None = None  # of records: by kind, columns are other sums of parts
    parts: int = 1  # of a record
    rows: tuple[Bits, ...] = ()  # independent query sets, packed
    factors: tuple[Whole, ...] = ()  # of their columns, by kind and part
    pivots: tuple[int, ...] = ()  # as many unknowns, whose columns are independent
    inverse: Whole | None = None  # of the rows at these unknowns, modulo the prime
    others: tuple[int, ...] = ()  # an unknown for each pivot that shows it is not determined, or -1
    seen: frozenset[bytes] = frozenset()
    determined: bool = False  # whether some combination is about one person alone

    @classmethod
    def empty(
        cls, records: int, persons: Whole | None = None, kinds: Whole | None = None, parts: int = 1
    ) -> QuerySpan:
        return cls(
            records, persons, Groups.whole(records) if kinds is None else Groups.by_kind(kinds), kinds, parts
        )

    def add(self, members: Flags, factors: Whole = ALONE) -> QuerySpan:
        """The span with one more query set, of a column with these factors by kind and part.

        >>> span = QuerySpan.empty(4).add(np.array([True, True, True, False]))
        >>> span.determined, span.add(np.array([True, True, False, False])).determined
        (False, True)
        """
        packed = np.packbits(members)
        digest = _digest(packed, factors)
        if digest in self.seen or not members.any():
            return self
        if len(self.rows) == MOST_ROWS and not self._plain:
            raise NotCertified
        seen = self.seen | {digest}
        groups = self.groups.split(members)
        inverse = np.zeros((0, 0), np.int64) if self.inverse is None else self.inverse
        at_pivots = self._of_row(members, factors, np.array(self.pivots, np.int64))
        combined = at_pivots @ inverse % PRIME  # of earlier rows, the same as this one at the pivots
        pivot = self._pivot(groups, members, factors, combined)
        if pivot is None:
            self._certify(groups, members, factors)
            return replace(self, seen=seen)
        place = np.array([pivot])
        column = self._values(place)[:, 0]
        left = int((self._of_row(members, factors, place)[0] - combined @ column % PRIME) % PRIME)
        grown = _bordered(inverse, combined, inverse @ column % PRIME, pow(left, -1, PRIME))
        rows, pivots, others = (*self.rows, packed), (*self.pivots, pivot), (*self.others, -1)
        span = replace(self, groups=groups, rows=rows, factors=(*self.factors, factors), pivots=pivots)
        span = replace(span, inverse=grown, others=others, seen=seen)
        determined, others = span._determines()
        return replace(span, determined=self.determined or determined, others=others)

    def matrix(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The independent query sets by groups: 1 where a group is in a set."""
        return self._bits(self.groups.first)

    def _bits(self, records: Whole) -> Bits:
        """The rows at some records."""
        byte, shift = records >> 3, (7 - (records & 7)).astype(np.uint8)
        found = np.empty((len(self.rows), len(records)), np.uint8)
        for place, row in enumerate(self.rows):
            found[place] = (row[byte] >> shift) & 1
        return found

    @property
    def _plain(self) -> bool:
        """Whether rows are query sets alone: zeros and ones."""
        return self.parts == 1 and self.kinds is None

    def _of_row(self, members: Flags, factors: Whole, places: Whole) -> Whole:
        """A row at some unknowns."""
        records, part = np.divmod(places, self.parts)
        kind = 0 if self.kinds is None else self.kinds[records]
        return members[records] * factors[kind, part]

    def _values(self, places: Whole) -> Whole:
        """The rows at some unknowns."""
        records, part = np.divmod(places, self.parts)
        bits = self._bits(records).astype(np.int64)
        if self._plain:
            return bits
        kind = 0 if self.kinds is None else self.kinds[records]
        for row, factors in zip(bits, self.factors, strict=True):
            row *= factors[kind, part]
        return bits

    def _combined(self, by: Whole, records: Whole) -> Whole:
        """Rows combined by some factors modulo the prime, at all parts of records, one after the other."""
        bits = self._bits(records)
        if self._plain:
            return _products(by, bits)
        found = np.zeros((len(by), len(records), self.parts), np.int64)
        kinds = np.zeros(len(records), np.int64) if self.kinds is None else self.kinds[records]
        every = np.array(self.factors)
        for kind in np.unique(kinds).tolist() if self.rows else ():
            of_kind = np.flatnonzero(kinds == kind)
            for part in np.flatnonzero(every[:, kind].any(axis=0)).tolist():
                rows = np.flatnonzero(every[:, kind, part])
                times = by[:, rows] * every[rows, kind, part] % PRIME
                found[:, of_kind, part] = _products(times, bits[np.ix_(rows, of_kind)])
        return found.reshape(len(by), len(records) * self.parts)

    def _unknowns(self, records: Whole) -> Whole:
        """All parts of records, one after the other."""
        return (records[:, None] * self.parts + np.arange(self.parts)).reshape(-1)

    def _pivot(self, groups: Groups, members: Flags, factors: Whole, combined: Whole) -> int | None:
        """An unknown at which the new row is not what earlier ones combine to, of a group as large as any."""
        for chunk in _by_size(groups):
            records = groups.first[chunk]
            places = self._unknowns(records)
            value = self._combined(combined[None, :], records)[0]
            other = np.flatnonzero(value != self._of_row(members, factors, places) % PRIME)
            if len(other):
                return int(places[other[0]])
        return None

    def _certify(self, groups: Groups, members: Flags, factors: Whole) -> None:
        """Show that a row is a combination of others over the rationals too.

        It is one if every determinant of the rows at the pivots and at one more unknown is 0. These
        determinants are within Hadamard's bound, so it is enough that they are 0 modulo a higher power of
        the prime. The factors modulo that power are found digit by digit (Dixon, 1982).
        """
        assert self.inverse is not None
        pivots = np.array(self.pivots)
        at_pivots = self._values(pivots)
        largest = max(int(np.abs(one).max()) for one in (*self.factors, factors))
        left, digits = self._of_row(members, factors, pivots), []
        number = _digits(len(self.rows) + 1, None if self._plain else largest)
        for _ in range(number):
            digits.append(_product(left % PRIME, self.inverse))
            left = (left - digits[-1] @ at_pivots) // PRIME
        for chunk in _by_size(groups):
            places = self._unknowns(groups.first[chunk])
            values = self._values(places)
            over = -self._of_row(members, factors, places)
            floats = values.astype(np.float64) if largest == 1 else None
            for digit in digits:
                if floats is None:
                    over += digit @ values
                else:
                    over += (digit.astype(np.float64) @ floats).astype(np.int64)
                if np.any(over % PRIME):
                    raise NotCertified
                over //= PRIME

    def _determines(self) -> tuple[bool, tuple[int, ...]]:
        """Whether a combination is zero on everything but one person's own groups.

        Such a combination is made of the rows whose pivots are that person's, so those have to be dependent
        on all other columns. An unknown at which a single row is not zero shows that it is not the case. It
        is kept, and the next time looked at first; others are looked for from the largest group on.
        """
        assert self.inverse is not None
        owners = self.groups.owners(self.persons)
        of_pivots = owners[self.groups.of[np.array(self.pivots) // self.parts]]
        mine: dict[int, list[int]] = {}
        for row in np.flatnonzero(of_pivots >= 0).tolist():
            mine.setdefault(int(of_pivots[row]), []).append(row)
        others = np.array(self.others)
        open_rows = np.array([rows[0] for rows in mine.values() if len(rows) == 1], np.int64)
        open_rows = open_rows[~self._shown(open_rows, others, owners, of_pivots)]
        several = {owner: rows for owner, rows in mine.items() if len(rows) > 1}
        for chunk in _by_size(self.groups):
            if not len(open_rows) and not several:
                break
            records = self.groups.first[chunk]
            places, whose = self._unknowns(records), np.repeat(owners[chunk], self.parts)
            elsewhere = whose[None, :] != of_pivots[open_rows][:, None]
            showing = (self._combined(self.inverse[open_rows], records) != 0) & elsewhere
            shown = showing.any(axis=1)
            others[open_rows[shown]] = places[showing[shown].argmax(axis=1)]
            open_rows = open_rows[~shown]
            for owner, rows in list(several.items()):
                if _rank(self._combined(self.inverse[rows], records)[:, whose != owner]) == len(rows):
                    del several[owner]
        determined = len(open_rows) > 0
        for owner, rows in several.items():  # chunks together may be independent where each is not
            elsewhere = self.groups.first[owners != owner]
            determined = determined or _rank(self._combined(self.inverse[rows], elsewhere)) < len(rows)
        return determined, tuple(others.tolist())

    def _shown(self, rows: Whole, others: Whole, owners: Whole, of_pivots: Whole) -> Flags:
        """For which rows the unknown that was kept still shows that nobody is determined."""
        assert self.inverse is not None
        kept = others[rows]
        values = (self.inverse[rows] * self._values(np.maximum(kept, 0)).T).sum(axis=1) % PRIME
        return (kept >= 0) & (values != 0) & (owners[self.groups.of[kept // self.parts]] != of_pivots[rows])


def _digest(packed: Bits, factors: Whole) -> bytes:
    return hashlib.blake2b(packed.tobytes() + factors.tobytes(), digest_size=16).digest()


def _by_size(groups: Groups) -> Iterator[Whole]:
    """The numbers of groups, some at a time, the largest of all in the first."""
    number = len(groups.size)
    if number <= CHUNK:
        yield np.argsort(-groups.size, kind="stable")
        return
    largest = np.argpartition(-groups.size, CHUNK)[:CHUNK]
    yield from (largest[: CHUNK // 8], largest[CHUNK // 8 :])
    start, step = 0, CHUNK
    while start < number:  # ever more at a time: most is found among the first
        yield np.arange(start, min(start + step, number))
        start, step = start + step, min(2 * step, 8 * CHUNK)


def _products(factors: Whole, bits: Bits) -> Whole:
    """Factors times bits modulo the prime; sums of fewer than 2^22 numbers are exact in floats."""
    return (factors.astype(np.float64) @ bits.astype(np.float64) % PRIME).astype(np.int64)


def _bordered(inverse: Whole, combined: Whole, column: Whole, left: int) -> Whole:
    """The inverse of a matrix with one more row and column, from the one before.

    The matrix is [[A, b], [a, d]]; ``combined`` is a A⁻¹, ``column`` is A⁻¹ b, ``left`` is 1 / (d − a A⁻¹ b).
    """
    size = len(inverse)
    found = np.zeros((size + 1, size + 1), np.int64)
    scaled = column * left % PRIME
    found[:size, :size] = (inverse + scaled[:, None] * combined[None, :] % PRIME) % PRIME
    found[:size, size] = -scaled % PRIME
    found[size, :size] = -(combined * left % PRIME) % PRIME
    found[size, size] = left
    return found


def _rank(matrix: Whole) -> int:
    """The rank of a matrix of few rows modulo the prime."""
    rest, rank = matrix.copy(), 0
    for row in range(len(rest)):
        places = np.flatnonzero(rest[row])
        if len(places):
            rank += 1
            factor = pow(int(rest[row, places[0]]), -1, PRIME)
            below = rest[row + 1 :, places[0]] * factor % PRIME
            rest[row + 1 :] = (rest[row + 1 :] - below[:, None] * rest[row][None, :]) % PRIME
    return rank


def _product(row: Whole, matrix: Whole) -> Whole:
    """A row times a matrix modulo the prime, both of numbers below it."""
    high, low = row >> 16, row & 0xFFFF
    return np.asarray(((high @ matrix % PRIME << 16) + low @ matrix) % PRIME, np.int64)


def _digits(size: int, largest: int | None = None) -> int:
    """The power of the prime above determinants of so many rows of zeros and ones, or of larger numbers."""
    if largest is None:
        bits = (size + 1) / 2 * math.log2(size + 1) - size  # Hadamard's bound
    else:
        bits = size / 2 * math.log2(size) + size * math.log2(largest)
    return int(bits / math.log2(PRIME)) + 2
