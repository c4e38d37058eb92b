"""Noise has the moments it is said to have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.noise import (
    restored,
    semidefinite_root,
    with_correlated_noise,
    with_laplace_noise,
    with_multiplicative_noise,
    with_uncorrelated_noise,
)

RECORDS = 20_000


@pytest.fixture(scope="module")
def table():
    """Two attributes with a correlation of 0.8, a third that is the sum of both, and one without spread."""
    first, other = np.random.default_rng(3).normal(size=(2, RECORDS))
    second = 10 * (0.8 * first + 0.6 * other)
    return np.column_stack([first, second, first + second, np.full(RECORDS, 7.0)])


@pytest.fixture(scope="module")
def normals():
    return np.random.default_rng(4).normal(size=(RECORDS, 4))


def four_errors(spread):
    """Four standard errors of a mean."""
    return 4 * spread / np.sqrt(RECORDS)


def test_uncorrelated_noise_has_alpha_times_the_spread_and_no_correlation(table, normals):
    noise = with_uncorrelated_noise(table, normals, 0.5) - table
    assert noise[:, 3].tolist() == [0.0] * RECORDS
    for side in range(3):
        spread = 0.5 * table[:, side].std(ddof=1)
        assert abs(noise[:, side].mean()) < four_errors(spread)
        assert noise[:, side].std() == pytest.approx(spread, rel=4 / np.sqrt(2 * RECORDS))
    correlations = np.corrcoef(noise[:, :3].T)[np.triu_indices(3, 1)]
    assert np.abs(correlations).max() < 4 / np.sqrt(RECORDS)


def test_correlated_noise_has_alpha_times_the_covariance(table, normals):
    noise = with_correlated_noise(table, normals, 0.3) - table
    expected = 0.3 * np.cov(table, rowvar=False)
    limit = 6 / np.sqrt(RECORDS) * np.sqrt(np.outer(*[np.diagonal(expected)] * 2))
    assert (np.abs(np.cov(noise, rowvar=False) - expected) <= limit + 1e-12).all()
    assert noise[:, 0] + noise[:, 1] == pytest.approx(noise[:, 2])  # what follows from others still does


def test_a_linear_transformation_restores_mean_and_variance(table, normals):
    noisy = with_correlated_noise(table, normals, 0.3)
    again = restored(table, noisy)
    assert again.mean(axis=0) == pytest.approx(table.mean(axis=0))
    assert again.var(axis=0) == pytest.approx(table.var(axis=0))
    assert noisy.var(axis=0)[:3] == pytest.approx(1.3 * table.var(axis=0)[:3], rel=0.05)
    assert np.corrcoef(again.T[:3]) == pytest.approx(np.corrcoef(noisy.T[:3]))


def test_multiplicative_noise_keeps_signs_and_means(normals):
    factors = with_multiplicative_noise(np.full((RECORDS, 1), -2.0), normals[:, :1], 0.25) / -2
    assert factors.min() > 0
    assert abs(factors.mean() - 1) < four_errors(0.25)
    assert factors.std() == pytest.approx(0.25, rel=0.05)


def test_laplace_noise_has_its_scale_and_is_always_a_number():
    uniforms = (np.arange(RECORDS) + 0.5) / RECORDS
    noise = with_laplace_noise(np.zeros(RECORDS), uniforms, 3.0)
    assert noise.mean() == pytest.approx(0, abs=1e-9)
    assert noise.var() == pytest.approx(2 * 3.0**2, rel=0.01)
    assert np.abs(noise).mean() == pytest.approx(3.0, rel=0.01)
    edges = with_laplace_noise(np.zeros(2), np.array([0.0, 1 - 2.0**-53]), 1.0)
    assert np.isfinite(edges).all()


@given(
    rows=st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1, max_size=5)
    )
)
def test_the_root_of_a_matrix_that_may_be_singular(rows):
    factor = np.array(rows, float)
    matrix = factor.T @ factor
    root = semidefinite_root(matrix)
    assert root @ root.T == pytest.approx(matrix, abs=1e-9)
    assert (np.triu(root, 1) == 0).all()


@pytest.mark.parametrize("alpha", [0, -1, float("nan"), float("inf")])
def test_what_is_no_size_of_noise_is_refused(alpha):
    for noise in (
        with_uncorrelated_noise,
        with_correlated_noise,
        with_multiplicative_noise,
        with_laplace_noise,
    ):
        with pytest.raises(ParameterError, match="has to be a positive number"):
            noise(np.ones((2, 1)), np.ones((2, 1)), alpha)
