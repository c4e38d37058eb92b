"""Chapter 6: what a released table is still good for, as the rates of what an analyst asks for."""

from __future__ import annotations

from collections.abc import Mapping

from divulge.recipes.transform import transform
from divulge.reproduction.experiment import Claim, Conditions, Findings, PublishedNumber
from divulge.reproduction.printed_rates import WHOLE, PrintedRates, findings, rate_by_value, shown
from divulge.reproduction.thesis.paper import DISEASES, PAPER, SALARIES
from divulge.table.hierarchy import Hierarchy

EXCHANGED = "The numbers of ≥ 35 and < 35 are exchanged."
PEOPLE = (  # with both ZIP code and age
    *("35510, 22", "35620, 22", "35740, 32", "35510, 35", "35620, 35", "35740, 40", "35740, 45", "35510, 63"),
)
CLASSES = Hierarchy.of(
    [("4K", "< 10K", "*"), ("8K", "< 10K", "*"), ("13K", "≥ 10K", "*")], attribute="Salary*"
)
AGES = ("22", "32", "35", "40", "45", "63")


@PAPER.add("table-6.4", "What age still says about the disease", "Table 6.4")
def table_6_4(conditions: Conditions) -> Findings:
    """In the 3-anonymous table ages in the twenties determine the disease, and the others nearly."""
    printed = {"2*": 1.0, "≥ 40": 0.8, "3*": 0.8, WHOLE: 0.6}
    return findings([PrintedRates("table 6.3", DISEASES, ["Age*"], "Disease", printed, digit=0.1)])


@PAPER.add("table-6.6", "Microaggregated salaries", "Tables 6.5 and 6.6, section 6.4.3")
def table_6_6(conditions: Conditions) -> Findings:
    """Three people share each salary, which is the mean of their own."""
    ours = _microaggregated()
    means = {"3K, 4K, 5K": 4, "7K, 8K, 9K": 8, "11K, 13K, 15K": 13}
    by_salary = dict(zip(SALARIES["Salary"], ours, strict=True))
    return Findings(
        [
            PublishedNumber(
                f"in place of {some}", printed, float(by_salary[some.split(", ")[0]].rstrip("K")), 1
            )
            for some, printed in means.items()
        ],
        [
            Claim("Microaggregation makes table 6.6 of table 6.5.", ours == list(SALARIES["Salary*"])),
            Claim(
                "Each group of three salaries has one value.",
                all(len({by_salary[one] for one in some.split(", ")}) == 1 for some in means),
            ),
        ],
        tables=[
            shown(
                "Table 6.5, and table 6.6 made by microaggregation",
                {**{name: SALARIES[name] for name in ("ZIP Code", "Age", "Salary")}, "Salary*": ours},
            )
        ],
    )


@PAPER.add("table-6.7", "Salaries below 10K and above", "Table 6.7, section 6.4.3")
def table_6_7(conditions: Conditions) -> Findings:
    """The second partition of the microaggregated salaries: only two classes are left."""
    step = {"mechanism": "recode", "attributes": ["Salary*"], "hierarchy": CLASSES, "level": 1}
    table = {"ZIP Code": SALARIES["ZIP Code"], "Age": SALARIES["Age"], "Salary*": _microaggregated()}
    ours = [str(one) for one in transform(table, [step], keep_order=True).data["Salary*"]]
    return Findings(
        claims=[Claim("Recoding makes table 6.7 of table 6.6.", ours == list(SALARIES["Salary**"]))],
        tables=[shown("Table 6.7, made by recoding", {**table, "Salary**": ours})],
    )


@PAPER.add("table-6.8", "Utility of microaggregated salaries", "Table 6.8, salaries of table 6.6")
def table_6_8(conditions: Conditions) -> Findings:
    """Who needs three levels of salary finds half of them by age, and nearly all by age and ZIP code."""
    return _utility("Salary*", {"22": 0.66, "35": 0.85, WHOLE: 0.52}, 0.85, (0.57, 0.46, 0.04))


@PAPER.add("table-6.9", "Utility of generalized salaries", "Table 6.9, salaries of table 6.7")
def table_6_9(conditions: Conditions) -> Findings:
    """Who needs to know only whether a salary is above 10K finds less of that in the same ages."""
    found = _utility("Salary**", {"22": 0.66, "35": 0.75, WHOLE: 0.42}, 0.75, (0.60, 0.41, 0.01))
    by_target = {name: rate_by_value(SALARIES, ["Age"], name)[WHOLE] for name in ("Salary*", "Salary**")}
    less = Claim(
        "Age says less about two classes of salary than about three.",
        by_target["Salary**"] < by_target["Salary*"],
    )
    return Findings(found.numbers, [less])


def _microaggregated() -> list[str]:
    """The salaries of table 6.5, groups of three replaced by their mean."""
    step = {"mechanism": "microaggregation", "attributes": ["Salary"], "k": 3}
    salaries = {"Salary": [int(one.rstrip("K")) for one in SALARIES["Salary"]]}
    found = transform(salaries, [step], keep_order=True).data["Salary"]
    return [f"{float(one):g}K" for one in found]


def _utility(
    target: str, ages: Mapping[str, float], together: float, by_35: tuple[float, float, float]
) -> Findings:
    """By age, by ZIP code and age, and by whether somebody is 35 or older."""
    elder, younger, both = by_35
    each = {value: ages.get(value, 1.0) for value in (*AGES, WHOLE)}
    joint = {value: together if value in ("35620, 22", WHOLE) else 1.0 for value in (*PEOPLE, WHOLE)}
    halves = {"≥ 35": elder, "< 35": younger, WHOLE: both}
    wrong = dict.fromkeys(("≥ 35", "< 35"), EXCHANGED)
    return findings(
        [
            PrintedRates("table 6.5", SALARIES, ["Age"], target, each),
            PrintedRates("table 6.5", SALARIES, ["ZIP Code", "Age"], target, joint),
            PrintedRates("table 6.5", SALARIES, ["Age by 35"], target, halves, why=wrong),
        ]
    )
