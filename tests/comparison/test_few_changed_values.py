"""Where a release changed the values of few people, no figure says what these values were."""

import pytest

import divulge as dv
from divulge._support.small_counts import UNSAID, exact_counts
from divulge.comparison.said_losses import said_categories

INCOMES = [1000 + 7 * row for row in range(200)]
ILL = ["flu" if row % 3 else "cold" for row in range(200)]
AGES = [20 + row % 5 for row in range(200)]


def loss_of(changed):
    """The loss of a release in which so many incomes and illnesses differ."""
    table = {"age": AGES, "income": INCOMES, "ill": ILL}
    released = {
        "age": AGES,
        "income": [0 if row < changed else one for row, one in enumerate(INCOMES)],
        "ill": ["other" if row < changed else one for row, one in enumerate(ILL)],
    }
    found = dv.compare(table, released, quasi_identifiers="age", sensitive="ill").to_dict()
    return found["releases"][0]["loss"]


def test_errors_of_few_changed_numbers_are_not_given():
    for measure in loss_of(1)["continuous"]["measures"]:
        errors = ("mean_squared_error", "mean_absolute_error", "mean_variation")
        assert [measure[name] for name in errors] == [None] * 3, measure
        assert measure["undefined"]
    assert loss_of(1)["continuous"]["measures"][0]["undefined"] == UNSAID
    data = loss_of(5)["continuous"]["measures"][0]
    assert data["mean_absolute_error"] == pytest.approx(sum(INCOMES[:5]) / 400)
    with exact_counts():
        data = loss_of(1)["continuous"]["measures"][0]
        assert data["mean_absolute_error"] == pytest.approx(INCOMES[0] / 400)


def test_bits_lost_by_few_changed_categories_are_not_given():
    lost = {one["attribute"]: one for one in loss_of(3)["categorical"]}
    assert (lost["ill"]["changed"], lost["ill"]["entropy_loss"], lost["ill"]["share_of_entropy"]) == (
        "<0.025",
        None,
        None,
    )
    assert lost["ill"]["undefined"] == UNSAID
    assert lost["age"]["entropy_loss"] == 0
    assert {one["attribute"]: one for one in loss_of(8)["categorical"]}["ill"]["entropy_loss"] > 0
    exact = {"entropy_loss": 0.7654, "share_of_entropy": 0.8123, "undefined": None, "moved": 197}
    assert said_categories(exact, 200)["entropy_loss"] == 0.77
