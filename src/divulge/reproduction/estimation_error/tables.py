"""Figures 1, 5, 6 and 7: the error that released tables leave to an attacker."""

from __future__ import annotations

import math

import numpy as np

from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import HAMMING
from divulge.estimation.information.bounds import (
    delta_disclosure,
    divergence_by_disclosure,
    information_by_divergence,
    kl_divergence,
    maximum_divergence,
    reduction,
    reduction_as_printed,
    total_variation,
    total_variation_by_divergence,
)
from divulge.estimation.information.entropy import hartley_entropy, min_entropy, shannon_entropy
from divulge.estimation.information.leakage import mutual_information
from divulge.reproduction.estimation_error.paper import EXACT, PAPER
from divulge.reproduction.experiment import (
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    PublishedNumber,
    Tabulation,
)
from divulge.reproduction.printed_rates import Columns, rows

ANONYMOUS = rows("""
Age    Health
40-50  Hepatitis B
40-50  Hepatitis C
40-50  Hepatitis D
<40    Diabetes
<40    Heart Disease
<40    Heart Disease
""")
DIVERSE = rows("""
Age    Health
40-50  Hepatitis C
40-50  Hepatitis C
40-50  Lung Cancer
40-50  Lung Cancer
<40    Viral Infection
<40    Heart Disease
<40    Heart Disease
<40    Viral Infection
""")
SKEWED = rows("""
Age    Health
40-50  AIDS
40-50  Heart Disease
40-50  Lung Cancer
40-50  Viral Infection
<40    AIDS
<40    AIDS
<40    Viral Infection
<40    AIDS
""")


@PAPER.add("figure-1", "The 3-anonymous table", "Figure 1 b, section II-B")
def figure_1(conditions: Conditions) -> Findings:
    """Who is who is guessed wrongly two times in three, and yet every one of the elder has hepatitis."""
    health = _channel(ANONYMOUS, "Health")
    similar = health.privacy(HAMMING, predicate=lambda condition: str(condition).startswith("Hepatitis"))
    elder = float(similar.conditional[health.outputs.index("40-50")])
    return _released(
        ANONYMOUS,
        3,
        [
            PublishedNumber(
                "how likely somebody is recognised, at most", 1 / 3, 1 - _identity(ANONYMOUS), tolerance=EXACT
            )
        ],
        [Claim("Whether one of the elder has hepatitis is certain (similarity attack).", elder < EXACT)],
    )


@PAPER.add(
    "figure-5",
    "k-anonymity as an error",
    "Figure 5, section V-A1",
    caveat="The cells of the figure are those of figure 1 b.",
)
def figure_5(conditions: Conditions) -> Findings:
    """Where k people are equally likely, the best guess of a person is wrong with probability 1 - 1/k."""
    identity = Channel.of_columns({name: list(values) for name, values in ANONYMOUS.items()}, "Age")
    left = [float(one) for one in identity.privacy(HAMMING).conditional]
    hartley = [1 - 2 ** -hartley_entropy(posterior) for posterior in identity.posterior]
    least = [1 - 2 ** -min_entropy(posterior) for posterior in identity.posterior]
    people = range(2, 31 if conditions.full else 8)
    uniform = [(float(k), float(Channel([1 / k] * k, [[1.0]] * k).privacy(HAMMING).average)) for k in people]
    return Findings(
        [
            PublishedNumber(
                "how likely somebody is recognised, at most", 1 / 3, 1 - min(left), tolerance=EXACT
            ),
            *(
                PublishedNumber(f"wrong about who it is, {group}: 1 - 1/k", 2 / 3, one, tolerance=EXACT)
                for group, one in zip(identity.outputs, left, strict=True)
            ),
        ],
        [
            Claim("The error is 1 - 2^-H of Hartley's entropy.", _near(left, hartley)),
            Claim("The error is 1 - 2^-H of min-entropy (7).", _near(left, least)),
            Claim("It is 1 - 1/k for every k.", all(abs(y - (1 - 1 / k)) < EXACT for k, y in uniform)),
        ],
        [Figure("Error by k", "k", "wrong guesses", [Curve("equally likely people", uniform)])],
    )


