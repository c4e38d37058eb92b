"""Attributes without a role under whose name something else is released: looked at as new ones are."""

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(3)
N = 1000
ILLS = ["flu", "gout", "cold", "none", "hiv"]
PEOPLE = {
    "age": RANDOM.integers(20, 80, N),
    "sex": RANDOM.choice(["f", "m"], N),
    "ward": RANDOM.choice(list("ABCDEFGH"), N),
    "visits": RANDOM.integers(0, 15, N),
    "ill": RANDOM.choice(ILLS, N),
}
PEOPLE["ill"][(PEOPLE["age"] >= 60) & (PEOPLE["sex"] == "f")] = "hiv"
BANDS = np.where(PEOPLE["age"] < 40, "20-39", np.where(PEOPLE["age"] < 60, "40-59", "60-79"))
CODE = np.array([ILLS.index(one) * 3 % 7 + 1 for one in PEOPLE["ill"]])


def listed(order=slice(None), **columns):
    table = {**PEOPLE, "age": BANDS, "ill": None, **columns}
    return {name: np.asarray(one)[order].tolist() for name, one in table.items() if one is not None}


def compared(released, **given):
    original = {name: one.tolist() for name, one in PEOPLE.items()}
    data = dv.read(original, quasi_identifiers=["age", "sex"], sensitive="ill")
    return dv.compare(data, released, **given).to_dict()


def outcomes(document):
    return {one["measure"]: one["outcome"] for one in document["releases"][0]["checks"]}


@pytest.mark.parametrize(
    "columns",
    [
        {"ward": PEOPLE["ill"]},
        {"visits": CODE},
        {"ward": PEOPLE["ill"], "ill": np.full(N, "*")},
        {"ward": PEOPLE["ill"], "ill": np.full(N, "none")},
        {"ward": np.char.add(PEOPLE["ward"], CODE.astype(str))},
    ],
    ids=["plain", "code", "suppressed", "decoy", "behind"],
)
def test_a_secret_under_another_name_is_found(columns):
    found = compared(listed(**columns))
    assert outcomes(found)["learned"] == "fail"
    assert found["recommendation"]["release"] is None
    assert "whose values are not those of the original, tells ill" in str(found["releases"][0]["alignment"])


def test_a_quasi_identifier_under_another_name_is_found():
    assert outcomes(compared(listed(visits=PEOPLE["age"])))["singled_out"] == "fail"
    swapped = compared(listed(visits=PEOPLE["age"], age=PEOPLE["visits"]))
    assert outcomes(swapped)["singled_out"] == "fail"


def test_where_records_are_not_matched_new_values_are_a_gap():
    order = RANDOM.permutation(N)
    assert outcomes(compared(listed(order)))["singled_out"] == "pass"
    assert "measured" not in outcomes(compared(listed(order)))
    found = compared(listed(order, ward=PEOPLE["ill"]))
    assert outcomes(found)["measured"] == "warn"
    assert "ward has values that the original does not have" in str(found["releases"][0]["checks"])


@pytest.mark.parametrize(
    "columns",
    [
        {"ward": np.where(np.isin(PEOPLE["ward"], ["A", "B"]), "east", "west")},
        {"visits": np.where(PEOPLE["visits"] < 5, "0-4", "5-14")},
        {"visits": PEOPLE["visits"] + RANDOM.integers(-2, 3, N)},
        {"visits": RANDOM.permutation(PEOPLE["visits"])},
        {"ward": np.full(N, "*")},
    ],
    ids=["labels", "bands", "noise", "exchanged", "suppressed"],
)
def test_an_attribute_that_was_coarsened_or_changed_is_none(columns):
    before, after = compared(listed()), compared(listed(**columns))
    assert outcomes(after) == outcomes(before)
    assert "measured" not in outcomes(after)
