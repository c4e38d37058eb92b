"""The distribution functions that chance is read from, and their inverses: normal, gamma, beta, chi-square.

Compiled loops work them out where they were built, and the same formulas in Python otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library, special

Floats = npt.NDArray[np.float64]
ROUND, TINY, MOST_STEPS = 1e-16, 1e-300, 200_000
ROOT_STEPS = 200  # towards a root
CLOSE = 1e-12  # a step of Newton so short, in parts of the root, was the last
LARGE = 1e4  # a parameter from which a gamma distribution is read as a normal one with corrections


def normal_below(x: Any) -> Floats:
    """How probable a standard normal variable is to lie below x.

    >>> normal_below(0.0).item()
    0.5
    """
    return _each(special.normal, lambda x: math.erfc(-x / math.sqrt(2)) / 2, x)


def gamma_below(a: Any, x: Any) -> Floats:
    """How probable a gamma variable with parameter a and scale 1 is to lie below x."""
    return _each(lambda a, x: special.gamma(a, x, False), lambda a, x: _gamma_part(a, x, upper=False), a, x)


def gamma_above(a: Any, x: Any) -> Floats:
    """How probable it is to lie above."""
    return _each(lambda a, x: special.gamma(a, x, True), lambda a, x: _gamma_part(a, x, upper=True), a, x)


def beta_below(a: Any, b: Any, x: Any) -> Floats:
    """How probable a beta variable is to lie below x; of whole a and b, at least a successes of a + b - 1."""
    return _each(special.beta, _beta_part, a, b, x)


def gamma_exceeded(a: Any, probability: Any) -> Floats:
    """The value that a gamma variable exceeds with a probability."""
    a, p = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(probability, np.float64))
    aim, whole = np.log(np.clip(p, TINY, 1.0)), log_gamma(a)

    def above(u: Floats) -> tuple[Floats, Floats]:
        """ln of how probable more than exp(u) is, less the aim; and how steeply it falls with u."""
        probable = np.maximum(gamma_above(a, np.exp(u)), TINY)
        return np.log(probable) - aim, -np.exp(a * u - np.exp(u) - whole) / probable

    high = np.log(a + 60 * np.sqrt(a) + 800.0)
    found = np.exp(root(above, np.full(a.shape, -800.0), high, np.log(a)))
    return np.where(p <= 0, np.inf, np.where(p >= 1, 0.0, found))


def chi_square_exceeded(degrees: Any, probability: Any) -> Floats:
    """The value that a chi-square variable of so many degrees of freedom exceeds with a probability."""
    return 2 * gamma_exceeded(np.asarray(degrees) / 2, probability)


def beta_reached(a: Any, b: Any, probability: Any) -> Floats:
    """The value that a beta variable lies below with a probability."""
    a, b, p = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (a, b, probability)))
    whole = log_gamma(a + b) - log_gamma(a) - log_gamma(b)

    def below(x: Floats) -> tuple[Floats, Floats]:
        density = np.exp(whole + (a - 1) * np.log(x) + (b - 1) * np.log1p(-x))
        return p - beta_below(a, b, x), -density

    return root(below, np.zeros(a.shape), np.ones(a.shape), a / (a + b))


def student_reached(degrees: float, probability: float) -> float:
    """The value that a variable of Student's distribution lies below with a probability."""
    if probability == 0.5:
        return 0.0
    share = float(beta_reached(degrees / 2, 0.5, 2 * min(probability, 1 - probability)))
    return math.copysign(math.sqrt(degrees * (1 / share - 1)), probability - 0.5)


def log_gamma(x: Any) -> Floats:
    """ln gamma(x), for x above 0."""
    x = np.asarray(x, np.float64)
    whole = (x == np.floor(x)) & (x < len(_of_whole()))
    small = np.where(x < 10, x, 1.0)
    product = small.copy()
    for i in range(1, 10):
        product = product * (small + i)
    z = np.where(x < 10, small + 10, x)
    w = 1 / (z * z)
    rest = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - w * 691 / 360360))))) / z
    found = (z - 0.5) * np.log(z) - z + math.log(math.tau) / 2 + rest - np.where(x < 10, np.log(product), 0.0)
    return np.where(whole, _of_whole()[np.where(whole, x, 0).astype(np.int64)], found)


@lru_cache(maxsize=1)
def _of_whole() -> Floats:
    """ln gamma of whole numbers from 0 on, to the last digit."""
    return np.array([math.inf, *(math.log(math.factorial(n)) for n in range(256))])


