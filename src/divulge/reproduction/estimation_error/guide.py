"""Figure 4 and table IV: which measure fits whom, as the guide command answers it."""

from __future__ import annotations

from divulge.measures.guide import recommend
from divulge.measures.guide_fits import Case, Domain, Occurrences
from divulge.reproduction.estimation_error.paper import PAPER
from divulge.reproduction.experiment import Claim, Conditions, Findings, Tabulation

OCCURRENCES: tuple[Occurrences, ...] = ("single", "multiple")
DOMAINS: tuple[Domain, ...] = ("table", "communication")
CASES: tuple[Case, ...] = ("worst", "average", "best")

#: The table: domain and case, then the measures by the names they have here.
PRINTED: dict[tuple[Domain, Case], tuple[str, str]] = {
    ("table", "worst"): ("t-closeness", "kl_closeness"),
    ("table", "average"): ("mutual information", "mutual_information"),
    ("table", "best"): ("k-anonymity and l-diversity", "k_anonymity"),
    ("communication", "worst"): ("min-entropy", "min_entropy"),
    ("communication", "average"): ("Shannon's entropy", "shannon_entropy"),
    ("communication", "best"): ("Hartley's entropy", "hartley_entropy"),
}


#: The leaves of the tree: distortion and occurrences, then measures by their names in the paper and here.
LEAVES: dict[tuple[str, Occurrences], tuple[tuple[str, str], ...]] = {
    ("hamming", "single"): (
        ("k-anonymity", "k_anonymity"),
        ("l-diversity", "distinct_l_diversity"),
        ("Hartley's entropy", "hartley_entropy"),
        ("min-entropy", "min_entropy"),
    ),
    ("hamming", "multiple"): (("Shannon's entropy", "shannon_entropy"),),
    ("known", "single"): (("the error itself, by decision theory", "privacy"),),
    ("unknown", "single"): (
        ("t-closeness", "t_closeness"),
        ("mutual information", "mutual_information"),
        ("delta-disclosure", "delta_disclosure"),
    ),
}


@PAPER.add("figure-4", "From the attacker's distortion to a measure", "Figure 4, section V")
def figure_4(conditions: Conditions) -> Findings:
    """The tree of arguments: distortion, whether it is known, and occurrences lead to a measure."""
    claims, rows = [], []
    for (distortion, occurrences), leaves in LEAVES.items():
        found = {
            (domain, case): recommend(
                domain=domain,
                hamming=distortion == "hamming",
                distortion_known=None if distortion == "hamming" else distortion == "known",
                occurrences=occurrences,
                case=case,
            )
            for domain in DOMAINS
            for case in CASES
        }
        named = {advice.measure.rpartition(".")[2] for some in found.values() for advice in some}
        claims += [
            Claim(
                f"Distortion {distortion}, {occurrences} occurrence: {printed}.",
                name in named,
                "" if name in named else "The guide does not name it.",
            )
            for printed, name in leaves
        ]
        rows += [
            [distortion, occurrences, domain, *(found[domain, case][0].title for case in CASES)]
            for domain in DOMAINS
        ]
    return Findings(
        claims=claims,
        tables=[
            Tabulation("What the guide names first", ["distortion", "occurrences", "domain", *CASES], rows)
        ],
        notes=["divulge guide asks the same questions and gives its reasons."],
    )


@PAPER.add("table-4", "The guide for designers", "Table IV, section VII")
def table_4(conditions: Conditions) -> Findings:
    """Six cells say which measure fits a table or a communication system, by the case that matters."""
    claims, rows = [], []
    for (domain, case), (printed, name) in PRINTED.items():
        found = [
            advice
            for hamming in (True, False)
            for occurrences in OCCURRENCES
            for advice in recommend(
                domain=domain,
                hamming=hamming,
                distortion_known=None if hamming else False,
                occurrences=occurrences,
                case=case,
            )
        ]
        titles = list(dict.fromkeys(advice.title for advice in found))
        named = any(advice.measure.rpartition(".")[2] == name for advice in found)
        claims.append(
            Claim(
                f"The guide names {printed} for {domain}, {case} case.",
                named,
                "" if named else f"It names {titles}.",
            )
        )
        rows.append([domain, case, printed, ", ".join(titles[:3])])
    return Findings(
        claims=claims,
        tables=[Tabulation("What the guide says", ["domain", "case", "printed", "first named"], rows)],
    )
