"""All subsets of some attributes on the card: sorted words, of which every prefix is a subset.

The attributes with most values are taken in or left out one by one; rows that are alike on what is left are
held once, and records that are alone already are only counted. Of the others every chain of subsets is one
sort, and what is found of all its subsets is read off in one pass. A target is one more attribute there:
what a subset leaves unknown is the difference of two sums, taken of whole numbers, so that no digit is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from divulge.counting.counts import Integers
from divulge.counting.statistics import xlog2x
from divulge.engines.gpu.arrays import Arrays, OnCard, fetched, free_bytes
from divulge.engines.gpu.chains import SubsetChain, chains
from divulge.engines.gpu.kernels import SMALL, FieldMove, moved, prefix_sums
from divulge.engines.gpu.words import (
    WORD_BITS,
    CardColumns,
    WordRows,
    begins,
    bits_of,
    condensed,
    in_order,
    packed,
)
from divulge.engines.lattice.routes import SubsetSums
from divulge.table.codes import Codes

MOST = 16  # attributes
LAST = 6  # attributes whose subsets are found in chains
WORK = 2_000_000_000_000  # rows times subsets: some tens of seconds
ROW = 128  # bytes on the card for each row
WORTH = 0.5  # share of rows that may be left where alike ones are held once
TARGET = -1
CLOSE = 256  # classes that are looked at once more, where several leave nearly as little unknown

Step = Callable[[int, int], None]


class FieldRows(NamedTuple):
    """Rows as words whose fields are the classes of some first attributes, and others below."""

    rows: WordRows
    fields: tuple[tuple[int, int], ...]  # attribute and bits, the highest first

    def moving(self, wanted: Sequence[int]) -> tuple[list[FieldMove], int]:
        """How to get some fields below each other, and the bits they take together."""
        down, places = self.rows.bits, dict[int, tuple[int, int]]()
        for name, bits in self.fields:
            down -= bits
            places[name] = down, bits
        up = whole = sum(places[name][1] for name in wanted)
        moves = []
        for name in wanted:
            up -= places[name][1]
            moves.append(FieldMove(*places[name], up))
        return moves, whole

    def sorted_by(self, xp: Arrays, wanted: Sequence[int]) -> WordRows:
        """The rows with some fields only, in their order."""
        moves, bits = self.moving(wanted)
        times = self.rows.times
        below = 0 if times is None else bits_of(int(times.max()) + 1)
        if bits + below > WORD_BITS:
            return in_order(xp, moved(xp, self.rows.words, moves, None, 0), times, bits)
        words = xp.sort(moved(xp, self.rows.words, moves, times, below))
        if times is None:
            return WordRows(words, None, bits)
        kind = words.dtype.type
        return WordRows(words >> kind(below), (words & kind((1 << below) - 1)).astype(np.uint32), bits)


class _Prefix(NamedTuple):
    """A subset that was found: its attributes, and whether the target is among them."""

    attributes: tuple[int, ...]
    target: bool


class _Found(NamedTuple):
    """Subsets, where rows of sums on the card are theirs, and records that were alone before."""

    prefixes: list[_Prefix]
    sums: OnCard
    alone: int


def subset_sums(
    columns: CardColumns,
    given: Sequence[Codes],
    target: Codes | None,
    times: Integers | None,
    largest: int,
    step: Step = lambda done, of: None,
) -> SubsetSums | None:
    """Sums over the classes of every subset, by size and then in the order of attributes.

    None where there are too many attributes, or where their values or rows do not fit.
    """
    xp, rows = columns.xp, len(given[0].codes)
    free = free_bytes(xp)
    if len(given) > MOST or (free is not None and rows * ROW > free):
        return None
    table = _table(columns, given, target, times)
    if table is None:
        return None
    records = rows if times is None else int(times.sum())
    scale = 2.0 ** (61 - math.ceil(math.log2(max(records * math.log2(max(records, 2)), 2))))
    order = [name for name, _ in table.fields if name != TARGET]
    head, last = order[: max(len(order) - LAST, 0)], order[max(len(order) - LAST, 0) :]
    below = [*last, *([] if target is None else [TARGET])]
    heads = sum(math.comb(len(head), size) for size in range(min(largest, len(head)) + 1))
    found, least = list[_Found](), dict[tuple[int, ...], float]()
    for done, (chosen, part) in enumerate(_heads(xp, table, head, below, largest), 1):
        here = [_chain(xp, part, chosen, below, chain, largest, scale) for chain in chains(len(below))]
        found += [one for one in here if one is not None]
        if target is not None:
            least |= _least_left(xp, part, chosen, [one for one in here if one], scale)
        step(done, heads)
    return _collected(xp, found, least, len(given), largest, scale, target is not None)


def _table(
    columns: CardColumns, given: Sequence[Codes], target: Codes | None, times: Integers | None
) -> FieldRows | None:
    """All rows packed, attributes of most values first and the target last; None where they do not fit."""
    xp = columns.xp
    fields = {place: _squeezed(xp, columns.get(one)) for place, one in enumerate(given)}
    order = sorted(fields, key=lambda place: -fields[place][1])
    if target is not None:
        fields[TARGET] = _squeezed(xp, columns.get(target))
        order.append(TARGET)
    bits = [(place, bits_of(fields[place][1])) for place in order]
    if sum(wide for _, wide in bits) >= WORD_BITS:
        return None
    words = packed(xp, [fields[place] for place in order], len(given[0].codes))
    held = None if times is None else xp.asarray(times)
    rows = condensed(xp, in_order(xp, words.words, held, words.bits))
    return FieldRows(_narrow(rows), tuple(bits))


def _squeezed(xp: Arrays, codes: OnCard) -> tuple[OnCard, int]:
    """Codes numbered without gaps, and how many there are."""
    used = xp.unique(codes)
    table = xp.zeros(int(used[-1]) + 1, np.uint32)
    table[used] = xp.arange(len(used), dtype=np.uint32)
    return table[codes], len(used)


def _narrow(rows: WordRows) -> WordRows:
    """The same rows, times in the type that kernels read."""
    return rows if rows.times is None else rows._replace(times=rows.times.astype(np.uint32))


class _Part(NamedTuple):
    """The rows of some first attributes together: their classes' numbers, the others, and who is alone."""

    table: FieldRows
    alone: int