def root(falling: Callable[[Floats], tuple[Floats, Floats]], low: Any, high: Any, start: Any) -> Floats:
    """Where falling functions are 0, between two ends, from their values and slopes; many at once.

    Newton's steps as long as they stay between what is known to be below and above, halving otherwise.
    """
    low, high, found = (np.array(one, np.float64) for one in (low, high, start))
    for _ in range(ROOT_STEPS):
        value, slope = falling(found)
        low, high = np.where(value >= 0, found, low), np.where(value <= 0, found, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = found - value / slope
        following = np.where((step >= low) & (step <= high), step, (low + high) / 2)
        near = np.abs(following - found) <= CLOSE * np.abs(following)
        found = following
        if near.all():
            break
    return found


def _each(compiled: Callable[..., Floats], plain: Callable[..., float], *numbers: Any) -> Floats:
    """One function of numbers that are spread over one another."""
    given = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in numbers))
    flat = [np.ascontiguousarray(one).ravel() for one in given]
    if library.built():
        return compiled(*flat).reshape(given[0].shape)
    return np.array([plain(*each) for each in zip(*(one.tolist() for one in flat), strict=True)]).reshape(
        given[0].shape
    )


def _excess(x: float, mean: float) -> float:
    """m - ln(1 + m), to all digits also where it is small, for m = x / mean - 1."""
    m = (x - mean) / mean
    if abs(m) > 0.1:
        return m - math.log(x / mean)
    power, total = m * m, 0.0
    for k in range(2, 20):
        total += power / k
        power *= -m
    return total


def _stirling_rest(a: float) -> float:
    """What Stirling's formula for ln gamma(a) lacks."""
    below, z = 0.0, a
    if a < 10:  # from ten further on, back by the factors between
        z = a + 10
        product = math.prod(a + i for i in range(10))
        below = (z - 0.5) * math.log(z) - z - (a - 0.5) * math.log(a) + a - math.log(product)
    w = 1 / (z * z)
    return below + (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / z


def _not_zero(x: float) -> float:
    return TINY if abs(x) < TINY else x


def _gamma_by_normal(a: float, x: float, upper: bool) -> float:
    """For large a: Temme's expansion about the normal distribution, which errs by a^-3."""
    m = (x - a) / a
    n = math.copysign(math.sqrt(2 * _excess(x, a)), m)
    if abs(n) < 0.1:
        c0 = -1 / 3 + n * (1 / 12 + n * (-2 / 135 + n * (1 / 864 + n * (1 / 2835 - n * 139 / 777600))))
        c1 = -1 / 540 + n * (-1 / 288 + n * (25 / 12096 + n * (-223 / 388800 + n * 89 / 1088640)))
        c2 = 25 / 6048 - n * 139 / 51840
    else:
        c0, c2 = 1 / m - 1 / n, 0.0
        c1 = 1 / n**3 - 1 / m**3 - 1 / m**2 - 1 / (12 * m)
    more = math.exp(-a * _excess(x, a)) / math.sqrt(math.tau * a) * (c0 + (c1 + c2 / a) / a)
    return math.erfc((n if upper else -n) * math.sqrt(a / 2)) / 2 + (more if upper else -more)


def _gamma_part(a: float, x: float, upper: bool) -> float:
    if not x > 0:
        return 1.0 if upper else 0.0
    if math.isinf(x):
        return 0.0 if upper else 1.0
    if a >= LARGE:
        return _gamma_by_normal(a, x, upper)
    front = math.exp(-a * _excess(x, a) - _stirling_rest(a)) * math.sqrt(a / math.tau)
    if x < a + 1:  # the part below, by its series
        term = total = 1 / a
        for n in range(1, MOST_STEPS):
            if term <= total * ROUND:
                break
            term *= x / (a + n)
            total += term
        return 1 - front * total if upper else front * total
    b = x + 1 - a  # the part above, by its continued fraction
    c, d = 1 / TINY, 1 / b
    h = d
    for n in range(1, MOST_STEPS):
        an = -n * (n - a)
        b += 2
        d = 1 / _not_zero(an * d + b)
        c = _not_zero(b + an / c)
        h *= d * c
        if abs(d * c - 1) < ROUND:
            break
    return front * h if upper else 1 - front * h


def _beta_part(a: float, b: float, x: float) -> float:
    if not 0 < x < 1:
        return 1.0 if x >= 1 else 0.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_part(b, a, 1 - x)
    n = a + b
    apart = a * _excess(n * x, a) + b * _excess(n * (1 - x), b)
    rest = _stirling_rest(n) - _stirling_rest(a) - _stirling_rest(b)
    front = math.exp(rest - apart) * math.sqrt(a * b / (math.tau * n))
    if front == 0:
        return 0.0
    c, d = 1.0, 1 / _not_zero(1 - n * x / (a + 1))
    h = d
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (n + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for one in (even, odd):
            d = 1 / _not_zero(1 + one * d)
            c = _not_zero(1 + one / c)
            h *= d * c
        if abs(d * c - 1) < ROUND:
            break
    return front * h / a
