"""Nothing goes out unmentioned: names, attributes without a role, incomplete records, what was drawn."""

import pytest

import divulge as dv
from divulge.recipes.recipe import Recipe
from divulge.report.comparison.text import text

N = 120
SURNAMES = [
    begin + end
    for begin in ("Bau", "Hof", "Wald", "Stein", "Linde", "Berg")
    for end in ("mann", "meier", "er", "ner", "huber")
]
AGES = [20 + (row * 7) % 40 for row in range(N)]
PEOPLE = {
    "x1": [SURNAMES[row % 30] for row in range(N)],
    "x2": [SURNAMES[(row * 7 + 3) % 30] for row in range(N)],
    "age": AGES,
    "ill": ["flu" if row % 3 else "cold" for row in range(N)],
    "colour": ["red" if row % 2 else "blue" for row in range(N)],
}


def notices(released, *, original=PEOPLE, **said):
    """What is said at the top of a comparison, by its kind, and the comparison."""
    roles = {"quasi_identifiers": "age", "sensitive": "ill", **said}
    document = dv.compare(original, released, **roles).to_dict()
    return {one["kind"]: one["text"] for one in document["notices"]}, document


def without(*names):
    return {name: values for name, values in PEOPLE.items() if name not in names}


@pytest.mark.parametrize("released", [PEOPLE, without("x1")], ids=["both", "one"])
def test_that_one_attribute_is_called_an_identifier_hides_no_other_that_looks_like_names(released):
    said, document = notices(released, identifiers="x1")
    assert "'x2' looks like names or places" in said["naming"]
    (check,) = [one for one in document["releases"][0]["checks"] if one["measure"] == "identifiers"]
    assert check["outcome"] == ("fail" if "x1" in released else "warn")
    assert "'x2' looks like names or places" in " ".join(text(document).split())


def test_names_are_found_in_a_release_without_any_quasi_identifier():
    original = {**PEOPLE, "email": [f"p{row}@mail.example" for row in range(N)]}
    said, document = notices({"email": original["email"], "ill": PEOPLE["ill"]}, original=original)
    assert said["naming"].startswith("'email' names people. Leave out 'email'.")
    (check,) = document["releases"][0]["checks"]
    assert (check["measure"], check["outcome"]) == ("identifiers", "fail")
    assert document["recommendation"]["sentences"][0] != "Nothing could be checked on any release."


def test_attributes_without_a_role_are_named():
    said, _ = notices(without("x1", "x2"))
    assert said["others"].startswith("colour has no role and is in the release: no figure")
    assert "others" not in notices(without("x1", "x2", "colour"))[0]


@pytest.mark.parametrize(
    ("missing", "count"), [(12, "12 records (10%)"), (3, "Fewer than 5 records (<4.2%)")]
)
def test_incomplete_records_that_no_figure_counts_are_in_the_release(missing, count):
    table = {**without("x1", "x2"), "age": [None] * missing + AGES[missing:]}
    said, _ = notices(table, original=table, missing="drop")
    assert said["incomplete"].startswith(
        f"{count} lack a value of a quasi-identifier. They are in the release"
    )
    assert "incomplete" not in notices(table, original=table)[0]


def test_incomplete_sensitive_values_are_counted_beside_incomplete_keys():
    table = {**without("x1", "x2"), "ill": [None] * 6 + PEOPLE["ill"][6:]}
    said, _ = notices(table, original=table, missing="drop")
    assert said["incomplete"].startswith("6 records (5%) lack a value of a quasi-identifier or of ill.")


def test_what_a_recipe_draws_is_said_with_the_seed_that_repeats_it():
    steps = [{"mechanism": "pram", "attributes": ["colour"], "retention": 0.5}]
    assert "seed 5 (--seed)" in notices(Recipe.of(steps), seed=5)[0]["drawn"]
    own = notices(Recipe.of({"seed": 987654321012, "step": steps}))[0]["drawn"]
    assert "the seed of the recipe" in own
    assert "987654321012" not in own
    rounding = [{"mechanism": "rounding", "attributes": ["age"], "base": 10}]
    assert "drawn" not in notices(Recipe.of(rounding))[0]


def test_labels_that_mean_something_else_than_they_say_are_named_as_a_reason(tmp_path):
    """The hierarchy has 30 in the group 20-29, as some published ones are off by one."""
    original = {"age": [29] * 20 + [30] * 80 + [35] * 20, "ill": PEOPLE["ill"]}
    released = {"age": ["30-39"] * 20 + ["20-29"] * 100, "ill": PEOPLE["ill"][::-1]}
    said, document = notices(released, original=original)
    assert "(or values of age mean something else than they say: give --hierarchy)" in said["changed"]
    assert "values were changed or are misread (see the notes)" in " ".join(text(document).split())
    (tmp_path / "age.csv").write_text("29;20-29\n30;20-29\n35;30-39\n")
    assert "changed" not in notices(released, original=original, hierarchies={"age": tmp_path / "age.csv"})[0]
