"""Releases whose rows were moved or whose values were changed: counted by identifiers, or not measured."""

import csv
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge.comparison.recommendation import Candidate, recommend
from divulge.report.comparison.markdown import markdown
from divulge.report.comparison.notebook import notebook
from divulge.report.comparison.page import page
from divulge.report.comparison.text import text

GOLDEN = Path(__file__).parents[1] / "golden" / "tables"
N = 400
RANDOM = np.random.default_rng(7)
KEYS = ["age", "job", "town"]
AGES = RANDOM.integers(20, 70, N)
PEOPLE = {
    "id": [f"p{i}" for i in range(N)],
    "age": AGES.tolist(),
    "job": RANDOM.choice([f"job{i}" for i in range(6)], N).tolist(),
    "town": RANDOM.choice([f"town{i}" for i in range(9)], N).tolist(),
    "ill": RANDOM.choice(["flu", "cold", "none"], N, p=[0.2, 0.3, 0.5]).tolist(),
}
COARSE = {**PEOPLE, "age": [f"{age // 10}*" for age in AGES], "job": ["*"] * N}
OUTPUTS = (text, markdown, notebook, page)


def reordered(table, order):
    return {name: [column[i] for i in order] for name, column in table.items()}


def without_id(table):
    return {name: column for name, column in table.items() if name != "id"}


def exchanged(names, seed=1):
    """The values of some attributes given to other people, all of a record together."""
    order = np.random.default_rng(seed).permutation(N)
    return {**PEOPLE, **{name: [PEOPLE[name][i] for i in order] for name in names}}


def shuffled_columns():
    return {**PEOPLE, **{name: exchanged([name], seed)[name] for seed, name in enumerate([*KEYS, "ill"])}}


def random_numbers(seed):
    drawn = np.random.default_rng(seed).integers(0, 10**6, (2, N))
    return {"id": PEOPLE["id"], "a": drawn[0].tolist(), "b": drawn[1].tolist(), "ill": PEOPLE["ill"]}


def compared(released, original=PEOPLE, keys=KEYS, by=(), **given):
    data = dv.read(original, quasi_identifiers=keys, sensitive="ill")
    return dv.compare(data, *([released] if isinstance(released, dict) else released), by=by, **given)


def release(released, **given):
    (found,) = compared(released, **given).to_dict()["releases"]
    return found, {one["attack"]: one for one in found["attacks"]}


# -- the order of rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("table", [PEOPLE, COARSE], ids=["unchanged", "coarse"])
def test_sorting_or_shuffling_rows_changes_no_figure(table):
    table, original = without_id(table), without_id(PEOPLE)
    found, by_name = release(table, original=original)
    for order in (
        np.lexsort([np.array(table[name]) for name in KEYS]),
        np.random.default_rng(2).permutation(N),
    ):
        moved, other = release(reordered(table, order), original=original)
        assert moved["alignment"]["how"] == "not record by record"
        for name in ("identity_white_box", "homogeneity", "marketer", "prosecutor"):
            assert other[name]["risk"] == pytest.approx(by_name[name]["risk"])
            assert (other[name]["people"], other[name]["of"]) == (
                by_name[name]["people"],
                by_name[name]["of"],
            )
        assert moved["score"]["utility"] == pytest.approx(found["score"]["utility"])


def test_a_table_against_itself_tells_everything_in_any_order():
    table = without_id(PEOPLE)
    found, by_name = release(reordered(table, np.random.default_rng(2).permutation(N)), original=table)
    assert by_name["identity_white_box"]["risk"] == pytest.approx(1)
    people = list(zip(*(PEOPLE[key] for key in KEYS), strict=True))
    _, sizes = np.unique(people, axis=0, return_counts=True)
    assert by_name["identity_white_box"]["people"] == (sizes == 1).sum()
    assert found["score"]["utility"] == pytest.approx(1)


def test_an_order_that_is_refused_is_said_first_in_every_output():
    document = compared(
        reordered(without_id(COARSE), np.random.default_rng(2).permutation(N)), original=without_id(PEOPLE)
    ).to_dict()
    notice, other = document["notices"]
    assert (notice["kind"], other["kind"]) == ("order", "suppressed")  # COARSE has stars
    assert notice["text"].startswith("Rows are not matched by their order")
    (found,) = document["releases"]
    assert found["alignment"]["aligned"] is None
    assert found["alignment"]["order"]["supported"] is False
    for form in OUTPUTS:
        written = form(document)
        # Before the recommendation's sentence, which a browser's head may also have as a title.
        assert "Rows are not matched by their order" in " ".join(written.split())
    head = " ".join(text(document).split("RECOMMENDED")[0].split())
    assert "Rows are not matched by their order" in head


