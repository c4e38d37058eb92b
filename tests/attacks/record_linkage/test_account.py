"""Record linkage of releases whose truth is known: the thesis, copies, shuffles, groups of k."""

import csv
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.attacks.record_linkage.account import link
from divulge.attacks.record_linkage.intervals import interval_disclosure
from divulge.errors import ParameterError, SchemaError

GOLDEN = Path(__file__).parents[2] / "golden" / "tables"


def thesis(name):
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        "record": [row["record"] for row in rows],
        "Age": [float(row["Age"]) for row in rows],
        "Salary": [float(row["Salary"].removesuffix("K")) for row in rows],
    }


@pytest.fixture
def people():
    rng = np.random.default_rng(3)
    return {
        "id": list(range(300)),
        "age": rng.integers(18, 90, 300).tolist(),
        "income": rng.normal(40, 9, 300).round(1).tolist(),
        "sex": rng.choice(["f", "m"], 300).tolist(),
    }


def test_the_microaggregated_table_of_the_thesis():
    """Table 2.6 against 2.1, Euclidean on age and salary in thousands."""
    found = link(
        thesis("thesis_table2_1.csv"), thesis("thesis_table2_6.csv"), by="record", scale="none"
    ).distance
    assert [record + 1 for record in np.flatnonzero(found.first)] == [2, 4, 8]
    assert {record + 1: found.second[record] for record in np.flatnonzero(found.second)} == {
        6: 1,
        **dict.fromkeys((1, 3, 7, 9), 0.5),
    }
    assert found.not_linked == 1  # record 5


def test_the_original_itself_is_linked_up_to_ties(people):
    found = link(people, people, by="id").distance
    rows = list(zip(people["age"], people["income"], people["sex"], strict=True))
    assert found.linked == pytest.approx(len(set(rows)))


def test_records_dealt_out_at_random_are_linked_at_chance(people):
    rng = np.random.default_rng(0)
    order = rng.permutation(300)
    shuffled = {name: np.array(column)[order].tolist() for name, column in people.items()} | {
        "id": people["id"]
    }
    found = link(people, shuffled, by="id").distance
    assert found.chance == 1
    assert found.linked <= 6


def test_groups_of_k_are_linked_at_one_in_k_at_most(people):
    order, ages, incomes = (
        np.lexsort((people["income"], people["age"])),
        np.array(people["age"], float),
        np.array(people["income"]),
    )
    for start in range(0, 300, 3):
        group = order[start : start + 3]
        ages[group], incomes[group] = ages[group].mean(), incomes[group].mean()
    masked = {**people, "age": ages.tolist(), "income": incomes.tolist()}
    found = link(people, masked, by="id", keys=["age", "income"])
    assert 0 < found.distance.linked <= 100


def test_hierarchies_and_orders_say_how_far_values_are(people):
    original = dv.read(
        {"id": [1, 2, 3], "zip": ["4767", "4768", "4905"], "level": ["low", "mid", "high"]},
        orders={"level": ["low", "mid", "high"]},
        hierarchies={
            "zip": dv.Hierarchy.of(
                [("4767", "47", "*"), ("4768", "47", "*"), ("4905", "49", "*")], attribute="zip"
            )
        },
    )
    released = dv.read({"id": [1, 2, 3], "zip": ["47", "47", "49"], "level": ["low", "mid", "high"]})
    found = link(original, released, by="id")
    assert dict(found.points.kinds) == {"zip": "hierarchy", "level": "order"}
    assert found.distance.linked == 3
    assert link(original, released, by="id", keys="zip").distance.first.tolist() == [0.5, 0.5, 1]


def test_gowers_distance_adds_up_shares_of_the_range():
    """By hand: ages range over 40, incomes over 100, so 10 years are 0.25 and 60 are 0.6; a sex is 1.

    The release of the first is 0.25 + 0.6 = 0.85 from its original, 0.5 + 0 + 0 from the second (sexes
    alike), 0.75 + 0.4 + 1 from the third. Squares of standardized numbers would find the first.
    """
    original = {"id": [1, 2, 3], "age": [20, 50, 60], "income": [0, 60, 100], "sex": ["f", "f", "m"]}
    released = {"id": [1], "age": [30], "income": [60], "sex": ["f"]}
    given = link(original, released, by="id", scale="gower")
    apart = np.abs(given.points.original - given.points.released).sum(axis=1)
    assert apart.tolist() == pytest.approx([0.85, 0.5, 0.75 + 0.4 + 1])
    assert given.distance.first.tolist() == [0]
    assert given.distance.second.tolist() == [1]


def test_gowers_distance_of_orders_and_hierarchies():
    """low to mid is one of two steps, and two towns of one region differ on one of two levels."""
    towns = [("A1", "A", "*"), ("A2", "A", "*"), ("B1", "B", "*")]
    original = dv.read(
        {"id": [1, 2, 3], "level": ["low", "mid", "high"], "town": ["A1", "A2", "B1"]},
        orders={"level": ["low", "mid", "high"]},
        hierarchies={"town": dv.Hierarchy.of(towns, attribute="town")},
    )
    points = link(original, original, by="id", scale="gower").points.original
    apart = np.abs(points[:, None] - points).sum(axis=2)
    assert apart.tolist() == [[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]]


def test_missing_numbers_lie_apart_from_all_others(people):
    ages = [None, *people["age"][1:]]
    found = link({**people, "age": ages}, {**people, "age": ages}, by="id", keys="age").distance
    assert found.first[0] == 1
    [note] = link({**people, "age": ages}, people, by="id", keys=["age", "sex"]).to_dict()["notes"]
    assert note.endswith("there are some in age.")


