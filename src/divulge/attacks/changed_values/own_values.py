"""What released values say about the people themselves, where any values of that kind would say as much."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.originals import beyond_chance, by_record
from divulge.attacks.outcome import AttackReading


def about_own_values(alignment: Alignment, one: AttackReading, name: str | None, seed: int) -> AttackReading:
    """A rate of released values, which any such values have, and what of it is about original ones.

    What a released value says about its record it says about the original value: a share of H(original), and
    that is a share of what there is to know about records. Where nothing was changed, it is the rate itself.
    """
    if one.discrimination_rate is None or name is None:
        return one
    told = beyond_chance(by_record(alignment, name, show_values=False, seed=seed))
    original = alignment.pair(name)[0]
    shares = original.frequencies() / max(len(original.codes), 1)
    shares = shares[shares > 0]
    most = float(-(shares * np.log2(shares)).sum()) / max(math.log2(len(original.codes)), 1.0)
    rate = None if told.discrimination_rate is None else told.discrimination_rate * most
    return replace(one, chance=one.discrimination_rate, adjusted=rate)


def right_of_others(alignment: Alignment, target: str) -> npt.NDArray[np.float64]:
    """For each aligned record, the share of people whose value is the released one: how often it is right."""
    original, released = alignment.pair(target)
    share = original.frequencies() / max(len(original.codes), 1)
    often = {str(value): float(one) for value, one in zip(original.values, share[1:], strict=True)}
    known = np.asarray([float(share[0]), *(often.get(str(value), 0.0) for value in released.values)])
    return known[released.codes]