_CLASS = -2  # the field with the class of the first attributes


def _heads(
    xp: Arrays, table: FieldRows, head: Sequence[int], below: Sequence[int], largest: int
) -> Iterator[tuple[tuple[int, ...], _Part]]:
    """Every subset of the first attributes with its rows, those left out one after the other."""

    def visit(table: FieldRows, chosen: tuple[int, ...], place: int) -> Iterator[Any]:
        if len(chosen) <= largest:
            yield chosen, _numbered(xp, table, chosen, below)
        for at in range(place, len(head)):
            left = tuple(one for one in chosen if one != head[at])
            yield from visit(_without(xp, table, (*left, *below)), left, at + 1)

    yield from visit(table, tuple(head), 0)


def _without(xp: Arrays, table: FieldRows, kept: Sequence[int]) -> FieldRows:
    """Rows with some fields only, those alike held once if that makes them many fewer."""
    bits = dict(table.fields)
    rows = table.sorted_by(xp, kept)
    rows = rows._replace(words=rows.words.astype(np.uint64, copy=False))
    once = condensed(xp, rows)
    worth = rows.times is not None or len(once.words) <= WORTH * len(rows.words)
    return FieldRows(_narrow(once if worth else rows), tuple((name, bits[name]) for name in kept))


def _numbered(xp: Arrays, table: FieldRows, chosen: Sequence[int], below: Sequence[int]) -> _Part:
    """Rows with the number of their class in place of its attributes, without classes of one record."""
    rows, bits = table.rows, dict(table.fields)
    rest = sum(bits[name] for name in below)
    fields = tuple((name, bits[name]) for name in below)
    if not chosen:
        return _Part(FieldRows(rows, fields), 0)
    new = begins(xp, rows.words, rest)
    alone = new & xp.append(new[1:], xp.ones(1, bool))
    if rows.times is not None:
        alone &= rows.times == 1
    single = int(xp.count_nonzero(alone))
    words, times = rows.words, rows.times
    if single:
        words, times, new = words[~alone], None if times is None else times[~alone], new[~alone]
    number = xp.cumsum(new, dtype=np.uint64) - np.uint64(1)
    classes = int(number[-1]) + 1 if len(words) else 1
    low = words & np.uint64((1 << rest) - 1)
    words = number << np.uint64(rest) | low if rest else number
    wide = bits_of(classes)
    return _Part(FieldRows(WordRows(words, times, wide + rest), ((_CLASS, wide), *fields)), single)


def _chain(
    xp: Arrays,
    part: _Part,
    chosen: tuple[int, ...],
    below: Sequence[int],
    chain: SubsetChain,
    largest: int,
    scale: float,
) -> _Found | None:
    """What is found of a chain's subsets, each together with the chosen first attributes."""
    names, prefixes, ends = [below[place] for place in chain.elements], list[_Prefix](), list[int]()
    for end in range(len(chain.begin), len(names) + 1):
        own = (*chosen, *(name for name in names[:end] if name != TARGET))
        if own and len(own) <= largest:
            prefixes.append(_Prefix(tuple(sorted(own)), TARGET in names[:end]))
            ends.append(end)
    if not ends:
        return None
    bits = dict(part.table.fields)
    head = [_CLASS] if chosen else []
    used = names[: ends[-1]]
    if not len(part.table.rows.words):
        sums = xp.zeros((len(ends), SMALL + 2), np.uint64)
        sums[:, -1] = np.iinfo(np.int64).max
        return _Found(prefixes, sums, part.alone)
    rows = part.table.sorted_by(xp, [*head, *used])
    shifts = [sum(bits[name] for name in used[end:]) for end in ends]
    return _Found(prefixes, prefix_sums(xp, rows.words, rows.before(xp), shifts, scale), part.alone)


