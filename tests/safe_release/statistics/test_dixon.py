"""Critical values of Dixon's r10: by closed form, by chance, and as they were published."""

import math

import numpy as np
import pytest

from divulge.safe_release.statistics.dixon import PUBLISHED, critical_ratio, exact_ratio


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.05, 0.2, 0.5, 0.9, 0.999])
def test_of_three_distances_by_the_closed_form(alpha):
    # The density of the ratio is 3 sqrt(3) / (2 pi (r^2 - r + 1)), and its integral an arc tangent.
    expected = (1 + math.sqrt(3) * math.tan(math.pi / 3 * (1 - alpha) - math.pi / 6)) / 2
    assert exact_ratio(3, alpha) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("distances", [4, 11, 30, 200])
def test_chance_exceeds_the_limit_as_often_as_alpha_says(distances):
    samples = 40_000 if distances < 100 else 10_000
    drawn = np.sort(np.random.default_rng(1).normal(size=(samples, distances)))
    ratios = (drawn[:, -1] - drawn[:, -2]) / (drawn[:, -1] - drawn[:, 0])
    for alpha in (0.05, 0.2):
        error = math.sqrt(alpha * (1 - alpha) / samples)
        assert (ratios > exact_ratio(distances, alpha)).mean() == pytest.approx(alpha, abs=4 * error)


@pytest.mark.parametrize("alpha", PUBLISHED)
def test_published_values_are_taken_up_to_ten_distances_and_exact_ones_beyond(alpha):
    assert tuple(critical_ratio(n, alpha) for n in range(3, 11)) == PUBLISHED[alpha]
    assert critical_ratio(11, alpha) == exact_ratio(11, alpha)
    # As printed, values are within a few thousandths of the exact ones.
    assert [exact_ratio(n, alpha) for n in range(3, 11)] == pytest.approx(list(PUBLISHED[alpha]), abs=0.004)
    assert critical_ratio(11, alpha) < critical_ratio(10, alpha)


@pytest.mark.parametrize("distances", [3, 5, 10])
def test_a_level_that_was_not_published_has_its_exact_value(distances):
    assert critical_ratio(distances, 0.15) == exact_ratio(distances, 0.15)
    assert critical_ratio(distances, 0.2) < critical_ratio(distances, 0.15) < critical_ratio(distances, 0.1)


def test_more_distances_and_higher_levels_leave_less_room():
    levels = [1e-9, 0.01, 0.2, 0.7, 0.99, math.nextafter(1, 0)]
    found = np.array([[exact_ratio(n, alpha) for alpha in levels] for n in (3, 4, 7, 20)])
    assert (np.diff(found, axis=1) < 0).all()
    assert (np.diff(found, axis=0) <= 0).all()
    assert ((found >= 0) & (found < 1)).all()
