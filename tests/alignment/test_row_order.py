"""Rows are taken to be in the same order only where their values say so."""

import numpy as np
import pytest

import divulge as dv
from divulge.alignment.row_order import row_order
from divulge.alignment.tables import align

RANDOM = np.random.default_rng(3)
AGES = RANDOM.integers(18, 80, 300)
TABLE = {
    "age": AGES.tolist(),
    "sex": RANDOM.choice(["f", "m"], 300).tolist(),
    "town": RANDOM.choice(["Oslo", "Bergen", "Tromsø"], 300, p=[0.6, 0.3, 0.1]).tolist(),
    "ill": RANDOM.choice(["flu", "cold", "none"], 300).tolist(),
}
COARSE = {**TABLE, "age": [f"{age // 10}*" for age in AGES], "town": ["*"] * 300}


def shuffled(table, seed=1):
    order = np.random.default_rng(seed).permutation(len(table["age"]))
    return {name: [column[i] for i in order] for name, column in table.items()}


def how(released, original=TABLE):
    return align(dv.read(original), dv.read(released)).how


def test_a_column_of_values_fits_by_what_they_may_stand_for():
    # Shuffled, f meets f in 9 and m meets m in 1 of 16 pairs; at best all four find a match.
    one = dv.read({"sex": ["f", "m", "f", "f"]})
    found = row_order(one, one, {"sex": "sex"})
    assert (found.in_order, found.shuffled, found.best) == (1, pytest.approx(10 / 16), 1)


def test_a_column_of_numbers_fits_by_rank():
    # Ranks of 1, 2, 3 in both tables together: 1/6, 3/6, 5/6. All nine pairs are 8/3 / 9 apart on average.
    found = row_order(dv.read({"n": [1, 2, 3]}), dv.read({"n": [1, 3, 2]}), {"n": "n"})
    assert found.in_order == pytest.approx(1 - 2 / 9)
    assert found.shuffled == pytest.approx(1 - 8 / 27)
    assert found.best == 1
    assert not found.supported


def test_labels_that_nobody_recognises_fit_by_what_one_tells_of_the_other():
    groups = ["young" if age < 40 else "old" for age in AGES]
    found = row_order(dv.read(TABLE), dv.read({"age": groups}), {"age": "age"})
    assert found.in_order == pytest.approx(1)
    assert found.supported
    assert not row_order(dv.read(TABLE), dv.read({"age": groups[::-1]}), {"age": "age"}).supported


@pytest.mark.parametrize("released", [TABLE, COARSE, {**TABLE, "age": (AGES + 0.25).tolist()}])
def test_values_in_their_own_order_align_rows(released):
    assert how(released) == "by order"


@pytest.mark.parametrize("released", [TABLE, COARSE])
def test_sorted_or_shuffled_rows_are_not_aligned_by_order(released):
    by_age = np.argsort(AGES, kind="stable")
    in_order_of_age = {name: [column[i] for i in by_age] for name, column in released.items()}
    for other in (shuffled(released), in_order_of_age):
        found = align(dv.read(TABLE), dv.read(other))
        assert (found.rows, found.how) == (None, "not record by record")
        assert "Rows are not matched by their order" in found.refused
        assert "--by" in found.refused
        assert found.refused in found.notes


def test_one_column_in_its_place_does_not_align_the_others():
    # Both tables sorted by age: better than a shuffle, and far worse than the best matching.
    by_age = np.argsort(AGES, kind="stable")
    original = {name: [column[i] for i in by_age] for name, column in TABLE.items()}
    released = {**shuffled(TABLE), "age": original["age"]}
    order = align(dv.read(original), dv.read(released)).order
    assert order.in_order > order.shuffled + 0.05
    assert not order.supported


def test_nobody_needs_an_order_where_nothing_tells():
    assert how({name: ["*"] * 300 for name in TABLE}) == "by order"


def test_the_caller_may_know_better():
    found = align(dv.read(TABLE), dv.read(shuffled(TABLE)), same_order=True)
    assert found.how == "by order"
    assert "same_order was given" in found.notes[-1]


def test_an_identifier_needs_no_test():
    table = {**TABLE, "id": [f"p{i}" for i in range(300)]}
    found = align(dv.read(table), dv.read(shuffled(table)), by="id")
    assert (found.how, found.order, found.refused) == ("by id", None, None)
