"""Links between tables, against a loop that compares every record with every other."""

import numpy as np
import pytest

import divulge as dv
from divulge.attacks.linkage import candidates
from divulge.attacks.linkage.candidates import link, share

AGES = ["2*", "3*", ">= 40", "<= 35", "22", "*", "[20, 40)"]
POSTCODES = ["355**", "35***", "3550*", "35501", "*"]


def fits(released, original):
    if released == "*":
        return True
    if released.endswith("*"):
        return original.startswith(released.rstrip("*"))
    age = int(original)
    ranges = {">= 40": age >= 40, "<= 35": age <= 35, "[20, 40)": 20 <= age < 40}
    return ranges.get(released, released == original)


def tables(seed, records=60):
    random = np.random.default_rng(seed)
    released = {
        "age": random.choice(AGES, records).tolist(),
        "zip": random.choice(POSTCODES, records).tolist(),
    }
    others = {
        "age": random.integers(18, 60, 90).astype(str).tolist(),
        "zip": random.choice(["35501", "35502", "35510", "36000"], 90).tolist(),
    }
    return released, others


def by_hand(released, others):
    rows = list(zip(released["age"], released["zip"], strict=True))
    people = list(zip(others["age"], others["zip"], strict=True))
    fitting = [sum(fits(age, a) and fits(zip_, z) for a, z in people) for age, zip_ in rows]
    return [0 if row == ("*", "*") else n for row, n in zip(rows, fitting, strict=True)], rows


def linked(released, others):
    shared = share(dv.read(released), dv.read(others), {"age": "age", "zip": "zip"})
    return link(list(shared.values()))


@pytest.mark.parametrize("passes", [0, 1000], ids=["kind by kind", "layer by layer"])
@pytest.mark.parametrize("seed", range(3))
def test_links_are_those_of_a_plain_loop(seed, passes, monkeypatch):
    monkeypatch.setattr(candidates, "FEW_PASSES", passes)
    released, others = tables(seed)
    fitting, rows = by_hand(released, others)
    found = linked(released, others)
    assert found.fitting.tolist() == fitting
    assert found.suppressed == rows.count(("*", "*"))
    assert found.of == len(rows) - found.suppressed
    assert all(found.alike[i] == rows.count(row) for i, row in enumerate(rows) if found.compared[i])


def test_what_is_not_recognised_is_not_compared_and_said():
    found = linked({"age": ["2*", "old"], "zip": ["355**", "355**"]}, {"age": ["22"], "zip": ["35501"]})
    assert found.to_dict() == {
        "compared": 1,
        "without_a_match": 0,
        "suppressed": 0,
        "unrecognised": 1,
        "not_reached": 0,
    }


def test_a_crowd_is_no_smaller_than_the_records_that_say_the_same():
    # Three say the same and one outside record fits: that table lacks two of them.
    found = linked({"age": ["2*"] * 3, "zip": ["*"] * 3}, {"age": ["22"], "zip": ["35501"]})
    assert found.crowd.tolist() == [3, 3, 3]
    assert not found.alone.any()


def test_beyond_what_is_affordable_the_largest_part_is_compared_and_the_rest_is_said(monkeypatch):
    monkeypatch.setattr(candidates, "AFFORDABLE", 1)
    released = {"age": ["2*", "2*", "22"], "zip": ["355**"] * 3}
    found = linked(released, {"age": ["22", "23"], "zip": ["35501", "35502"]})
    assert found.fitting.tolist() == [2, 2, 0]
    assert found.to_dict()["not_reached"] == 1


def test_rows_are_compared_one_by_one_where_they_are_known():
    shared = share(
        dv.read({"age": ["2*", "3*", "*", "odd"]}), dv.read({"age": ["22", "41", "50", "22"]}), {"age": "age"}
    )
    rows = np.arange(4)
    assert shared["age"].holds(rows, rows).tolist() == [True, False, True, False]
