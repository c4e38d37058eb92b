"""How near each test is to its limit."""

import numpy as np
import pytest

from divulge.safe_release import Cell, Guard, State, table_of
from divulge.safe_release.exposure import worst_of


@pytest.mark.parametrize(
    "options",
    [{}, {"merging": "none"}, {"limits": "chi-square"}, {"degrees": "present"}, {"form": "mean"}],
    ids=str,
)
def test_the_worst_is_the_worst_of_every_exposure(options):
    rng = np.random.default_rng(3)
    tests = "mis,kld,cst,dqt" if "form" not in options else "seq"
    guard = Guard.of(table_of(rng.integers(1, 9, (6, 12))), tests, 0.2, samples=100, **options)
    for records in (0, 1, 5, 60, 4000):
        counts = np.zeros((6, 12), np.int64)
        np.add.at(counts, (rng.integers(0, 6, records), rng.integers(0, 12, records)), 1)
        state = State.of(guard, counts)
        assert state.worst() == tuple(worst_of(state.exposures(), test) for test in guard.rules.tests)


def test_of_targets_alike_the_first_is_named():
    guard = Guard.of(table_of([[5, 5, 5], [5, 5, 5]]), ["kld", "seq"], 0.2, samples=100)
    state = guard.start().after(Cell(0, 2)).after(Cell(0, 1))
    assert [one.target for one in state.worst()] == [guard.domain.targets[1]] * 2
