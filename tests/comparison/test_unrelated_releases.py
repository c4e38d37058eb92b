"""Releases that have nothing to do with the people: no risk beyond chance, and all is lost."""

import numpy as np
import pytest

import divulge as dv
from divulge.attacks.changed_values.nearest import RightLinks
from divulge.attacks.changed_values.truth import Truth
from divulge.attacks.linkage.candidates import Links
from divulge.comparison.recommendation import Candidate, recommend
from divulge.recipes.promises import made_up
from divulge.recipes.recipe import Recipe

N = 600
RANDOM = np.random.default_rng(11)
TOWN = RANDOM.integers(0, 4, N)
PEOPLE = {
    "town": [f"town{i}" for i in TOWN],
    # Mostly the job of the town, and each job in each town.
    "job": [f"job{i}" for i in np.where(RANDOM.random(N) < 0.6, TOWN, RANDOM.integers(0, 4, N))],
    "age": RANDOM.integers(20, 80, N).tolist(),
    "ill": [["flu", "cold", "none"][i % 3] if RANDOM.random() < 0.8 else "none" for i in TOWN],
}
KEYS = ["town", "job"]


def shuffled(names):
    return {
        **PEOPLE,
        **{name: np.random.default_rng(i).permutation(PEOPLE[name]).tolist() for i, name in enumerate(names)},
    }


def reordered(table):
    order = np.random.default_rng(5).permutation(N)
    return {name: [column[i] for i in order] for name, column in table.items()}


def compared(*released, keys=KEYS, **given):
    return dv.compare(PEOPLE, *released, quasi_identifiers=keys, sensitive="ill", seed=1, **given)


def read(*released, **given):
    document = compared(*released, **given).to_dict()
    found = document["releases"][0]
    return document, found, {one["attack"]: one for one in found["attacks"]}


def recipe(*steps):
    return Recipe.of({"seed": 3, "step": [{"mechanism": name, **said} for name, said in steps]})


def swapped(*names):
    return recipe(*(("random_swapping", {"attributes": [name], "share": 1}) for name in names))


EQUAL_ROWS = recipe(
    (
        "pram",
        {
            "attributes": ["ill"],
            "method": "matrix",
            "categories": ["flu", "cold", "none"],
            "matrix": [[1 / 3] * 3] * 3,
        },
    )
)


# -- tables without identifiers --------------------------------------------------------------------


def test_keys_that_fit_somebody_each_but_not_all_at_once_are_not_people():
    document, found, by_name = read(reordered(shuffled(PEOPLE)))
    assert "too few original records" in found["changed"]
    assert found["score"]["risk"] is None
    assert found["score"]["utility"] is None
    for attack in ("identity_white_box", "identity_black_box", "marketer", "prosecutor", "skewness"):
        assert by_name[attack]["risk"] is None
    assert by_name["homogeneity"]["risk"] < 0.02
    assert document["recommendation"]["release"] is None


def test_rows_in_another_order_are_still_people():
    _, found, by_name = read(reordered(PEOPLE))
    assert found["changed"] is None
    assert found["exchanged"] is None
    assert by_name["identity_white_box"]["risk"] == pytest.approx(1)
    assert found["score"]["utility"] == pytest.approx(1)


def test_sensitive_values_of_others_are_neither_certain_nor_recommended():
    document, found, by_name = read(reordered(shuffled(["ill"])))
    assert found["changed"] is None
    assert "once ill is compared too" in found["exchanged"]
    assert by_name["skewness"]["risk"] is None
    assert by_name["identity_white_box"]["risk"] is None  # it cannot be told which of the two were exchanged
    assert by_name["background_knowledge"]["people"] is None
    assert by_name["homogeneity"]["risk"] < 0.02
    assert found["score"]["utility"] is None
    assert document["recommendation"]["release"] is None
    assert "cannot be recommended" in " ".join(document["recommendation"]["sentences"])


def test_an_attribute_aside_of_all_roles_that_was_exchanged_is_not_kept():
    _, found, _ = read(shuffled(["age"]))
    assert found["alignment"]["how"] == "by order"
    assert found["score"]["utility"] == pytest.approx(3 / 4, abs=0.02)
    _, found, _ = read(reordered(shuffled(["age"])))
    assert found["score"]["utility"] is None
    assert "once all attributes are compared" in found["score"]["utility_undefined"]


