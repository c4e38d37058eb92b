"""The homogeneity attack, counted by hand."""

import pytest

import divulge as dv
from divulge import attacks

#: Two classes by age; the younger are all ill with the same.
TABLE = {
    "age": ["2*", "2*", "3*", "3*"],
    "sex": ["f", "m", "f", "m"],
    "disease": ["flu", "flu", "cold", "flu"],
    "ward": ["a", "b", "a", "b"],
}


def released(table=TABLE, keys=("age", "sex"), sensitive=("disease", "ward"), **more):
    return dv.read(table, quasi_identifiers=list(keys), sensitive=list(sensitive), **more)


def test_each_key_and_all_together_are_read_for_each_sensitive_attribute():
    found = attacks.homogeneity(released())
    asked = [(one.keys, one.target) for one in found.readings]
    assert asked[:3] == [(("age",), "disease"), (("sex",), "disease"), (("age", "sex"), "disease")]
    rates = [one.discrimination_rate for one in found.readings]
    # H(disease) = 0.8113; age leaves one bit for half of the records, and so does sex.
    rate = 1 - 0.5 / 0.811278124
    assert rates == pytest.approx([rate, rate, 1, 0, 1, 1])
    assert found.risk == pytest.approx((rate + rate + 0 + 1) / 4)


def test_people_are_those_whose_value_is_certain():
    found = attacks.homogeneity(released(keys=["age"], sensitive=["disease"]))
    assert (found.people, found.of) == (2, 4)
    assert found.details["certain"] == [
        {"target": "disease", "undefined": None, "records": 2, "of": 4, "share": 0.5, "in_company": 2}
    ]
    assert "With age known, disease is certain for fewer than 5 people." in found.sentence


def test_who_stands_alone_is_certain_but_not_in_company():
    found = attacks.homogeneity(released())
    assert [(one["records"], one["in_company"]) for one in found.details["certain"]] == [(4, 0), (4, 0)]


def test_chance_stands_beside_a_rate():
    one = attacks.homogeneity(released(keys=["age"], sensitive=["disease"])).readings[0]
    # Dealt at random, the cold is in one of the two classes of two anyway: always the same rate.
    assert one.chance == pytest.approx(one.discrimination_rate)
    assert one.adjusted == pytest.approx(0)


def test_a_wholly_suppressed_key_tells_nothing_and_counts_as_such():
    table = {**TABLE, "sex": ["*"] * 4}
    found = attacks.homogeneity(released(table, sensitive=["disease"]))
    assert found.readings[1].undefined.startswith("No record is left to count")
    assert found.risk == pytest.approx(found.readings[0].discrimination_rate / 2)
    assert found.details["hidden_keys"] == ["sex"]
    assert found.details["risk_of_other_keys"] == found.readings[0].discrimination_rate
    assert "(1 hidden key counted as 0)" in found.sentence


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (released(keys=[]), "no quasi-identifier of the release is known"),
        (released(sensitive=[]), "no sensitive attribute of the release is known"),
        (released({**TABLE, "disease": ["flu"] * 4}, sensitive=["disease"]), "disease has one value only"),
        (released({**TABLE, "age": ["*"] * 4, "sex": ["*"] * 4}), "No record is left to count"),
        (released({**TABLE, "age": [None, "2*", "2*", "3*"]}, ["age"], missing="wildcard"), "missing values"),
    ],
)
def test_an_attack_that_cannot_be_tried_says_why(data, reason):
    found = attacks.homogeneity(data)
    assert found.risk is None
    assert found.undefined.startswith(reason)
    assert found.sentence == f"Homogeneity attack could not be tried: {found.undefined}."


def test_one_constant_target_does_not_spoil_the_other():
    found = attacks.homogeneity(released({**TABLE, "ward": ["a"] * 4}))
    assert found.details["certain"][1]["undefined"] == "ward has one value only"
    assert found.risk == pytest.approx(1 - 0.5 / 0.811278124)


def test_keys_that_are_never_there_together_leave_rates_alone_standing():
    table = {"a": ["x", "y", None, None], "b": [None, None, "x", "y"], "s": ["1", "2", "1", "2"]}
    found = attacks.homogeneity(dv.read(table, quasi_identifiers=["a", "b"], sensitive="s", missing="drop"))
    assert (found.risk, found.people) == (1, None)
    assert found.readings[-1].undefined is not None


def test_weights_count_as_in_any_question():
    table = {"age": ["2*", "2*", "3*"], "s": ["x", "y", "x"], "w": [1, 1, 2]}
    data = dv.read(table, quasi_identifiers="age", sensitive="s", weights="w")
    one = attacks.homogeneity(data).readings[0]
    assert one.discrimination_rate == dv.measure(data, "discrimination_rate", keys="age", target="s").value
    assert one.chance is None
