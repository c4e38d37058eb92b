"""Original numbers that are weighted sums of released ones: a rotation, or sums and differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge._support.wording import enumerated
from divulge.alignment.recognition import IntArray, numbers_of
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.correspondence import Floats
from divulge.attacks.changed_values.new_columns import with_values
from divulge.attacks.changed_values.value_pairs import MANY, MOSTLY
from divulge.table.codes import Codes

LEFT_OVER = 0.01  # of the variance of original numbers, at most, by released ones together
TIMES_LESS = 10  # is left over by all released columns than by the one of the same name
RECORDS = 10  # for each column, at least: few records lie near some plane by chance
MOST_RECORDS = 100_000  # by which a map is found
WHY = (
    "Someone who estimates that map from how the numbers of both tables are spread, or knows some people's "
    "records, can undo it, and so they are read here."
)


def read_linear_maps(alignment: Alignment, added: Sequence[str] = ()) -> tuple[Alignment, list[str]]:
    """The alignment with original numbers in place of released ones of which they are weighted sums.

    Where the best linear map of all released numbers nearly gives an original column back, and neither the
    column of that name does nor those that were not changed, the numbers that the map gives are read instead.
    Beside it is which, in words.
    """
    wanted = _not_shown(alignment)
    if not wanted:
        return alignment, []
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    released = alignment.released
    sides = {
        name: numbers
        for name in (*alignment.columns.values(), *added)
        if (numbers := _numbers(released.column(name), released.suppressed_code(name))) is not None
    }
    if len(sides) < 2:
        return alignment, []
    complete = np.flatnonzero(np.logical_and.reduce([np.isfinite(one[theirs]) for one in sides.values()]))
    if len(complete) < max(MOSTLY * len(ours), RECORDS * (len(sides) + 1)):
        return alignment, []
    some = np.random.default_rng(0).permutation(complete)[:MOST_RECORDS]
    shown = np.column_stack([one[theirs[some]] for one in sides.values()])
    middle, spread = shown.mean(axis=0), shown.std(axis=0)
    table = np.column_stack([np.ones(len(some)), (shown - middle) / np.where(spread > 0, spread, 1.0)])
    changed = {alignment.columns.get(name) for name in wanted}
    kept = [0, *(place for place, name in enumerate(sides, 1) if name not in {*changed, *added})]
    read, found = list[str](), alignment
    for name, (numbers, alone) in wanted.items():
        given = np.isfinite(numbers[ours[some]])
        truth = numbers[ours[some]][given]
        if len(truth) < RECORDS * (len(sides) + 1) or not truth.std():
            continue
        weights, left = _map(table[given], truth)
        if left > LEFT_OVER or left * TIMES_LESS > min(alone, _map(table[given][:, kept], truth)[1]):
            continue
        mapped = np.full(released.records, weights[0])
        for one, weight, at, by in zip(sides.values(), weights[1:], middle, spread, strict=True):
            mapped += weight * (one - at) / (by or 1.0)
        found = with_values(found, name, _column(mapped, numbers, ours, theirs))
        read.append(name)
    return found, [_said(read)] if read else []


def _map(table: Floats, truth: Floats) -> tuple[Floats, float]:
    """The weights of the best sum of columns, and the share of the variance that it leaves over."""
    weights = np.asarray(np.linalg.lstsq(table, truth, rcond=None)[0], np.float64)
    return weights, float(((table @ weights - truth) ** 2).mean() / truth.var())


def _not_shown(alignment: Alignment) -> dict[str, tuple[Floats, float]]:
    """The numbers of original attributes that the release does not nearly show, and how much is left over."""
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    schema, released = alignment.original.schema, alignment.released
    found = {}
    for name in (*schema.quasi_identifiers, *schema.sensitive):
        numbers = _numbers(alignment.original.column(name))
        if numbers is None:
            continue
        there = alignment.columns.get(name)
        shown = None if there is None else _numbers(released.column(there), released.suppressed_code(there))
        left = 1.0 if shown is None else _left_over(numbers[ours], shown[theirs])
        if left > LEFT_OVER:
            found[name] = (numbers, left)
    return found


def _left_over(truth: Floats, shown: Floats) -> float:
    """The share of the variance that is not explained by one column."""
    known = np.isfinite(truth) & np.isfinite(shown)
    if known.sum() < RECORDS or not truth[known].std() or not shown[known].std():
        return 1.0
    return 1 - float(np.corrcoef(truth[known], shown[known])[0, 1]) ** 2


def _numbers(column: Codes, suppressed: int | None = None) -> Floats | None:
    """The numbers of a column that differ; None where there are none."""
    found = numbers_of(column, suppressed)
    return None if found is None or not np.nanstd(found) else found


def _column(mapped: Floats, numbers: Floats, ours: IntArray, theirs: IntArray) -> Codes:
    """What the map gives: the nearest original numbers, where these are mostly the people's own."""
    known = np.unique(numbers[np.isfinite(numbers)])
    place = np.clip(np.searchsorted(known, mapped), 1, len(known) - 1)
    nearest = np.where(mapped - known[place - 1] <= known[place] - mapped, known[place - 1], known[place])
    nearest[np.isnan(mapped)] = np.nan
    own = nearest[theirs] == numbers[ours]
    return Codes.of(_spelled(nearest if own.mean() >= MANY else mapped))


def _spelled(numbers: Floats) -> list[object]:
    """Numbers as values, whole ones without a decimal point."""
    return [int(one) if one.is_integer() else one for one in numbers.tolist()]


def _said(names: Sequence[str]) -> str:
    return (
        f"A linear map of the released numbers gives {enumerated(names)} back: it explains "
        f"{100 * (1 - LEFT_OVER):.0f}% of the variance or more. {WHY}"
    )
