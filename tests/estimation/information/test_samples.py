from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammaln, polygamma, psi

from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError
from divulge.estimation.information.entropy import shannon_entropy
from divulge.estimation.information.samples import (
    ESTIMATES,
    chao_shen,
    estimated_information,
    miller_madow,
    nsb,
    permutation_null,
    plug_in,
    zero_leakage_test,
)
from divulge.readings.chance import expected_mutual_information
from divulge.readings.population_interval import population_rate

LN2 = math.log(2)
samples = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)


def rng():
    return np.random.default_rng(7)


def nsb_by_quadrature(counts, size):
    """The definition taken literally: integrals over beta, each piece by adaptive quadrature."""
    n = np.array(list(counts) + [0] * (size - len(counts)))
    total = n.sum()

    def log_evidence(b):
        return gammaln(size * b) - gammaln(total + size * b) + gammaln(n + b).sum() - len(n) * gammaln(b)

    def entropy(b):
        whole = total + size * b
        return psi(whole + 1) - ((n + b) * psi(n + b + 1)).sum() / whole

    def slope(b):
        return size * polygamma(1, size * b + 1) - polygamma(1, b + 1)

    peak = max(log_evidence(b) for b in np.geomspace(1e-6, 1e4, 400))

    def weighted(f):
        """Over beta; beyond the last piece the evidence is level and the prior has this much left."""
        pieces = np.r_[0, np.geomspace(1e-6, 1e5, 45)]
        last = pieces[-1]
        left = math.log(size) - (psi(size * last + 1) - psi(last + 1))
        inner = (
            quad(lambda b: math.exp(log_evidence(b) - peak) * slope(b) * f(b), *piece, epsabs=0, epsrel=1e-9)[
                0
            ]
            for piece in pairwise(pieces)
        )
        return sum(inner) + math.exp(log_evidence(last) - peak) * left * f(last)

    return weighted(entropy) / weighted(lambda b: 1.0) / LN2


def test_the_plug_in_entropy_of_shares_of_a_half_and_two_quarters():
    assert plug_in([2, 1, 1, 0]) == 1.5


def test_miller_and_madow_add_half_a_nat_per_record_for_each_further_value():
    assert miller_madow([2, 1, 1, 0]) == pytest.approx(1.5 + 2 / (2 * 4 * LN2))


def test_chao_and_shen_worked_out_by_hand():
    # Two of four records are of values seen once: coverage 1/2, so that shares are 1/4, 1/8, 1/8.
    by_hand = sum(-p * math.log2(p) / (1 - (1 - p) ** 4) for p in (1 / 4, 1 / 8, 1 / 8))
    assert chao_shen([2, 1, 1]) == pytest.approx(by_hand)
    # All seen once: coverage 1/2 instead of none.
    assert chao_shen([1, 1]) == pytest.approx(2 * 0.25 * 2 / (1 - 0.75**2))
    assert str(chao_shen([5])) == str(plug_in([5])) == "0.0"  # and not -0.0


@pytest.mark.parametrize(
    ("counts", "size", "nats"),
    [
        # Published in the pages of the package ndd, versions 1.4.2 and 1.6.1, an implementation in Fortran.
        ([7, 3, 5, 8, 9, 1, 3, 3, 1, 0, 2, 5, 2, 11, 4, 23, 5, 0, 8, 0], None, 2.623634344888532),
        ([12, 4, 12, 4, 5, 3, 1, 5, 1, 2, 2, 2, 2, 11, 3, 4, 12, 12, 1, 2], 100, 2.840012048914245),
    ],
)
def test_nsb_agrees_with_published_values(counts, size, nats):
    assert nsb(counts, size) * LN2 == pytest.approx(nats, rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "size"), [([4, 2, 3, 0, 2, 4, 0, 0, 2], 9), ([1, 1, 1], 50), ([30, 1], 2), ([3], 4)]
)
def test_nsb_agrees_with_its_definition_by_adaptive_quadrature(counts, size):
    assert nsb(counts, size) == pytest.approx(nsb_by_quadrature(counts, size), rel=1e-7)


def test_nsb_of_a_large_sample_is_the_entropy_of_its_shares():
    assert nsb([500_000, 250_000, 250_000]) == pytest.approx(1.5, abs=1e-5)
    many = np.full(100_000, 100)
    assert nsb(many) == pytest.approx(math.log2(100_000), abs=1e-2)


def test_a_single_possible_value_leaves_nothing_to_estimate():
    assert [estimate([9]) for estimate in ESTIMATES.values()] == [0, 0, 0, 0]


