"""Weights and people with several records: units left out by hand, and the sizes that samples are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from divulge.readings.population_interval import (
    JACKKNIFE,
    bracket,
    information_in_population,
    jackknife,
    miller_madow_rate,
    rate_in_population,
)
from divulge.readings.sample_cells import SampleCells, entropy

PERSON = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6])
OWNER = np.array([0, 0, 1, 1, 1, 0, 2, 2, 1, 2, 0, 2])
TARGET = np.array([0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0])
WEIGHT = np.array([1, 2, 1, 4, 1, 1, 3, 1, 2, 2, 1, 5], dtype=float)


def by_hand(owner, target, weight):
    """The discrimination rate of weighted records, from shares."""
    table = np.zeros((owner.max() + 1, target.max() + 1))
    np.add.at(table, (owner, target), weight)
    joint = table / table.sum()
    alone = -sum(p * math.log(p) for p in joint.sum(axis=0) if p)
    given = -sum(p * math.log(p / joint[y].sum()) for y, row in enumerate(joint) for p in row if p)
    return 1 - given / alone


@pytest.mark.parametrize("unit", [np.arange(len(PERSON)), PERSON], ids=["records", "people"])
def test_the_jackknife_leaves_out_whole_people_with_their_weights(unit):
    sample = SampleCells.of_units(unit, OWNER, TARGET, WEIGHT)
    without = [
        by_hand(*(one[unit != left] for one in (OWNER, TARGET, WEIGHT))) for left in range(unit.max() + 1)
    ]
    whole, units, mean = by_hand(OWNER, TARGET, WEIGHT), len(without), np.mean(without)
    estimate, error = jackknife(sample)
    assert estimate == pytest.approx(units * whole - (units - 1) * mean)
    assert error == pytest.approx(math.sqrt((units - 1) * np.mean((without - mean) ** 2)))


def test_what_an_entropy_misses_is_half_the_variance_of_shares_over_the_shares():
    sample = SampleCells.of_units(PERSON, OWNER, TARGET, WEIGHT)
    total, missed = WEIGHT.sum(), 0.0
    for value in (0, 1):
        share = WEIGHT[value == TARGET].sum() / total
        off = [
            WEIGHT[(one == PERSON) & (value == TARGET)].sum() - share * WEIGHT[one == PERSON].sum()
            for one in range(7)
        ]
        missed += np.square(off).sum() / total**2 / (2 * share)
    assert sample.missed(sample.values) == pytest.approx(missed)
    plain = SampleCells.of([[6, 3, 1], [2, 5, 8]])
    assert plain.missed(plain.cells) == pytest.approx((6 - 1) / (2 * 25))  # as Miller and Madow say


def test_a_sample_is_worth_the_square_of_its_mass_over_the_sum_of_squares():
    sample = SampleCells.of_units(PERSON, OWNER, TARGET, WEIGHT)
    people = np.bincount(PERSON, weights=WEIGHT)
    assert sample.effective == pytest.approx(people.sum() ** 2 / (people**2).sum())
    assert sample.units == 7
    assert sample.records == pytest.approx(len(WEIGHT))


def test_equal_weights_say_what_no_weights_say():
    table = np.array([[60, 30, 10], [20, 50, 80]])
    x, y = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
    plain, weighted = (
        SampleCells.of(table),
        SampleCells.of_units(np.arange(len(x)), y, x, np.full(len(x), 7.0)),
    )
    assert weighted.alike
    for read in (bracket, jackknife, miller_madow_rate, lambda one: entropy(one.cells)):
        assert read(weighted) == pytest.approx(read(plain))
    assert rate_in_population(weighted, 0.0).low == pytest.approx(rate_in_population(plain, 0.0).low)


def test_copies_of_every_record_of_a_person_add_nothing():
    rng = np.random.default_rng(3)
    owner, target = rng.integers(0, 6, 500), rng.integers(0, 3, 500)
    target = np.where(rng.random(500) < 0.4, owner % 3, target)
    once = SampleCells.of_units(np.arange(500), owner, target, np.ones(500))
    copies = SampleCells.of_units(
        *(np.repeat(one, 4) for one in (np.arange(500), owner, target)), np.ones(2000)
    )
    assert copies.effective == pytest.approx(500)
    assert jackknife(copies) == pytest.approx(jackknife(once))
    # The top of a bracket does not take chance to add more for it, and so it is a little higher.
    assert bracket(copies) == pytest.approx(bracket(once), abs=0.01)


def test_a_sample_worth_few_records_is_refused_and_an_uneven_one_has_a_bracket():
    rng = np.random.default_rng(4)
    owner = rng.integers(0, 3, 3000)
    target = np.where(rng.random(3000) < 0.5, owner, rng.integers(0, 3, 3000))
    units = np.arange(3000)
    even = rate_in_population(SampleCells.of_units(units, owner, target, rng.uniform(1, 2, 3000)))
    assert (even.kind, even.method) == ("interval", JACKKNIFE)
    uneven = rate_in_population(SampleCells.of_units(units, owner, target, rng.pareto(1.5, 3000) + 0.1))
    assert uneven.kind in ("bracket", "cannot tell")
    one_heavy = np.where(units < 20, 1e6, 1.0)
    for read in (rate_in_population, information_in_population):
        found = read(SampleCells.of_units(units, owner, target, one_heavy))
        assert (found.kind, found.low) == ("cannot tell", None)
        assert found.reason == "with these weights, or people, the sample is worth fewer than 30 records"
