"""The background knowledge attack, counted by hand."""

import pytest

import divulge as dv
from divulge import attacks

#: Classes with one, two and three values of the disease: 2, 3 and 4 records.
TABLE = {
    "age": ["2*"] * 2 + ["3*"] * 3 + ["4*"] * 4,
    "disease": ["flu", "flu", "flu", "flu", "cold", "flu", "cold", "cold", "gout"],
}


def attack(**given):
    return attacks.background_knowledge(dv.read(TABLE, quasi_identifiers="age", sensitive="disease"), **given)


def test_the_attacker_lacks_what_the_rate_leaves():
    found = attack(show_values=True)
    (one,) = found.details["lacks"]
    assert one["lacks"] == pytest.approx(1 - found.readings[0].discrimination_rate)
    assert sum(line["lacks"] for line in one["values"]) == pytest.approx(one["lacks"], abs=0.01)
    assert one["values"][0] == {"label": "2*", "lacks": 0}
    hidden = attack().details["lacks"][0]["values"]
    assert [line["lacks"] for line in hidden] == [0, None, None]  # what they lack goes by how few they are


def test_ruling_values_out_makes_more_and_more_records_certain():
    (one,) = attack().details["ruling_out"]
    assert [(step["values"], step["records"]) for step in one["steps"]] == [(0, 2), (1, 5), (2, 9)]


def test_the_worst_posterior_is_that_after_the_most_helpful_values_are_ruled_out():
    table = {"age": ["2*"] * 10, "disease": ["a"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d"]}
    data = dv.read(table, quasi_identifiers="age", sensitive="disease")
    (one,) = attacks.background_knowledge(data, most=2).details["ruling_out"]
    # The guess is a; without b it is 4 of 7, without b and c 4 of 5.
    assert [step["worst_posterior"] for step in one["steps"]] == pytest.approx([4 / 10, 4 / 7, 4 / 5])


def test_people_are_those_certain_once_one_value_is_ruled_out():
    found = attack()
    assert (found.people, found.of) == (5, 9)
    assert "With age known and one value ruled out, disease is certain for up to 5 people (55.6%)." in (
        found.sentence
    )


def test_the_steps_stop_where_nothing_is_left_open():
    data = dv.read({"a": ["1", "2"], "s": ["x", "y"]}, quasi_identifiers="a", sensitive="s")
    found = attacks.background_knowledge(data)
    assert [step["values"] for step in found.details["ruling_out"][0]["steps"]] == [0]
    assert found.people == 2


def test_an_attack_that_cannot_be_tried_says_why():
    data = dv.read({"a": ["1", "2"], "s": ["x", "x"]}, quasi_identifiers="a", sensitive="s")
    assert attacks.background_knowledge(data).undefined == "s has one value only"
    assert attacks.background_knowledge(dv.read({"a": [1]})).undefined is not None
