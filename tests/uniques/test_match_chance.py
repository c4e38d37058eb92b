"""How sure a match is: the ends of the average risk, by hand and on populations that are known."""

import math

import numpy as np
import pytest

from divulge.uniques.match_chance import average_risk
from divulge.uniques.size_counts import SizeCounts


def test_the_ends_of_the_average_risk_by_hand():
    """Four groups of one and two of two, eight people of eighty: u = 16 / (4 + 4/9) = 3.6."""
    found = average_risk(SizeCounts.of([1, 1, 1, 1, 2, 2], 80))
    wider = math.exp(1.959963984540054 * math.sqrt(math.log(1 + 2 * (1 + 3.6 / 4) / 3.6)))
    assert found.high == 6 / 8
    assert math.isclose(found.low, (6 + 3.6 / wider) / 80)


def test_a_table_that_is_the_population_has_one_end():
    found = average_risk(SizeCounts.of([1, 2, 3], 6))
    assert (found.low, found.high) == (0.5, 0.5)


def test_without_a_group_of_one_no_more_groups_are_expected():
    found = average_risk(SizeCounts.of([4, 6], 100))
    assert (found.low, found.high) == (2 / 100, 2 / 10)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_the_ends_hold_on_samples_of_a_population_that_is_known(share):
    rng = np.random.default_rng(5)
    people = (rng.pareto(0.7, 20_000) * 20).astype(np.int64) % 4000
    alike, held = np.bincount(people, minlength=4000), 0
    for _ in range(30):
        drawn = people[rng.random(len(people)) < share]
        sizes = np.bincount(drawn)
        found = average_risk(SizeCounts.of(sizes[sizes > 0], len(people)))
        held += found.low <= (1 / alike[drawn]).mean() <= found.high
    assert held >= 27
