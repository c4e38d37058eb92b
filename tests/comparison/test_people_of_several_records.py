"""An original with several records of a person: a release that hides whose they are is read by people."""

import numpy as np
import pytest

import divulge as dv

RANDOM = np.random.default_rng(8)
PEOPLE, TIMES = 120, 6
WHO = np.repeat(np.arange(PEOPLE), TIMES)
AGE, REGION = RANDOM.integers(20, 60, PEOPLE)[WHO], RANDOM.integers(0, 4, PEOPLE)[WHO]
ILL = RANDOM.choice(["flu", "cold", "gout", "none"], PEOPLE * TIMES)
LONG = {"pid": [f"p{one:03}" for one in WHO], "age": AGE, "region": REGION, "ill": ILL}
ORDER = RANDOM.permutation(PEOPLE * TIMES)
ROLES = {"identifiers": "pid", "quasi_identifiers": ["age", "region"], "sensitive": "ill"}


def listed(table, order=slice(None), **columns):
    return {name: np.asarray(one)[order].tolist() for name, one in {**table, **columns}.items()}


def compared(released, **given):
    return dv.compare(dv.read(listed(LONG), **ROLES), released, **given).to_dict()


def without_pid(order=slice(None), **columns):
    return listed({name: LONG[name] for name in ("age", "region", "ill")}, order, **columns)


def outcomes(document):
    return {one["measure"]: one["outcome"] for one in document["releases"][0]["checks"]}


def readings(document):
    found = document["releases"][0]["readings"]
    return {name: found[name] for name in ("k", "uniqueness", "average_risk")}


POLICY = {
    "attributes": {
        "pid": "identifier",
        "age": "quasi-identifier",
        "region": "quasi-identifier",
        "ill": "sensitive",
    },
    "thresholds": {"k_anonymity": {"min": 3}, "singled_out": {"max": 0, "k": 3}},
}
KEPT = compared(listed(LONG))


@pytest.mark.parametrize("order", [slice(None), ORDER], ids=["in order", "shuffled"])
def test_a_dropped_person_number_makes_no_one_anonymous(order):
    found = compared(without_pid(order))
    assert readings(found) == readings(KEPT)
    assert readings(found)["k"] == 1
    assert outcomes(found)["singled_out"] == "fail"
    assert found["recommendation"]["release"] is None


@pytest.mark.parametrize("order", [slice(None), ORDER], ids=["in order", "shuffled"])
def test_a_fresh_number_of_each_person_is_no_better(order):
    found = compared(without_pid(order, q7=(WHO * 7919 + 13) % 10007))
    assert readings(found) == readings(KEPT)
    assert outcomes(found)["singled_out"] == "fail"


@pytest.mark.parametrize("order", [slice(None), ORDER], ids=["in order", "shuffled"])
def test_people_are_counted_in_groups_of_coarser_values(order):
    coarse = {"age": np.where(AGE < 40, "20-39", "40-59"), "region": ["*"] * len(AGE)}
    [whole] = compared(listed(LONG, **coarse))["releases"]
    found = compared(without_pid(order, **coarse))
    assert readings(found)["k"] == min((AGE[::TIMES] < 40).sum(), (AGE[::TIMES] >= 40).sum())
    told = [one["readings"]["targets"]["ill"]["discrimination_rate"] for one in (found["releases"][0], whole)]
    assert told[0] == pytest.approx(told[1])
    assert outcomes(found)["singled_out"] == "pass"
    assert found["recommendation"]["release"] is not None


def test_people_are_counted_where_whole_groups_are_suppressed_or_left_out():
    suppressed = np.where(REGION == 0, "*", (AGE // 20 * 20).astype(str))
    age = np.where(suppressed == "*", "*", np.where(AGE < 40, "20-39", "40-59"))
    stars = without_pid(ORDER, age=age, region=np.where(REGION == 0, "*", REGION.astype(str)))
    left = {
        name: [v for v, r in zip(one, np.array(REGION)[ORDER], strict=True) if r]
        for name, one in stars.items()
    }
    for released in (stars, left):
        [entry] = compared(released)["releases"]
        assert not [one for one in entry["checks"] if one["outcome"] == "not evaluated"]
        groups = [(low, region) for low in (True, False) for region in (1, 2, 3)]
        sizes = [len({*WHO[((AGE < 40) == low) & np.equal(REGION, region)]}) for low, region in groups]
        assert entry["readings"]["k"] == min(sizes)


def test_whose_records_of_a_sample_are_is_not_known():
    some = without_pid(ORDER[:300], age=np.where(AGE < 40, "20-39", "40-59"), region=["*"] * len(AGE))
    found = compared(some, policy=POLICY)
    assert {*outcomes(found).values()} == {"pass", "not evaluated"}
    assert outcomes(found)["identifiers"] == "pass"
    assert readings(found) == {"k": None, "uniqueness": None, "average_risk": None}
    assert found["recommendation"]["release"] is None
    [said] = [one["text"] for one in found["notices"] if one["kind"] == "by"]
    assert said.startswith("The original has several records of a person, and it is not known whose")
    attacks = {one["attack"]: one["risk"] for one in found["releases"][0]["attacks"]}
    assert [attacks["marketer"], attacks["prosecutor"]] == [None, None]


def test_an_original_with_one_record_of_each_person_is_read_as_before():
    one = {name: np.asarray(values)[::TIMES].tolist() for name, values in LONG.items()}
    data = dv.read(one, **ROLES)
    released = {name: one[name] for name in ("age", "region", "ill")}
    plain = dv.read(released, quasi_identifiers=["age", "region"], sensitive="ill")
    with_number, without = (dv.compare(each, released).to_dict()["releases"][0] for each in (data, plain))
    assert with_number["readings"] == without["readings"]
    assert with_number["checks"] == without["checks"]
