"""Figure 3, sections V-B2 and V-B3: privacy, utility and information of a bit that may be flipped."""

from __future__ import annotations

import math
from itertools import pairwise

from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import HAMMING
from divulge.estimation.information.bounds import delta_disclosure, epsilon, maximum_divergence
from divulge.estimation.information.leakage import mutual_information
from divulge.estimation.mechanisms.optimal import optimal_mechanism
from divulge.reproduction.estimation_error.paper import EXACT, PAPER
from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, PublishedNumber

FLIPS = (0.0, 0.1, 0.25, 0.4, 0.49)


@PAPER.add("figure-3", "Privacy against utility", "Figure 3, section IV-D")
def figure_3(conditions: Conditions) -> Findings:
    """A uniform bit is flipped with probability p: privacy is p, utility 1 - p, and no rule does better."""
    steps = 20 if conditions.full else 4
    utilities = [0.5 + 0.5 * step / steps for step in range(steps + 1)]
    best = [
        (u, optimal_mechanism([0.5, 0.5], loss="hamming", budget=1 - u).value) for u in utilities if u < 1
    ] + [(1.0, 0.0)]
    numbers = []
    for p in FLIPS:
        channel = _flipped(p)
        numbers += [
            PublishedNumber(
                f"average privacy, p = {p}", p, channel.privacy(HAMMING).average, tolerance=EXACT
            ),
            PublishedNumber(f"distortion, p = {p}", p, channel.distortion(HAMMING), tolerance=EXACT),
        ]
    line = [(u, 1 - u) for u in utilities]
    near = max(abs(value - (1 - u)) for u, value in best)
    return Findings(
        numbers,
        [Claim("The most privacy for a utility of u is 1 - u, found by linear programming.", near < 1e-6)],
        [
            Figure(
                "The most privacy for a utility",
                "utility",
                "wrong guesses",
                [Curve("1 - u, as printed", line, published=True), Curve("best mechanism", best)],
            )
        ],
    )


@PAPER.add("section-5-b2", "Information, closeness and differential privacy", "Sections V-B2 and V-B3")
def section_5_b2(conditions: Conditions) -> Findings:
    """Mutual information is at most t, t at most delta, and delta at most epsilon."""
    steps = 49 if conditions.full else 8
    flips = [0.01 + 0.48 * step / steps for step in range(steps + 1)]
    lines: dict[str, list[tuple[float, float]]] = {
        "mutual information": [],
        "t": [],
        "delta": [],
        "epsilon": [],
    }
    for p in flips:
        channel = _flipped(p)
        for name, value in zip(
            lines,
            (
                mutual_information(channel),
                maximum_divergence(channel),
                delta_disclosure(channel),
                epsilon(channel) / math.log(2),
            ),
            strict=True,
        ):
            lines[name].append((p, value))
    values = [[y for _, y in line] for line in lines.values()]
    ordered = all(
        low <= high + EXACT
        for lower, upper in pairwise(values)
        for low, high in zip(lower, upper, strict=True)
    )
    rate = [
        (
            0.5 * step / steps,
            optimal_mechanism(
                [0.5, 0.5], loss="hamming", budget=0.5 * step / steps, goal="information"
            ).value,
        )
        for step in range(1, steps)
    ]
    shannon = max(abs(value - (1 - _binary_entropy(loss))) for loss, value in rate)
    return Findings(
        claims=[
            Claim("I <= t <= delta <= epsilon, all in bits.", ordered),
            Claim("The least information within a distortion D is 1 - h(D), Shannon's rate.", shannon < 1e-6),
        ],
        figures=[
            Figure(
                "Four measures of one channel",
                "flip probability",
                "bits",
                [Curve(n, line) for n, line in lines.items()],
            ),
            Figure(
                "Least information within a distortion",
                "distortion",
                "bits",
                [Curve("rate-distortion", rate)],
            ),
        ],
    )


def _flipped(p: float) -> Channel:
    return Channel([0.5, 0.5], [[1 - p, p], [p, 1 - p]])


def _binary_entropy(p: float) -> float:
    return -sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)