# -- the column that matches records ---------------------------------------------------------------


def thesis_table(name):
    """A table of the thesis with its salaries, printed as 4K, as numbers."""
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name].removesuffix("K") for row in rows] for name in rows[0]}


def test_the_column_that_matches_records_is_not_analysed():
    # Salaries of 3, 4 and 5 become 4, those of 7, 8 and 9 become 8, those of 11, 13 and 15 become 13: squared
    # errors of 1, 0, 1, 1, 0, 1, 4, 0, 4 are 4/3 on average, and over postcode, age and salary 4/9.
    original, released = thesis_table("thesis_table6_5.csv"), thesis_table("thesis_table6_6.csv")
    data = dv.read(original, quasi_identifiers=["ZIP Code", "Age"], sensitive=["Salary", "Disease"])
    (found,) = dv.compare(data, released, by="record").to_dict()["releases"]
    assert found["loss"]["continuous"]["attributes"] == ("ZIP Code", "Age", "Salary")
    assert found["loss"]["continuous"]["measures"][0]["mean_squared_error"] == pytest.approx(4 / 9)
    assert "record" not in {one["attribute"] for one in found["loss"]["categorical"]}
    assert "record" not in {one["original"] for one in found["alignment"]["columns"]}
    assert found["alignment"]["by"] == ["record"]


def test_the_column_that_matches_records_is_no_quasi_identifier_either():
    document = compared(COARSE, keys=["id", *KEYS], by="id").to_dict()
    assert document["original"]["quasi_identifiers"] == KEYS
    assert document["releases"][0]["readings"]["k"] > 1


def test_a_column_that_repeats_matches_nobody_and_keeps_its_role():
    document = compared(COARSE, by="town").to_dict()
    assert document["original"]["quasi_identifiers"] == KEYS
    assert document["releases"][0]["alignment"]["aligned"] is None
    (by,) = [one["text"] for one in document["notices"] if one["kind"] == "by"]
    assert by.startswith("Rows cannot be aligned by town")


# -- changed values --------------------------------------------------------------------------------


@pytest.mark.parametrize("released", [exchanged(KEYS), shuffled_columns()], ids=["swapped", "columns"])
def test_links_to_exchanged_values_are_counted_by_the_identifiers(released):
    found, by_name = release(released, by="id")
    original = compared(PEOPLE, by="id").to_dict()["original"]["readings"]["average_risk"]
    assert original > 0.5
    for name in ("marketer", "prosecutor", "identity_white_box", "homogeneity"):
        assert by_name[name]["undefined"] is None
        people = by_name[name]["people"]
        assert people == "<5" or people <= 0.02 * by_name[name]["of"]
    assert by_name["marketer"]["risk"] < 0.02
    assert by_name["identity_white_box"]["risk"] < 0.02
    assert found["score"]["risk"] == found["readings"]["average_risk"] < 0.02
    assert found["score"]["risk"] >= by_name["marketer"]["risk"]  # the attack that links most counts
    assert found["score"]["utility"] < 0.3
    assert "do not fit their own original" in found["changed"] or "fit no original" in found["changed"]


def test_no_reading_of_changed_values_counts_as_a_higher_risk():
    document = compared(shuffled_columns(), by="id").to_dict()
    words = {line["measure"]: line["risk"] for line in document["changes"] if line["target"] is None}
    assert words["uniqueness"] == words["k_anonymity"] == ["not comparable"]
    assert words["reidentification_risk"] == ["lower"]
    assert "not comparable" in markdown(document)
    assert "worse" not in markdown(document)