def _least_left(
    xp: Arrays, part: _Part, chosen: tuple[int, ...], found: Sequence[_Found], scale: float
) -> dict[tuple[int, ...], float]:
    """The least that a class leaves unknown of the target: nothing where some class is of one record."""
    least = dict[tuple[int, ...], float]()
    for one in found:
        single = fetched(xp, one.sums[:, 1])
        for prefix, alone in zip(one.prefixes, single.tolist(), strict=True):
            if not prefix.target:
                own = tuple(name for name in prefix.attributes if name not in chosen)
                certain = alone + one.alone > 0
                least[prefix.attributes] = 0.0 if certain else _least_of(xp, part.table, own, scale)
    return least


def _least_of(xp: Arrays, table: FieldRows, own: tuple[int, ...], scale: float) -> float:
    """The least n H(X|y) in bits of all classes of a subset."""
    head = [name for name, _ in table.fields if name == _CLASS]
    rows = table.sorted_by(xp, [*head, *own, TARGET])
    rows = rows._replace(words=rows.words.astype(np.uint64, copy=False))
    starts = xp.flatnonzero(begins(xp, rows.words))
    counts, words = rows.sums(xp, starts), rows.words[starts]
    first = xp.flatnonzero(begins(xp, words, dict(table.fields)[TARGET]))
    edges = xp.append(first, xp.asarray([len(words)], dtype=first.dtype))
    before = xp.zeros(len(words) + 1, np.int64)
    xp.cumsum(counts, out=before[1:])
    sizes = xp.diff(before[edges])
    if int(xp.min(edges[1:] - edges[:-1])) == 1:  # a class with one value
        return 0.0
    bits = xp.zeros(len(words) + 1, np.int64)
    xp.cumsum(_scaled(xp, counts, scale), out=bits[1:])
    left = _scaled(xp, sizes, scale) - xp.diff(bits[edges])
    near = xp.flatnonzero(left <= left.min() + (edges[1:] - edges[:-1]) + 1)[:CLOSE]
    begin, end = (fetched(xp, edges[near + at]) for at in (0, 1))
    return min(_left_in(fetched(xp, counts[a:b])) for a, b in zip(begin.tolist(), end.tolist(), strict=True))


def _left_in(counts: Any) -> float:
    return max(float(xlog2x(counts.sum()) - xlog2x(counts).sum()), 0.0)


def _scaled(xp: Arrays, counts: OnCard, scale: float) -> OnCard:
    """n log2 n as whole numbers of a small unit."""
    return xp.rint(counts * xp.log2(counts) * scale).astype(np.int64)


def _collected(
    xp: Arrays,
    found: Sequence[_Found],
    least: dict[tuple[int, ...], float],
    attributes: int,
    largest: int,
    scale: float,
    target: bool,
) -> SubsetSums:
    """What was found of every subset, brought over and put in order."""
    sums = dict[_Prefix, Any]()
    for one, rows in zip(found, (fetched(xp, one.sums).astype(np.int64) for one in found), strict=True):
        rows[:, 1] += one.alone
        sums |= zip(one.prefixes, rows, strict=True)
    chosen = [own for size in range(1, largest + 1) for own in combinations(range(attributes), size)]
    plain = np.stack([sums[_Prefix(own, False)] for own in chosen])
    inside = np.stack([sums[_Prefix(own, True)] for own in chosen]) if target else plain
    few = np.arange(SMALL)
    bits = xlog2x(few)
    here = plain[:, 1:SMALL] > 0  # at 0 is how many are larger
    smallest = np.where(here.any(axis=1), here.argmax(axis=1) + 1, plain[:, -1])
    # Classes of the same size on both sides cancel before anything is rounded.
    small = (plain[:, :SMALL] - inside[:, :SMALL]) @ bits
    left = np.maximum(small + (plain[:, SMALL] - inside[:, SMALL]) / scale, 0.0)
    return SubsetSums(
        plain[:, :SMALL].sum(axis=1),
        plain[:, 1],
        smallest,
        plain[:, :SMALL] @ bits + plain[:, SMALL] / scale,
        left,
        np.array([least.get(own, 0.0) for own in chosen]),
        np.array([sum(1 << place for place in own) for own in chosen], np.uint64),
    )
