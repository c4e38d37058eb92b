"""What a recipe cannot do is refused with a sentence that names the step, and never with a value."""

import pytest

from divulge.errors import DivulgeError, RecipeError
from divulge.mechanisms import MECHANISMS
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import transform

TABLE = {"zip": ["47677", "47602", "47905"], "age": [22, 45, 63], "ill": ["flu", "cold", "flu"]}


@pytest.fixture
def zips(tmp_path):
    path = tmp_path / "zip.csv"
    path.write_text("47677;476**;*\n47602;476**;*\n", encoding="utf-8")
    return str(path)


def refused(*steps, table=TABLE):
    with pytest.raises(DivulgeError) as caught:
        transform(table, list(steps), keep_order=True)
    said = f"{caught.value.message} {caught.value.hint}"
    for column in ("47905", "cold"):
        assert column not in said  # no value of a record
    return said


def step(mechanism, *attributes, **said):
    return {"mechanism": mechanism, "attributes": list(attributes), **said}


def test_a_level_that_the_hierarchy_lacks(zips):
    assert "level" in refused(step("recode", "zip", hierarchy=zips, level=5))


def test_a_value_outside_of_the_hierarchy(zips):
    said = refused(step("recode", "zip", hierarchy=zips, level=1))
    assert "zip" in said
    many = {name: values * 12 for name, values in TABLE.items()}
    said = refused(step("recode", "zip", hierarchy=zips, level=1), table=many)
    assert "has 1 domain, which leaves out 1 value of the data (12 records)" in said
    assert "lacks" in refused(step("recode_cells", "zip", hierarchy=zips, k=2))


def test_rows_of_a_matrix_that_do_not_sum_to_one():
    said = refused(
        step("pram", "ill", method="matrix", categories=["flu", "x"], matrix=[[0.9, 0.2], [0.5, 0.5]])
    )
    assert "row 1 is no distribution: its numbers add up to 1.1" in said


def test_a_matrix_that_lacks_a_value_of_the_table():
    said = refused(
        step("pram", "ill", method="matrix", categories=["flu", "x"], matrix=[[0.9, 0.1], [0.5, 0.5]])
    )
    assert "they lack values that 'ill' has" in said


@pytest.mark.parametrize("name", ["microaggregation", "suppress_cells", "suppress_records"])
def test_a_k_larger_than_the_table(name):
    said = refused(step(name, "age", k=9))
    assert "k is 9" in said or "no record would be left" in said


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pram", {"retention": 1.2}),
        ("rank_swapping", {"percent": 101}),
        ("random_swapping", {"share": -0.1}),
        ("noise", {"alpha": 0}),
        ("rounding", {"base": 0}),
        ("laplace_noise", {"sensitivity": 1, "epsilon": 0}),
        ("private_counts", {"epsilon": 0, "domains": {"age": [22]}}),
        ("private_records", {"epsilon": 0, "domains": {"age": [22]}}),
    ],
)
def test_numbers_out_of_their_range(name, given):
    said = refused(step(name, "age", **given))
    assert "this must be" in said
    assert "step" in said


@pytest.mark.parametrize(
    "given",
    [
        step("rounding", "ill", base=5),
        step("noise", "ill", alpha=0.1),
        step("multiplicative_noise", "ill", alpha=0.1),
        step("laplace_noise", "ill", sensitivity=1, epsilon=1),
        step("rank_swapping", "ill", percent=5),
        step("random_rounding", "ill", base=5),
        step("microaggregation", "ill", k=2),
        step("intervals", "ill", width=10),
        step("top_bottom_coding", "ill", top=3),
    ],
    ids=lambda given: given["mechanism"],
)
def test_text_where_numbers_are_needed(given):
    assert "'ill'" in refused(given)
    assert MECHANISMS[given["mechanism"]].takes == "numbers"


def test_an_attribute_that_a_former_step_removed():
    said = refused(step("remove", "age"), step("rounding", "age", base=5))
    assert "a former step removed 'age'" in said


def test_an_attribute_that_the_table_never_had():
    said = refused(step("rounding", "agee", base=5))
    assert "the table has no attribute 'agee'" in said
    assert "'age'" in said


def test_an_unknown_mechanism_or_parameter_is_refused_where_it_is_written(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('[[step]]\nmechanism = "roundin"\nattributes = ["age"]\n', encoding="utf-8")
    with pytest.raises(RecipeError, match=r"recipe\.toml.*roundin"):
        Recipe.read(path)
    path.write_text('[[step]]\nmechanism = "rounding"\nattributes = ["age"]\nbasis = 5\n', encoding="utf-8")
    with pytest.raises(RecipeError, match="basis"):
        Recipe.read(path)