@PAPER.add("figure-6", "The 2-diverse table", "Figure 6 b")
def figure_6(conditions: Conditions) -> Findings:
    """With two equally likely diseases in each group the attacker is wrong about every second person."""
    left = [float(one) for one in _channel(DIVERSE, "Health").privacy(HAMMING).conditional]
    return _released(
        DIVERSE,
        4,
        [PublishedNumber("wrong about the disease: 1 - 1/l", 0.5, max(left), tolerance=EXACT)],
        [Claim("Both groups leave the same error.", max(left) - min(left) < EXACT)],
    )


@PAPER.add("figure-7", "The skewed table", "Figure 7 b")
def figure_7(conditions: Conditions) -> Findings:
    """Before the release AIDS is as likely as not; who is younger than 40 has it three times in four."""
    health = _channel(SKEWED, "Health")
    place = health.inputs.index("AIDS")
    younger = health.posterior[health.outputs.index("<40")]
    return _released(
        SKEWED,
        4,
        [
            PublishedNumber("AIDS, before", 1 / 2, float(health.prior[place]), tolerance=EXACT),
            PublishedNumber("AIDS, younger than 40", 3 / 4, float(younger[place]), tolerance=EXACT),
        ],
        [],
    )


def _near(ones: list[float], others: list[float]) -> bool:
    return all(abs(one - other) < EXACT for one, other in zip(ones, others, strict=True))


def _channel(columns: Columns, target: str) -> Channel:
    return Channel.of_columns({name: list(values) for name, values in columns.items()}, "Age", target)


def _identity(columns: Columns) -> float:
    """How often the best guess of who somebody is goes wrong."""
    return (
        Channel.of_columns({name: list(values) for name, values in columns.items()}, "Age")
        .privacy(HAMMING)
        .worst
    )


def _released(columns: Columns, k: int, numbers: list[PublishedNumber], claims: list[Claim]) -> Findings:
    """What the table leaves unknown, and the bounds of section V on what it gives away."""
    health = _channel(columns, "Health")
    privacy = health.privacy(HAMMING)
    rows_of: list[list[str | float | None]] = []
    wrong = 1 - np.eye(len(health.inputs))
    holds = {"total variation": True, "Kullback-Leibler divergence": True}
    for place, group in enumerate(health.outputs):
        posterior = health.posterior[place]
        lost = reduction(posterior, health.prior, wrong)
        held = reduction_as_printed(posterior, health.prior, wrong).holds
        holds["total variation"] &= held
        holds["Kullback-Leibler divergence"] &= (
            held and total_variation_by_divergence(posterior, health.prior, wrong).holds
        )
        rows_of.append(
            [
                str(group),
                float(privacy.conditional[place]),
                min_entropy(posterior),
                shannon_entropy(posterior),
                hartley_entropy(posterior),
                lost,
                total_variation(posterior, health.prior),
                kl_divergence(posterior, health.prior),
            ]
        )
    order = [mutual_information(health), maximum_divergence(health), delta_disclosure(health)]
    return Findings(
        [
            PublishedNumber("wrong about who it is: 1 - 1/k", 1 - 1 / k, _identity(columns), tolerance=EXACT),
            *numbers,
        ],
        [
            *claims,
            *(
                Claim(f"What is lost in a group is bounded by its {name} (8).", held)
                for name, held in holds.items()
            ),
            Claim(
                "Mutual information is at most t, and t at most delta.",
                information_by_divergence(health).holds and divergence_by_disclosure(health).holds,
                f"In bits: {', '.join('infinite' if math.isinf(one) else f'{one:.4g}' for one in order)}.",
            ),
        ],
        tables=[
            Tabulation(
                "By age group",
                [
                    "age",
                    "wrong",
                    "H_inf, bits",
                    "H_1, bits",
                    "H_0, bits",
                    "lost",
                    "total variation",
                    "KL, bits",
                ],
                rows_of,
            )
        ],
        notes=[
            f"On average the attacker is wrong about the disease {privacy.average:.4g} of the time, at worst "
            f"for the person {privacy.worst:.4g}, and before the release {privacy.prior:.4g}."
        ],
    )
