"""A recipe is read as strictly as a policy: file, line, key and what to write instead."""

import pytest

from divulge.errors import RecipeError
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import transform

GOOD = '[[step]]\nmechanism = "rounding"\nattributes = ["age"]\nbase = 10\n'


def written(folder, text):
    path = folder / "r.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the recipe is empty"),
        ("seed = 1", "there are no steps"),
        ('seed = "x"\n' + GOOD, "line 1, seed: this is no seed"),
        ("sed = 1\n" + GOOD, "line 1, sed: there is no key 'sed' here. Did you mean 'seed'?"),
        ("[step]\na = 1\n[step]\na = 2", "Begin each step with [[step]], in two pairs of brackets."),
        ("[[step]]\na = 1\na = 2", "A key may occur once in a step."),
        (GOOD.replace("rounding", "intervals").replace("base = 10", "edges = []"), "the list is empty."),
        ("[[step]]\nattributes = ['a']", "line 1, step #1: it names no mechanism"),
        (GOOD.replace("rounding", "roundng"), "there is no mechanism 'roundng'. Did you mean 'rounding'?"),
        (GOOD.replace("base = 10", ""), "line 1, step #1: rounding needs 'base'. Write base = 10."),
        (GOOD.replace("base", "bas"), "there is no key 'bas' here. Did you mean 'base'?"),
        (GOOD.replace("10", "0"), "line 4, step #1.base: this must be more than 0, not 0."),
        (GOOD.replace("10", '"ten"'), "this must be a number, not a text"),
        (GOOD.replace("10", "inf"), "this must be"),
        (GOOD.replace('["age"]', "[]"), "the list is empty"),
        (GOOD.replace('attributes = ["age"]', ""), "rounding needs to know which attributes"),
        (GOOD.replace("=", "", 1), "this is not TOML"),
        (
            '[[step]]\nmechanism = "pram"\nattributes = ["a"]\nmatrix = [[0.5, 0.4], [0, 1]]',
            "row 1 is no distribution: its numbers add up to 0.9",
        ),
        (
            '[[step]]\nmechanism = "pram"\nattributes = ["a"]\nretention = 1.2',
            "this must be at least 0 and at most 1, not 1.2",
        ),
        ('[[step]]\nmechanism = "recode"\nattributes = ["a"]\nlevel = 1\nhierarchy = "no.csv"', "no file"),
        (
            '[[step]]\nmechanism = "recode"\nattributes = ["a", "b"]\nlevel = 1\nhierarchy = "no.csv"',
            "one file",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, said, tmp_path):
    path = written(tmp_path, text)
    with pytest.raises(RecipeError) as raised:
        Recipe.read(path)
    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(RecipeError, match="the recipe file does not exist"):
        Recipe.read(tmp_path / "none.toml")


def test_attributes_are_checked_before_anything_is_done():
    table = {"age": [31, 38], "zip": ["1", "2"]}
    gone = [
        {"mechanism": "remove", "attributes": ["age"]},
        {"mechanism": "rounding", "attributes": ["age"], "base": 10},
    ]
    with pytest.raises(RecipeError, match="a former step removed 'age'"):
        transform(table, gone)
    with pytest.raises(RecipeError, match="no attribute 'agee'"):
        transform(table, [{"mechanism": "rounding", "attributes": ["agee"], "base": 10}])


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            {"mechanism": "microaggregation", "attributes": ["age"], "k": 9},
            "k is 9, and the table has 2 records",
        ),
        ({"mechanism": "rounding", "attributes": ["name"], "base": 5}, "'name' has no numbers"),
        ({"mechanism": "suppress_records", "attributes": ["age"], "k": 2}, "no record would be left"),
        ({"mechanism": "rank_swapping", "attributes": ["age"], "percent": 101}, "at most 100"),
        ({"mechanism": "sample", "fraction": 1.5}, "at most 1"),
        ({"mechanism": "remove", "attributes": ["age", "name"]}, "nothing would be left"),
        (
            {"mechanism": "laplace_noise", "attributes": ["age"], "sensitivity": 1, "epsilon": 0},
            "more than 0",
        ),
    ],
)
def test_what_the_table_does_not_allow_is_a_sentence(step, said):
    with pytest.raises(RecipeError) as raised:
        transform({"age": [31, 38], "name": ["A", "B"]}, [step])
    assert said in str(raised.value)
