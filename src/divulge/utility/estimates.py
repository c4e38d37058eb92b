"""What an analyst estimates from each table: correlations, and totals of the population with their error.

A coarser value, such as 20-29, counts as the mean of the original values that it may stand for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from divulge.alignment.recognition import recognised
from divulge.alignment.tables import Alignment
from divulge.policy.population import Population
from divulge.questions.data import Data
from divulge.utility.numbering import Floats, TableValues

MOST_CORRELATED = 16  # numeric attributes of which each pair is told
DIGITS = 12  # of a correlation
NEGLIGIBLE = 1e-12  # share of its squares below which a spread is rounding
NO_NUMBER = "is no number in the release"
NOT_RELEASED = "is not released"


@dataclass(frozen=True)
class CorrelationChange:
    """The correlation of two numeric attributes as an analyst finds it in each table.

    Each table has its own records: those with both numbers. ``moved`` are the records that differ.
    """

    attributes: tuple[str, str]
    original: float | None
    released: float | None
    difference: float | None
    undefined: str | None = None
    moved: int = field(default=0, repr=False)


@dataclass(frozen=True)
class TotalChange:
    """The sum of an attribute over the population, or the number of people, as each table estimates it.

    A missing or suppressed number adds nothing. The standard error is that of sampling: with weights as if
    people were drawn with replacement, with a sampled share without.
    """

    attribute: str | None  # None: the number of people
    original: float
    standard_error: float | None
    released: float | None
    relative_error: float | None
    undefined: str | None = None
    moved: int = field(default=0, repr=False)


def correlation_changes(
    alignment: Alignment, population: Population | None = None
) -> list[CorrelationChange]:
    """Correlations of all pairs of numeric attributes, in the original and in the release.

    >>> from divulge import read
    >>> from divulge.alignment.tables import align
    >>> before = read({"age": [20, 30, 40], "pay": [1, 2, 3]})
    >>> [found] = correlation_changes(align(before, read({"age": [20, 30, 40], "pay": [1, 3, 2]})))
    >>> found.original, found.released
    (1.0, 0.5)
    """
    pairs = _number_pairs(alignment, population)[:MOST_CORRELATED]
    if len(pairs) < 2:
        return []
    there = [one for one in pairs if one.released is not None]
    before = _correlations([one.original for one in pairs])
    after = _correlations([one.released for one in there if one.released is not None])
    found = []
    for place, one in enumerate(pairs):
        for other in pairs[place + 1 :]:
            original = before[place, pairs.index(other)]
            reason = one.undefined or other.undefined
            released = np.nan if reason else after[there.index(one), there.index(other)]
            constant = "one of them is constant, or no record has both"
            why = reason or (constant if np.isnan([original, released]).any() else None)
            found.append(
                CorrelationChange(
                    (one.attribute, other.attribute),
                    _defined(original),
                    _defined(released),
                    _defined(released - original),
                    why,
                    max(one.moved, other.moved),
                )
            )
    return found


def total_changes(alignment: Alignment, population: Population | None = None) -> list[TotalChange]:
    """The number of people and the total of each numeric attribute, with sampling error and error of release.

    >>> from divulge import read
    >>> from divulge.alignment.tables import align
    >>> tables = read({"pay": [1, 2, 3]}), read({"pay": [1, 2, 6]})
    >>> found = total_changes(align(*tables), Population(fraction=0.5))[1]
    >>> found.original, round(found.standard_error, 4), found.released, found.relative_error
    (12.0, 2.4495, 18.0, 0.5)
    """
    weight = alignment.original.sample_weights if population is None else population.weight
    share = None if population is None else population.share(alignment.original.records)
    ours = _weights(alignment.original, weight, share)
    there = weight is None or weight in alignment.columns
    name = alignment.columns.get(weight or "", weight)
    theirs = _weights(alignment.released, name, share) if there else None
    people = _NumberPair("", np.ones(len(ours)), np.ones(alignment.released.records))
    return [
        _total(one, ours, theirs, weight, share) for one in (people, *_number_pairs(alignment, population))
    ]


@dataclass(frozen=True, eq=False)
class _NumberPair:
    """An attribute as numbers in both tables, NaN where there is none."""

    attribute: str  # empty: people themselves
    original: Floats
    released: Floats | None
    undefined: str | None = None
    moved: int = 0


def _number_pairs(alignment: Alignment, population: Population | None) -> list[_NumberPair]:
    """The numeric attributes; identifiers, weights and what only matches records aside."""
    weight = None if population is None else population.weight
    keys = [name for name in alignment.by if name not in alignment.columns]
    aside = {*alignment.original.schema.identifiers, alignment.original.weights, weight, *keys}
    names = [name for name in alignment.original.schema.attributes if name not in aside]
    found = []
    for name in names:
        original = _numbers(alignment.original, name)
        if original is None:
            continue
        if name not in alignment.columns:
            found.append(_NumberPair(name, original, None, f"{name} {NOT_RELEASED}"))
            continue
        released = _numbers(alignment.released, alignment.columns[name])
        if released is None:
            released = _coarser_numbers(alignment, name)
        why = f"{name} {NO_NUMBER}" if released is None else None
        moved = 0 if released is None else _moved_records(alignment, original, released)
        found.append(_NumberPair(name, original, released, why, moved))
    return found


def _numbers(data: Data, attribute: str) -> Floats | None:
    """An attribute as numbers; None unless all its values are."""
    column = data.column(attribute)
    values = TableValues.of(data, attribute, column)
    numbers = values.numbers()
    if numbers is None:
        return None
    table = np.full(column.cardinality, np.nan)
    table[values.occurring] = numbers
    found: Floats = table[column.codes]
    return found


def _coarser_numbers(alignment: Alignment, attribute: str) -> Floats | None:
    """The number that each released value stands for on average; None where one is not recognised, or all are
    suppressed."""
    original, released = alignment.original.column(attribute), alignment.columns[attribute]
    fits = recognised(alignment.released, released, alignment.original, attribute)
    values = TableValues.of(alignment.original, attribute, original)
    numbers = values.numbers()
    if numbers is None or fits.unknown or not fits.codes:
        return None
    number_of = np.full(original.cardinality, np.nan)
    number_of[values.occurring] = numbers
    column = alignment.released.column(released)
    table = np.full(column.cardinality, np.nan)
    for code, own in fits.codes.items():
        known = number_of[own][np.isfinite(number_of[own])]
        table[code] = known.mean() if len(known) else np.nan
    found: Floats = table[column.codes]
    return found


def _moved_records(alignment: Alignment, original: Floats, released: Floats) -> int:
    """Records whose number is another one or gone; without alignment, how many numbers are more or fewer."""
    if alignment.rows is None:
        return abs(int(np.isfinite(original).sum()) - int(np.isfinite(released).sum()))
    ours, theirs = original[alignment.rows[0]], released[alignment.rows[1]]
    differ = (ours != theirs) & ~(np.isnan(ours) & np.isnan(theirs))
    return int(differ.sum()) + len(original) - len(ours)


def _correlations(columns: Sequence[Floats]) -> Floats:
    """Correlations of each pair, on the records that have both numbers; NaN where there is none."""
    if not columns:
        return np.zeros((0, 0))
    data = np.stack(columns)
    there = np.isfinite(data)
    mean = np.where(there, data, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    centred, known = np.where(there, data - mean[:, None], 0.0), there.astype(np.float64)
    records, sums, squares = known @ known.T, centred @ known.T, centred**2 @ known.T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        spread = squares - sums**2 / records
        spread[spread <= NEGLIGIBLE * squares] = np.nan  # constant
        found = (centred @ centred.T - sums * sums.T / records) / np.sqrt(spread * spread.T)
    # Further digits depend on the order of records.
    return np.asarray(np.clip(np.round(found, DIGITS), -1, 1), np.float64)


def _weights(data: Data, weight: str | None, share: float | None) -> Floats:
    """How many people each record stands for."""
    found = data.engine.record_weights(weight, data.missing_values) if weight is not None else None
    return np.full(data.records, 1 / (share or 1.0)) if found is None else found


def _total(
    pair: _NumberPair, ours: Floats, theirs: Floats | None, weight: str | None, share: float | None
) -> TotalChange:
    parts = ours * np.nan_to_num(pair.original)
    original, error, records = _sum(parts), None, len(parts)
    if (weight is not None or share is not None) and records > 1:
        left = 1.0 if share is None else 1 - share
        squares = _sum((parts - original / records) ** 2)
        error = math.sqrt(left * records * squares / (records - 1))
    why, released = pair.undefined, None
    if pair.released is not None and theirs is None:
        why = "the weights are not released"
    elif pair.released is not None and theirs is not None:
        released = _sum(theirs * np.nan_to_num(pair.released))
    relative = None if released is None or not original else (released - original) / abs(original)
    if why is None and relative is None:
        why = "the total of the original is 0"
    return TotalChange(pair.attribute or None, original, error, released, relative, why, pair.moved)


def _sum(numbers: Floats) -> float:
    """What numbers add up to, to the last digit, so that the order of records does not show."""
    return math.fsum(numbers.tolist())


def _defined(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