def test_of_two_records_that_fit_one_original_one_is_too_many():
    links = Links(np.array([1, 1, 3, 0]), np.array([2, 2, 1, 1]), np.ones(4, bool), 0, 0)
    assert links.crowded_out.tolist() == [0.5, 0.5, 0, 1]


def test_what_is_not_known_to_keep_anything_never_wins():
    unknown = Candidate("unknown.csv", 0.1, None, 0, 2, unkept="rows are lost")
    assert recommend([unknown, Candidate("known.csv", 0.2, 0.1, 0, 2)]).release == "known.csv"
    none = recommend([unknown, Candidate("failing.csv", 0.2, 0.1, 1, 2)])
    assert none.sentences[0].startswith("Of the releases that were measured none passes all checks.")
    assert none.sentences[-1] == (
        "unknown.csv cannot be recommended, as it is not known what it keeps: rows are lost."
    )


# -- recipes ---------------------------------------------------------------------------------------


def test_swapping_every_attribute_among_all_leaves_no_risk_and_no_information():
    document, found, by_name = read(swapped(*PEOPLE), keys=["town", "job", "age"])
    assert found["alignment"]["how"] == "as the recipe was applied"
    for attack in ("identity_white_box", "identity_black_box", "homogeneity", "background_knowledge"):
        assert by_name[attack]["risk"] < 0.02, attack
    assert by_name["marketer"]["risk"] < 5 / N
    assert found["score"]["utility"] < 0.02
    lost = {one["attribute"]: one["share_beyond_chance"] for one in found["loss"]["categorical"]}
    assert all(share > 0.95 for share in lost.values())
    checks = {one["measure"]: one["outcome"] for one in found["checks"]}
    assert checks["singled_out"] == "pass"
    (regulators,) = document["regulators"]
    said = [one["what"] for one in regulators["risks"][0]["readings"]]
    assert said == ["People truly linked"]


@pytest.mark.parametrize("given", [EQUAL_ROWS, swapped("ill")], ids=["equal rows", "swapped"])
def test_sensitive_values_drawn_from_nothing_tell_nothing(given):
    document, found, by_name = read(given)
    assert found["changed"] is None
    assert "are not the person's own" in found["exchanged"]
    assert by_name["identity_white_box"]["risk"] == pytest.approx(1)  # the keys are untouched
    assert by_name["homogeneity"]["risk"] < 0.02
    assert by_name["skewness"]["risk"] is None
    assert by_name["background_knowledge"]["people"] is None
    learned = next(one for one in found["checks"] if one["measure"] == "learned")
    assert (learned["outcome"], learned["found"]) == ("pass", 0)
    words = [line["risk"] for line in document["changes"] if line["target"] == "ill"]
    assert words == [["not comparable"]] * 4


def test_values_that_are_mostly_kept_are_still_learned_from_groups():
    kept = recipe(("pram", {"attributes": ["ill"], "retention": 0.9}))
    by_town = {"town": PEOPLE["town"], "ill": [["flu", "cold", "none", "dead"][i] for i in TOWN]}
    release = dv.compare(by_town, kept, quasi_identifiers="town", sensitive="ill").to_dict()["releases"][0]
    learned = next(one for one in release["checks"] if one["measure"] == "learned")
    assert learned["outcome"] in ("warn", "fail")  # nine in ten of every town show what all of it have
    assert learned["share"] > 0.4


def test_an_attacker_who_knows_a_matrix_of_equal_rows_guesses_as_without_the_release():
    _, _, by_name = read(EQUAL_ROWS)
    (line,) = by_name["homogeneity"]["details"]["knowing_the_recipe"]
    most = max(PEOPLE["ill"].count(value) for value in set(PEOPLE["ill"])) / N
    assert line["right_guess"] == line["right_without_release"] == pytest.approx(most)
    assert line["information"] == pytest.approx(0, abs=1e-12)
    assert "as without the release" in by_name["homogeneity"]["sentence"]


