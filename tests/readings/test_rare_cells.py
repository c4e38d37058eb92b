"""Cells of few records: how far they move the discrimination rate, and that intervals hold the truth."""

import numpy as np
import pytest

import divulge as dv
from divulge.readings import sample_cells as checked
from divulge.readings.population_interval import jackknife, population_rate
from divulge.readings.sample_cells import SampleCells, rare_cells

Z = 1.959964


def rate(counts):
    def entropy(part):
        part = part[part > 0] / counts.sum()
        return -(part * np.log(part)).sum()

    values = entropy(counts.sum(axis=1))
    return (values + entropy(counts.sum(axis=0)) - entropy(counts.ravel())) / values


def test_a_cell_that_nobody_was_drawn_from_may_have_up_to_3_7_records():
    table = np.array([[970.0, 15.0], [0.0, 15.0]])
    filled = table.copy()
    filled[1, 0] = -np.log(0.025)
    found = rare_cells(SampleCells.of(table), Z)
    assert found.down >= (rate(filled) - rate(table)) ** 2
    assert found.down == pytest.approx((rate(filled) - rate(table)) ** 2, rel=0.05)
    assert rare_cells(SampleCells.of(table * 1000 + 50_000), Z).down < 1e-6


def test_cells_may_be_filled_a_block_at_a_time(monkeypatch):
    table = np.random.default_rng(2).poisson(2, (4, 30))
    whole = rare_cells(SampleCells.of(table), Z)
    monkeypatch.setattr(checked, "BLOCK", 9)
    assert rare_cells(SampleCells.of(table), Z) == pytest.approx(whole)


def test_records_of_one_weight_are_like_plain_ones():
    x, y = np.array([0, 0, 1, 2, 2, 2, 1, 0]), np.array([0, 1, 0, 1, 1, 0, 1, 0])
    plain, heavy = (SampleCells.of_units(np.arange(8), x, y, np.full(8, weight)) for weight in (1.0, 7.0))
    assert rare_cells(heavy, Z) == pytest.approx(rare_cells(plain, Z))


def test_an_interval_holds_the_reading_beside_it():
    rng = np.random.default_rng(1)
    outside = intervals = 0
    for _ in range(60):
        joint = rng.dirichlet(np.full(10, 1.0), size=10).T / 10
        table = rng.multinomial(1100, joint.ravel()).reshape(10, 10)
        said = population_rate(table)
        if said.kind == "interval":
            intervals += 1
            estimate, error = jackknife(SampleCells.of(table))
            outside += abs(rate(table.astype(float)) - estimate) > Z * error
            assert said.low <= rate(table.astype(float)) <= said.high
    assert intervals > 20
    assert outside >= 3  # the correction is larger than the error


def test_two_ends_far_apart_are_no_interval():
    table = np.array([[388, 6], [0, 6]])
    found = population_rate(table)
    assert (found.kind, found.reason) == ("cannot tell", "the sample is too small")
    columns = {"k": ["g"] * 388 + ["h"] * 12, "t": [0] * 394 + [1] * 6}
    readings = dv.measure(columns, "discrimination_rate", keys="k", target="t", interval=0.95)
    assert readings.in_population.kind == "cannot tell"


PLAIN = [
    ([0.03, 0.97], [[0.5, 0.5], [0.998, 0.002]], 1000),
    ([0.03, 0.97], [[0.5, 0.5], [0.998, 0.002]], 400),
    ([0.03, 0.97], [[0.5, 0.5], [0.999, 0.001]], 1000),
    ([0.03, *[0.2425] * 4], [[0.001, 0.998, 0.001], *[[0.998, 0.001, 0.001]] * 4], 3000),
    ([0.32, 0.68], [[0.5, 0.5], [0.995, 0.005]], 300),
    ([0.03, 0.97], [[0.5, 0.5], [0.9995, 0.0005]], 1000),
]


@pytest.mark.parametrize("samples", [60, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("classes", "values", "records"), PLAIN)
def test_intervals_hold_where_rare_values_are_not_drawn(classes, values, records, samples):
    joint = (np.array(classes)[:, None] * np.array(values)).T
    truth, rng, held = rate(joint), np.random.default_rng(1), []
    for _ in range(samples):
        table = rng.multinomial(records, joint.ravel()).reshape(joint.shape)
        if (table.sum(axis=1) > 0).all() and (table.sum(axis=0) > 0).all():
            said = population_rate(table)
            held += [said.low <= truth <= said.high] if said.kind == "interval" else []
    assert len(held) >= samples / 20
    assert np.mean(held) >= 0.95 - (0.03 if samples < 100 else 0)
