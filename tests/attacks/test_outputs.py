"""What outcomes say and do not say, whatever the attack."""

import json

import pytest

import divulge as dv
from divulge import attacks
from divulge._support.small_counts import exact_counts
from divulge.alignment.tables import align

NAMES = [
    "identity_white_box",
    "identity_black_box",
    "homogeneity",
    "background_knowledge",
    "skewness",
    "similarity",
]
NAMES += ["prosecutor", "marketer", "journalist", "identity_grey_box"]


def outcomes(*, show_values=False, hidden=False):
    """Every attack on a table full of marked values."""
    keys = {
        "zip": ["MARK1", "MARK1", "MARK2", "MARK2", "MARK3", "MARK3"],
        "age": ["MARK4", "MARK5", "MARK4", "MARK5", "MARK4", "MARK5"],
    }
    table = {**keys, "disease": ["MARK6", "MARK7", "MARK6", "MARK7", "MARK7", "MARK6"]}
    roles = {"quasi_identifiers": ["zip", "age"], "sensitive": ["disease"]}
    tree = dv.Hierarchy.of([("MARK6", "ill"), ("MARK7", "well")], attribute="disease")
    treated = {**table, "zip": ["MARK*", "MARK?"] * 3} if hidden else table
    alignment = align(dv.read(table, **roles), dv.read(treated, hierarchies={"disease": tree}))
    data, show = alignment.released, {"show_values": show_values}
    partitions = {"disease": {"half": {"ill": ["MARK6"]}, "whole": {"ill": ["MARK6"], "well": ["MARK7"]}}}
    return [
        attacks.identity_white_box(alignment, **show),
        attacks.identity_black_box(data, **show),
        attacks.homogeneity(data, **show),
        attacks.background_knowledge(data, **show),
        attacks.skewness(alignment, **show),
        attacks.similarity(data, partitions=partitions, **show),
        attacks.prosecutor(data),
        attacks.marketer(data),
        attacks.journalist(data, dv.read(keys)),
        attacks.identity_grey_box(data, dv.read(keys)),
    ]


@pytest.mark.parametrize("hidden", [False, True])
def test_no_value_of_a_record_is_named_unless_asked_for(hidden):
    assert [one.attack for one in outcomes()] == NAMES
    assert "MARK" not in json.dumps([one.to_dict() for one in outcomes(hidden=hidden)], allow_nan=False)
    assert "MARK" in json.dumps([one.to_dict() for one in outcomes(show_values=True)])


def test_counts_of_values_below_five_are_hidden():
    lines = [line for one in outcomes() for reading in one.readings for line in reading.values]
    assert lines
    assert {line.records for line in lines} == {"<5"}


def test_every_outcome_has_a_sentence_people_and_a_title():
    for one in outcomes():
        assert one.undefined is None, one
        assert one.sentence.endswith(".")
        assert 0 <= one.people <= one.of <= 6
        assert 0 <= one.risk <= 1
        assert one.title
        assert one.knows


def test_an_outcome_is_plain_values():
    found = json.loads(json.dumps(outcomes()[2].to_dict()))
    assert set(found) == {
        *("attack", "title", "knows", "risk", "people", "of", "readings", "details", "sentence"),
        *("undefined", "people_undefined", "people_at_most"),
    }
    assert found["readings"][0]["keys"] == ["zip"]
    assert set(found["readings"][0]) == {
        *("keys", "target", "discrimination_rate", "itpr", "chance", "adjusted", "undefined", "values")
    }


def test_at_most_twenty_values_are_listed_riskiest_first():
    table = {"key": [str(i) for i in range(40) for _ in range(1 + i % 3)]}
    with exact_counts():
        one = attacks.identity_black_box(dv.read(table, quasi_identifiers="key")).readings[0]
    rates = [line.discrimination_rate for line in one.values]
    assert len(rates) == 20
    assert rates == sorted(rates, reverse=True)
    assert [line.label for line in one.values[:2]] == ["value 1", "value 2"]


def test_attacks_after_the_same_thing_share_their_counts():
    data = dv.read({"a": ["1", "2"], "s": ["x", "y"]}, quasi_identifiers="a", sensitive="s")
    first, second = attacks.homogeneity(data).readings[0], attacks.background_knowledge(data).readings[0]
    assert first is second


def test_data_with_other_roles_do_not_share_them():
    data = dv.read({"a": ["1", "1"], "who": ["x", "x"]}, quasi_identifiers="a")
    assert attacks.prosecutor(data).risk == 0.5
    named = data.with_roles(dv.read({"a": [1], "who": [1]}, quasi_identifiers="a", identifiers="who").schema)
    assert attacks.prosecutor(named).risk == 1


def test_sentences_are_plain():
    said = " ".join(one.sentence for one in outcomes()).lower()
    for word in ("whoever", "crowd", "hides", "stands alone", "worst off", "what there is to know"):
        assert word not in said