def test_an_attacker_who_knows_the_retention_guesses_by_it():
    _, _, by_name = read(recipe(("pram", {"attributes": ["town"], "retention": 0.9})))
    (line,) = by_name["identity_white_box"]["details"]["knowing_the_recipe"]
    assert line["right_guess"] == pytest.approx(0.9)
    assert "guesses town right for 90% of records" in by_name["identity_white_box"]["sentence"]


def test_what_looks_at_all_records_has_no_channel_and_says_so():
    _, _, by_name = read(swapped("town"))
    (line,) = by_name["identity_white_box"]["details"]["knowing_the_recipe"]
    assert line["right_guess"] is None
    assert "looks at all records" in line["undefined"]


def test_noise_in_one_attribute_neither_tells_anything_nor_hides_the_others():
    drowned = recipe(("noise", {"attributes": ["age"], "alpha": 100}))
    _, found, by_name = read(drowned, keys=["town", "job", "age"])
    lost = next(one for one in found["loss"]["categorical"] if one["attribute"] == "age")
    assert lost["share_of_entropy"] < 0.5 < 0.9 < lost["share_beyond_chance"]
    box = {one["keys"][0]: one for one in by_name["identity_black_box"]["readings"]}
    assert box["age"]["discrimination_rate"] == box["age"]["chance"] > 0.9
    assert box["age"]["adjusted"] < 0.05
    # Town and job alone: one in each group of them, however far the ages went.
    pairs = len(set(zip(PEOPLE["town"], PEOPLE["job"], strict=True)))
    assert by_name["marketer"]["risk"] == pytest.approx(pairs / N, rel=0.8)
    assert by_name["marketer"]["risk"] > 5 * by_name["marketer"]["details"]["chance"]


def test_a_recipe_that_makes_records_up_says_so():
    assert made_up(swapped("ill")) is None
    said = made_up(recipe(("remove", {"attributes": ["age"]}), ("synthetic_trees", {"attributes": ["town"]})))
    assert said.startswith("step 2 of the recipe (synthetic_trees) makes the records up")
    truth = Truth.of(compared(reordered(PEOPLE)).releases[0].alignment, made_up=said)
    assert truth.changed == truth.unknown == said


@pytest.mark.slow
def test_records_that_a_recipe_makes_up_are_not_measured_and_not_recommended():
    pytest.importorskip("sklearn")
    made = recipe(("synthetic_trees", {"attributes": list(PEOPLE)}))
    document, found, by_name = read(made, keys=["town"])
    assert found["changed"].startswith("step 1 of the recipe (synthetic_trees) makes the records up")
    assert found["score"]["risk"] is None
    assert by_name["identity_white_box"]["risk"] is None
    assert by_name["identity_black_box"]["risk"] is None
    assert document["recommendation"]["release"] is None


def test_numbers_that_never_recur_are_lost_when_they_are_exchanged():
    table = {"income": np.random.default_rng(8).permutation(10 * N)[:N].tolist(), "ill": PEOPLE["ill"]}
    exchanged = swapped("income")
    found = dv.compare(table, exchanged, quasi_identifiers="income", sensitive="ill").to_dict()["releases"][0]
    [lost] = [one for one in found["loss"]["categorical"] if one["attribute"] == "income"]
    assert lost["share_of_entropy"] == 0  # each number says whose it is, in any order
    assert lost["share_beyond_chance"] > 0.95
    learned = next(one for one in found["checks"] if one["measure"] == "learned")
    assert learned["outcome"] != "fail"


# -- links by chance -------------------------------------------------------------------------------


def test_links_that_chance_explains_single_nobody_out():
    # Of 1,000 people each has one nearest record, and it is the right one for two: by chance it is for one.
    probability = np.zeros(1000)
    probability[:2] = 1
    links = RightLinks(probability, np.arange(1000), 1000, 1 / 1000, np.ones(1000, np.int64))
    assert links.chance_above(0.2) == pytest.approx(1 / 1000)
    assert links.within_chance(0.2)
    probability = np.where(np.arange(1000) < 20, 1.0, 0.0)
    assert not RightLinks(
        probability, np.arange(1000), 1000, 1 / 1000, np.ones(1000, np.int64)
    ).within_chance(0.2)
