"""Section 6.6: what released attributes of Adult are still good for when incomes are to be predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from divulge.reproduction.experiment import (
    Cell,
    Claim,
    Conditions,
    Curve,
    Figure,
    Findings,
    PublishedNumber,
    Tabulation,
)
from divulge.reproduction.thesis.adult.census import (
    NEEDS,
    Census,
    Columns,
    census,
    rate,
    rates_by_value,
    released,
)
from divulge.reproduction.thesis.paper import PAPER

KEYS = ("age", "education", "native-country", "race")
RACE, SALARY = "race", "salary-class"
ORIGINAL, DIVERSE = "original", "2-diverse"
MODELS = {
    "5-anonymous": {"k_anonymity": {"min": 5}},
    "10-anonymous": {"k_anonymity": {"min": 10}},
    DIVERSE: {"distinct_l_diversity": {"min": 2}},
}
LIMIT, OTHER_LIMITS = 0.01, (0.0, 0.02, 0.03, 0.05)
PRINTED = {
    RACE: {"Amer-Indian-Eskimo": 286, "Asian-Pac-Islander": 895, "Black": 2817, "Other": 231, "White": 25932},
    SALARY: {"<=50K": 22653, ">50K": 7508},
}
Rates = Mapping[str, Mapping[str, float]]  # by release, then by attribute or value


@PAPER.add("table-6.11", "Values of Race and Salary-class in Adult", "Tables 6.11 and 6.12", needs=NEEDS)
def table_6_11(conditions: Conditions) -> Findings:
    """The thesis has 30,161 records of Adult: all of ARX's but the first."""
    people = census(conditions)
    numbers = [PublishedNumber("records", 30_161, len(people.columns[RACE]), 1)]
    for name, printed in PRINTED.items():
        counts = Counter(people.columns[name])
        numbers += [
            PublishedNumber(f"{name} {value}", many, counts[value], 1) for value, many in printed.items()
        ]
    return people.findings(Findings(numbers))


@PAPER.add(
    "adult-6.6",
    "What released attributes still say about incomes: Adult",
    "Section 6.6, figure 6.1",
    caveat="Ages are recoded to below 80 and 80 or more, as the thesis says; other attributes by ARX's "
    "hierarchies. Releases are those of least loss (granularity), with at most 1% of the records left out; "
    "the thesis does not print its limit.",
    needs=NEEDS,
)
def adult_6_6(conditions: Conditions) -> Findings:
    """Education predicts incomes best in every release, and age, which is best before, worst."""
    people = census(conditions).with_ages_by_80()
    releases = {ORIGINAL: people.columns, **_releases(people, LIMIT)}
    by_key = {name: _rates(columns) for name, columns in releases.items()}
    by_race = {name: rates_by_value(columns, RACE, SALARY) for name, columns in releases.items()}
    tables = [_table("About Salary-class", by_key, KEYS), _table("The same by Race", by_race, PRINTED[RACE])]
    if conditions.full:
        tables.append(_other_limits(people))
    found = Findings(
        figures=[
            _figure("About Salary-class, by attribute", by_key, KEYS),
            _figure("About Salary-class, by Race", by_race, PRINTED[RACE]),
        ],
        tables=tables,
        notes=["A rate of a single value is high where few people have it: 1 - p(y) H(X|y) / H(X)."],
    )
    return people.findings(found, [*_claims(by_key), *_claims_by_race(by_race)])


def _releases(people: Census, limit: float) -> dict[str, Columns]:
    return {
        name: released(people, KEYS, SALARY, asked, suppress=limit, leave_out=True)[0]
        for name, asked in MODELS.items()
    }


def _rates(columns: Columns) -> dict[str, float]:
    return {key: rate(columns, key, SALARY) for key in KEYS}


def _claims(rates: Rates) -> list[Claim]:
    made = {name: rates[name] for name in MODELS}
    others = [values for name, values in made.items() if name != DIVERSE]
    return [
        Claim(
            "Education says most in every release.", all(_most(one) == "education" for one in made.values())
        ),
        Claim("Age says least in every release.", all(_least(one) == "age" for one in made.values())),
        Claim("Age says most in the original data.", _most(rates[ORIGINAL]) == "age"),
        Claim(
            "The 2-diverse release says least, by every attribute.",
            all(made[DIVERSE][key] <= min(one[key] for one in others) for key in KEYS),
        ),
    ]


def _claims_by_race(rates: Rates) -> list[Claim]:
    return [
        Claim(
            "Other has the highest rate in every release.",
            all(_most(one) == "Other" for one in rates.values()),
        ),
        Claim(
            "White has the lowest rate in every release.",
            all(_least(one) == "White" for one in rates.values()),
        ),
    ]


def _most(values: Mapping[str, float]) -> str:
    return max(values, key=lambda name: values[name])


def _least(values: Mapping[str, float]) -> str:
    return min(values, key=lambda name: values[name])


def _other_limits(people: Census) -> Tabulation:
    """The same rates where other shares of the records could be suppressed."""
    rows: list[list[Cell]] = [
        [f"{limit:.0%}", name, *_rates(columns).values()]
        for limit in OTHER_LIMITS
        for name, columns in _releases(people, limit).items()
    ]
    return Tabulation("With other limits of suppression", ["left out, at most", "release", *KEYS], rows)


def _figure(title: str, rates: Rates, places: Mapping[str, object] | tuple[str, ...]) -> Figure:
    names = tuple(places)
    lines = [
        Curve(release, [(at, values[name]) for at, name in enumerate(names) if name in values])
        for release, values in rates.items()
    ]
    return Figure(
        title, "attribute" if names == KEYS else "race", "discrimination rate", lines, categories=names
    )


def _table(title: str, rates: Rates, places: Mapping[str, object] | tuple[str, ...]) -> Tabulation:
    rows = [[release, *(values.get(name) for name in places)] for release, values in rates.items()]
    return Tabulation(title, ["release", *places], rows)
