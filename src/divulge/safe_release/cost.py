"""What simulated critical values and simulated requests would take; beyond reason they are refused."""

from __future__ import annotations

from divulge._support.wording import many
from divulge.limits.sizes import require_memory, require_time

DRAW = 30e-9  # seconds for a record of a sample
REQUEST = 600e-9  # seconds for a request, at the least
NUMBER = 8  # bytes


def check_samples(samples: int, sizes: int, largest: int) -> None:
    """Refuse critical values for so many sizes of releases, if simulating them is beyond reason."""
    what = f"Critical values from {_many(samples)} samples, for releases of up to {many(largest)} records,"
    hint = "Use fewer samples (--samples); 10,000 are usual."
    # What is found, and the same once more to take quantiles.
    require_memory(2 * NUMBER * samples * sizes, what, hint=hint)
    require_time(DRAW * samples * largest, what, hint=hint)


def check_runs(runs: int, requests: int, cells: int) -> None:
    """Refuse so many runs of so many requests, if what they leave behind is too large or takes too long."""
    what = f"{_many(runs)} runs of {many(requests)} requests"
    hint = "Use fewer runs (--runs); 20 are usual."
    require_memory(NUMBER * runs * cells, what, hint=hint)
    require_time(REQUEST * runs * requests, what, hint=hint)


def _many(count: int) -> str:
    return many(count) if count < 10**15 else "more than 10^15"
