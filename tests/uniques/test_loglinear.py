"""Log-linear models on populations that are known."""

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.errors import Undefined
from divulge.table.codes import Codes
from divulge.table.packing import packed
from divulge.uniques import loglinear
from divulge.uniques.loglinear import CombinationTable, main_effects, two_way


@pytest.fixture(scope="module")
def drawn():
    """A tenth of 50,000 people with independent attributes, and what is true of the unique ones."""
    rng, people = np.random.default_rng(0), 50_000
    columns = [rng.choice(values, people, p=rng.dirichlet(np.ones(values))) for values in (20, 12, 8, 6)]
    key = packed([(one, int(one.max()) + 1) for one in columns], people)
    alike = np.bincount(key)[key]
    chosen = rng.choice(people, people // 10, replace=False)
    unique = alike[chosen][np.bincount(key[chosen])[key[chosen]] == 1]
    table = CombinationTable.of([Codes.of(one[chosen].tolist()) for one in columns], 0.1)
    return table, int((alike == 1).sum()), int((unique == 1).sum()), float((1 / unique).sum())


def test_where_attributes_are_independent_main_effects_find_the_truth(drawn):
    table, uniques, unique_in_both, matches = drawn
    found = main_effects(table)
    assert found.fits == "fits"
    assert found.uniques == pytest.approx(uniques, rel=0.1)
    assert found.unique_in_both == pytest.approx(unique_in_both, rel=0.15)
    assert found.matches == pytest.approx(matches, rel=0.05)


def test_more_terms_than_the_data_hold_are_an_overfit(drawn):
    table, _, unique_in_both, _ = drawn
    found = two_way(table)
    assert found.fits == "overfit"
    assert found.unique_in_both < unique_in_both
    assert abs(main_effects(table).standardized) < abs(found.standardized)


def test_attributes_that_depend_on_each_other_are_an_underfit():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 40, 4000)
    second = (first + rng.integers(0, 3, 4000)) % 40
    third = (first * 7 + rng.integers(0, 4, 4000)) % 40
    table = CombinationTable.of([Codes.of(one.tolist()) for one in (first, second, third)], 0.2)
    assert main_effects(table).fits == "underfit"


def test_margins_of_each_two_attributes_are_kept(drawn):
    table = drawn[0]
    means = loglinear._two_way(table.counts)
    for axes in ((0, 1), (1, 3), (0, 2)):
        np.testing.assert_allclose(means.sum(axis=axes), table.counts.sum(axis=axes), atol=0.3)


def test_too_many_combinations_are_undefined_with_their_number(monkeypatch):
    monkeypatch.setattr(loglinear, "MOST_CELLS", 5)
    with pytest.raises(Undefined, match="6 possible combinations"):
        CombinationTable.of([Codes.of([1, 2, 1]), Codes.of([1, 2, 3])], 0.5)


def test_two_attributes_have_no_model_between_the_two():
    with pytest.raises(Undefined, match="fewer than three"):
        two_way(CombinationTable.of([Codes.of([1, 2, 1]), Codes.of([1, 2, 3])], 0.5))


def test_a_fit_does_not_depend_on_the_order_of_attributes():
    rng = np.random.default_rng(8)
    first = rng.integers(0, 6, 300)
    columns = [
        Codes.of(one.tolist())
        for one in (first, (first + rng.integers(0, 3, 300)) % 6, rng.integers(0, 4, 300))
    ]
    found = [two_way(CombinationTable.of(order, 0.2)).uniques for order in (columns, columns[::-1])]
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize("ages", [[30], [30] * 20])
def test_one_record_or_records_alike_have_no_model_that_fits(ages):
    table = {"age": ages, "sex": ["f"] * len(ages), "town": ["a"] * len(ages)}
    with exact_counts():
        said = dv.uniqueness(table, keys=list(table), fraction=0.1).to_dict()["population"]
    for name in ("loglinear_main_effects", "loglinear_two_way"):
        assert (said[name]["uniques"], "alike" in said[name]["undefined"]) == (None, True)


def test_where_the_table_has_everyone_every_model_says_who_is_unique():
    table = {"age": [*range(30), *[*range(40, 50)] * 2], "sex": ["f"] * 50}
    said = dv.uniqueness(table, keys=list(table), fraction=1.0).to_dict()["population"]
    assert {one["uniques"] for one in said.values()} == {30}
    assert {"pitman", "loglinear_main_effects"} <= set(said)


def test_one_attribute_has_no_model():
    with pytest.raises(Undefined, match="repeats the table"):
        main_effects(CombinationTable.of([Codes.of([1, 2, 1])], 0.5))
