"""Attributes that a release has and its original does not: looked at as in an audit of the release."""

import numpy as np

import divulge as dv

RANDOM = np.random.default_rng(5)
N = 1000
AGE = RANDOM.integers(18, 70, N).tolist()
SPOKEN = RANDOM.choice(["fr", "de", "it", "en", "es"], N).tolist()
ILL = RANDOM.choice(["flu", "cold", "gout", "asthma"], N).tolist()
PEOPLE = {"id": [f"p{i}" for i in range(N)], "age": AGE, "spoken": SPOKEN, "ill": ILL}
HIDDEN = {**PEOPLE, "age": ["*"] * N}
NOTE = [f"{age}/{spoken}" for age, spoken in zip(AGE, SPOKEN, strict=True)]


def measured(released, original=PEOPLE, keys=("age", "spoken")):
    data = dv.read(original, quasi_identifiers=list(keys), sensitive="ill")
    [entry] = dv.compare(data, released, by="id").to_dict()["releases"]
    return [one for one in entry["checks"] if one["measure"] == "measured"]


def test_an_attribute_that_the_original_does_not_have_is_looked_at_as_an_audit_does():
    [found] = measured({**HIDDEN, "note": NOTE})
    assert found["outcome"] == "warn"
    assert "'note' may distinguish people" in found["sentence"]
    assert measured(HIDDEN) == []


def test_an_attribute_without_a_role_that_the_original_has_is_no_gap_of_the_release():
    assert measured({**PEOPLE, "note": NOTE}, {**PEOPLE, "note": NOTE}) == []
    assert measured({**PEOPLE, "remark": NOTE}) != []
