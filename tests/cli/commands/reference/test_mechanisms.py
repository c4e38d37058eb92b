"""The catalogue of mechanisms comes from the registry, whole."""

import json

import pytest

from command_line import run
from divulge.mechanisms import MECHANISMS


def shown(*arguments):
    named = any(not one.startswith("-") for one in arguments)
    code, said, wrong = run("guide", *([] if named else ["mechanisms"]), *arguments)
    assert (code or 0, wrong) == (0, "")
    return said


def test_the_list_has_every_mechanism():
    text = shown()
    for one in MECHANISMS.values():
        assert f"\n{one.name}  ({'random' if one.random else 'deterministic'}; {one.takes})" in "\n" + text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", MECHANISMS)
def test_one_mechanism_is_explained_with_its_parameters_and_as_a_step(name):
    text = shown(name)
    one = MECHANISMS[name]
    flat = " ".join(text.split())
    assert one.summary in flat
    assert one.example in flat
    assert f'mechanism = "{name}"' in text
    for parameter in one.parameters:
        assert f"{parameter.name} (" in text
    assert max(map(len, text.splitlines())) <= 80


def test_facts_as_json():
    assert [one["name"] for one in json.loads(shown("--json"))] == list(MECHANISMS)
    assert json.loads(shown("pram", "--json"))["channel"] is True


def test_an_unknown_mechanism_has_a_suggestion():
    code, _, wrong = run("guide", "pran")
    assert code == 2
    assert "Did you mean 'pram'?" in wrong
