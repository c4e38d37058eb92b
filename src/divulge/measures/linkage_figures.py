"""Figures of links between a release and its original: the facts of each, beside the registry of measures.

They are no functions of one table: they need the original, and who of it each released record is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class LinkageFigure:
    """A share of people whom an attacker with the original finds in a release."""

    name: str
    title: str
    summary: str
    formula: str
    undefined: str  # when there is no such number
    cautious: str  # what a threshold is held against
    reference: str
    bounds: tuple[float, float] = (0.0, 1.0)
    riskier: Literal["higher", "lower"] = "higher"
    case: Literal["worst", "average", "whole"] = "average"
    unit: str = ""


_NOT_KNOWN = "it is not known whose record is whose"

_FIGURES = (
    LinkageFigure(
        "linked_distance",
        "People linked by distance",
        "The share of people whose original record is the one nearest to their released record.",
        "mean over released records of 1/t if their own original is among the t nearest ones, else 0",
        f"{_NOT_KNOWN}, or no released value can be compared by distance",
        "the share itself; where people were drawn at random, the upper end of its interval",
        "pagliuca1999",
    ),
    LinkageFigure(
        "linked_interval",
        "People whose values are near the released ones",
        "The share of people whose original numbers all lie near the released ones.",
        "share of records with |rank of the original - rank of the released value| <= 0.1 n on all numbers",
        f"{_NOT_KNOWN}, or no number was released",
        "the share itself",
        "domingoferrer2001",
    ),
    LinkageFigure(
        "linked_probability",
        "People linked by agreement",
        "The share of people whose original record agrees best with their released record.",
        "mean over released records of 1/t if their own original is among the t of highest weight, else 0; "
        "the weight adds up log2(m/u) where a pair agrees and log2((1-m)/(1-u)) where not",
        f"{_NOT_KNOWN}, the model did not settle, or it found other pairs than those that belong together",
        "the share itself",
        "fellegi1969",
    ),
)

#: Every figure by its name.
LINKAGE_FIGURES = {one.name: one for one in _FIGURES}
