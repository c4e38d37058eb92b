"""Tables 5 to 8: what single values, attributes and generalized attributes give away."""

from __future__ import annotations

from divulge.reproduction.experiment import Claim, Conditions, Findings
from divulge.reproduction.printed_rates import WHOLE, PrintedRates, findings, numbers
from divulge.reproduction.semantic_rate.paper import K_ANONYMOUS, L_DIVERSE, ORIGINAL, PAPER, TABLE_1

OTHER_TABLE = (
    "It does not follow from the printed table. The three printed numbers follow together from diseases with "
    "4, 3, 1 and 1 records: the paper seems to have computed on another version."
)
COMPLEMENT = "One minus the cut-off number of table 7; one minus the number itself is ours."
PRINTED_7 = {
    "k": {"2*": 1.0, "≥ 40": 0.70, "3*": 0.83, WHOLE: 0.52},
    "l": {"2*": 0.78, "≥ 40": 0.78, "3*": 0.78, WHOLE: 0.36},
}
WRONG = dict.fromkeys(("≥ 40", "3*", WHOLE), OTHER_TABLE)


@PAPER.add("table-5", "What each age gives away about the disease", "Table 5 and equation 5")
def table_5(conditions: Conditions) -> Findings:
    """Ages that occur once determine the disease; with the ZIP code, age determines it for everyone."""
    ages = {"22": 0.79, "32": 1.0, "35": 0.91, "40": 1.0, "45": 1.0, "63": 1.0, WHOLE: 0.70}
    return findings(
        [
            PrintedRates("table 4", ORIGINAL, ["Age"], "Disease", ages),
            PrintedRates("table 4", ORIGINAL, ["ZIP Code", "Age"], "Disease", {WHOLE: 1.0}),
        ]
    )


@PAPER.add("table-6", "What generalization leaves of an attribute", "Table 6 and section 4.3")
def table_6(conditions: Conditions) -> Findings:
    """The coarser the generalized attribute, the less it says about the original one."""
    printed = {"ZIP Code*": ("ZIP Code", 0.31), "Age*": ("Age", 0.66), "Age**": ("Age", 0.38)}
    found = findings(
        [
            PrintedRates("table 1", TABLE_1, [key], target, {WHOLE: value})
            for key, (target, value) in printed.items()
        ],
        "Section 4.3 says 0.31 of Age* where table 6 prints 0.66: 0.31 is the number of the ZIP code.",
    )
    by_key = {key: one.ours for key, one in zip(printed, found.numbers, strict=True)}
    coarser = (by_key["Age**"] or 0) < (by_key["Age*"] or 0)
    return Findings(
        found.numbers, [Claim("Age** says less about age than Age*.", coarser)], notes=found.notes
    )


@PAPER.add("table-7", "Homogeneity: the 3-anonymous and the 3-diverse table", "Table 7")
def table_7(conditions: Conditions) -> Findings:
    """A group whose people all have the same disease has the rate 1; diversity lowers it."""
    anonymous = PrintedRates("3-anonymous", K_ANONYMOUS, ["Age*"], "Disease", PRINTED_7["k"], why=WRONG)
    diverse = PrintedRates("3-diverse", L_DIVERSE, ["Age*"], "Disease", PRINTED_7["l"])
    found = findings([anonymous, diverse])
    whole = [one.ours or 0 for rates in (anonymous, diverse) for one in numbers(rates)[-1:]]
    claim = Claim("The 3-diverse table gives away less about the disease.", whole[1] < whole[0])
    return Findings(found.numbers, [claim])


@PAPER.add("table-8", "What remains unknown about the disease", "Table 8")
def table_8(conditions: Conditions) -> Findings:
    """One minus the rates of table 7: 0 in the group with one disease."""
    left = {name: {value: 1 - rate for value, rate in rates.items()} for name, rates in PRINTED_7.items()}
    cut = dict.fromkeys(PRINTED_7["l"], COMPLEMENT)
    return findings(
        [
            PrintedRates(
                "3-anonymous", K_ANONYMOUS, ["Age*"], "Disease", left["k"], remaining=True, why=WRONG
            ),
            PrintedRates("3-diverse", L_DIVERSE, ["Age*"], "Disease", left["l"], remaining=True, why=cut),
        ]
    )
