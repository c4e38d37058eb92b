"""Table IV: which measure fits whom, as the guide command answers it."""

from __future__ import annotations

from divulge.measures.guide import recommend
from divulge.measures.guide_fits import Case, Domain, Occurrences
from divulge.reproduction.estimation_error.paper import PAPER
from divulge.reproduction.experiment import Claim, Conditions, Findings, Tabulation

OCCURRENCES: tuple[Occurrences, ...] = ("single", "multiple")

#: The table: domain and case, then the measures by the names they have here.
PRINTED: dict[tuple[Domain, Case], tuple[str, str]] = {
    ("table", "worst"): ("t-closeness", "kl_closeness"),
    ("table", "average"): ("mutual information", "mutual_information"),
    ("table", "best"): ("k-anonymity and l-diversity", "k_anonymity"),
    ("communication", "worst"): ("min-entropy", "min_entropy"),
    ("communication", "average"): ("Shannon's entropy", "shannon_entropy"),
    ("communication", "best"): ("Hartley's entropy", "hartley_entropy"),
}


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
