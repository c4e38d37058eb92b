"""Figures 5 and 7: what chance shows of a release, beside the chi-square distribution it is read by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings
from divulge.reproduction.release.paper import LOCATIONS, PAPER, as_printed

SAMPLES = {True: 10_000, False: 500}
BINS = 40
NEAR = 0.05  # shares of sets below a value that differ by no more agree, in so many samples
RECORDS = 5_000
OF_LOCATIONS = (1014, 649, 826, 1003, 1506)  # of 5,000 soldiers, cut off


@PAPER.add("figure-5", "Mutual information by chance", "Example 5.3, figure 5")
def figure_5(conditions: Conditions) -> Findings:
    """Of 5,000 records without dependency, 2 n ln 2 times the mutual information is nearly chi-square."""
    return _distributions("mis", {"all locations": RECORDS}, conditions)


@PAPER.add("figure-7", "Distances by chance", "Example 5.7, figure 7")
def figure_7(conditions: Conditions) -> Findings:
    """The same of one location's distance, for as many records as each has of 5,000."""
    return _distributions("kld", dict(zip(LOCATIONS, OF_LOCATIONS, strict=True)), conditions)


def _distributions(test: str, sizes: dict[str, int], conditions: Conditions) -> Findings:
    """A chart for each size: simulated and chi-square, as shares of a bin's width."""
    critical, samples = as_printed(test, 0.2).critical, SAMPLES[conditions.full]
    found = {name: critical.distribution(test, records, samples, BINS) for name, records in sizes.items()}
    degrees = critical.degrees(test)
    apart = {name: _apart(bins) for name, bins in found.items()}
    return Findings(
        claims=[
            Claim(
                f"{name}, {sizes[name]:,} records: chi-square with {degrees} degrees of freedom fits.",
                distance <= NEAR,
                f"Shares of sets below a value differ by up to {distance:.3f}.",
            )
            for name, distance in apart.items()
        ],
        figures=[
            Figure(
                f"{test.upper()}, {name}, {sizes[name]:,} records",
                "2 n ln 2 times bits",
                "density",
                [
                    Curve("simulated", _density(bins, "simulated")),
                    Curve("chi-square", _density(bins, "chi_square")),
                ],
            )
            for name, bins in found.items()
        ],
        notes=[f"{samples:,} samples."],
    )


def _density(bins: Sequence[dict[str, Any]], part: str) -> list[tuple[float, float]]:
    return [((one["low"] + one["high"]) / 2, one[part] / (one["high"] - one["low"])) for one in bins]


def _apart(bins: Sequence[dict[str, Any]]) -> float:
    """How far the shares of sets below a value differ at most."""
    return max(abs(total) for total in accumulate(one["simulated"] - one["chi_square"] for one in bins))
