"""Mean and variance of what chance shows, against all sets there are, samples and known figures."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import gamma

from divulge.safe_release.statistics.moments import (
    BinomialCounts,
    DistanceMoments,
    FitMoments,
    MutualMoments,
    fitted_quantile,
    knots,
)

UNEVEN = np.array([0.5, 0.3, 0.2])


def every_set(records, shares, statistic):
    """Mean, variance and least of a statistic over all sets of so many records."""
    found = []
    for counts in product(range(records + 1), repeat=len(shares)):
        if sum(counts) == records:
            ways = math.factorial(records) / math.prod(map(math.factorial, counts))
            found.append((ways * math.prod(p**k for p, k in zip(shares, counts, strict=True)), counts))
    weights = np.array([weight for weight, _ in found])
    values = np.array([statistic(np.array(counts), records * shares) for _, counts in found])
    mean = float(weights @ values)
    return mean, float(weights @ (values - mean) ** 2), float(values.min())


def distance(counts, expected):
    there = counts > 0
    return 2 * float((counts[there] * np.log(counts[there] / expected[there])).sum())


def pearson(counts, expected):
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("records", [1, 2, 5, 9])
def test_the_mean_of_distances_is_exact_and_their_variance_nearly(records):
    mean, variance, least = every_set(records, UNEVEN, distance)
    found = DistanceMoments(UNEVEN)
    assert found.moments(records)[0] == pytest.approx(mean, rel=1e-12)
    assert found.moments(records)[1] == pytest.approx(variance, rel=0.01)
    assert found.floor(np.array([records]))[0] * 2 * math.log(2) == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize("records", [1, 2, 5, 9])
def test_the_moments_of_pearsons_statistic_are_exact(records):
    mean, variance, least = every_set(records, UNEVEN, pearson)
    found = FitMoments(UNEVEN)
    assert found.moments(records) == pytest.approx((mean, variance), rel=1e-12)
    assert found.floor(np.array([records]))[0] == pytest.approx(least, abs=1e-12)


def test_ten_even_values_and_a_thousand_records():
    assert DistanceMoments(np.full(10, 0.1)).moments(1000) == pytest.approx((9.016653, 18.067234), abs=1e-6)


@pytest.mark.parametrize("records", [40, 300])
def test_moments_of_all_targets_together_are_those_of_samples(records):
    shares, targets = np.array([0.6, 0.2, 0.1, 0.1]), np.array([0.7, 0.2, 0.1])
    sizes = knots(records)
    target = DistanceMoments(shares)
    known = np.array([target.moments(size) for size in sizes.tolist()])
    rng = np.random.default_rng(5)
    found = np.zeros(20_000)
    for n in rng.multinomial(records, targets, 20_000).T:
        counts = rng.multinomial(n, shares)
        ratio = np.where(counts > 0, counts, 1) / np.maximum(n[:, None] * shares, 1e-9)
        found += 2 * (counts * np.log(np.where(counts > 0, ratio, 1))).sum(axis=1)
    mean, variance = MutualMoments(target, targets, sizes, known).moments(records)
    assert mean == pytest.approx(found.mean(), abs=5 * found.std() / math.sqrt(20_000))
    assert variance == pytest.approx(found.var(), rel=0.06)


def test_thinned_counts_have_the_moments_of_all():
    found = BinomialCounts.of(100_000, np.array([0.5, 0.001]))
    assert found.counts.shape[1] < 200
    for row, share in enumerate((0.5, 0.001)):
        mean = float(found.weights[row] @ found.counts[row])
        assert mean == pytest.approx(100_000 * share, rel=1e-9)
        spread = float(found.weights[row] @ (found.counts[row] - mean) ** 2)
        assert spread == pytest.approx(100_000 * share * (1 - share), rel=1e-6)


def test_the_quantile_is_that_of_a_gamma_distribution():
    found = fitted_quantile([9.0, 9.5], [18.0, 25.0], 0.2).tolist()
    assert found == pytest.approx(
        [gamma.isf(0.2, m * m / v, scale=v / m) for m, v in ((9, 18), (9.5, 25))], rel=1e-9
    )
