"""Figures of a population that a table is a sample of: the facts of each, beside the registry of measures.

They are no functions of joint counts alone: they need to know what the table is a sample of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PopulationFigure:
    """A number about a population, and all that is to be said about it."""

    name: str
    title: str
    summary: str
    formula: str
    bounds: tuple[float, float]
    riskier: Literal["higher", "lower"]
    case: Literal["worst", "average", "whole"]
    undefined: str  # when there is no such number
    cautious: str  # what a threshold is held against
    why: str
    reference: str
    unit: str = ""


_NO_POPULATION = "nothing says what the table is a sample of"

_FIGURES = (
    PopulationFigure(
        "population_unique",
        "Unique in the population",
        "The share of people in the table whom nobody in the population has the same keys as.",
        "U / N, U unique people by a model among N people; with a table of the population: "
        "#{records with F = 1} / n",
        (0.0, 1.0),
        "higher",
        "whole",
        f"{_NO_POPULATION}, weights differ, or no model has a solution",
        "the model with the largest estimate; nobody is unique in the population who is not in the table",
        "Someone who is unique in the population is found for certain by an attacker who knows {keys}. "
        "Models disagree, so the most cautious one decides.",
        "skinner2008",
    ),
    PopulationFigure(
        "match_chance",
        "Chance that a match with a unique record is right",
        "How often it is the right person where someone of the population fits a unique record of the table.",
        "f n1 / (f n1 + 2 (1 - f) n2), n1 groups of one and n2 of two in a sampled share f; with a table of "
        "the population: #{groups with size 1} / sum of F over them",
        (0.0, 1.0),
        "higher",
        "average",
        f"{_NO_POPULATION}, weights differ, or nobody is unique in the table",
        "the upper end of the 95% interval",
        "An attacker who finds one record with {keys} of a person takes it for that person's. This is how "
        "often that is right.",
        "skinner2002",
    ),
    PopulationFigure(
        "expected_reidentifications",
        "Expected re-identifications",
        "How many people would be named if an attacker guessed for every record within its group.",
        "sum over records of 1/F; where F is not known, two ends between which it lies",
        (0.0, math.inf),
        "higher",
        "whole",
        _NO_POPULATION,
        "the number itself where F is known; otherwise it fails by the lower end of the interval, "
        "passes if the table itself has no more groups, and is not evaluated in between",
        "It is the number of people named by an attacker who knows {keys} of everyone in the population and "
        "guesses.",
        "benedetti1998",
    ),
    PopulationFigure(
        "k_map",
        "k-map",
        "The fewest people of the population who share the keys of someone in the table.",
        "min of F over the groups of the table",
        (1.0, math.inf),
        "lower",
        "worst",
        f"{_NO_POPULATION}; between its two ends where there is no table of the population",
        "the number itself; without a table of the population it passes by the lower end of the estimate, "
        "fails by the upper end, and is not evaluated in between",
        "An attacker who knows {keys} of everyone in the population is left with so many candidates or more.",
        "sweeney2002",
    ),
    PopulationFigure(
        "delta_presence",
        "delta-presence",
        "The largest share of a group's people in the population who are in the table.",
        "max of f/F over the groups of the table",
        (0.0, 1.0),
        "higher",
        "worst",
        f"{_NO_POPULATION}; between its two ends where there is no table of the population",
        "the number itself; without a table of the population it passes by the upper end of the estimate, "
        "fails by the lower end, and is not evaluated in between",
        "Where nearly everyone with the same {keys} is in the table, it is known of a person with these "
        "values that they are in it.",
        "nergiz2007",
    ),
    PopulationFigure(
        "dis_suda",
        "DIS score of special uniques (largest)",
        "The chance that a match with a unique record is right, for the record that fewest attributes make "
        "unique.",
        "largest over records of 1 / (1 + (U/p - U) / (s^c sum of s^-c)), s the SUDA score of a record, U "
        "unique records, p the chance that a match is right, c = 1 + (8 - M)/20 for M keys",
        (0.0, 1.0),
        "higher",
        "worst",
        f"{_NO_POPULATION}, or larger sets were not searched and some unique records have no score",
        "the record with the largest score",
        "A record that few attributes make unique is likely to be unique in the population too. {keys} were "
        "searched for such sets.",
        "elliot2002",
    ),
)

#: What models of the population are called in words; how each is computed is in `divulge.uniques`.
MODEL_TITLES = {
    "pitman": "Pitman's model",
    "pitman_yor": "the Bayesian Pitman-Yor model",
    "zayatz": "Zayatz's estimate",
    "snb": "the shifted negative binomial model",
    "dankar": "Dankar's rule",
    "loglinear_main_effects": "a log-linear model of main effects",
    "loglinear_two_way": "a log-linear model with two-way terms",
}

#: Every figure by its name.
FIGURES = {one.name: one for one in _FIGURES}
