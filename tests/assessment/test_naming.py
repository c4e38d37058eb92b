"""Names and numbers of people are found in any role, and however they are written; amounts are not."""

import base64
import hashlib
import json
import random

import pytest

import divulge as dv
from divulge.assessment.naming import namings
from divulge.errors import ParameterError

N = 600
FIRST = ["Anna", "Bernd", "Clara", "David", "Elena", "Frank", "Greta", "Hans", "Irene", "Jonas"]
NAMES = [f"{FIRST[n % 10]} {chr(65 + n // 260)}{'aeiou'[n % 5]}{chr(97 + n // 10 % 26)}rn" for n in range(N)]
PLAIN = {
    "age": ["20-34", "35-49", "50-64", "65+"] * (N // 4),
    "sex": ["m", "f", "f"] * (N // 3),
    "ill": ["flu", "cold", "gout", "none", "none"] * (N // 5),
}
DRAW = random.Random(3)


def outcome(values, role="sensitive", name="q7"):
    sensitive = ["ill", name] if role == "sensitive" else "ill"
    data = dv.read(PLAIN | {name: values}, quasi_identifiers=["age", "sex"], sensitive=sensitive)
    return next((one.outcome for one in namings(data, [name]) if one.attribute == name), "pass")


WAYS = {
    "three in four": [name if n % 4 else f"X-{n}" for n, name in enumerate(NAMES)],
    "numbered": [f"{name} {n}" for n, name in enumerate(NAMES)],
    "number first": [f"{n}. {name}" for n, name in enumerate(NAMES)],
    "json": [json.dumps({"id": n, "n": name}) for n, name in enumerate(NAMES)],
    "address": [f"{name.lower().replace(' ', '.')} (at) example.org" for name in NAMES],
    "percent": [name.replace(" ", "%20") for name in NAMES],
    "invisible": ["\u200b".join(name) for name in NAMES],
    "wide": ["".join(chr(ord(sign) + 0xFEE0) if sign != " " else sign for sign in name) for name in NAMES],
}


@pytest.mark.parametrize("role", ["sensitive", "other"])
@pytest.mark.parametrize("way", WAYS)
def test_names_fail_however_they_are_written(way, role):
    assert outcome(WAYS[way], role) == "fail"


def test_few_names_among_many_other_values_warn():
    assert outcome([name if n % 19 == 0 else f"X-{n}" for n, name in enumerate(NAMES)]) == "warn"
    assert outcome([name if n < 10 else f"X-{n}" for n, name in enumerate(NAMES)]) == "pass"


NUMBERS = {
    "social security": [DRAW.randint(100_000_000, 799_999_999) for _ in range(N)],
    "telephone": [DRAW.randint(2_010_000_000, 9_899_999_999) for _ in range(N)],
    "cpr": [f"{DRAW.randint(1, 28):02}{DRAW.randint(1, 12):02}{n % 60 + 40:02}-{n:04}" for n in range(N)],
    "cpf": [
        f"{DRAW.randint(100, 999)}.{n % 900 + 100}.{DRAW.randint(100, 999)}-{n % 90 + 10}" for n in range(N)
    ],
    "pesel": [f"{n % 90 + 10}{n % 12 + 1:02}{n % 28 + 1:02}{DRAW.randint(10_000, 99_999)}" for n in range(N)],
    "patient": [DRAW.randint(100_000, 999_999) for _ in range(N)],
    "zeros": [f"{7 * n:06}" for n in range(N)],
    "address of a network": [DRAW.randint(2**24, 2**32) for _ in range(N)],
    "md5": [hashlib.md5(name.encode()).hexdigest()[:8] for name in NAMES],
    "base64": [base64.b64encode(name.encode()).decode() for name in NAMES],
    "place": [f"{48 + DRAW.random():.6f},{11 + DRAW.random():.6f}" for _ in range(N)],
    "latitude": [f"{48 + DRAW.random():.6f}" for _ in range(N)],
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_sensitive_numbers_and_codes_of_people_warn(kind):
    assert outcome(NUMBERS[kind]) == "warn"


AMOUNTS = {
    "salary": [int(DRAW.lognormvariate(11.9, 0.25)) for _ in range(N)],
    "salary of six digits": [max(100_000, int(DRAW.lognormvariate(12.2, 0.3))) for _ in range(N)],
    "platelets": [int(DRAW.gauss(250_000, 40_000)) for _ in range(N)],
    "rounded": [round(DRAW.gauss(250_000, 40_000), -3) for _ in range(N)],
    "ratio": [f"{DRAW.random():.6f}" for _ in range(N)],
    "blood": [f"{DRAW.gauss(14, 2):.3f}" for _ in range(N)],
    "pressure": [f"{DRAW.randint(100, 180)}/{DRAW.randint(60, 110)}" for _ in range(N)],
    "score": [f"{DRAW.gauss(0, 1):.6f}" for _ in range(N)],
    "dated": [f"{2000 + n % 20}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(N)],
    "diagnoses": [f"{chr(65 + n % 20)}{n % 90 + 10}.{n % 9}" for n in range(N)],
    "many diagnoses": [f"I{n % 90 + 10};E{n % 70 + 10}.{n % 9}" for n in range(N)],
    "thousands": [f"{DRAW.lognormvariate(12, 0.8):,.0f}" for _ in range(N)],
}


@pytest.mark.parametrize("kind", AMOUNTS)
def test_sensitive_amounts_and_findings_are_quiet(kind):
    assert outcome(AMOUNTS[kind]) == "pass"


TOWNS = ["Diego", "Jose", "Francisco", "Antonio", "Carlos", "Pablo", "Gabriel", "Rafael", "Marcos", "Luis"]


def test_towns_wards_and_products_are_no_names():
    towns = [
        *(f"San {name}" for name in TOWNS),
        *(f"Port {name}" for name in TOWNS),
        *(f"Town {n}" for n in range(20)),
    ]
    assert outcome([towns[n % len(towns)] for n in range(N)]) == "pass"
    assert outcome([f"Max Dose {n % 90}" if n % 2 else f"Ward {n}" for n in range(N)]) == "pass"


def test_a_few_cells_of_an_attribute_without_a_role_are_enough():
    few = [f"{name} {n}" if n % 20 == 0 else "no" for n, name in enumerate(NAMES)]
    assert outcome(few, "other") in ("warn", "fail")
    phones = [str(DRAW.randint(2_010_000_000, 9_899_999_999)) if n % 25 == 0 else "no" for n in range(N)]
    assert outcome(phones, "other") == "warn"
    amounts = [int(DRAW.lognormvariate(11, 1)) if n % 25 == 0 else "no" for n in range(N)]
    assert outcome(amounts, "other") == "pass"


def one_hot(names):
    return {name: [int(n == place) for n in range(N)] for place, name in enumerate(names)}


def called(names):
    data = dv.read(PLAIN | one_hot(names), quasi_identifiers=["age", "sex"], sensitive="ill")
    return {one.attribute: one.outcome for one in namings(data, ())}


@pytest.mark.parametrize("spelled", ["{}", "q7_{}", "{} 17"])
def test_columns_that_are_called_as_people_fail(spelled):
    names = [spelled.format(name) for name in NAMES[:12]]
    assert called(names) == dict.fromkeys(names, "fail")


def test_few_columns_that_may_be_called_as_people_warn_and_others_pass():
    assert called(NAMES[:3]) == dict.fromkeys(NAMES[:3], "warn")
    assert called(NAMES[:2]) == {}
    assert called(["Max Temp", "Mark Total", "Grace Period", "jan_total", "San Jose", "Ward Anna"]) == {}


def test_a_table_by_many_names_beside_wards_is_refused():
    shown = [NAMES[n % 60] if n % 4 else f"Ward {n % 30}" for n in range(N)]
    with pytest.raises(ParameterError, match="'q7' names people"):
        dv.tabulate(PLAIN | {"q7": shown}, by=["q7", "sex"])