def test_independent_random_numbers_tell_nothing():
    found, by_name = release(random_numbers(2), original=random_numbers(1), keys=["a", "b"], by="id")
    white = by_name["identity_white_box"]
    assert white["risk"] is None or white["risk"] < 0.05
    losses = {one["attack"]: one["information_loss"] for one in found["summary"]["lines"]}
    assert losses["identity_white_box"] is None or losses["identity_white_box"] > 0.95
    assert by_name["homogeneity"]["people"] in (0, "<5")
    assert by_name["marketer"]["risk"] < 0.02
    # The third attribute is untouched, and all that is kept.
    assert found["score"]["utility"] == pytest.approx(1 / 3, abs=0.05)


def test_slight_noise_still_leads_to_the_own_record():
    noisy = {**PEOPLE, "age": (AGES + np.random.default_rng(3).normal(0, 0.1, N)).tolist()}
    found, by_name = release(noisy, by="id")
    exact, _ = release(PEOPLE, by="id")
    assert found["changed"] is not None
    assert by_name["marketer"]["risk"] > 0.9 * exact["score"]["risk"]
    assert by_name["identity_white_box"]["risk"] > 0.8
    assert by_name["homogeneity"]["people"] > 0.5 * N
    assert found["score"]["utility"] > 0.8


def test_a_sensitive_value_that_is_noise_is_no_certainty():
    noise = {**PEOPLE, "ill": np.random.default_rng(4).permutation(PEOPLE["ill"]).tolist()}
    _, honest = release(PEOPLE, by="id")
    _, by_name = release(noise, by="id")
    same = np.mean([one == other for one, other in zip(noise["ill"], PEOPLE["ill"], strict=True)])
    assert honest["homogeneity"]["people"] > 0.6 * N
    assert by_name["homogeneity"]["people"] == pytest.approx(same * honest["homogeneity"]["people"], rel=0.3)
    assert "the value is the person's own" in by_name["homogeneity"]["sentence"]
    assert by_name["homogeneity"]["risk"] < 0.02


# -- checks of changed values ----------------------------------------------------------------------


def asked_of(found):
    return {check["measure"]: check for check in found["checks"]}


def test_who_is_singled_out_of_shuffled_columns_is_read_by_the_identifiers():
    found, by_name = release(shuffled_columns(), by="id")
    checks = asked_of(found)
    assert checks["singled_out"]["found"] < 0.02  # groups of released records are mostly of one
    assert "linked to their own record with a risk above 1 in" in checks["singled_out"]["sentence"]
    assert by_name["prosecutor"]["of"] == N
    assert checks["learned"]["outcome"] == "not evaluated"
    assert "groups of released records are not groups of people" in checks["learned"]["undefined"]


def test_slight_noise_fails_by_the_truth():
    noisy = {**PEOPLE, "age": (AGES + np.random.default_rng(3).normal(0, 0.1, N)).tolist()}
    found, by_name = release(noisy, by="id")
    checks = asked_of(found)
    assert [checks[name]["outcome"] for name in ("singled_out", "learned")] == ["fail", "fail"]
    above = {line["threshold"]: line["share"] for line in by_name["prosecutor"]["details"]["above"]}
    assert checks["singled_out"]["share"] <= above[0.2]
    assert checks["learned"]["share"] <= checks["singled_out"]["share"]


