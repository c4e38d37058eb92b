"""Steps by a form are the steps that a recipe would have."""

import json

import pytest

from divulge.errors import DivulgeError
from divulge.explore.choosing.step_forms import mechanism_entries, rearranged, step_entries, step_of
from divulge.mechanisms.registry import MECHANISMS
from divulge.recipes.recipe import Recipe

SAMPLES = {
    "whole number": 7,
    "number": 0.25,
    "text": "a text",
    "flag": True,
    "numbers": [1, 2.5],
    "texts": ["a b", "c"],
    "attribute": "age",
    "attributes": ["age", "zip"],
    "table": {"a group": ["x", "y"]},
    "matrix": [[0.9, 0.1], [0.2, 0.8]],
    "hierarchy": {"age": "a.csv", "zip": "z.csv"},
    "policy": "p.toml",
    "mapping": "m.csv",
    "file": "f.csv",
}


def sample(parameter):
    """A value that differs from the default."""
    if parameter.kind == "flag":
        return not parameter.default
    return parameter.choices[-1] if parameter.choices else SAMPLES[parameter.kind]


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_step_is_the_same_after_it_was_in_a_form(name):
    mechanism = MECHANISMS[name]
    step = {"mechanism": name} | ({"attributes": ["age", "zip"]} if mechanism.names_attributes else {})
    step |= {one.name: sample(one) for one in mechanism.parameters}
    form = step_entries([step])[0]
    assert json.loads(json.dumps(form)) == form
    assert step_of(form["mechanism"], form["attributes"], form["said"]) == step


@pytest.mark.parametrize("entry", mechanism_entries(), ids=lambda entry: entry["name"])
def test_a_form_that_says_no_more_than_the_defaults_says_what_is_needed(entry):
    said = {one["name"]: one["default"] for one in entry["parameters"] if not one["required"]}
    needed = {one["name"]: "1" for one in entry["parameters"] if one["required"] and one["kind"] != "table"}
    needed |= {
        one["name"]: "a: b" for one in entry["parameters"] if one["required"] and one["kind"] == "table"
    }
    made = step_of(entry["name"], ["age"], said | needed)
    assert made.keys() - {"mechanism", "attributes"} == needed.keys()


def test_texts_are_read_by_the_kind_of_a_parameter():
    cut = step_of("intervals", ["age"], {"edges": "18, 30;65", "origin": "0"})
    assert cut == {"mechanism": "intervals", "attributes": ["age"], "edges": [18, 30, 65]}
    grouped = step_of("groups", ["job"], {"groups": "care: nurse, doctor\nlaw: judge", "others": ""})
    assert grouped["groups"] == {"care": ["nurse", "doctor"], "law": ["judge"]}
    assert step_of("groups", ["job"], {"groups": '{ a = ["x, y"] }'})["groups"] == {"a": ["x, y"]}
    assert step_of("prefix", ["zip"], {"keep": "3", "fill": ""})["fill"] == ""
    assert step_of("microaggregation", ["age"], {"k": "3", "standardize": False})["standardize"] is False
    assert "strata" not in step_of("microaggregation", ["age"], {"k": "3", "strata": []})


@pytest.mark.parametrize(
    ("mechanism", "attributes", "said", "words"),
    [
        ("roundin", ["age"], {}, "Unknown mechanism"),
        ("rounding", [], {"base": "5"}, "needs an attribute"),
        ("rounding", ["age"], {"base": " "}, "needs 'base'"),
        ("rounding", ["age"], {"base": "five"}, "number"),
        ("rounding", ["age"], {"base": "-1"}, "more than 0"),
        ("groups", ["age"], {"groups": "care nurse"}, "no colon"),
        ("groups", ["age"], {"groups": "{ a = "}, "no table in TOML"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(mechanism, attributes, said, words):
    with pytest.raises(DivulgeError, match=words):
        Recipe.of([step_of(mechanism, attributes, said)])


def test_steps_are_moved_and_removed():
    steps = [{"mechanism": name} for name in "abc"]

    def names(*how):
        return "".join(step["mechanism"] for step in rearranged(steps, *how))

    assert names("up", 2, None) == "acb"
    assert names("down", 0, None) == "bac"
    assert names("remove", 1, None) == "ac"
    assert names("set", 1, {"mechanism": "d"}) == "adc"
    assert names("add", 0, {"mechanism": "d"}) == "abcd"
    for action, place in [("up", 0), ("down", 2), ("remove", 3), ("remove", True), ("turn", 0), ("set", 0)]:
        with pytest.raises(DivulgeError):
            rearranged(steps, action, place, None)
