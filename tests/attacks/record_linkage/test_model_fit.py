"""Where a model of agreement missed the records that belong together, links come with a caution."""

import numpy as np
import pytest

import divulge as dv

KEYS = ["sex", "town", "age", "job"]


def people(records=400):
    """People in villages: who lives in one has its job and its age, which is not what links a person."""
    rng = np.random.default_rng(4)
    town = rng.integers(0, 6, records)
    return {
        "id": list(range(records)),
        "sex": rng.choice(["f", "m"], records).tolist(),
        "town": town.tolist(),
        "age": (town * 5 + rng.integers(0, 10, records)).tolist(),
        "job": np.where(rng.random(records) < 0.8, town, rng.integers(0, 6, records)).tolist(),
    }


def changed(table, share):
    rng = np.random.default_rng(5)
    released = dict(table)
    for name in KEYS:
        hit = rng.random(len(table["id"])) < share
        released[name] = np.where(hit, rng.permutation(table[name]), table[name]).tolist()
    return released


@pytest.fixture(scope="module")
def original():
    return people()


def linkage(original, released, **given):
    found = dv.link(original, released, keys=KEYS, **given).to_dict()
    return found["probabilistic"]


def test_a_model_far_from_the_truth_says_how_far_and_what_the_truth_would_link(original):
    found = linkage(original, changed(original, 0.5), by="id")
    assert found["m"]["town"] == pytest.approx(1, abs=0.01)  # the truth is about 0.58
    assert "far from how often records that belong together agree: " in found["caution"]
    assert "town (>99.9%, really 58.8%)" in found["caution"]
    assert "links" in found["caution"]


def test_a_model_that_found_the_records_needs_no_caution():
    rng = np.random.default_rng(6)
    unrelated = {"id": list(range(400)), **{name: rng.integers(0, 30, 400).tolist() for name in KEYS}}
    assert linkage(unrelated, changed(unrelated, 0.1), by="id")["caution"] == ""
    del unrelated["id"]
    assert linkage(unrelated, {name: unrelated[name][::-1] for name in KEYS})["caution"] == ""


def test_without_the_truth_pairs_that_are_hardly_told_apart_are_a_caution(original):
    released = changed(original, 0.5)
    released.pop("id")
    found = linkage({name: original[name] for name in KEYS}, {name: released[name][::-1] for name in KEYS})
    assert "its m can be far from the truth" in found["caution"]
