"""A made-up clinic with problems planted in it, to try things on."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError

FEWEST = 100  # records below which what is planted would not stand out

# What is wrong with the clinic: the attributes, and the values where single records are meant.
PLANTED: Mapping[str, Any] = {
    "identifier left in": "contact",
    "constant": "country",
    "duplicate": ("sex", "gender_code"),
    "identifying together": ("admitted", "arrived"),
    "proxy": ("medication", "diagnosis"),
    "lone values": {"occupation": "lighthouse keeper", "age": 142},
    "misspelt": {"occupation": ("techer", "teacher"), "marital_status": ("Married", "married")},
}

# How common a diagnosis is, from and up to what age, in which sex, its medicine, and the days of stay.
_DIAGNOSES: dict[str, tuple[int, int, int, str, str, int]] = {
    "appendicitis": (6, 5, 45, "any", "cefuroxime", 4),
    "asthma": (7, 0, 50, "any", "salbutamol", 3),
    "bone fracture": (9, 0, 150, "any", "ibuprofen", 5),
    "breast cancer": (7, 35, 150, "female", "tamoxifen", 7),
    "childbirth": (30, 18, 45, "female", "oxytocin", 3),
    "depression": (7, 15, 150, "any", "sertraline", 14),
    "diabetes": (10, 35, 150, "any", "metformin", 5),
    "heart failure": (10, 60, 150, "any", "furosemide", 8),
    "HIV infection": (3, 18, 65, "any", "dolutegravir", 4),
    "hypertension": (12, 40, 150, "any", "ramipril", 3),
    "influenza": (8, 0, 150, "any", "oseltamivir", 4),
    "prostate cancer": (8, 50, 150, "male", "bicalutamide", 7),
}
_MEDICINES = tuple(medicine for *_, medicine, _ in _DIAGNOSES.values())
_JOBS = {"accountant": 6, "baker": 3, "bus driver": 5, "carpenter": 5, "cook": 6, "electrician": 6}
_JOBS |= {"engineer": 9, "farmer": 2, "nurse": 8, "office clerk": 14, "shop assistant": 12, "teacher": 9}
_POSTCODES = tuple(f"04{area}{place:02}" for area in (1, 2, 3) for place in range(3, 99, 8))
_FIRST_NAMES = ("ada", "bo", "cleo", "dario", "edda", "fips", "gia", "hugo", "iris", "juno", "kit", "lux")
_LAST_NAMES = ("applewood", "bramble", "cobbler", "dandelion", "elderberry", "featherby", "gooseberry")
_FIRST_DAY, _DAILY = date(2024, 1, 1), 30  # about so many people are admitted a day
_SLOTS = tuple(f"{hour:02}:{ten}0" for hour in range(7, 20) for ten in range(6))

Ages = npt.NDArray[np.int64]


def clinic(records: int = 4000, seed: int = 7) -> dict[str, list[object]]:
    """A clinic's admissions, each of another person; the same seed gives the same clinic.

    >>> sorted(set(clinic(records=100)["gender_code"]))
    ['F', 'M']
    """
    if records < FEWEST:
        raise ParameterError(
            f"A clinic of {records} records is too small.", hint=f"Ask for {FEWEST} or more."
        )
    rng = np.random.default_rng(seed)
    sex = _drawn(rng, ("female", "male"), np.tile([53, 47], (records, 1)))
    age = _ages(rng, records)
    diagnosis = _drawn(rng, tuple(_DIAGNOSES), _diagnosis_weights(sex, age))
    days = tuple((_FIRST_DAY + timedelta(day)).isoformat() for day in range(max(1, records // _DAILY)))
    columns: dict[str, list[Any]] = {
        "patient": (200_001 + np.argsort(rng.random(records))).tolist(),
        "contact": _addresses(rng, records),
        "sex": sex,
        "gender_code": [each[0].upper() for each in sex],
        "age": age.tolist(),
        "postcode": _drawn(rng, _POSTCODES, np.tile(1 / np.arange(3, 39), (records, 1))),
        "occupation": _occupations(rng, age),
        "marital_status": _drawn(rng, ("single", "married", "divorced", "widowed"), _marital_weights(age)),
        "country": ["Ruritania"] * records,
        "insurance": _drawn(rng, ("statutory", "private", "none"), np.tile([84, 13, 3], (records, 1))),
        "admitted": _any(rng, days, records),
        "arrived": _any(rng, _SLOTS, records),
        "stay_days": _stays(rng, diagnosis),
        "diagnosis": diagnosis,
        "medication": _medication(rng, diagnosis),
    }
    _plant(rng, columns)
    return columns


def write(folder: Path, records: int = 4000, seed: int = 7, *, overwrite: bool = True) -> dict[str, Path]:
    """Write the clinic, a policy for it and two hierarchies into a folder; what is where, by name.

    Without ``overwrite``, a file that is there with other content is an error, and nothing is written.
    """
    names = {"data": "clinic.csv", "policy": "divulge.toml", "age": "age.csv", "postcode": "postcode.csv"}
    paths = {what: folder / name for what, name in names.items()}
    texts = {
        "data": _table(clinic(records, seed)),
        "policy": _POLICY,
        "age": _hierarchy([(age, _band(age, 5), _band(age, 20)) for age in range(151)]),
        "postcode": _hierarchy([(code, f"{code[:3]}**", f"{code[:2]}***") for code in _POSTCODES]),
    }
    contents = {paths[what]: text.encode() for what, text in texts.items()}
    for path, content in contents.items():
        if not overwrite and path.exists() and path.read_bytes() != content:
            raise ParameterError(
                f"{path} is there already, with other content.",
                hint="Name another folder, or allow it with --overwrite.",
            )
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        path.write_bytes(content)
    return paths


def _drawn(rng: np.random.Generator, options: Sequence[str], weights: npt.NDArray[Any]) -> list[str]:
    """One of the options for each row of weights."""
    reached = np.cumsum(weights, axis=1)
    # Uniform numbers are drawn the same by every version of NumPy, which other distributions are not.
    places = (reached <= rng.random((len(weights), 1)) * reached[:, -1:]).sum(axis=1)
    return [options[place] for place in places.tolist()]


def _any(rng: np.random.Generator, options: Sequence[str], records: int) -> list[str]:
    """One of the options for each record, all alike."""
    return [options[place] for place in (rng.random(records) * len(options)).astype(np.int64).tolist()]


def _ages(rng: np.random.Generator, records: int) -> Ages:
    """Mostly middle and old age; one in six is a child or a young adult."""
    later = 18 + 77 * rng.random((records, 3)).mean(axis=1)
    return np.where(rng.random(records) < 1 / 6, 40 * rng.random(records), later).astype(np.int64)


def _diagnosis_weights(sex: Sequence[str], age: Ages) -> npt.NDArray[Any]:
    sexes = np.asarray(sex)
    columns = [
        common * ((first <= age) & (age <= last) & ((sexes == whose) | (whose == "any")))
        for common, first, last, whose, *_ in _DIAGNOSES.values()
    ]
    return np.stack(columns, axis=1)


def _marital_weights(age: Ages) -> npt.NDArray[Any]:
    adult = np.maximum(age - 17, 0)
    return np.stack([2000 / (20 + adult), adult * 3, adult * 0.6, np.maximum(age - 45, 0)], axis=1)


def _occupations(rng: np.random.Generator, age: Ages) -> list[str | None]:
    """What people do at their age; a few did not say."""
    working = (age >= 18) & (age <= 65)
    of_age = [age < 6, (age >= 6) & (age <= 17), working & (age < 28), age > 65]
    jobs = [common * working for common in _JOBS.values()]
    weights = np.stack([*(40 * fits for fits in of_age), *jobs], axis=1)
    drawn = _drawn(rng, ("infant", "pupil", "student", "retired", *_JOBS), weights)
    return [
        job if said else None for job, said in zip(drawn, (rng.random(len(age)) > 0.01).tolist(), strict=True)
    ]


def _addresses(rng: np.random.Generator, records: int) -> list[str]:
    first, last = _any(rng, _FIRST_NAMES, records), _any(rng, _LAST_NAMES, records)
    numbers = np.argsort(rng.random(records)).tolist()
    return [f"{a}.{b}{n}@example.org" for a, b, n in zip(first, last, numbers, strict=True)]


def _stays(rng: np.random.Generator, diagnosis: Sequence[str]) -> list[int]:
    usual = np.asarray([_DIAGNOSES[each][-1] for each in diagnosis])
    return (
        (1 + usual * (0.3 + rng.random(len(usual)) + rng.random(len(usual)) ** 6)).astype(np.int64).tolist()
    )


def _medication(rng: np.random.Generator, diagnosis: Sequence[str]) -> list[str]:
    """The medicine of the diagnosis, and for one in twenty-five any of them."""
    weights = np.asarray(
        [[medicine == _DIAGNOSES[each][-2] for medicine in _MEDICINES] for each in diagnosis]
    )
    return _drawn(rng, _MEDICINES, weights + 0.04 / len(_MEDICINES))


def _plant(rng: np.random.Generator, columns: dict[str, list[Any]]) -> None:
    """Give single records, here and there, the lone values and the misspelt ones."""
    somewhere = iter(np.argsort(rng.random(len(columns["age"]))).tolist())
    for attribute, value in PLANTED["lone values"].items():
        columns[attribute][next(row for row in somewhere if columns["occupation"][row] in _JOBS)] = value
    for attribute, (wrong, right) in PLANTED["misspelt"].items():
        columns[attribute][next(row for row in somewhere if columns[attribute][row] == right)] = wrong


def _band(age: int, width: int) -> str:
    oldest = 90 if width == 5 else 80
    return f"{oldest} or over" if age >= oldest else f"{age - age % width}-{age - age % width + width - 1}"


def _table(columns: Mapping[str, Sequence[object]]) -> str:
    """Columns as a CSV file has them."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(columns)
    table.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def _hierarchy(rows: Sequence[Sequence[object]]) -> str:
    return "".join(";".join(map(str, row)) + "\n" for row in rows)