def test_without_the_truth_nothing_is_said_to_be_linked(people):
    fewer = {name: column[:250][::-1] for name, column in people.items() if name != "id"}
    with exact_counts():
        said = link(people, fewer).to_dict()
    assert "identifier" in said["distance"]["undefined"]
    assert said["distance"]["equal_to_an_original"] == 1
    assert said["interval"] is None
    assert "linked" not in said["probabilistic"]


def test_links_tell_sensitive_values(people):
    table = {**people, "disease": ["flu" if age < 50 else "cold" for age in people["age"]]}
    data = dv.read(table, sensitive="disease")
    [said] = link(data, dv.read(table), by="id").to_dict()["inference"]
    assert said["discrimination_rate"] == pytest.approx(1)
    assert said["chance"] < 0.05


def test_precision_falls_and_recall_rises_along_the_curve(people):
    curve = link(people, people, by="id", keys=["age", "sex"]).to_dict()["probabilistic"]["curve"]
    assert [one["recall"] for one in curve] == sorted(one["recall"] for one in curve)
    assert curve[0]["precision"] >= curve[-1]["precision"] == pytest.approx(1 / 300)


@pytest.mark.parametrize("by", ["rank", "deviation"])
def test_beside_what_intervals_hold_is_what_they_hold_of_any_pair(by):
    rng = np.random.default_rng(3)
    table = {
        "id": list(range(200)),
        "age": rng.integers(0, 60, 200).tolist(),
        "pay": rng.normal(size=200).tolist(),
    }
    moved = {**table, "age": [age + 1 for age in table["age"]]}
    said = link(table, moved, by="id", width_by=by).to_dict(seed=1)["interval"]
    one, other = (np.repeat(np.arange(200), 200), np.tile(np.arange(200), 200))  # all pairs
    pairs = {
        name: (np.array(table[name], float)[one], np.array(moved[name], float)[other])
        for name in ("age", "pay")
    }
    exact = interval_disclosure(pairs, width=0.1, by=by)
    assert said["chance"]["inside"] == pytest.approx(exact.inside, abs=0.02)
    assert said["chance"]["all"] == pytest.approx(exact.all, abs=0.01)
    assert min(said["inside"].values()) > 2 * max(said["chance"]["inside"].values())


def test_a_link_that_few_share_is_as_hidden_as_few_links():
    """One released record is as near to its own original as to another: half a link, and no other one."""
    table = {"id": [*range(42)], "age": [*range(0, 40_000, 1000), 500, 500]}
    moved = {**table, "age": [10**6, *[-(10**6)] * 40, 500]}
    said = link(table, moved, by="id", scale="none").to_dict()["distance"]
    assert said["linked"] == "<5"
    with exact_counts():
        assert link(table, moved, by="id", scale="none").to_dict()["distance"]["linked"] == 0.5


def test_intervals_hold_values_within_their_width():
    table = {"id": [*range(100)], "age": [*range(100)]}
    moved = {**table, "age": [age + 6 for age in range(100)]}
    near, far = (link(table, moved, by="id", width=width).intervals.inside["age"] for width in (0.06, 0.02))
    assert near == 1
    assert far < 0.1
    by_deviation = link(table, moved, by="id", width=0.2, width_by="deviation")
    assert by_deviation.intervals.inside["age"] == (1 if 0.2 * np.std(range(100)) >= 6 else 0)


def test_bad_input_is_a_sentence(people):
    with pytest.raises(SchemaError, match="no attribute in common"):
        link(people, {"id": [1], "other": [2]}, by="id").to_dict()
    with pytest.raises(SchemaError, match="no counterpart of age"):
        link(people, {"id": [1]}, by="id", keys="age")
    for width, by in ((0, "rank"), (1.5, "rank"), (0, "deviation"), (-1, "deviation"), (np.nan, "deviation")):
        with pytest.raises(ParameterError, match=f"width is {width}"):
            link(people, people, by="id", width=width, width_by=by)


@pytest.mark.parametrize(
    ("ages", "reason"),
    [
        ([30], "one record in each"),
        ([30, 30, 30], "alike"),
        ([None, None], "alike"),
        ([20, 30, 30], "one attribute alone"),
    ],
)
def test_agreement_says_nothing_of_one_record_one_attribute_or_records_alike(ages, reason):
    table = {"id": list(range(len(ages))), "age": ages}
    found = link(table, table, by="id", keys="age").to_dict()
    assert reason in found["probabilistic"]["undefined"]
    assert found["distance"]["chance"] == pytest.approx(1 / len(ages))


def test_ties_are_ties_however_numbers_are_scaled():
    """Midpoints: two originals are equally near to each released record."""
    table = {"id": [*range(400)], "age": [*range(400)]}
    between = {**table, "age": [age + 0.5 for age in range(400)]}
    for scale in ("standard", "none"):
        found = link(table, between, by="id", scale=scale).distance
        assert found.linked == pytest.approx(399 / 2 + 1)
        assert found.linked_second == 0


def test_an_attribute_that_never_changes_speaks_for_a_match():
    rng = np.random.default_rng(5)
    table = {name: rng.integers(0, bound, 600) for name, bound in (("a", 25), ("b", 16), ("c", 20))}
    redrawn = {
        name: np.where(rng.random(600) < 0.3, rng.permutation(table[name]), table[name]) for name in "ab"
    }
    changed = {**table, **redrawn}
    ids = {"id": list(range(600))}
    one, other = (
        {**ids, **{name: part.tolist() for name, part in held.items()}} for held in (table, changed)
    )
    found = link(one, other, by="id", keys=["a", "b", "c"])
    assert found.model.m[2] > 0.85
    with exact_counts():
        said = found.to_dict()["probabilistic"]
    assert said["linked"] > 200
