"""Interval disclosure: how many original values lie near the released ones, by rank or by deviation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Width = Literal["rank", "deviation"]
SHUFFLED, MOST_SHUFFLES = 50_000, 20  # pairs drawn at random for what intervals hold by chance


@dataclass(frozen=True)
class IntervalDisclosure:
    """The share of records whose original value lies in the interval around the released one."""

    width: float
    by: Width
    inside: Mapping[str, float]  # by attribute
    all: float  # inside on every attribute at once
    records: int = field(repr=False)


def interval_disclosure(
    pairs: Mapping[str, tuple[Floats, Floats]], *, width: float = 0.1, by: Width = "rank"
) -> IntervalDisclosure:
    """Original values within a width of their released ones.

    By rank, the width is a share of all records: the ranks of the two values among the original's differ by
    at most so much. By deviation, it is in the original's standard deviations. ``pairs`` are numbers of the
    same records.

    >>> ages = np.arange(10.0)
    >>> interval_disclosure({"age": (ages, ages + 1)}, width=0.1).inside
    {'age': 1.0}
    """
    found = {name: _inside(ours, theirs, width, by) for name, (ours, theirs) in pairs.items()}
    together = np.logical_and.reduce(list(found.values()))
    shares = {name: float(inside.mean()) for name, inside in found.items()}
    return IntervalDisclosure(width, by, shares, float(together.mean()), len(together))


def interval_at_random(
    pairs: Mapping[str, tuple[Floats, Floats]], *, width: float = 0.1, by: Width = "rank", seed: int = 0
) -> IntervalDisclosure:
    """The same where each released record is linked to an original one at random.

    >>> ages = np.arange(1000.0)
    >>> round(interval_at_random({"age": (ages, ages)}, width=0.1).inside["age"], 1)  # 10 % on either side
    0.2
    """
    records, rng = len(next(iter(pairs.values()))[0]), np.random.default_rng(seed)
    drawn = []
    for _ in range(int(np.clip(SHUFFLED // max(records, 1), 1, MOST_SHUFFLES))):
        order = rng.permutation(records)
        linked = {name: (ours, theirs[order]) for name, (ours, theirs) in pairs.items()}
        drawn.append(interval_disclosure(linked, width=width, by=by))
    inside = {name: float(np.mean([one.inside[name] for one in drawn])) for name in pairs}
    return IntervalDisclosure(width, by, inside, float(np.mean([one.all for one in drawn])), records)


def _inside(ours: Floats, theirs: Floats, width: float, by: Width) -> npt.NDArray[np.bool_]:
    known = ~np.isnan(ours) & ~np.isnan(theirs)
    if by == "deviation":
        near = np.abs(ours - theirs) <= width * np.nanstd(ours)
    else:
        ordered = np.sort(ours[~np.isnan(ours)])
        low, high = (np.searchsorted(ordered, theirs, side) for side in ("left", "right"))
        own_low, own_high = (np.searchsorted(ordered, ours, side) for side in ("left", "right"))
        apart = np.maximum(np.maximum(own_low - high, low - own_high) + 1, 0)
        near = apart <= width * len(ordered)
    return np.asarray(known & near, np.bool_)
