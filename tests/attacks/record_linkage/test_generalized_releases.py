"""Releases in groups, suppressed or coded: read alike by a link and a comparison, or said not to be read."""

import numpy as np
import pytest

import divulge as dv
from divulge import align, attacks
from divulge._support.small_counts import exact_counts
from divulge.attacks.record_linkage.account import link
from divulge.attacks.record_linkage.one_to_one import one_to_one
from divulge.errors import Undefined
from divulge.report.linkage_text import page

KEYS = ["sex", "age", "town"]


@pytest.fixture
def people():
    rng = np.random.default_rng(11)
    return {
        "id": list(range(200)),
        "age": rng.integers(20, 60, 200).tolist(),
        "sex": rng.choice(["f", "m"], 200).tolist(),
        "town": rng.choice(["A", "B", "C", "D", "E"], 200).tolist(),
    }


def with_ages(people, say):
    return {**people, "age": [say(age) for age in people["age"]]}


@pytest.mark.parametrize(
    "say",
    [
        lambda age: f"{age - age % 2}-{age - age % 2 + 1}",
        lambda age: f"[{age - age % 2}, {age - age % 2 + 2}[",
        lambda age: f"{age // 10}*",
        lambda age: f"{age - age % 10}-{age - age % 10 + 9}",
    ],
    ids=["pairs", "half open", "prefixes", "decades"],
)
def test_a_link_and_a_comparison_read_the_same_groups(people, say):
    released = with_ages(people, say)
    found = link(people, released, by="id", keys=KEYS)
    same = align(dv.read(people, quasi_identifiers=KEYS), dv.read(released), by="id")
    with exact_counts():
        said = found.to_dict()
    for ours, attack in (
        ("distance", attacks.linked_distance),
        ("probabilistic", attacks.linked_probability),
    ):
        assert said[ours]["share"] == pytest.approx(attack(same).risk)
        assert (
            said[ours]["share"]
            > 1.5 * link(people, released, by="id", keys=["sex", "town"]).distance.linked / 200
        )
    assert said["probabilistic"]["m"]["age"] > 0.9
    assert said["notes"] == []
    assert "no number was released of age" in said["interval"]["undefined"]


def test_groups_of_a_release_are_shared_by_those_who_fit_them():
    """By hand: the twenties are three, the thirties one."""
    original = {"id": [1, 2, 3, 4], "age": [22, 25, 28, 35]}
    released = {"id": [1, 2, 3, 4], "age": ["20-29"] * 3 + ["30-39"]}
    found = link(original, released, by="id")
    assert found.distance.first.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert one_to_one(found.points, found.rows, seed=1).right.tolist() == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3, 1]
    )


def test_values_that_match_no_original_value_are_named(people):
    coded = people | {"town": [f"code {town}" for town in people["town"]]}
    said = link(people, coded, by="id", keys=KEYS).to_dict()
    [note] = said["notes"]
    assert note == (
        "Not compared: town. Its released values match no original value, "
        "so links through it are not measured."
    )
    assert "town" not in said["probabilistic"]["m"]
    assert f"Note: {note}" in page(said)
    only = link(people, coded, by="id", keys="town")
    said = only.to_dict()
    assert "hierarchy" in said["distance"]["undefined"]
    assert "no pair agrees" in said["probabilistic"]["undefined"]
    with pytest.raises(Undefined):
        _ = only.points


def test_numbers_with_noise_are_compared_by_distance_only(people):
    said = link(people, with_ages(people, lambda age: age + 0.25), by="id", keys=KEYS).to_dict()
    [note] = said["notes"]
    assert note.startswith("Not compared by agreement: age.")


def test_groups_that_overlap_are_said_to_be_read_as_texts(people):
    """Half of the ages are released as they were, and half in groups that hold these too."""
    released = {**people, "age": [age if n % 2 else "20-59" for n, age in enumerate(people["age"])]}
    [note] = link(people, released, by="id", keys=KEYS).to_dict()["notes"]
    assert note == (
        "Released groups of age overlap. Only values released as they were are compared, "
        "so more may be linked."
    )
    same = align(dv.read(people, quasi_identifiers=KEYS), dv.read(released), by="id")
    for attack in (attacks.linked_distance, attacks.linked_probability):
        assert note in attack(same).sentence


def test_groups_all_of_which_overlap_are_said_not_to_be_compared(people):
    released = {**people, "age": ["20-59" if n % 2 else "20-60" for n in range(200)]}
    [note] = link(people, released, by="id", keys=KEYS).to_dict()["notes"]
    assert note == "Not compared: age. Its released groups overlap, so links through it are not measured."


@pytest.mark.parametrize("nothing", ["*", None])
def test_an_interval_around_no_number_is_not_measured(people, nothing):
    released = with_ages(people, lambda age: nothing)
    said = link(people, released, by="id", keys=KEYS).to_dict()
    assert said["interval"] == {"undefined": "no number was released of age"}
    assert "By interval: not measured, since no number was released of age." in page(said)
    assert "Suppressed for everyone: age." in said["notes"]
    same = align(dv.read(people, quasi_identifiers=KEYS), dv.read(released), by="id")
    outcome = attacks.linked_interval(same)
    assert (outcome.risk, outcome.undefined) == (None, "no number was released of age")


def test_a_number_that_was_suppressed_does_not_hide_the_others(people):
    both = {**people, "pay": [place * 3 for place in range(200)]}
    released = with_ages(both, lambda age: "*")
    same = align(dv.read(both, quasi_identifiers=["age", "pay"]), dv.read(released), by="id")
    outcome = attacks.linked_interval(same)
    assert outcome.risk == 1
    assert outcome.details["keys"] == ["pay"]
    assert outcome.sentence.endswith("No number was released of age.")
    assert link(both, released, by="id", keys=["age", "pay"]).intervals.all == 1