_POLICY = """\
# Requirements for the data of a made-up clinic. Some are not met: the report says where and why.

[data]
source = "clinic.csv"

[attributes]
patient        = "identifier"
contact        = "other"             # contains e-mail addresses that were overlooked
sex            = "quasi-identifier"
gender_code    = "other"
age            = { role = "quasi-identifier", hierarchy = "age.csv" }
postcode       = { role = "quasi-identifier", hierarchy = "postcode.csv" }
occupation     = "quasi-identifier"
marital_status = "quasi-identifier"
country        = "other"
insurance      = "other"
admitted       = "quasi-identifier"
arrived        = "quasi-identifier"
stay_days      = "other"
diagnosis      = "sensitive"
medication     = "other"

[thresholds]
# Everyone is in a group of 5 or more, on all quasi-identifiers and on what neighbours know.
k_anonymity = [
    { min = 5 },
    { min = 5, keys = ["sex", "age", "postcode"] },
    { min = 5, keys = ["sex", "postcode"] },
]

# The average re-identification risk is at most one in ten.
reidentification_risk = { kind = "average", max = 0.1, severity = "warn" }

# Neighbours who know that someone is in the table do not learn the diagnosis.
distinct_l_diversity = { min = 2, keys = ["sex", "age"] }
discrimination_rate = [
    { max = 0.2, adjusted = true, keys = ["sex", "age"] },
    { max = 0.2, adjusted = true, keys = ["postcode"] },
    { max = 0.2, adjusted = true, keys = ["medication"], severity = "warn" },
]
"""
