"""Record linkage as attacks: releases whose truth is known, beside what a link at random would give."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge import align, attacks
from divulge.attacks import linked_records

GOLDEN = Path(__file__).parents[1] / "golden" / "tables"
LINKING = (attacks.linked_distance, attacks.linked_interval, attacks.linked_probability)


def aligned(original, released, keys, sensitive=(), by="id", **reading):
    return align(
        dv.read(original, quasi_identifiers=keys, sensitive=sensitive, **reading), dv.read(released), by=by
    )


def thesis(name):
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        "id": [row["record"] for row in rows],
        "Age": [float(row["Age"]) for row in rows],
        "Salary": [float(row["Salary"].removesuffix("K")) for row in rows],
    }


@pytest.fixture
def people():
    rng = np.random.default_rng(3)
    ages = rng.integers(18, 90, 300)
    return {
        "id": list(range(300)),
        "age": ages.tolist(),
        "income": rng.normal(40, 9, 300).round(1).tolist(),
        "sex": rng.choice(["f", "m"], 300).tolist(),
        "disease": ["flu" if age < 50 else "cold" for age in ages],
    }


def in_other_order(table, order):
    return {name: [column[place] for place in order] for name, column in table.items()}


# -- laws ----------------------------------------------------------------------------------------


def test_the_original_itself_is_linked_up_to_ties(people):
    keys = ["age", "sex"]
    found = aligned(people, people, keys)
    different = len(set(zip(people["age"], people["sex"], strict=True)))
    for attack in (attacks.linked_distance, attacks.linked_probability):
        assert attack(found).risk == pytest.approx(different / 300)
    assert attacks.linked_interval(found).risk == 1


def test_records_dealt_out_at_random_are_linked_at_chance(people):
    """In each of 20 shuffles one right link is expected: in all some 20, give or take 5 deviations."""
    rates = {attack: [] for attack in LINKING}
    chances = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(300)
        shuffled = in_other_order(people, order) | {"id": people["id"]}
        found = aligned(people, shuffled, ["age", "income", "sex"])
        for attack in LINKING:
            outcome = attack(found)
            rates[attack].append(outcome.risk)
            if attack is attacks.linked_interval:
                chances.append(outcome.details["chance"])
            else:
                assert outcome.details["chance"] == 1 / 300
    for attack in (attacks.linked_distance, attacks.linked_probability):
        assert abs(300 * sum(rates[attack]) - 20) < 5 * 20**0.5
    assert np.mean(rates[attacks.linked_interval]) == pytest.approx(np.mean(chances), abs=0.01)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(2, 8), st.integers(0, 9999))
def test_groups_of_k_are_linked_at_one_in_k_at_most(k, groups, seed):
    """However the means of groups lie, and whoever is in them."""
    rng = np.random.default_rng(seed)
    records = k * groups
    table = {
        "id": list(range(records)),
        "age": rng.integers(0, 9, records),
        "pay": rng.integers(0, 9, records),
    }
    group = rng.permutation(records) // k
    masked = {"id": table["id"]} | {
        name: (np.bincount(group, table[name]) / k)[group].tolist() for name in ("age", "pay")
    }
    table = {name: list(map(float, column)) for name, column in table.items()} | {"id": table["id"]}
    found = attacks.linked_distance(aligned(table, masked, ["age", "pay"]))
    assert found.risk <= 1 / k + 1e-9


def test_the_order_of_released_rows_changes_nothing(people):
    rng = np.random.default_rng(1)
    moved = people | {
        "age": [age + int(step) for age, step in zip(people["age"], rng.integers(-3, 4, 300), strict=True)]
    }
    turned = in_other_order(moved, rng.permutation(300))
    for attack in LINKING:
        one, other = (
            attack(aligned(people, released, ["age", "income", "sex"], "disease"))
            for released in (moved, turned)
        )
        assert (one.risk, one.people, one.sentence) == (other.risk, other.people, other.sentence)
        assert one.details == other.details


def test_the_microaggregated_table_of_the_thesis():
    """Table 2.6 against 2.1, Euclidean on age and salary in thousands: three linked; 6, and four halves."""
    found = aligned(thesis("thesis_table2_1.csv"), thesis("thesis_table2_6.csv"), ["Age", "Salary"])
    outcome = attacks.linked_distance(found, scale="none")
    assert (outcome.risk, outcome.people, outcome.of) == (3 / 9, 3, 9)
    assert outcome.details["second_nearest"] == pytest.approx((1 + 4 * 0.5) / 9)
    assert outcome.details["chance"] == 1 / 9


# -- what is compared ----------------------------------------------------------------------------


def test_an_original_value_is_in_the_group_in_which_it_was_released():
    """By hand: the twenties are three, the thirties one; ties of three are shared."""
    original = {"id": [1, 2, 3, 4], "age": [22, 25, 28, 35], "zip": ["35510", "35512", "35517", "35877"]}
    released = {"id": [1, 2, 3, 4], "age": ["20-29"] * 3 + ["30-39"], "zip": ["355**"] * 3 + ["358**"]}
    found = aligned(original, released, ["age", "zip"])
    assert attacks.linked_distance(found).risk == pytest.approx((3 * 1 / 3 + 1) / 4)
    assert attacks.linked_probability(found).risk == pytest.approx((3 * 1 / 3 + 1) / 4)
    assert attacks.linked_interval(found).undefined == "no number was released of age and zip"


def test_a_quasi_identifier_suppressed_for_everyone_leaves_a_link_at_random():
    original = {"id": [1, 2, 3, 4], "age": [22, 25, 28, 35]}
    found = aligned(original, {**original, "age": ["*"] * 4}, ["age"])
    outcome = attacks.linked_distance(found)
    assert outcome.risk == outcome.details["chance"] == 0.25
    assert "one attribute" in attacks.linked_probability(found).undefined
    assert attacks.linked_interval(found).undefined == "no number was released of age"


def test_values_that_nobody_recognises_are_said_not_to_be_compared(people):
    coded = people | {"sex": ["group 1" if sex == "f" else "group 2" for sex in people["sex"]]}
    found = aligned(people, coded, ["age", "income", "sex"])
    for attack in (attacks.linked_distance, attacks.linked_probability):
        outcome = attack(found)
        assert outcome.details["not_compared"] == ["sex"]
        assert "Not compared: sex" in outcome.sentence
    only = aligned(people, coded, ["sex"])
    assert "hierarchy" in attacks.linked_distance(only).undefined
    assert "no pair agrees" in attacks.linked_probability(only).undefined


def test_a_link_tells_the_sensitive_value_of_the_linked_record(people):
    [told] = attacks.linked_distance(aligned(people, people, ["age", "sex"], "disease")).details[
        "linked_values"
    ]
    assert told["discrimination_rate"] == pytest.approx(1)
    assert told["chance"] < 0.05
    without = {name: column for name, column in people.items() if name != "disease"}
    [untold] = attacks.linked_distance(aligned(people, without, ["age", "sex"], "disease")).details[
        "linked_values"
    ]
    assert untold == {"target": "disease", "undefined": "the release does not have it"}


# -- what is not known, and what is too much ------------------------------------------------------


def test_without_the_truth_nobody_is_linked(people):
    unnamed = {name: column[:200] for name, column in people.items() if name != "id"}
    strange = people | {"id": [place + 1000 for place in people["id"]]}
    few = people | {"id": [place + 290 for place in people["id"]]}
    for released, by, why in (
        (unnamed, (), "name an identifier that both tables have"),
        (strange, "id", "by id, no released record is one of the original"),
        (few, "id", "by id, 10 of 300 released records could be matched"),
    ):
        for attack in LINKING:
            outcome = attack(aligned(people, released, ["age", "sex"], by=by))
            assert why in outcome.undefined
            assert (outcome.risk, outcome.people, outcome.details) == (None, None, {})


def test_the_attacks_are_about_quasi_identifiers_of_both_tables(people):
    for attack in LINKING:
        assert attack(aligned(people, people, [])).undefined == "no quasi-identifier of the release is known"
        gone = aligned(people, {"id": people["id"]}, ["age"])
        assert attack(gone).undefined == "the release has none of the quasi-identifiers"


def test_more_people_than_can_be_linked_are_drawn_at_random_with_a_bound(people):
    found = aligned(people, people, ["age", "income", "sex"])
    everyone, some = (attacks.linked_distance(found, distances=most) for most in (10**9, 1))
    assert everyone.people == round(300 * everyone.risk)
    assert some.risk == everyone.risk  # there are no more than 500 to draw from
    alike = {"id": list(range(2000)), "zone": [f"zone {place % 40}" for place in range(2000)]}
    drawn = attacks.linked_distance(aligned(alike, alike, ["zone"]), distances=1)
    assert drawn.details["people_drawn"] == 500
    assert drawn.risk == pytest.approx(40 / 2000)
    assert drawn.people is None
    assert drawn.risk * 2000 < drawn.people_at_most < 0.05 * 2000
    assert "estimated from 500 drawn at random" in drawn.sentence


def test_limits_are_said_in_records(people, monkeypatch):
    found = aligned(people, people, ["age", "sex"])
    monkeypatch.setattr(linked_records, "PLACES", 1000)
    monkeypatch.setattr(linked_records, "PATTERNS", 1000)
    assert "at most 200 records" in attacks.linked_distance(found).undefined  # age 2 sides, sex 3
    assert "at most 250 records of both tables by 2 attributes" in attacks.linked_probability(found).undefined
