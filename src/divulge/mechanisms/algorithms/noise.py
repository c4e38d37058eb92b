"""Noise on numbers, from random numbers that come in, one for each value: standard normals, or in [0, 1).

``values`` and ``normals`` have a row for each record and a column for each attribute. Variances are those of
a sample, divided by n - 1.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError

Floats = npt.NDArray[np.float64]


def with_uncorrelated_noise(values: Floats, normals: Floats, alpha: float) -> Floats:
    """Each attribute with noise of its own, of ``alpha`` times its standard deviation: y = x + alpha s z.

    Means stay in expectation, variances grow by 1 + alpha^2, covariances stay and so correlations fall
    (Brand, 2002).

    >>> values, normals = np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [0.0], [-1.0]])
    >>> with_uncorrelated_noise(values, normals, 0.5).tolist()
    [[1.5], [2.0], [2.5]]
    """
    _check_positive("alpha", alpha)
    return values + alpha * _spreads(values) * normals


def with_correlated_noise(values: Floats, normals: Floats, alpha: float) -> Floats:
    """Attributes with noise whose covariance is ``alpha`` times theirs: y = x + sqrt(alpha) L z, L L' = S.

    Means and correlations stay in expectation, variances and covariances grow by 1 + alpha (Kim, 1986;
    Tendick, 1991). Attributes that follow from others get noise that follows in the same way.
    """
    _check_positive("alpha", alpha)
    covariance = np.atleast_2d(np.cov(values, rowvar=False))
    return np.asarray(values + math.sqrt(alpha) * normals @ semidefinite_root(covariance).T, np.float64)


def restored(values: Floats, noisy: Floats) -> Floats:
    """Noisy attributes moved and scaled so that each has its former mean and variance: z = a y + b.

    a = s_x / s_y and b = mean(x) - a mean(y), so that both come out as they were up to rounding, and the
    correlations of the noisy attributes stay. Kim (1986) takes a = 1 / sqrt(1 + alpha), which does the same
    on average. An attribute without spread becomes its mean. Who knows a and b can undo this step, and is
    left with the noise alone.
    """
    spreads = _spreads(noisy)
    factors = np.divide(_spreads(values), spreads, out=np.zeros_like(spreads), where=spreads > 0)
    return np.asarray((noisy - noisy.mean(axis=0)) * factors + values.mean(axis=0), np.float64)


def with_multiplicative_noise(values: Floats, normals: Floats, alpha: float) -> Floats:
    """Values times factors with mean 1 and standard deviation ``alpha``: y = x exp(s z - s^2 / 2).

    s^2 = ln(1 + alpha^2). Factors are positive, so that signs and zeros stay; large values move further than
    small ones. E(y | x) = x and Var(y | x) = (alpha x)^2 (Kim and Winkler, 2003).
    """
    _check_positive("alpha", alpha)
    square = math.log1p(alpha * alpha)
    return values * np.exp(math.sqrt(square) * normals - square / 2)


def with_laplace_noise(values: Floats, uniforms: Floats, scale: float) -> Floats:
    """Values with Laplace noise of a scale b: density exp(-|e| / b) / (2 b), variance 2 b^2.

    b = sensitivity / epsilon is that of differential privacy, but floating-point noise does not keep that
    promise: this is plain noise.

    >>> with_laplace_noise(np.zeros(3), np.array([0.25, 0.5, 0.75]), 1.0).round(4).tolist()
    [-0.6931, 0.0, 0.6931]
    """
    _check_positive("The scale", scale)
    from_middle = np.maximum(uniforms, 2.0**-54) - 0.5  # 0 would be infinitely far
    return values - scale * np.sign(from_middle) * np.log1p(-2 * np.abs(from_middle))


def semidefinite_root(matrix: Floats) -> Floats:
    """The lower triangle L with L L' = the matrix, which may be singular: there columns are 0.

    >>> semidefinite_root(np.array([[4.0, 2.0], [2.0, 1.0]])).tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    root, rounding = np.zeros(matrix.shape), 1e-12 * np.diagonal(matrix)
    for i in range(len(matrix)):
        left = matrix[i:, i] - root[i:, :i] @ root[i, :i]
        if left[0] > rounding[i]:
            root[i:, i] = left / math.sqrt(left[0])
    return root


def _spreads(values: Floats) -> Floats:
    return (
        np.asarray(values.std(axis=0, ddof=1), np.float64) if len(values) > 1 else np.zeros(values.shape[1])
    )


def _check_positive(name: str, number: float) -> None:
    if not 0 < number < math.inf:
        raise ParameterError(f"{name} is {number}, and has to be a positive number.")