@given(samples)
def test_corrections_never_lower_the_plug_in_entropy_and_nsb_stays_possible(counts):
    assert miller_madow(counts) >= plug_in(counts)
    assert 0 <= nsb(counts) <= math.log2(len(counts)) + 1e-9
    assert nsb(counts, 2 * len(counts)) >= 0


@given(samples, st.permutations(range(12)))
def test_the_order_of_the_counts_does_not_matter(counts, order):
    shuffled = [counts[i] for i in order if i < len(counts)]
    for estimate in ESTIMATES.values():
        assert estimate(shuffled) == pytest.approx(estimate(counts), abs=1e-9)


def test_each_correction_is_nearer_the_truth_than_the_plug_in_on_small_samples():
    p = 1 / np.arange(1, 41)
    p /= p.sum()
    drawn = rng().multinomial(40, p, 200)
    error = {
        name: abs(np.mean([f(one) for one in drawn]) - shannon_entropy(p)) for name, f in ESTIMATES.items()
    }
    assert max(error["miller_madow"], error["chao_shen"], error["nsb"]) < 0.6 * error["plug_in"]


def test_information_of_a_table_is_the_sum_of_entropies_with_each_method():
    table = np.array([[8, 2], [1, 9]])
    for method, entropy in ESTIMATES.items():
        expected = entropy([10, 10]) + entropy([9, 11]) - entropy([8, 2, 1, 9])
        assert estimated_information(table, method) == pytest.approx(expected)


def test_unrelated_columns_seem_to_tell_something_until_chance_is_taken_away():
    table = rng().multinomial(200, np.full(100, 0.01)).reshape(10, 10)
    plain = estimated_information(table, "plug_in")
    assert plain > 0.2
    null = permutation_null(table, permutations=200, rng=rng())
    assert null.mean() == pytest.approx(plain, abs=4 * null.std())
    assert abs(estimated_information(table, "miller_madow")) < plain / 2


def test_shuffled_tables_keep_no_information_beyond_chance_and_are_repeatable():
    table = [[30, 0], [0, 30]]
    null = permutation_null(table, permutations=300, rng=rng())
    assert null.max() < 0.5
    # The mean of G = 2 n ln 2 I is about its one degree of freedom.
    assert null.mean() * 2 * 60 * LN2 == pytest.approx(1, abs=0.3)
    assert (null == permutation_null(table, permutations=300, rng=rng())).all()


def test_the_mean_of_shuffled_tables_is_the_exact_expectation_under_fixed_margins():
    table = np.array([[6, 3, 1], [2, 5, 8]])
    null = permutation_null(table, permutations=2000, rng=rng())
    exact = expected_mutual_information(JointCounts.of_table(table, ["a", "b", "c"]))
    assert null.mean() == pytest.approx(exact, abs=4 * null.std() / math.sqrt(2000))


def test_leakage_is_seen_where_there_is_some():
    test = zero_leakage_test([[30, 5], [5, 30]], permutations=199, rng=rng())
    assert test.p_value == 1 / 200
    assert test.observed > 10 * test.expected


def test_a_table_in_exact_proportion_shows_no_leakage_at_all():
    test = zero_leakage_test([[10, 20], [20, 40]], permutations=99, rng=rng())
    assert (test.observed, test.p_value) == (pytest.approx(0, abs=1e-15), 1)


def test_the_test_rejects_unrelated_columns_no_oftener_than_it_says():
    generator = rng()
    p_values = [
        zero_leakage_test(
            generator.multinomial(25, np.full(12, 1 / 12)).reshape(3, 4), permutations=39, rng=generator
        ).p_value
        for _ in range(200)
    ]
    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.065)  # three standard errors


def test_a_sample_that_shows_leakage_has_an_interval_and_a_test_that_can_be_repeated():
    table = [[30, 5], [5, 30]]
    interval = population_rate(table)
    assert 0 < interval.low <= interval.high < 1
    test = zero_leakage_test(table, permutations=39, rng=rng())
    assert test.p_value == 1 / 40
    assert test == zero_leakage_test(table, permutations=39, rng=rng())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: plug_in([0.5, 0.5]), "whole numbers"),
        (lambda: plug_in([0, 0]), "There are no records"),
        (lambda: nsb([1, -1]), "negative"),
        (lambda: nsb([1, 1, 1], 2), "3 values were seen"),
        (lambda: estimated_information([[1, 2], [3, 4]], "best"), "Unknown estimate: 'best'"),
        (lambda: estimated_information([1, 2]), "dimensions"),
        (lambda: zero_leakage_test([[1, 2]], permutations=0, rng=rng()), "permutations"),
    ],
)
def test_what_is_no_sample_is_refused(call, said):
    with pytest.raises(ParameterError, match=said):
        call()
