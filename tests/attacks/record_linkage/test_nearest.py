"""The nearest records, with ties, against all distances one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge._compiled.neighbours import rounded
from divulge.attacks.record_linkage.nearest import nearest


@pytest.mark.parametrize(("metric", "power"), [("squares", 2), ("sum", 1)])
@given(seed=st.integers(0, 1 << 40))
def test_the_two_nearest_distances_and_how_many_are_there(metric, power, seed):
    rng = np.random.default_rng(seed)
    sides = int(rng.integers(1, 4))
    points = rng.integers(0, 6, (int(rng.integers(1, 90)), sides)) / 10
    asked = rng.integers(0, 7, (int(rng.integers(1, 20)), sides)) / 10
    found = nearest(points, asked, metric)
    for place, one in enumerate(asked):
        apart = [
            sum(abs(a - b) ** power for a, b in zip(point, one, strict=True)) for point in points.tolist()
        ]
        apart = rounded(np.array(apart)).tolist()
        levels = sorted(set(apart))
        assert found.nearest[place] == levels[0]
        assert found.ties[place] == apart.count(levels[0])
        assert apart[found.found[place]] == levels[0]
        assert found.second[place] == (levels[1] if len(levels) > 1 else np.inf)
        assert found.second_ties[place] == (apart.count(levels[1]) if len(levels) > 1 else 0)
