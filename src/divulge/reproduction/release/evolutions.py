"""Figures 12 to 15: how near released soldiers came to the critical value, as more and more left."""

from __future__ import annotations

from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, Point
from divulge.reproduction.release.paper import PAPER, as_printed, soldiers
from divulge.safe_release.simulation import simulate

LEVEL = 0.2


@PAPER.add("figure-12", "Mutual information as soldiers leave", "Figure 12")
def figure_12(conditions: Conditions) -> Findings:
    """Mutual information stays just below its critical value; both fall as more soldiers leave."""
    return _evolution("mis", "bits", conditions, "xy")


@PAPER.add("figure-13", "Distances as soldiers leave", "Figure 13")
def figure_13(conditions: Conditions) -> Findings:
    """The distance of each location from the whole stays below its critical value."""
    return _evolution("kld", "bits", conditions, "xy")


@PAPER.add("figure-14", "Pearson's statistic as soldiers leave", "Figure 14")
def figure_14(conditions: Conditions) -> Findings:
    """Critical values rise in steps as ages get five soldiers each, and end the same everywhere."""
    return _evolution("cst", "statistic", conditions)


@PAPER.add("figure-15", "Dixon's ratio as soldiers leave", "Figure 15")
def figure_15(conditions: Conditions) -> Findings:
    """The ratio comes near its critical value, which depends on how many locations have been seen."""
    return _evolution("dqt", "ratio", conditions, "x")


def _evolution(test: str, unit: str, conditions: Conditions, logarithmic: str = "x") -> Findings:
    """Exposure and critical value of one order of requests, a chart for each location that has its own."""
    requests = 10_000 if conditions.full else 600
    found = simulate(
        soldiers(), as_printed(test, LEVEL), runs=1, requests=requests, seed=conditions.seed + 12
    )
    exposures: dict[str, list[Point]] = {}
    limits: dict[str, list[Point]] = {}
    within = True
    for state in found.evolution():
        for one in state.exposures():
            if one.value is None or one.critical is None:
                continue  # too few records yet for the test to be carried out
            name = "all locations" if one.target is None else str(one.target)
            within &= one.value <= one.critical + 1e-9
            if one.value > 0 or "y" not in logarithmic:
                exposures.setdefault(name, []).append((float(state.records), one.value))
            limits.setdefault(name, []).append((float(state.records), one.critical))
    return Findings(
        claims=[Claim("It never exceeds its critical value.", within)],
        figures=[
            Figure(
                f"{test.upper()}, {name}",
                "soldiers released so far",
                unit,
                [Curve("released", exposures.get(name, [])), Curve("critical value", points)],
                logarithmic,
            )
            for name, points in limits.items()
        ],
        notes=[f"One order of {requests:,} requests at the level {LEVEL}."],
    )
