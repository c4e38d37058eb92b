"""All subsets of some attributes on the card: sorted words, of which every prefix is a subset.

The attributes with most values are taken in or left out one by one; rows that are alike on what is left are
held once, and records that are alone already are only counted. Of the others every chain of subsets is one
sort, and what is found of all its subsets is read off in one pass. A target is one more attribute there:
what a subset leaves unknown is the difference of two sums, taken of whole numbers, so that no digit is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from divulge.counting.counts import Integers
from divulge.counting.statistics import xlog2x
from divulge.engines.gpu.arrays import Arrays, OnCard, fetched, free_bytes
from divulge.engines.gpu.chains import SubsetChain, chains
from divulge.engines.gpu.field_rows import CLASS, TARGET, FieldRows, field_table
from divulge.engines.gpu.kernels import MOST_ALIKE, SMALL, prefix_sums
from divulge.engines.gpu.parts import SubsetPart, subset_parts
from divulge.engines.gpu.words import CardColumns, begins, rows_in
from divulge.engines.lattice.routes import SubsetSums
from divulge.table.codes import Codes

MOST = 16  # attributes
LAST = 6  # attributes whose subsets are found in chains
WORK = 2_000_000_000_000  # rows times subsets: some tens of seconds
ROW = 128  # bytes on the card for each row
CLOSE = 256  # classes that are looked at once more, where several leave nearly as little unknown

Step = Callable[[int, int], None]


class _Prefix(NamedTuple):
    """A subset that was found: its attributes, and whether the target is among them."""

    attributes: tuple[int, ...]
    target: bool


class _Found(NamedTuple):
    """Subsets of a chain, their sums on the card, which last attributes they have, and who is apart."""

    prefixes: list[_Prefix]
    sums: OnCard
    places: list[int]
    alone: int
    small: OnCard | None


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
    xp, rows = columns.xp, rows_in(given[0])
    free = free_bytes(xp)
    if len(given) > MOST or (free is not None and rows * ROW > free):
        return None
    table = field_table(columns, given, target, times, last=LAST)
    if table is None:
        return None
    records = rows if times is None else int(times.sum())
    scale = 2.0 ** (61 - math.ceil(math.log2(max(records * math.log2(max(records, 2)), 2))))
    order = [name for name, _ in table.fields]
    head, below = order[: max(len(given) - LAST, 0)], order[max(len(given) - LAST, 0) :]
    heads = sum(math.comb(len(head), size) for size in range(min(largest, len(head)) + 1))
    found, least = list[_Found](), dict[tuple[int, ...], float]()
    for done, (chosen, part) in enumerate(subset_parts(xp, table, head, below, largest), 1):
        here = [_chain(xp, part, chosen, below, chain, largest, scale) for chain in chains(len(below))]
        found += [one for one in here if one is not None]
        if target is not None:
            least |= _least_left(xp, part, chosen, [one for one in here if one], scale)
        step(done, heads)
    return _collected(xp, found, least, len(given), largest, scale, target is not None)


def _chain(
    xp: Arrays,
    part: SubsetPart,
    chosen: tuple[int, ...],
    below: Sequence[int],
    chain: SubsetChain,
    largest: int,
    scale: float,
) -> _Found | None:
    """What is found of a chain's subsets, each together with the chosen first attributes."""
    names = [below[place] for place in chain.elements]
    prefixes, ends, places = list[_Prefix](), list[int](), list[int]()
    for end in range(len(chain.begin), len(names) + 1):
        own = (*chosen, *(name for name in names[:end] if name != TARGET))
        if own and len(own) <= largest:
            prefixes.append(_Prefix(tuple(sorted(own)), TARGET in names[:end]))
            places.append(sum(1 << place for place in chain.elements[:end]))
            ends.append(end)
    if not ends:
        return None
    bits = dict(part.table.fields)
    head = [CLASS] if chosen else []
    used = names[: ends[-1]]
    if not len(part.table.rows.words):
        sums = xp.zeros((len(ends), SMALL + 2), np.uint64)
        sums[:, -1] = np.iinfo(np.int64).max
        return _Found(prefixes, sums, places, part.alone, part.small)
    rows, low = part.table.sorted_words(xp, [*head, *used])
    shifts = [low + sum(bits[name] for name in used[end:]) for end in ends]
    if low:
        rows = rows._replace(times=rows.words & rows.words.dtype.type((1 << low) - 1))
    sums = prefix_sums(xp, rows.words, rows.before(xp), shifts, scale)
    return _Found(prefixes, sums, places, part.alone, part.small)


def _least_left(
    xp: Arrays, part: SubsetPart, chosen: tuple[int, ...], found: Sequence[_Found], scale: float
) -> dict[tuple[int, ...], float]:
    """The least that a class leaves unknown of the target: nothing where some class is of one record."""
    least = dict[tuple[int, ...], float]()
    for one in found:
        single = fetched(xp, one.sums[:, 1])
        if part.small is not None:
            single = single + fetched(xp, part.small[one.places, 1])
        for prefix, alone in zip(one.prefixes, single.tolist(), strict=True):
            if not prefix.target:
                own = tuple(name for name in prefix.attributes if name not in chosen)
                certain = alone + part.alone > 0
                least[prefix.attributes] = 0.0 if certain else _least_of(xp, part.whole, own, scale)
    return least


def _least_of(xp: Arrays, table: FieldRows, own: tuple[int, ...], scale: float) -> float:
    """The least n H(X|y) in bits of all classes of a subset."""
    head = [name for name, _ in table.fields if name == CLASS]
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
        if one.small is not None:
            groups = fetched(xp, one.small[one.places, 1:]).astype(np.int64)
            rows[:, 1 : MOST_ALIKE + 1] += groups // np.arange(1, MOST_ALIKE + 1)
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
        left[None, :] if target else left[:0].reshape(0, len(chosen)),
        np.array([[least.get(own, 0.0) for own in chosen]] * target).reshape(-1, len(chosen)),
        np.array([sum(1 << place for place in own) for own in chosen], np.uint64),
    )
