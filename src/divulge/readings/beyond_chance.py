"""Whether an adjusted reading is beyond chance, within its bound, or neither can be told."""

from __future__ import annotations

from divulge._support.wording import number
from divulge.readings.chance import LEVEL
from divulge.readings.reading import Reading

CANNOT_TELL = "cannot tell"


def cannot_tell(reading: Reading, bound: float | None, compared: int) -> str | None:
    """Why nothing follows from an adjusted reading; None where it may be held against the bound.

    Above the bound a reading counts if it is beyond chance: if unrelated data of the same shape read as risky
    with a probability of at most 0.01, divided by the number of readings ``compared``. Below the bound it
    counts if unrelated data do not reach the bound, or so much could be there without being seen.
    """
    null, adjusted, noise = reading.at_chance.null, reading.adjusted, reading.noise
    if null is None or noise is None or adjusted is None or reading.p_value is None:
        return f"{CANNOT_TELL}: {reading.at_chance.unsure or reading.at_chance.reason or 'too few shuffles'}"
    if bound is None:
        return None
    sure = reading.p_value <= null.level(compared) if adjusted > bound else noise < bound
    return (
        None if sure else f"{CANNOT_TELL}: unrelated data of this shape reach up to {number(round(noise, 2))}"
    )


def beyond_chance(p_value: float | None, compared: int) -> bool:
    """Whether a discrimination rate is beyond what unrelated data reach, when so many are compared."""
    return p_value is not None and p_value <= LEVEL / compared
