"""Whether released values correspond to original ones, though they are not the same: nearly, or in order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import NEARLY_ALL
from divulge.alignment.tables import Alignment
from divulge.attacks.linkage.candidates import Mask
from divulge.table.codes import MISSING, Codes, as_number

Floats = npt.NDArray[np.float64]
NEAR = 0.05  # of all ranks, or of the range of the middle half: a value so near to the truth reveals it

CLEARLY = 0.5  # correlation of ranks


@dataclass(frozen=True, eq=False)
class Correspondence:
    """For each aligned record, whether the released value reveals the person's own; how often by chance."""

    right: Mask
    chance: float  # of right values, in a random order


def correspondence(alignment: Alignment, name: str, own: Mask, seed: int) -> Correspondence:
    """Where released values are the people's ``own``, or numbers or days with nearly the same rank or size.

    Ranks are those in each table, so that a change of unit changes nothing. Where high values were released
    for low ones, ranks count from the other end.
    """
    original, released = alignment.pair(name)
    random = np.random.default_rng(seed).permutation(len(own))
    ours, theirs = in_order(alignment.original.column(name)), in_order(_released(alignment, name))
    if ours is None or theirs is None:
        return Correspondence(own, _alike(original, released))
    mine, yours = ours[original.codes], theirs[released.codes]
    near = _near(mine, yours)
    return Correspondence(own | near, float(_near(mine[random], yours, mine).mean()))


def in_order(column: Codes) -> Floats | None:
    """The number or day of each code, NaN where it has none; None where the values are neither."""
    used = column.used()
    used = used[used != MISSING]
    if not len(used):
        return None
    values = column.values_of(used)
    for read in (as_number, _day):
        numbers = np.asarray([read(value) for value in values], np.float64)
        if np.isfinite(numbers).mean() >= NEARLY_ALL:
            found = np.full(column.cardinality, np.nan)
            found[used] = numbers
            return found
    return None


def middle_ranks(values: Floats) -> Floats:
    """Where values stand among themselves, from 0 to 1; alike values share the middle of their places."""
    low, high = _places(values)
    return np.where(np.isnan(values), np.nan, (low + high) / 2)


def opposed(ours: Floats, theirs: Floats) -> bool:
    """Whether high values of one go with low ones of the other, clearly enough to be meant."""
    known = ~np.isnan(ours) & ~np.isnan(theirs)
    one, other = middle_ranks(ours[known]) - 0.5, middle_ranks(theirs[known]) - 0.5
    return bool((one * other).sum() < -CLEARLY * np.sqrt((one**2).sum() * (other**2).sum()))


def _released(alignment: Alignment, name: str) -> Codes:
    return alignment.released.column(alignment.columns[name])


def _day(value: object) -> float:
    try:
        day = value if isinstance(value, date) else date.fromisoformat(str(value))
    except ValueError:
        return float("nan")
    return float(day.toordinal())


def _near(ours: Floats, theirs: Floats, paired: Floats | None = None) -> Mask:
    """Whether numbers are near by rank or by size; ``paired`` are those that belong to the second ones."""
    low, high = _places(ours)
    least, most = _places(theirs)
    if opposed(ours if paired is None else paired, theirs):
        least, most = 1 - most, 1 - least
    by_rank = np.maximum(low - most, least - high) <= NEAR
    lower, upper = np.nanquantile(ours, [0.25, 0.75]) if np.isfinite(ours).any() else (0.0, 0.0)
    by_size = np.abs(ours - theirs) <= NEAR * (upper - lower)
    return np.asarray((by_rank | by_size) & ~np.isnan(ours) & ~np.isnan(theirs))


def _places(values: Floats) -> tuple[Floats, Floats]:
    """The shares of known values that are less than each value, and that are not greater."""
    known = np.sort(values[~np.isnan(values)])
    few = max(len(known), 1)
    low, high = (np.searchsorted(known, values, side) / few for side in ("left", "right"))
    return low, high


def _alike(original: Codes, released: Codes) -> float:
    """How often values would be the same in a random order."""
    records = max(len(original.codes), 1)
    often = {
        str(value): int(some)
        for value, some in zip(original.values, original.frequencies()[1:], strict=True)
        if some
    }
    there = released.frequencies()[1:]
    return float(
        sum(
            int(some) * often.get(str(value), 0)
            for value, some in zip(released.values, there, strict=True)
            if some
        )
        / records**2
    )
