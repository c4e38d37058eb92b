"""Which claims about Adult hold for which limit of suppression; the thesis prints none of its limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from divulge.reproduction.experiment import Claim, Tabulation

LIMITS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1)  # shares of the records that may be suppressed or left out


def claims_by_limit(claims: Callable[[float], Sequence[Claim]]) -> Tabulation:
    """Every claim for every limit, so that it is seen which of them depend on it."""
    found = [claims(limit) for limit in LIMITS]
    return Tabulation(
        "Which claims hold, by the share of records that may be suppressed",
        ["claim", *(f"{limit:.0%}" for limit in LIMITS)],
        [
            [same[0].says, *("yes" if one.holds else "no" for one in same)]
            for same in zip(*found, strict=True)
        ],
    )
