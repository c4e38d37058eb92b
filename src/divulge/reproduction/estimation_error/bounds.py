"""Section V-B1: how much an observation can take from privacy, bounded by how far beliefs move."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge.estimation.information.bounds import (
    kl_divergence,
    reduction,
    reduction_as_printed,
    total_variation,
    total_variation_by_divergence,
)
from divulge.reproduction.estimation_error.paper import EXACT, PAPER
from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, PublishedNumber

WRONG = 1 - np.eye(2)
#: Where the most likely value is not the best estimate: places, and beliefs before and after.
PLACES = np.array([0.0, 10.0, 11.0])
BEFORE, AFTER = np.array([0.34, 0.33, 0.33]), np.array([0.33, 0.34, 0.33])
Floats = npt.NDArray[np.float64]


@PAPER.add("section-5-b1", "Total variation and t-closeness", "Section V-B1, inequality 8")
def section_5_b1(conditions: Conditions) -> Findings:
    """What an observation takes from privacy is bounded by how far it moves the attacker's belief."""
    steps = 50 if conditions.full else 10
    prior = np.array([0.5, 0.5])
    beliefs = [0.5 + 0.5 * step / steps for step in range(steps)]
    moved = [(sure, np.array([1 - sure, sure])) for sure in beliefs]
    distances = np.abs(PLACES[:, None] - PLACES)
    likeliest = _lost_by_likeliest(distances)
    bound = 4 * float(distances.max()) * total_variation(AFTER, BEFORE)
    return Findings(
        [
            PublishedNumber("lost where the most likely value is guessed", None, likeliest),
            PublishedNumber(
                "lost where the best estimate is taken", None, reduction(AFTER, BEFORE, distances)
            ),
            PublishedNumber("4 d_max TV", None, bound),
        ],
        [
            Claim(
                "What is lost is at most 4 d_max TV, for best estimates.",
                all(reduction_as_printed(one, prior, WRONG).holds for _, one in moved)
                and reduction_as_printed(AFTER, BEFORE, distances).holds,
            ),
            Claim(
                "4 d_max TV is at most 2 sqrt(2) d_max sqrt(D).",
                all(total_variation_by_divergence(one, prior, WRONG).holds for _, one in moved),
            ),
            Claim(
                "What is lost is at most 4 d_max TV, for the most likely value (MAP).",
                likeliest <= bound + EXACT,
                "Of places 0, 10 and 11 the most likely one moves from 0 to 10 while beliefs move by 0.01: "
                f"{likeliest:.3g} is lost, and the bound is {bound:.3g}. The proof needs best estimates.",
            ),
        ],
        [
            Figure(
                "A bit that is believed with some probability, even before",
                "belief after the observation",
                "wrong guesses",
                [
                    Curve("lost", [(sure, reduction(one, prior, WRONG)) for sure, one in moved]),
                    Curve("4 d_max TV", [(sure, 4 * total_variation(one, prior)) for sure, one in moved]),
                    Curve(
                        "2 sqrt(2) d_max sqrt(D)",
                        [
                            (sure, 2 * math.sqrt(2 * kl_divergence(one, prior) * math.log(2)))
                            for sure, one in moved
                        ],
                    ),
                ],
            )
        ],
        notes=["D is in natural units, for which the constants of the paper are right."],
    )


def _lost_by_likeliest(distances: Floats) -> float:
    """What is lost where the most likely value is guessed, before and after, whatever the distances."""
    before, after = (AFTER @ distances[:, int(np.argmax(belief))] for belief in (BEFORE, AFTER))
    return float(before - after)
