"""Choices change one by one, and what cannot be chosen is refused with a sentence."""

import json

import pytest

from divulge.errors import ParameterError
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.history import MOST_PINS, History

ROLES = {"age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive"}
CHOSEN = Choices(ROLES, ("age", "sex"))


def test_a_change_concerns_what_it_names_alone():
    after = CHOSEN.changed({"levels": {"age": 2}}).changed({"levels": {"sex": 1}})
    assert after.levels == {"age": 2, "sex": 1}
    assert (after.roles, after.known) == (CHOSEN.roles, CHOSEN.known)


def test_what_becomes_a_quasi_identifier_is_known():
    assert CHOSEN.changed({"roles": {"illness": "quasi-identifier"}}).known_keys == ("age", "sex", "illness")


def test_what_is_no_quasi_identifier_any_more_is_not_known():
    assert CHOSEN.changed({"roles": {"age": "other"}}).known_keys == ("sex",)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ({"level": {}}, "Unknown choice: 'level'"),
        ({"roles": {"agee": "other"}}, "no attribute 'agee'"),
        ({"roles": {"age": "king"}}, "no role"),
        ({"levels": {"age": -1}}, "whole number"),
        ({"levels": {"age": True}}, "whole number"),
        ({"levels": []}, "must be a mapping"),
        ({"suppress": 2}, "number up to 1"),
        ({"suppress": "5%"}, "number up to 1"),
        ({"population": {"fraction": 0}}, "above 0 and at most 1"),
        ({"population": {"fraction": 0.1, "size": 9}}, "one of size, fraction"),
        ({"population": {"weight": "wages"}}, "no attribute 'wages'"),
        ({"needs": {"care": {"target": "age"}}}, "no keys"),
        ({"needs": {"care": {"target": "age", "keys": ["job"]}}}, "no attribute 'job'"),
        ({"needs": {"care": {"target": "age", "keys": "sex", "partitions": {"sex": "s.csv"}}}}, "no file"),
        ({"loss": "regret"}, "no loss"),
        ({"known": "age"}, "must be a list"),
        ({"steps": [1]}, "must be a mapping"),
        ({"types": {"age": "king"}}, "no type 'king'"),
        ({"types": {"agee": "number"}}, "no attribute 'agee'"),
    ],
)
def test_what_cannot_be_is_refused(patch, words):
    with pytest.raises(ParameterError, match=words):
        CHOSEN.changed(patch)


def test_choices_are_the_same_after_they_were_written():
    rows = [["31", "30s", "*"], ["38", "30s", "*"]]
    chosen = CHOSEN.changed(
        {
            "hierarchies": {"age": rows},
            "types": {"sex": "category"},
            "population": {"fraction": 0.1},
            "needs": {"care": {"target": "age", "keys": ["sex"], "at_least": 0.5}},
            "steps": [{"mechanism": "remove"}],
        }
    )
    assert Choices.of(json.loads(json.dumps(chosen.to_dict()))) == chosen


def test_one_can_go_back_and_forth_until_something_else_is_chosen():
    history = History([CHOSEN])
    history.add(CHOSEN.changed({"levels": {"age": 1}}))
    history.add(CHOSEN.changed({"levels": {"age": 2}}))
    history.back()
    assert history.now.levels == {"age": 1}
    history.forth()
    assert history.now.levels == {"age": 2}
    history.back()
    history.add(CHOSEN.changed({"levels": {"sex": 1}}))
    history.forth()
    assert history.now.levels == {"sex": 1}


def test_a_history_is_the_same_after_it_was_written():
    history = History([CHOSEN])
    history.add(CHOSEN.changed({"levels": {"age": 1}}))
    history.pin("coarse")
    history.back()
    again = History.of(json.loads(json.dumps(history.to_dict())))
    assert (again.states, again.place, again.pins) == (history.states, history.place, history.pins)


def test_a_history_says_what_was_changed_and_is_gone_back_to():
    history = History([CHOSEN])
    history.add(history.now.changed({"levels": {"age": 1}}))
    history.add(history.now.changed({"roles": {"sex": "other"}, "steps": [{"mechanism": "remove"}]}))
    history.add(history.now.changed({"hierarchies": {"age": [["31", "*"]]}, "types": {"age": "category"}}))
    history.add(
        history.now.changed({"hierarchies": {"age": None}, "known": [], "population": {"fraction": 0.5}})
    )
    assert history.words == [
        "as it began",
        "level of age: 1",
        "role of sex: other; further steps: remove",
        "hierarchy of age edited; type of age: category",
        "the attacker knows nothing; hierarchy of age as it was made; another population",
    ]
    history.go(1)
    assert history.now.levels == {"age": 1}
    for place in (-1, 5, True, "1"):
        with pytest.raises(ParameterError, match="no such place"):
            history.go(place)


@pytest.mark.parametrize("name", ["", "  ", "x" * 61])
def test_a_pin_needs_a_name(name):
    with pytest.raises(ParameterError, match="needs a name"):
        History([CHOSEN]).pin(name)


def test_pins_are_not_without_end():
    history = History([CHOSEN])
    for number in range(MOST_PINS):
        history.pin(str(number))
    with pytest.raises(ParameterError, match="pinned already"):
        history.pin("one more")
    history.unpin("0")
    history.pin("one more")
    with pytest.raises(ParameterError, match="Nothing is pinned"):
        history.take("0")
