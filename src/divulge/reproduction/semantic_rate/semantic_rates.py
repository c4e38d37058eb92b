"""Tables 10 to 13: rates about domains of values, which is what an attacker may be after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from divulge.reproduction.experiment import Claim, Conditions, Curve, Figure, Findings, Tabulation
from divulge.reproduction.printed_rates import WHOLE, PrintedRates, findings, rate_by_value
from divulge.reproduction.semantic_rate.paper import (
    AS_RELEASED,
    CANCER_OR_NOT,
    L_DIVERSE,
    LOW_TO_HIGH,
    ORIGINAL,
    PAPER,
    T_CLOSE,
)

Domains = Sequence[Sequence[str]]
Printed = Mapping[str, Mapping[str, float]]  # by key, then by its value


@PAPER.add("table-10", "Cancer or not, by age", "Table 10")
def table_10(conditions: Conditions) -> Findings:
    """In the original table age determines whether somebody has cancer, though not the disease."""
    ages = dict.fromkeys(("22", "32", "35", "40", "45", "63", WHOLE), 1.0)
    found = findings([PrintedRates("table 4", ORIGINAL, ["Age"], "Disease", ages, CANCER_OR_NOT)])
    plain = rate_by_value(ORIGINAL, ["Age"], "Disease")[WHOLE]
    ours = found.numbers[-1].ours or 0.0
    return Findings(
        found.numbers, [Claim("The rate about domains is above that about diseases.", ours > plain)]
    )


@PAPER.add("table-11", "Salary by low, middle and high", "Table 11, partition SP2")
def table_11(conditions: Conditions) -> Findings:
    """In the 3-diverse table everyone in their twenties has a low salary; by ZIP code closeness is worse."""
    return _both(
        "Salary",
        LOW_TO_HIGH,
        {
            "Age*": {"2*": 1.0, "≥ 40": 0.81, "3*": 0.81, WHOLE: 0.61},
            "ZIP Code*": {"355**": 0.39, "3581*": 0.81, WHOLE: 0.19},
        },
        {
            "Age**": {"≤ 40": 0.39, "≥ 40": 0.81, WHOLE: 0.19},
            "ZIP Code*": {"3550*": 0.67, "3581*": 0.81, "3556*": 0.81, WHOLE: 0.28},
        },
        "By ZIP Code* the t-close table gives away more than the 3-diverse one.",
        {"ZIP Code*": [WHOLE]},
    )


@PAPER.add("table-12", "Salary by the groups of the t-close table", "Table 12, partition SP3")
def table_12(conditions: Conditions) -> Findings:
    """Under another partition the t-close table gives everything away; closeness knows no partition."""
    return _both(
        "Salary",
        AS_RELEASED,
        {
            "Age*": {"2*": 0.81, "≥ 40": 1.0, "3*": 0.81, WHOLE: 0.61},
            "ZIP Code*": {"355**": 0.58, "3581*": 1.0, WHOLE: 0.58},
        },
        {
            "Age**": {"≤ 40": 0.58, "≥ 40": 1.0, WHOLE: 0.58},
            "ZIP Code*": {"3550*": 1.0, "3581*": 1.0, "3556*": 1.0, WHOLE: 1.0},
        },
        "By ZIP Code* the t-close table gives away more than the 3-diverse one, and in fact everything.",
        {"ZIP Code*": [WHOLE]},
    )


@PAPER.add("table-13", "Cancer or not, in the released tables", "Table 13, partition SP4")
def table_13(conditions: Conditions) -> Findings:
    """The 3-diverse table says that everyone in their twenties has cancer; by ZIP code closeness is worse."""
    return _both(
        "Disease",
        CANCER_OR_NOT,
        {
            "Age*": {"2*": 1.0, "≥ 40": 0.69, "3*": 0.69, WHOLE: 0.38},
            "ZIP Code*": {"355**": 0.38, "3581*": 0.69, WHOLE: 0.07},
        },
        {
            "Age**": {"≤ 40": 0.38, "≥ 40": 0.69, WHOLE: 0.07},
            "ZIP Code*": {"3550*": 0.69, "3581*": 0.69, "3556*": 0.69, WHOLE: 0.07},
        },
        "The values 3550* and 3556* of the t-close table give away more than 355** of the 3-diverse one.",
        {"ZIP Code*": ["3550*", "3556*"]},
    )


def _both(
    target: str,
    domains: Domains,
    diverse: Printed,
    close: Printed,
    says: str,
    worse: Mapping[str, Sequence[str]],
) -> Findings:
    """Both released tables; the values of a key that are said to give away more in the t-close one."""
    tables = (("3-diverse", L_DIVERSE, diverse), ("t-close", T_CLOSE, close))
    found = findings(
        PrintedRates(name, columns, [key], target, printed, domains)
        for name, columns, keys in tables
        for key, printed in keys.items()
    )
    rates = {
        name: {key: rate_by_value(columns, [key], target, domains) for key in keys}
        for name, columns, keys in tables
    }
    [(key, values)] = worse.items()
    other = WHOLE if values == [WHOLE] else "355**"
    holds = all(rates["t-close"][key][value] > rates["3-diverse"][key][other] for value in values)
    most = {name: max(by_key[WHOLE] for by_key in keys.values()) for name, keys in rates.items()}
    lines = [
        Curve(name, [(place, by_value[WHOLE]) for place, by_value in enumerate(keys.values())])
        for name, keys in rates.items()
    ]
    return Findings(
        found.numbers,
        [Claim(says, holds)],
        [Figure(f"About {target}, by key", "key", "rate", lines, categories=("Age", "ZIP Code"))],
        [
            Tabulation(
                "The partition",
                ["domain", "values"],
                [[n, ", ".join(one)] for n, one in enumerate(domains, 1)],
            )
        ],
        [
            f"By the key that gives away most, the rate is {most['3-diverse']:.2f} in the 3-diverse table "
            f"and {most['t-close']:.2f} in the t-close one."
        ],
    )
