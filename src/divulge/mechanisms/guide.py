"""Which mechanisms to try against the attacker that the guide asks for, with the command to run."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.measures.guide_fits import Advice, Case, Domain
from divulge.mechanisms import MECHANISMS

SEARCH = "divulge anonymize FILE --quasi-identifiers A,B --k 5"
RECIPE = "divulge transform FILE --recipe RECIPE.toml --out OUT.csv"


@dataclass(frozen=True)
class MechanismFit:
    """A mechanism, against whom it helps, and why."""

    mechanism: str
    cases: str  # of worst, average, best
    distortions: str  # of hamming, known, unknown
    why: str
    command: str = RECIPE

    @property
    def advice(self) -> Advice:
        found = MECHANISMS[self.mechanism]
        return Advice(f"mechanisms.{self.mechanism}", found.title, self.why, found.reference, self.command)


MECHANISM_FITS = (
    MechanismFit(
        "recode",
        "worst average best",
        "hamming unknown",
        "Coarser keys make every group larger. The search finds the levels of least loss for a policy.",
        SEARCH,
    ),
    MechanismFit(
        "suppress_records",
        "worst best",
        "hamming unknown",
        "It leaves out the few records whose groups stay small, so that others need less recoding.",
        f"{SEARCH} --suppress 5%",
    ),
    MechanismFit(
        "suppress_cells",
        "worst best",
        "hamming unknown",
        "It hides single values instead of whole records.",
    ),
    MechanismFit(
        "microaggregation",
        "worst average",
        "hamming known",
        "At least k records share the mean of their numbers, which stays close to each of them.",
    ),
    MechanismFit(
        "anatomy",
        "worst",
        "hamming unknown",
        "It keeps the keys and separates them from the sensitive values, in groups of several values.",
    ),
    MechanismFit(
        "pram",
        "average",
        "hamming unknown",
        "Values are changed with known probabilities, so that no released value is certain.",
    ),
    MechanismFit(
        "noise", "average", "known", "Numbers are moved by a known spread, in the unit of the distance."
    ),
    MechanismFit(
        "rank_swapping",
        "average",
        "known",
        "Numbers change places with close ones; their distribution stays the same.",
    ),
    MechanismFit(
        "private_counts",
        "worst",
        "hamming unknown",
        "It bounds epsilon, and so the error of every attacker, whatever they know.",
    ),
    MechanismFit(
        "private_records",
        "worst",
        "hamming unknown",
        "Made-up records under a bound on epsilon.",
    ),
)


def recommended_mechanisms(
    domain: Domain, hamming: bool, distortion_known: bool | None, case: Case
) -> list[Advice]:
    """The mechanisms for a table that raise the error of such an attacker, or bound how much it falls.

    >>> recommended_mechanisms("table", True, None, "worst")[0].command
    'divulge anonymize FILE --quasi-identifiers A,B --k 5'
    """
    if domain != "table":
        return []
    distortion = "hamming" if hamming else "known" if distortion_known else "unknown"
    return [
        one.advice
        for one in MECHANISM_FITS
        if case in one.cases.split() and distortion in one.distortions.split()
    ]
