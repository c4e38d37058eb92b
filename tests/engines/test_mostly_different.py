"""Rows that are mostly different are not held once each; a part of them says so, and decides nothing else."""

import numpy as np
import pytest

import divulge as dv
from divulge.engines.memory import engine


@pytest.fixture
def counted(monkeypatch):
    """How often all rows were compared."""
    calls, compared = [], engine.combinations

    def noted(*given):
        calls.append(given)
        return compared(*given)

    monkeypatch.setattr(engine, "combinations", noted)
    monkeypatch.setattr(engine, "PARTS_PAY", 1)
    return calls


def condensed(values, rows=20_000):
    rng = np.random.default_rng(1)
    table = {
        "a": rng.integers(0, 60, rows),
        "b": rng.integers(0, values, rows),
        "c": rng.integers(0, 3, rows),
    }
    return dv.read(table).condensed(["a", "b", "c"], {}, rows // 2)


def test_a_part_of_the_rows_says_that_most_are_different(counted):
    assert condensed(4000) is None
    assert not counted


@pytest.mark.parametrize("values", [1, 5, 50])
def test_rows_of_which_many_are_alike_are_held_once(counted, values):
    held, place = condensed(values)
    assert counted
    assert held.records == len(place) == 20_000
    assert held.source.records == len(np.unique(place)) <= 10_000


def test_what_is_about_as_many_as_asked_for_is_counted(counted):
    assert condensed(40, rows=10_000) is None
    assert counted
