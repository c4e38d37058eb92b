"""What simulated critical values and simulated requests would take; beyond reason they are refused."""

from __future__ import annotations

from divulge.errors import ParameterError
from divulge.source.budget import spelled
from divulge.wording import many

MOST_MEMORY = 4 * 10**9  # bytes
MOST_SECONDS = 6 * 3600
DRAW = 30  # nanoseconds for a record of a sample
REQUEST = 600  # nanoseconds for a request, at the least
NUMBER = 8  # bytes


def check_samples(samples: int, sizes: int, largest: int) -> None:
    """Refuse critical values for so many sizes of releases, if simulating them is beyond reason."""
    _check(
        f"Critical values from {_many(samples)} samples, for releases of up to {many(largest)} records,",
        2 * NUMBER * samples * sizes,  # what is found, and the same once more to take quantiles
        DRAW * samples * largest,
        "Ask for fewer samples (--samples); 10,000 are usual.",
    )


def check_runs(runs: int, requests: int, cells: int) -> None:
    """Refuse so many runs of so many requests, if what they leave behind is too large or takes too long."""
    _check(
        f"{_many(runs)} runs of {many(requests)} requests",
        NUMBER * runs * cells,
        REQUEST * runs * requests,
        "Ask for fewer runs (--runs); 20 are usual.",
    )


def _check(what: str, memory: int, nanoseconds: int, hint: str) -> None:
    if memory <= MOST_MEMORY and nanoseconds <= MOST_SECONDS * 10**9:
        return
    raise ParameterError(
        f"{what} would take about {_spelled(memory)} of memory and {_time(nanoseconds // 10**9)}. "
        f"The most is {spelled(MOST_MEMORY)} and {_time(MOST_SECONDS)}.",
        hint=hint,
    )


def _spelled(memory: int) -> str:
    return spelled(memory) if memory < 10**15 else "more than 1,000 TB"


def _many(count: int) -> str:
    return many(count) if count < 10**15 else "more than 10^15"


def _time(seconds: int) -> str:
    """So many seconds in the largest unit that they fill twice.

    >>> _time(40), _time(7200), _time(10**7), _time(10**12)
    ('40 seconds', '2 hours', '115 days', 'more than 1,000 years')
    """
    if seconds > 1000 * 365 * 86_400:
        return "more than 1,000 years"
    lengths = {"days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}
    unit = next((unit for unit, length in lengths.items() if seconds >= 2 * length), "seconds")
    return f"{many(seconds // lengths[unit])} {unit}"
