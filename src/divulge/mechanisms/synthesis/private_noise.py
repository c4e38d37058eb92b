"""Counts and choices under differential privacy, with noise from OpenDP alone.

Floating-point noise of one's own would break the promise. OpenDP draws from the system's source of
randomness: no seed repeats it. What a step has spent is what OpenDP's own maps say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.errors import MissingLibrary

_ROUNDED = 1 + 1e-9  # scales are a little larger, so that what is spent is never above what was allowed


def require_opendp() -> None:
    """Refuse to go on without OpenDP, and have it loaded."""
    _opendp()


def noisy_counts(counts: Sequence[int], epsilon: float) -> tuple[list[int], float]:
    """Counts with discrete Laplace noise, where one person is in one of them; and the epsilon spent."""
    dp = _opendp()
    space = dp.domains.vector_domain(dp.domains.atom_domain(T="i64")), dp.metrics.l1_distance(T="i64")
    noise = dp.measurements.make_laplace(*space, scale=_ROUNDED / epsilon)
    return noise(list(counts)), float(noise.map(1))


def noisy_choice(scores: Sequence[int], sensitivity: int, epsilon: float) -> tuple[int, float]:
    """The place of a score that is high with high probability, and the epsilon spent.

    ``sensitivity`` is by how much one person can change a score.
    """
    dp = _opendp()
    space = dp.domains.vector_domain(dp.domains.atom_domain(T="i64")), dp.metrics.linf_distance(T="i64")
    scale = 2 * sensitivity * _ROUNDED / epsilon
    choice = dp.measurements.make_noisy_max(*space, dp.measures.max_divergence(), scale=scale)
    return int(choice(list(scores))), float(choice.map(sensitivity))


def _opendp() -> Any:
    """OpenDP by its parts: its prelude would load scikit-learn and others as well, for seconds."""
    try:
        import opendp.domains
        import opendp.measurements
        import opendp.measures
        import opendp.metrics
        import opendp.mod
    except ModuleNotFoundError:
        raise MissingLibrary(
            "a release under differential privacy", "opendp", "privacy", doing="Making"
        ) from None
    opendp.mod.enable_features("contrib")
    return opendp
