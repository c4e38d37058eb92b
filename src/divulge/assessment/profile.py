"""Attributes one by one: their type, how many values they have, and how these are spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import SMALL, exact_counts_asked
from divulge._support.wording import many, number, value_label
from divulge.assessment.inference.asked.number_spellings import read_alike
from divulge.documents.profile import AttributeKind
from divulge.questions.data import Data
from divulge.roles.observed import ObservedColumn
from divulge.roles.proposal import propose
from divulge.roles.vocabulary import meanings
from divulge.table.codes import MISSING
from divulge.table.schema import Role

MOST_BARS = 10
LEAST_STEP = 2 * SMALL  # records that a share is rounded to at least: half of it says nothing of a few
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
WORDS = 5  # of a value, from which on it is a text and no category
OTHERS = "other values"
NO_BARS = {
    "identifier-like": "nearly every record has a value of its own, or the values name people",
    "text": "its values are texts",
}


@dataclass(frozen=True)
class ProfileBar:
    """A bar of a distribution; a share of few records is a bound."""

    label: str | None
    share: float | str


@dataclass(frozen=True)
class ProfileDistribution:
    """How records are spread over values, to shares so coarse that they count nobody out."""

    form: Literal["histogram", "groups"]
    bars: tuple[ProfileBar, ...]
    step: float
    values: int  # left out, since each is on few records


@dataclass(frozen=True)
class AttributeProfile:
    """An attribute with its type and its distribution, or why that is not drawn."""

    name: str
    type: AttributeKind
    values: int
    missing: int = field(repr=False)
    distribution: ProfileDistribution | None
    undefined: str | None


def profile(data: Data, *, show_values: bool = False) -> list[AttributeProfile]:
    """Every attribute, the weights left out.

    >>> from divulge.questions.data import read
    >>> one = profile(read({"sex": ["f"] * 60 + ["m"] * 40}))[0]
    >>> one.type, [bar.share for bar in one.distribution.bars], one.distribution.step
    ('category', [0.6, 0.4], 0.1)
    """
    names = data.released_attributes
    naming = {one.attribute for one in propose(data, names) if one.role is Role.IDENTIFIER}
    return [_profile(data, name, name in naming, show_values) for name in names]


def _profile(data: Data, name: str, naming: bool, show_values: bool) -> AttributeProfile:
    column = ObservedColumn.of(data, name)
    kind = _kind(column, naming or data.schema.role(name) is Role.IDENTIFIER)
    spread, undefined = _spread(data, name, kind, show_values)
    return AttributeProfile(name, kind, column.distinct, data.records - column.present, spread, undefined)


def _kind(column: ObservedColumn, naming: bool) -> AttributeKind:
    words = sorted(len(text.split()) for text in column.sample)
    if column.kind == "text" and words and words[len(words) // 2] >= WORDS:
        return "text"
    if naming:
        return "identifier-like"
    if column.kind == "date":
        return "date"
    # Two numbers are a yes and a no, which some databases keep as 1 and 0; postcodes count nothing.
    coded = column.distinct <= 2 or any(one.says == "a postcode" for one in meanings(column.name)[:1])
    return "category" if column.kind == "text" or coded else "number"


def _spread(
    data: Data, name: str, kind: AttributeKind, show_values: bool
) -> tuple[ProfileDistribution | None, str | None]:
    """The distribution of an attribute, or why there is none."""
    if kind in NO_BARS:
        return None, NO_BARS[kind]
    listed = data.all_values(name)
    if listed is None:
        return None, "it has too many different values to be looked at one by one"
    column, counts = listed
    counts = np.asarray(counts).copy()
    counts[MISSING] = 0
    used = np.flatnonzero(counts)
    values = [column.values[code - 1] for code in used.tolist()]
    if kind == "category":
        return _groups(values, counts[used], show_values)
    numbers = _numbers(values)
    read = np.isfinite(numbers)
    if not read.any():
        return None, "its values could not be read as numbers"
    return _histogram(numbers[read], counts[used][read], kind == "date", show_values)


def _numbers(values: Sequence[object]) -> npt.NDArray[np.float64]:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):  # written with separators, or as days
        return read_alike(values)


def _groups(
    values: Sequence[object], counts: npt.NDArray[np.int64], show_values: bool
) -> tuple[ProfileDistribution | None, str | None]:
    """The largest groups, the smaller ones together; values on few records are in none of the bars.

    So the bars say nothing about how many these records are, whatever else is said of other values.
    """
    enough = counts >= (1 if exact_counts_asked() else SMALL)
    order = [place for place in np.argsort(-counts, kind="stable").tolist() if enough[place]]
    shown = order if len(order) <= MOST_BARS else order[: MOST_BARS - 1]
    labels = [value_label(values[place]) if show_values else None for place in shown]
    sizes = [int(counts[place]) for place in shown]
    if len(order) > len(shown):
        labels, sizes = [*labels, OTHERS], [*sizes, int(counts[order[len(shown) :]].sum())]
    return _drawn("groups", labels, sizes, len(values) - len(order))


def _histogram(
    numbers: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], days: bool, show_values: bool
) -> tuple[ProfileDistribution | None, str | None]:
    low, high = float(numbers.min()), float(numbers.max())
    width = _round_width((high - low) / MOST_BARS, whole=bool((numbers == np.floor(numbers)).all()))
    first = math.floor(low / width) * width
    place = np.floor((numbers - first) / width + 1e-9).astype(np.int64)
    sizes = np.bincount(place, weights=counts).astype(np.int64).tolist()
    edges = [first + width * at for at in range(len(sizes) + 1)]
    labels = [
        f"{_edge(edges[at], days)} to {_edge(edges[at + 1], days)}" if show_values else None
        for at in range(len(sizes))
    ]
    return _drawn("histogram", labels, sizes, 0)


def _round_width(least: float, *, whole: bool) -> float:
    """The next of 1, 2 and 5 times a power of ten, so that an end of a bin is nobody's value by itself.

    >>> _round_width(7.3, whole=True), _round_width(0.03, whole=False), _round_width(0.0, whole=True)
    (10.0, 0.05, 1.0)
    """
    least = max(least, 1.0 if whole else 1e-9)
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1.0, 2.0, 5.0, 10.0) if times * power >= least * (1 - 1e-9))


def _edge(at: float, days: bool) -> str:
    if days:
        return date.fromordinal(max(int(at), 1)).isoformat()
    return many(int(at)) if at.is_integer() else number(at)


def _drawn(
    form: Literal["histogram", "groups"], labels: Sequence[str | None], sizes: Sequence[int], left_out: int
) -> tuple[ProfileDistribution | None, str | None]:
    whole = sum(sizes)
    step = 0.0 if exact_counts_asked() else next((one for one in STEPS if one * whole >= LEAST_STEP), None)
    if step is None or not whole:
        return None, f"fewer than {LEAST_STEP / STEPS[-1]:.0f} records have a value that others share"
    bars = [
        ProfileBar(label, _rounded(size / whole, step)) for label, size in zip(labels, sizes, strict=True)
    ]
    return ProfileDistribution(form, tuple(bars), step, left_out), None


def _rounded(share: float, step: float) -> float | str:
    """A share to the nearest step; what is less than half of one, and not nothing, is a bound.

    >>> _rounded(0.237, 0.05), _rounded(0.02, 0.05), _rounded(0.0, 0.05)
    (0.25, '<0.05', 0.0)
    """
    if not step or share == 0:
        return share
    steps = math.floor(share / step + 0.5)
    return round(steps * step, 2) if steps else f"<{step:g}"
