"""Chapter 4: classes of identifiers, and what anonymization leaves of attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from divulge.api import ask
from divulge.measures.identifier import identifier_class
from divulge.questions.data import read
from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber
from divulge.reproduction.printed_rates import WHOLE, Columns, PrintedRates, findings, rate_by_value
from divulge.reproduction.thesis.paper import ANONYMOUS, DIVERSE, GENERALIZED, PAPER, SUBJECTS

EXCHANGED = (
    "The numbers of 2* and ≥ 40 are exchanged: people in their twenties visit three clinics, two of "
    "those above 40 the same."
)
CLASSES = {
    "ZIP Code": "zero identifier",
    "Salary": "identifier",
    "Disease": "sketchy identifier",
    "Age": "partial identifier",
}


@PAPER.add(
    "example-4-2", "The discrimination rate of single attributes", "Section 4.4.2, example 2; section 4.3"
)
def example_4_2(conditions: Conditions) -> Findings:
    """A constant attribute identifies nobody, one without repeats everybody; the others lie between."""
    printed = {"Age": 0.66, "ZIP Code": 0.0, "Disease": 0.5, "Salary": 1.0}
    data = read({name: list(values) for name, values in SUBJECTS.items()})
    found = {key: identifier_class(ask(data, keys=[key], target="Subjects").classes) for key in CLASSES}
    return Findings(
        findings(
            PrintedRates("table 4.1", SUBJECTS, [key], "Subjects", {WHOLE: value})
            for key, value in printed.items()
        ).numbers,
        [Claim(f"{key}: {name}.", str(found[key]) == name) for key, name in CLASSES.items()],
    )


@PAPER.add("example-4-3", "The discrimination rate of attributes together", "Section 4.4.3, example 3")
def example_4_3(conditions: Conditions) -> Findings:
    """Attributes together say at least as much as each alone."""
    whole: dict[tuple[str, ...], float] = {
        ("Disease", "Age"): 0.76,
        ("Age", "ZIP Code"): 0.66,
        ("Age", "Salary"): 1.0,
        ("Age", "Disease", "ZIP Code"): 0.76,
        ("Age", "Disease", "Salary"): 1.0,
        ("Age", "Disease", "Salary", "ZIP Code"): 1.0,
    }
    values = {("Disease",): {"cancer": 0.83}, ("Disease", "Age"): {"cancer, 22": 0.83, "malaria, 35": 1.0}}
    absent = PublishedNumber(
        "table 4.1, Disease, Age cancer, 35",
        0.93,
        None,
        why="Nobody of 35 has cancer in the table. Diabetes at 35, which two people have, gives 0.9299.",
    )
    found = findings(
        [
            *(_subjects(keys, {WHOLE: value}) for keys, value in whole.items()),
            *(_subjects(keys, printed) for keys, printed in values.items()),
        ]
    )
    return Findings([*found.numbers, absent])


@PAPER.add("table-4.5", "What generalization leaves of ZIP code and age", "Table 4.5")
def table_4_5(conditions: Conditions) -> Findings:
    """Generalized values still say half of the ZIP code and two thirds of the age."""
    zips = {"355**": 0.83, "356**": 0.83, "358**": 0.83, WHOLE: 0.5}
    ages = {"2*": 1.0, "3*": 0.87, "≥ 40": 0.78, WHOLE: 0.66}
    return findings(
        [
            PrintedRates("table 4.2", GENERALIZED, ["ZIP Code*"], "ZIP Code", zips),
            PrintedRates("table 4.2", GENERALIZED, ["Age*"], "Age", ages),
        ]
    )


@PAPER.add("table-4.6", "What released tables say about locations", "Table 4.6")
def table_4_6(conditions: Conditions) -> Findings:
    """The 3-diverse table says less about both locations than the 3-anonymous one."""
    return Findings(
        findings(_locations(remaining=False)).numbers,
        [Claim("The 3-diverse table says less.", _risk(DIVERSE, "ZIP Code*") < _risk(ANONYMOUS, "Age*"))],
    )


@PAPER.add("table-4.7", "What remains unknown about locations", "Table 4.7 and section 4.6.1")
def table_4_7(conditions: Conditions) -> Findings:
    """One minus the rates of table 4.6, and information loss as their mean."""
    kept = mean(
        rate_by_value(GENERALIZED, [key], target)[WHOLE]
        for key, target in (("ZIP Code*", "ZIP Code"), ("Age*", "Age"))
    )
    risks = {"3-anonymous": _risk(ANONYMOUS, "Age*"), "3-diverse": _risk(DIVERSE, "ZIP Code*")}
    printed = {"3-anonymous": (0.46, 0.54, 0.46), "3-diverse": (0.1, 0.90, 0.66)}
    slip = "Printed as the mean of 0.42 and 0.54, which is 0.48."
    numbers = [
        PublishedNumber("identity, mean rate", 0.58, kept),
        PublishedNumber("identity, information loss", 0.42, 1 - kept),
    ]
    for name, risk in risks.items():
        rate, loss, overall = printed[name]
        digit = 0.1 if rate == 0.1 else 0.01
        numbers += [
            PublishedNumber(f"{name}, mean rate", rate, risk, digit),
            PublishedNumber(f"{name}, information loss", loss, 1 - risk),
            PublishedNumber(
                f"{name}, overall loss",
                overall,
                1 - (kept + risk) / 2,
                why=slip if name == "3-anonymous" else "",
            ),
        ]
    return Findings([*findings(_locations(remaining=True)).numbers, *numbers])


def _subjects(keys: Sequence[str], printed: Mapping[str, float]) -> PrintedRates:
    return PrintedRates("table 4.1", SUBJECTS, keys, "Subjects", printed)


def _locations(*, remaining: bool) -> list[PrintedRates]:
    """Rates of both locations in both released tables, or one minus them."""
    anonymous = {
        "location 1": {"2*": 0.85, "3*": 0.73, "≥ 40": 0.73, WHOLE: 0.31},
        "location 2": {"2*": 1.0, "3*": 0.81, "≥ 40": 0.81, WHOLE: 0.61},
    }
    diverse = {
        "location 1": {"355**": 0.73, "356**": 0.73, "358**": 0.73, WHOLE: 0.2},
        "location 2": {"355**": 0.67, "356**": 0.67, "358**": 0.67, WHOLE: 0.0},
    }
    tables = (("3-anonymous", ANONYMOUS, "Age*", anonymous), ("3-diverse", DIVERSE, "ZIP Code*", diverse))
    wrong = {("3-anonymous", "location 1"): {"2*": EXCHANGED, "≥ 40": EXCHANGED}}
    return [
        PrintedRates(
            f"{name}, {target}",
            columns,
            [key],
            target,
            {value: 1 - rate if remaining else rate for value, rate in rates.items()},
            remaining=remaining,
            why=wrong.get((name, target), {}),
        )
        for name, columns, key, printed in tables
        for target, rates in printed.items()
    ]


def _risk(columns: Columns, key: str) -> float:
    """The mean rate of both locations."""
    return mean(rate_by_value(columns, [key], target)[WHOLE] for target in ("location 1", "location 2"))
