"""A made-up census with the attributes of Adult, for those who do not have Adult at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from divulge.table.hierarchy import Hierarchy

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Columns = dict[str, list[str]]
Grouped = Mapping[str, Mapping[str, Sequence[str]]]  # groups of groups of values

#: Values from low to high or from frequent to rare, in groups of groups. Values are named as in Adult.
EDUCATION: Grouped = {
    "school": {
        "first years": ("Preschool", "1st-4th", "5th-6th", "7th-8th"),
    },
    "high school": {
        "high school years": ("9th", "10th", "11th", "12th", "HS-grad"),
    },
    "college": {
        "no degree or a short one": ("Assoc-voc", "Assoc-acdm", "Some-college"),
        "first degree": ("Bachelors",),
        "further degree": ("Masters", "Prof-school", "Doctorate"),
    },
}
MARITAL: Grouped = {
    "*": {
        "married": ("Married-civ-spouse", "Married-AF-spouse"),
        "alone": (*("Never-married", "Divorced", "Separated", "Widowed", "Married-spouse-absent"),),
    }
}
WORK: Grouped = {
    "*": {
        "private or own": ("Private", "Self-emp-not-inc", "Self-emp-inc"),
        "public": ("Local-gov", "State-gov", "Federal-gov"),
        "unpaid": ("Without-pay",),
    }
}
OCCUPATION: Grouped = {
    "*": {
        "offices": ("Exec-managerial", "Sales", "Adm-clerical"),
        "technical": ("Prof-specialty", "Tech-support", "Craft-repair", "Machine-op-inspct"),
        "services and others": (
            *("Handlers-cleaners", "Transport-moving", "Other-service", "Priv-house-serv"),
            *("Protective-serv", "Farming-fishing", "Armed-Forces"),
        ),
    }
}
COUNTRY: Grouped = {
    "*": {
        "North": ("United-States", "Canada", "Mexico", "Puerto-Rico", "Cuba", "Jamaica"),
        "Asia": ("Philippines", "India", "China", "Vietnam", "Japan", "Iran"),
        "Europe": ("Germany", "England", "Italy", "Poland", "Portugal", "Ireland"),
        "South": ("Columbia", "Ecuador", "Peru"),
    }
}
RACE: Grouped = {
    "*": {"*": ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other")},
}
RACES = (25932, 2817, 895, 286, 231)  # people of each, as the thesis prints them
FIRST_AGE, LAST_AGE = 17, 90


def made_up(records: int, seed: int) -> Columns:
    """So many people, whose occupation and salary depend on their education, age and sex."""
    rng = np.random.default_rng(seed)
    age = np.clip(FIRST_AGE + rng.gamma(2.6, 8.5, records), FIRST_AGE, LAST_AGE).astype(np.int64)
    women = rng.random(records) < 1 / 3
    race = rng.choice(len(RACES), records, p=np.array(RACES) / sum(RACES))
    schools = _values(EDUCATION)
    school = np.clip(rng.normal(9.5, 2.6, records).round(), 0, len(schools) - 1).astype(np.int64)
    married = rng.random(records) < 1 / (1 + np.exp(-(age - 30) / 8))
    alone = 1 + rng.choice(5, records, p=(0.66, 0.22, 0.06, 0.04, 0.02))
    marital = np.where(married, (rng.random(records) < 0.002).astype(np.int64), 1 + alone)
    jobs = _values(OCCUPATION)
    suits = np.linspace(12, 6, len(jobs))  # the education that each occupation is most often for
    apart = -((school[:, None] - suits) ** 2) / 14 + 0.5 * np.where(women[:, None], -1, 1) * np.cos(
        np.arange(len(jobs))
    )
    job = _drawn(np.exp(apart), rng)
    work = rng.choice(7, records, p=(0.74, 0.08, 0.04, 0.06, 0.04, 0.03, 0.01))
    countries = _values(COUNTRY)
    abroad = rng.random(records) < np.where(race == 2, 0.5, 0.06)
    country = np.where(abroad, 1 + rng.integers(0, len(countries) - 1, records), 0)
    earns = -7.2 + 0.42 * school + 0.03 * np.minimum(age, 55) + 0.9 * married - 0.4 * women - 0.3 * (race > 0)
    rich = rng.random(records) < 1 / (1 + np.exp(-earns))
    return {
        "sex": np.where(women, "Female", "Male").tolist(),
        "age": age.astype(str).tolist(),
        "race": _named(_values(RACE), race),
        "marital-status": _named(_values(MARITAL), marital),
        "education": _named(schools, school),
        "native-country": _named(countries, country),
        "workclass": _named(_values(WORK), work),
        "occupation": _named(jobs, job),
        "salary-class": np.where(rich, ">50K", "<=50K").tolist(),
    }


def made_up_hierarchies() -> dict[str, Hierarchy]:
    """A hierarchy for each attribute of the made-up census."""
    grouped = {
        "education": EDUCATION,
        "marital-status": MARITAL,
        "workclass": WORK,
        "occupation": OCCUPATION,
        "native-country": COUNTRY,
    }
    flat = {"race": _values(RACE), "sex": ["Female", "Male"], "salary-class": ["<=50K", ">50K"]}
    ages = [
        [
            str(age),
            *(f"{age // width * width}-{age // width * width + width - 1}" for width in (5, 10, 20)),
            "*",
        ]
        for age in range(FIRST_AGE, LAST_AGE + 1)
    ]
    return {
        "age": Hierarchy.of(ages, attribute="age"),
        **{name: _hierarchy(groups, name) for name, groups in grouped.items()},
        **{
            name: Hierarchy.of([(value, "*") for value in values], attribute=name)
            for name, values in flat.items()
        },
    }


def _hierarchy(groups: Grouped, name: str) -> Hierarchy:
    lines = [
        [value, inner, *([] if outer == "*" else [outer]), "*"]
        for outer, some in groups.items()
        for inner, values in some.items()
        for value in values
    ]
    return Hierarchy.of(lines, attribute=name)


def _values(groups: Grouped) -> list[str]:
    return [value for some in groups.values() for values in some.values() for value in values]


def _named(values: Sequence[str], codes: Integers) -> list[str]:
    return [values[code] for code in codes.tolist()]


def _drawn(weights: Floats, rng: np.random.Generator) -> Integers:
    """For each row a column, drawn by its weights."""
    upto = np.cumsum(weights, axis=1)
    return np.asarray((upto < rng.random((len(upto), 1)) * upto[:, -1:]).sum(axis=1), np.int64)
