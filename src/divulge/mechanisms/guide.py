"""Which mechanisms to try against the attacker that the guide asks for, with the command to run."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.measures.guide_fits import Advice, Case, Domain
from divulge.mechanisms import MECHANISMS
from divulge.mechanisms.guide_scenarios import SCENARIO_FITS

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
        "remove",
        "worst average best",
        "hamming known unknown",
        "Nobody can use what is not released: first names, then keys that analysts do not need.",
    ),
    MechanismFit(
        "suppress_cells", "worst best", "hamming unknown", "It hides single values instead of whole records."
    ),
    MechanismFit(
        "suppress_groups",
        "worst best",
        "hamming unknown",
        "It hides the keys of the groups that are beyond a threshold of a policy.",
    ),
    MechanismFit(
        "listed_changes",
        "worst best",
        "hamming unknown",
        "It hides the records or cells that a list names, such as those that an audit found.",
    ),
    MechanismFit(
        "recode_cells",
        "worst best",
        "hamming unknown",
        "Only records in small groups become coarser; the others keep their values.",
    ),
    MechanismFit(
        "recode_subtrees",
        "worst average best",
        "hamming unknown",
        "Only the rare branches of a hierarchy become coarser.",
    ),
    MechanismFit(
        "recode_combinations",
        "worst average best",
        "hamming unknown",
        "Groups of several keys together, where one key alone is not the problem.",
    ),
    MechanismFit(
        "groups",
        "worst average best",
        "hamming unknown",
        "Values become groups that you list, such as diagnoses of one kind.",
    ),
    MechanismFit(
        "dates",
        "worst average best",
        "hamming unknown",
        "Coarser dates make fewer people unique by the day of an event.",
    ),
    MechanismFit(
        "prefix",
        "worst average best",
        "hamming unknown",
        "Shorter codes, such as the first digits of a postcode, have more people each.",
    ),
    MechanismFit(
        "intervals",
        "worst average best",
        "hamming known unknown",
        "Nobody learns a number better than its interval.",
    ),
    MechanismFit(
        "interval_rounding", "average", "known", "The same, with a number in place of the interval."
    ),
    MechanismFit("rounding", "worst average", "known", "An estimate stays off by up to half the base."),
    MechanismFit(
        "top_bottom_coding",
        "worst",
        "hamming known unknown",
        "Extreme numbers, which few people have, become one value.",
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
        "massc",
        "average",
        "hamming unknown",
        "Values of the records at risk are changed with known probabilities, and all records are sampled.",
    ),
    MechanismFit(
        "sample", "average", "hamming unknown", "An attacker no longer knows who is in the release."
    ),
    MechanismFit(
        "noise", "average", "known", "Numbers are moved by a known spread, in the unit of the distance."
    ),
    MechanismFit(
        "multiplicative_noise",
        "average",
        "known",
        "Large numbers move further, so that the error is a share of the number.",
    ),
    MechanismFit(
        "laplace_noise",
        "average",
        "known",
        "Numbers are moved by noise of a stated scale. It promises no epsilon.",
    ),
    MechanismFit(
        "random_rounding",
        "average",
        "known",
        "Which multiple is released is left to chance, so that totals stay right on average.",
    ),
    MechanismFit(
        "rank_swapping",
        "average",
        "known",
        "Numbers change places with close ones; their distribution stays the same.",
    ),
    MechanismFit(
        "random_swapping",
        "average",
        "hamming known",
        "Values change places between records, so that no record is certainly one person's.",
    ),
    MechanismFit(
        "targeted_swapping",
        "worst",
        "hamming known",
        "The records at risk change places with alike ones elsewhere.",
    ),
    MechanismFit(
        "synthetic_trees",
        "average",
        "hamming known unknown",
        "Made-up values from a model of the table; hold them beside a control group.",
    ),
    MechanismFit(
        "private_counts",
        "worst",
        "hamming unknown",
        "It bounds epsilon, and so the error of every attacker, whatever they know.",
    ),
    MechanismFit("private_records", "worst", "hamming unknown", "Made-up records under a bound on epsilon."),
)


def recommended_mechanisms(
    domain: Domain, hamming: bool, distortion_known: bool | None, case: Case
) -> list[Advice]:
    """What raises the error of such an attacker, or bounds how much it falls.

    >>> recommended_mechanisms("table", True, None, "worst")[0].command
    'divulge anonymize FILE --quasi-identifiers A,B --k 5'
    >>> [one.title for one in recommended_mechanisms("location", False, True, "average")]
    ['Laplace noise on a map', 'Normal noise on a map']
    """
    distortion = "hamming" if hamming else "known" if distortion_known else "unknown"
    fits = MECHANISM_FITS if domain == "table" else [one for one in SCENARIO_FITS if domain in one.domains]
    return [one.advice for one in fits if case in one.cases.split() and distortion in one.distortions.split()]
