"""How far observations move beliefs, held against the bounds one distribution at a time."""

import numpy as np
import pytest

from divulge.estimation.attackers.moved_beliefs import gain_by_information, moved_beliefs
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import ABSOLUTE, HAMMING, SQUARED
from divulge.estimation.information.bounds import (
    kl_divergence,
    reduction,
    reduction_by_information,
    reduction_by_total_variation,
    total_variation,
    total_variation_by_divergence,
)

NUMBERS = Channel([0.5, 0.3, 0.2], [[0.7, 0.2, 0.1, 0], [0.3, 0.5, 0.2, 0], [0.1, 0.3, 0.6, 0]], [0, 1, 3])


@pytest.mark.parametrize("distortion", [HAMMING, ABSOLUTE])
def test_each_observation_is_what_the_bounds_say_of_its_posterior(distortion):
    found = moved_beliefs(NUMBERS, distortion)
    matrix = distortion.matrix(NUMBERS.inputs, NUMBERS.inputs)
    for place, posterior in enumerate(NUMBERS.posterior[:3]):
        assert found.divergence[place] == pytest.approx(kl_divergence(posterior, NUMBERS.prior))
        assert found.total_variation[place] == pytest.approx(total_variation(posterior, NUMBERS.prior))
        assert found.gained[place] == pytest.approx(reduction(posterior, NUMBERS.prior, matrix))
        said = found.entry(place)
        tight, loose = (
            bound(posterior, NUMBERS.prior, matrix)
            for bound in (reduction_by_total_variation, total_variation_by_divergence)
        )
        assert said["gained_at_most"] == pytest.approx(tight.right)
        assert said["gained_by_divergence"] == pytest.approx(loose.right / 2)
        assert said["gained"] <= said["gained_at_most"] <= said["gained_by_divergence"]
    assert np.isnan(found.gained[3])  # cannot be observed
    one, other = gain_by_information(NUMBERS, found), reduction_by_information(NUMBERS, matrix)
    assert (one.left, one.right, one.holds) == pytest.approx((other.left, other.right, True))


def test_a_free_estimate_gains_the_square_of_how_far_the_mean_moves():
    found = moved_beliefs(NUMBERS, SQUARED)
    means = NUMBERS.posterior[:3] @ np.array([0, 1, 3])
    assert found.gained[:3] == pytest.approx((means - 0.9) ** 2)
    assert found.farthest == 9
    assert (found.gained[:3] <= 2 * 9 * found.total_variation[:3]).all()
