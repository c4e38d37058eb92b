"""The rows of every subset of the first attributes: alike ones held once, small classes counted apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from divulge.engines.gpu.arrays import Arrays, OnCard
from divulge.engines.gpu.field_rows import CLASS, FieldRows, held_once
from divulge.engines.gpu.kernels import FIELDS, MOST_ALIKE, small_classes
from divulge.engines.gpu.words import WordRows, begins, bits_of

COMPARED = 0.1  # share of rows in small classes from which these are counted apart


class SubsetPart(NamedTuple):
    """The rows of some first attributes together, with the number of their class in place of its attributes.

    Who is alone by these attributes is only counted. Of small classes there is how many records are in groups
    of each size, by every subset of the others; ``table`` has the rest, ``whole`` both.
    """

    table: FieldRows
    whole: FieldRows
    alone: int
    small: OnCard | None = None


def subset_parts(
    xp: Arrays, table: FieldRows, head: Sequence[int], below: Sequence[int], largest: int
) -> Iterator[tuple[tuple[int, ...], SubsetPart]]:
    """Every subset of the first attributes with its rows, those left out one after the other."""

    def visit(table: FieldRows, chosen: tuple[int, ...], place: int) -> Iterator[Any]:
        if len(chosen) <= largest:
            yield chosen, _numbered(xp, table, chosen, below)
        for at in range(place, len(head)):
            left = tuple(one for one in chosen if one != head[at])
            yield from visit(_without(xp, table, (*left, *below)), left, at + 1)

    yield from visit(table, tuple(head), 0)


def _numbered(xp: Arrays, table: FieldRows, chosen: Sequence[int], below: Sequence[int]) -> SubsetPart:
    """Rows with the number of their class in place of its attributes, without classes of one record."""
    rows, bits = table.rows, dict(table.fields)
    rest = sum(bits[name] for name in below)
    fields = tuple((name, bits[name]) for name in below)
    if not chosen:
        return SubsetPart(FieldRows(rows, fields), FieldRows(rows, fields), 0)
    new = begins(xp, rows.words, rest)
    alone = new & xp.append(new[1:], xp.ones(1, bool))
    if rows.times is not None:
        alone &= rows.times == 1
    single = int(xp.count_nonzero(alone))
    words, times = rows.words, rows.times
    if single:
        words, times, new = words[~alone], None if times is None else times[~alone], new[~alone]
    whole = _by_class(xp, WordRows(words, times, rows.bits), new, rest, fields)
    small = _in_small_classes(xp, whole, new, rest)
    if small is None:
        return SubsetPart(whole, whole, single)
    large = WordRows(words[~small], None if times is None else times[~small], rows.bits)
    apart = _by_class(xp, large, new[~small], rest, fields)
    few = WordRows(words[small], None if times is None else times[small], rows.bits)
    own = _by_class(xp, few, new[small], rest, fields).rows
    edges = xp.flatnonzero(xp.append(new[small], xp.ones(1, bool)))
    groups = small_classes(xp, own.words, own.times, edges, rest, _masks(fields))
    return SubsetPart(apart, whole, single, groups)


def _by_class(
    xp: Arrays, rows: WordRows, new: OnCard, rest: int, fields: tuple[tuple[int, int], ...]
) -> FieldRows:
    """Rows with the number of their class above the other fields."""
    number = xp.cumsum(new, dtype=np.uint64) - np.uint64(1)
    wide = bits_of(int(number[-1]) + 1) if len(number) else 0
    words = number << np.uint64(rest) | rows.words & np.uint64((1 << rest) - 1) if rest else number
    return FieldRows(WordRows(words, rows.times, wide + rest), ((CLASS, wide), *fields))


def _in_small_classes(xp: Arrays, whole: FieldRows, new: OnCard, rest: int) -> OnCard | None:
    """Which rows are in classes whose rows are best compared one by one; None where too few are."""
    if not len(new) or len(whole.fields) - 1 > FIELDS:
        return None
    sizes = whole.rows.sums(xp, xp.flatnonzero(new))
    small = (sizes <= MOST_ALIKE)[whole.rows.words >> np.uint64(rest)]
    return small if int(xp.count_nonzero(small)) >= COMPARED * len(small) else None


def _masks(fields: Sequence[tuple[int, int]]) -> list[int]:
    """The bits of each field, the last of which is lowest."""
    masks, up = list[int](), 0
    for _, wide in reversed(fields):
        masks.append(((1 << wide) - 1) << up)
        up += wide
    return masks[::-1]


def _without(xp: Arrays, table: FieldRows, kept: Sequence[int]) -> FieldRows:
    """Rows with some fields only, those alike held once if that makes them many fewer."""
    bits = dict(table.fields)
    rows = table.sorted_by(xp, kept)
    rows = rows._replace(words=rows.words.astype(np.uint64, copy=False))
    return FieldRows(held_once(xp, rows), tuple((name, bits[name]) for name in kept))
