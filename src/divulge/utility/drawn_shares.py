"""The distribution of an attribute in original and release, in a few bars that may be drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from divulge._support.small_counts import share_in_fives
from divulge._support.wording import number, value_label
from divulge.table.codes import MISSING
from divulge.utility.numbering import Floats, Integers
from divulge.utility.values import Paired

MOST = 8  # values with a bar of their own; the others share one
RANGES = 10  # of numbers, about
TAIL = 0.01  # of the original's records at either end, which a range without an end takes in
STEPS = (1, 2, 5, 10)
SMALLEST = 1e-300  # between numbers that are told apart


@dataclass(frozen=True)
class DrawnShare:
    """A bar: a value or a range of numbers, and its share of the records of either table."""

    label: str
    original: float
    released: float


def drawn_shares(pair: Paired, released: Paired, *, show_values: bool = False) -> tuple[DrawnShare, ...]:
    """Bars of both tables: ranges of numbers from the lowest, or values from the most frequent.

    ``pair`` is the attribute in the categories of the release, ``released`` the same before that, which has
    the names of these categories. Ranges end at round numbers, and the first and the last are open, so that
    no value of a record can be read off them; values have names only where these are shown.
    """
    counts = [np.bincount(one.codes, minlength=pair.cardinality) for one in (pair.original, pair.released)]
    sizes = [len(one.codes) for one in (pair.original, pair.released)]
    plain = released.numbers is not None and pair is released
    bars = _ranges(pair, counts) if plain else _values(pair, released, counts, show_values)
    bars += [("missing", np.array([MISSING])), ("suppressed", np.array([pair.cardinality - 1]))]
    return tuple(
        DrawnShare(label, *(share_in_fives(n, of) for n, of in zip(both, sizes, strict=True)))
        for label, codes in bars
        if any(both := [int(one[codes].sum()) for one in counts])
    )


def _ranges(pair: Paired, counts: list[Integers]) -> list[tuple[str, Integers]]:
    """Ranges of numbers with the codes in them, between round numbers."""
    assert pair.numbers is not None
    at = pair.numbers[1:-1]
    edges = _edges(at, counts[0][1:-1] if counts[0][1:-1].any() else counts[1][1:-1])
    place = np.searchsorted(edges, at, side="right")
    names = [number(edge) for edge in edges.tolist()]
    if len(names) == 0:
        return [("all", np.arange(1, len(at) + 1))]
    between = (f"{one} to {other}" for one, other in pairwise(names))
    labels = [f"below {names[0]}", *between, f"{names[-1]} or more"]
    return [(label, 1 + np.flatnonzero(place == where)) for where, label in enumerate(labels)]


def _edges(at: Floats, counts: Integers) -> Floats:
    """Round numbers between the tails of the records, a step of 1, 2 or 5 times a power of ten apart.

    Of whole numbers they are whole: between 1 and 2 there is nothing.
    """
    below = np.cumsum(counts) / max(counts.sum(), 1)
    ends = np.minimum(np.searchsorted(below, [TAIL, 1 - TAIL]), len(at) - 1)
    low, high = at[ends].tolist()
    if not SMALLEST < high - low < math.inf:
        return np.array([])
    power = 10.0 ** math.floor(math.log10((high - low) / RANGES))
    step = power * next((one for one in STEPS if RANGES * one * power >= high - low), STEPS[-1])
    step = max(step, 1.0) if (at == np.floor(at)).all() else step
    return np.array(
        [place * step for place in range(math.floor(low / step) + 1, math.floor(high / step) + 1)]
    )


def _values(
    pair: Paired, released: Paired, counts: list[Integers], show_values: bool
) -> list[tuple[str, Integers]]:
    """The most frequent values with their codes, in their order where they are numbers, then all others."""
    often = counts[0][1:-1] / max(counts[0].sum(), 1) + counts[1][1:-1] / max(counts[1].sum(), 1)
    there = 1 + np.flatnonzero(often)
    ranked = there[np.lexsort((-often[there - 1], -counts[0][there]))]
    chosen, rest = np.split(ranked, [MOST if len(ranked) > MOST + 1 else MOST + 1])
    ordered = pair.numbers is not None
    bars = [
        (_name(pair, released, code) if show_values else f"{'group' if ordered else 'value'} {place}", code)
        for place, code in enumerate((np.sort(chosen) if ordered else chosen).tolist(), start=1)
    ]
    others = [(f"{len(rest)} others", rest)] if len(rest) else []
    return [*((label, np.array([code])) for label, code in bars), *others]


def _name(pair: Paired, released: Paired, code: int) -> str:
    """The value that a code stands for; of a category, the released value that most records in it have."""
    if pair is released:
        return value_label(pair.original.values[code - 1])
    for before, after in ((released.released, pair.released), (released.original, pair.original)):
        inside = before.codes[after.codes == code]
        if len(inside):
            return value_label(before.value(int(np.bincount(inside).argmax())))
    return value_label(None)
