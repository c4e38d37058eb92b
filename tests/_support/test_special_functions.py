"""Distribution functions and their inverses: those of SciPy, and known values where SciPy errs."""

import math
from unittest.mock import patch

import numpy as np
import pytest

from divulge._compiled import library
from divulge._support import special_functions as own

special = pytest.importorskip("scipy.special")
BUILT = pytest.mark.parametrize("built", [True, False], ids=["compiled", "Python"])


@pytest.fixture(autouse=True)
def _by(request):
    """As if no loops had been built, where a test says so."""
    built = getattr(request.node, "callspec", None)
    wanted = built.params.get("built", True) if built else True
    with patch.object(library, "built", lambda: wanted):
        yield


def around(mean, deviation, number):
    """Numbers near a mean and further away, none below 0."""
    return np.abs(mean + deviation * np.random.default_rng(2).normal(0, 4, number)) + 1e-12


@BUILT
@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 3), (3, 4), (4, 5)])
def test_gamma_distributions_are_those_of_scipy(built, low, high):
    a = 10 ** np.random.default_rng(1).uniform(low, high, 60)
    x = around(a, np.sqrt(a), 60)
    assert own.gamma_above(a, x) == pytest.approx(special.gammaincc(a, x), rel=1e-10, abs=1e-13)
    assert own.gamma_below(a, x) == pytest.approx(special.gammainc(a, x), rel=1e-10, abs=1e-13)


@BUILT
def test_a_gamma_distribution_of_a_huge_parameter_is_right_where_scipy_is_not(built):
    """The integral of the density with 30 digits; SciPy was off by 2e-6 here."""
    a = 577799113.0521095
    assert own.gamma_above(a, a - 4.51142 * math.sqrt(a)) == pytest.approx(0.9999967843189268, abs=1e-12)


@BUILT
@pytest.mark.parametrize(("low", "high"), [(0, 2), (2, 4), (4, 6)])
def test_beta_distributions_are_those_of_scipy(built, low, high):
    a, b = 10 ** np.random.default_rng(1).uniform(low, high, (2, 60))
    mean = a / (a + b)
    x = np.minimum(around(mean, np.sqrt(mean * (1 - mean) / (a + b)), 60), 1.0)
    assert own.beta_below(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-13)


@BUILT
def test_the_ends_of_distributions(built):
    assert own.gamma_above(2.0, [0.0, -1.0, np.inf]).tolist() == [1, 1, 0]
    assert own.gamma_below(2.0, [0.0, np.inf]).tolist() == [0, 1]
    assert own.beta_below(2.0, 3.0, [0.0, 1.0]).tolist() == [0, 1]
    assert own.normal_below([-np.inf, 0.0, np.inf]).tolist() == [0, 0.5, 1]
    assert own.gamma_exceeded(2.0, [0.0, 1.0]).tolist() == [np.inf, 0]


@BUILT
def test_a_binomial_tail_by_hand(built):
    """At least two of three, a half each: 4 of 8."""
    assert own.beta_below(2, 2, 0.5) == pytest.approx(0.5)
    assert own.beta_below(3, 1, 0.5) == pytest.approx(1 / 8)


def test_the_normal_distribution_is_that_of_scipy():
    x = np.linspace(-12, 12, 101).reshape(1, 101)
    assert own.normal_below(x).shape == (1, 101)
    np.testing.assert_allclose(own.normal_below(x), special.ndtr(x), rtol=1e-12)


@pytest.mark.parametrize("probability", [1e-9, 0.01, 0.2, 0.9, 0.999])
def test_limits_of_chi_square_are_those_of_scipy(probability):
    degrees = np.concatenate([np.arange(1, 60), [1000, 9999, 123456]])
    found = own.chi_square_exceeded(degrees, probability)
    np.testing.assert_allclose(found, special.chdtri(degrees, probability), rtol=1e-9)


def test_what_a_beta_variable_lies_below_is_that_of_scipy():
    rng = np.random.default_rng(4)
    a, b, p = 10 ** rng.uniform(0, 5, 80), 10 ** rng.uniform(0, 5, 80), rng.uniform(0.001, 0.999, 80)
    np.testing.assert_allclose(own.beta_reached(a, b, p), special.betaincinv(a, b, p), rtol=1e-9)


@pytest.mark.parametrize("degrees", [1, 2, 9, 400])
@pytest.mark.parametrize("probability", [0.025, 0.5, 0.9, 0.995])
def test_students_distribution_is_that_of_scipy(degrees, probability):
    expected = special.stdtrit(degrees, probability)
    assert own.student_reached(degrees, probability) == pytest.approx(expected, rel=1e-9)


def test_logarithms_of_the_gamma_function_are_those_of_scipy():
    x = np.concatenate([np.arange(1, 40), 10 ** np.linspace(-3, 14, 50)])
    np.testing.assert_allclose(own.log_gamma(x), special.gammaln(x), rtol=1e-12, atol=1e-13)


def test_a_root_is_found_where_steps_of_newton_would_lead_astray():
    def falling(x):
        return -np.arctan(x - 1), -1 / (1 + (x - 1) ** 2)

    assert own.root(falling, -50.0, 90.0, 60.0) == pytest.approx(1)