def test_nothing_is_said_of_people_where_nobody_says_whose_values_these_are():
    checks = asked_of(release(reordered(made_up(), range(N // 2)))[0])
    for name in ("singled_out", "learned"):
        assert checks[name]["outcome"] == "not evaluated"
        assert "people" not in checks[name]["sentence"].replace("groups of people", "")


def test_a_check_that_could_not_be_evaluated_does_not_count_as_failing():
    found = compared(shuffled_columns(), by="id")
    outcomes = [check.outcome for check in found.releases[0].checks]
    fails = outcomes.count("fail")
    assert outcomes.count("not evaluated") == 1
    said = f"{fails or 'none'} of {len(outcomes)} checks fail{'s' * (fails <= 1)}"
    assert said in found.recommendation.sentences[0]
    assert found.recommendation.sentences[0].endswith("1 not evaluated.")


def test_counts_of_a_sample_of_people_are_scaled_to_all_of_them():
    many = 4500
    rng = np.random.default_rng(8)
    people = {
        "id": np.arange(many).astype(str).tolist(),
        "x": rng.integers(0, 10**6, many).tolist(),
        "y": rng.integers(0, 10**6, many).tolist(),
        "ill": rng.choice(["flu", "cold"], many).tolist(),
    }
    # So much changes places on each, and nobody is nearer than their own record on both.
    noisy = people | {name: (people[name] + rng.integers(-50, 51, many)).tolist() for name in ("x", "y")}
    found, by_name = release(noisy, original=people, keys=["x", "y"], by="id")
    prosecutor = by_name["prosecutor"]
    assert (prosecutor["people_at_most"], prosecutor["of"]) == (many, many)
    assert prosecutor["details"]["above"][0]["records"] == many
    assert prosecutor["details"]["people_drawn"] == 4000
    assert prosecutor["details"]["above"][0]["share_at_most"] == 1
    assert by_name["marketer"]["of"] == many
    assert asked_of(found)["singled_out"]["records"] == many
    assert "estimated from 4,000 drawn at random" in asked_of(found)["singled_out"]["sentence"]


# -- what is not measured --------------------------------------------------------------------------


def made_up():
    """A release that draws each value by itself: no identifier, and nobody's record."""
    random = np.random.default_rng(9)
    return {name: random.choice(column, N + 20).tolist() for name, column in without_id(PEOPLE).items()}


def test_made_up_records_are_not_measured_and_every_output_says_why():
    document = compared(made_up(), original=without_id(PEOPLE)).to_dict()
    (found,) = document["releases"]
    by_name = {one["attack"]: one for one in found["attacks"]}
    for name in ("identity_white_box", "marketer", "prosecutor"):
        assert (by_name[name]["risk"], by_name[name]["people"]) == (None, None)
        assert "fit no original record" in by_name[name]["undefined"]
        assert "--by" in by_name[name]["people_undefined"]
    assert by_name["homogeneity"]["people"] is None
    assert by_name["homogeneity"]["people_undefined"]
    assert (found["score"]["risk"], found["readings"]["average_risk"]) == (None, None)
    assert "fit no original record" in found["score"]["risk_undefined"]
    assert document["recommendation"]["release"] is None
    for form in OUTPUTS:
        written = " ".join(form(document).split())
        assert "not measured" in written
        assert written.count("fit no original record") == 1
        assert written.lower().count("no release is recommended") <= 1 + (form is page)  # its title
        assert "--by" in written


def test_where_no_record_could_be_compared_people_are_not_measured_rather_than_none():
    # Nobody said which ages are young, so no released record can be held against an original one.
    grouped = {**PEOPLE, "age": ["young" if age < 45 else "old" for age in AGES]}
    table = {name: grouped[name] for name in ("id", "age", "ill")}
    document = compared(table, keys=["age"], by="id").to_dict()
    (white,) = [one for one in document["releases"][0]["attacks"] if one["attack"] == "identity_white_box"]
    assert white["risk"] > 0.1
    assert white["people"] is None
    assert "--hierarchy" in white["people_undefined"]
    for form in OUTPUTS:
        written = " ".join(form(document).split())
        assert "not measured" in written
        assert "no released record could be compared" in written
        assert "--hierarchy" in written
    assert "  people affected" in text(document)
    assert "0 (0%)" not in markdown(document).split("Attacks")[1].split("black box")[0]


def test_exchanged_sensitive_values_show_even_without_identifiers():
    released = without_id(exchanged(["ill"]))
    short = {name: column[:-3] for name, column in released.items()}
    document = compared(short, original=without_id(PEOPLE)).to_dict()
    by_name = {one["attack"]: one for one in document["releases"][0]["attacks"]}
    assert by_name["homogeneity"]["people"] is None
    assert "once ill is compared too" in by_name["homogeneity"]["people_undefined"]
    assert document["releases"][0]["score"]["utility"] is None
    assert [one["kind"] for one in document["notices"]] == ["changed"]


def test_a_risk_that_was_not_measured_never_wins():
    unknown = Candidate("unknown.csv", None, 0.9, 0, 2, "nobody knows")
    known = Candidate("known.csv", 0.2, 0.5, 0, 2)
    found = recommend([unknown, known])
    assert found.release == "known.csv"
    assert found.sentences[-1] == (
        "unknown.csv cannot be recommended, as its risk was not measured: nobody knows."
    )
    assert "not all checks pass" not in " ".join(found.sentences)
    failing = Candidate("failing.csv", 0.9, 0.1, 1, 2)
    none = recommend([unknown, failing])
    assert none.release is None
    assert "Closest: failing.csv" in none.sentences[0]
    assert "The risk could not be measured for any release." in recommend([unknown]).sentences[0]


# -- roles -----------------------------------------------------------------------------------------


def test_roles_that_were_proposed_are_said_first():
    table = {
        "age": PEOPLE["age"],
        "sex": ["f", "m"] * (N // 2),
        "zip": PEOPLE["town"],
        "diagnosis": PEOPLE["ill"],
    }
    document = dv.compare(table, table).to_dict()
    assert document["original"]["roles"] == "proposed"
    (notice,) = document["notices"]
    assert (notice["kind"], notice["release"]) == ("roles", None)
    assert notice["text"].startswith("No roles given; using these suggestions: quasi-identifiers age")
    for form in OUTPUTS:
        assert "No roles given" in " ".join(form(document).split())
    assert compared(PEOPLE).to_dict()["original"]["roles"] == "given"
    assert [one["kind"] for one in compared(PEOPLE).to_dict()["notices"]] == ["naming"]  # the id


def test_noise_in_rows_that_kept_their_order_is_read_record_by_record():
    noisy = {**PEOPLE, "age": (AGES + np.random.default_rng(3).integers(-3, 4, N)).tolist()}
    by_order, one = release(without_id(noisy), original=without_id(PEOPLE))
    by_id, other = release(noisy, by="id")
    assert (by_order["alignment"]["how"], by_id["alignment"]["how"]) == ("by order", "by id")
    for name in ("identity_white_box", "marketer", "homogeneity"):
        assert one[name]["risk"] == pytest.approx(other[name]["risk"])
        assert one[name]["people"] == other[name]["people"]
    assert one["identity_white_box"]["risk"] < 1


def test_links_of_changed_values_to_another_table_are_not_measured():
    _, by_name = release(shuffled_columns(), by="id", population=PEOPLE, outside=PEOPLE)
    for name in ("marketer", "journalist", "identity_grey_box"):
        assert by_name[name]["risk"] is None
        assert "so values were changed" in by_name[name]["undefined"]


def test_groups_that_nobody_explained_are_not_measured_once_rows_are_lost():
    grouped = {**without_id(PEOPLE), "age": ["young" if age < 45 else "old" for age in AGES]}
    in_order, by_name = release(grouped, original=without_id(PEOPLE))
    assert by_name["identity_white_box"]["risk"] is not None
    assert in_order["score"]["utility"] is not None
    moved = reordered(grouped, np.random.default_rng(2).permutation(N))
    found, by_name = release(moved, original=without_id(PEOPLE))
    white = by_name["identity_white_box"]
    assert (white["risk"], white["people"], found["score"]["utility"]) == (None, None, None)
    assert white["undefined"] == found["score"]["utility_undefined"]
    assert white["undefined"].startswith("it is not known what values of age mean: give a hierarchy")


# -- people drawn instead of all -------------------------------------------------------------------


def test_nobody_among_those_drawn_is_a_bound_for_all_and_no_zero():
    ages = np.random.default_rng(5).permutation(8000).tolist()
    table = {"id": list(range(8000)), "age": ages, "sex": ["f"] * 8000, "ill": ["flu", "cold"] * 4000}
    elsewhere = {**table, "age": ages[1:] + ages[:1]}
    made = compared(elsewhere, original=table, keys=["age", "sex"], by="id").to_dict()
    by_name = {one["attack"]: one for one in made["releases"][0]["attacks"]}
    for name in ("identity_white_box", "marketer", "prosecutor"):
        attack = by_name[name]
        # Of 4,000 none: with 95% confidence less than 0.749 in a thousand, of 8,000 at most 6.
        assert (attack["people"], attack["people_at_most"], attack["of"]) == (None, 6, 8000), name
        assert "at most 6 people" in attack["sentence"], name
        assert attack["people_undefined"] is None
    assert by_name["homogeneity"]["people"] is None
    assert by_name["homogeneity"]["people_at_most"] <= 6
    assert "0.000, at most <0.1%" in text(made)
    assert "at most 6 (&lt;0.1%)" in markdown(made)


def test_where_everybody_is_tried_people_are_counted():
    _, by_name = release(shuffled_columns(), by="id")
    assert by_name["marketer"]["people_at_most"] is None
    assert by_name["marketer"]["people"] is not None
