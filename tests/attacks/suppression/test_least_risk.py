"""The least that a class tells, whoever of those who fit belongs to it."""

import numpy as np
import pytest

from divulge.attacks.suppression.least_risk import least_risks, least_told
from divulge.attacks.suppression.suppressed_cells import SureCells, least_distances
from divulge.counting import statistics
from divulge.counting.counts import JointCounts
from divulge.measures import get

TOWARD = {
    "alpha_k_anonymity": "even",
    "recursive_cl_diversity": "even",
    "entropy_l_diversity_risk": "even",
    "t_closeness": "table",
    "kl_closeness": "table",
    "beta_likeness": "table",
    "delta_disclosure": "table",
}


def made(surely, perhaps, table):
    """Two classes of three values, the second with all its records sure and as the table has them."""
    counts = JointCounts.of_table(np.stack([surely + perhaps, table]))
    return counts, SureCells.sized(
        counts.cells, np.concatenate([surely, table]).astype(float), counts.cells.count, np.ones(6)
    )


def by_hand(measure, surely, perhaps, table):
    """The least over all ways to take whole records of those who may belong to the class."""
    ways = np.stack(np.meshgrid(*(np.arange(n + 1) for n in perhaps)), axis=-1).reshape(-1, 3) + surely
    ways = ways[(ways > 0).all(axis=1)]
    # Each way beside what is left of the table, so that the table stays the same.
    return min(
        measure.classes(JointCounts.of_table(np.stack([way, table * 40 - way])))[0].item() for way in ways
    )


@pytest.mark.parametrize("name", TOWARD)
@pytest.mark.parametrize("sure", [0, 1])
def test_no_choice_of_records_tells_less_and_nearly_every_bit_can_be_reached(name, sure):
    surely, perhaps = sure * np.array([4, 0, 2]), np.array([6, 4, 5])
    table = np.array([5, 3, 2])
    counts, cells = made(surely, perhaps, table)
    counts = JointCounts(**{**vars_of(counts), "margin": table.astype(float)})
    toward = np.ones(3) if TOWARD[name] == "even" else table.astype(float)
    found = least_risks(counts, cells, toward, get(name).classes)
    least = by_hand(get(name), surely, perhaps, table)
    assert least - 0.1 * max(least, 1) <= found[0] <= least + 1e-9
    if name == "t_closeness":
        prior = (table / table.sum())[cells.target]
        known = least_distances(cells.owner, cells.surely, cells.perhaps, prior)
        assert found == pytest.approx(known, abs=1e-9)


def vars_of(counts):
    return {"size": counts.size, "cells": counts.cells, "target_values": counts.target_values, "target": "x"}


def test_what_keys_tell_does_not_read_the_order_of_values_that_only_another_table_has(monkeypatch):
    monkeypatch.setattr(statistics, "COMPILED_PAYS", 0)  # one pass of the loops gives all statistics
    surely, perhaps, table = np.array([4, 0, 2]), np.array([6, 4, 5]), np.array([5, 3, 2])
    counts, cells = made(surely, perhaps, table)
    ordered = counts.with_ground(order=np.arange(5), ranks=np.arange(5))
    assert least_told(ordered, ordered, cells, 31) == least_told(counts, counts, cells, 31)
