"""What the loop that draws tables refuses."""

import numpy as np
import pytest

from divulge._compiled import draws


def test_numpys_own_draws_are_found_for_fewer_than_a_billion_records():
    assert draws.draws_tables(10**9 - 1)
    assert not draws.draws_tables(10**9)


def test_classes_of_other_records_than_targets_are_refused():
    with pytest.raises(ValueError, match="other records"):
        draws.tables(np.array([2, 3]), np.array([0, 1]), np.array([2, 2]), 1, np.random.default_rng(1))
