from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.entropy import (
    average_map_error,
    conditional_entropy,
    conditional_guessing_entropy,
    confidence_set,
    guessing_entropy,
    hartley_entropy,
    map_error,
    min_entropy,
    posterior_entropies,
    renyi_entropy,
    shannon_entropy,
    uniform_error,
)

ORDERS = [0, 1e-3, 0.3, 0.999999, 1, 1.000001, 2, 7.5, 300, math.inf]

weights = arrays(np.float64, st.integers(1, 6), elements=st.sampled_from([0.0, 1e-9, 0.2, 1.0, 3.0]))
distributions = weights.filter(lambda w: w.sum() > 0).map(lambda w: w / w.sum())
tables = arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 1e-6, 0.2, 1.0, 3.0]),
)
joints = tables.filter(lambda w: w.sum() > 0).map(lambda w: w / w.sum())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [1, 2, 10, 1000])
def test_every_order_gives_the_logarithm_of_the_size_of_a_uniform_distribution(size, order):
    assert renyi_entropy(np.full(size, 1 / size), order) == pytest.approx(math.log2(size), abs=1e-12)


def test_the_named_entropies_of_a_half_and_two_quarters():
    p = [0.5, 0.25, 0.25, 0]
    assert hartley_entropy(p) == pytest.approx(math.log2(3))
    assert shannon_entropy(p) == 1.5
    assert renyi_entropy(p, 2) == pytest.approx(-math.log2(3 / 8))
    assert min_entropy(p) == 1


@pytest.mark.parametrize("order", [1e-12, 1e-6])
def test_a_small_order_comes_near_the_hartley_entropy(order):
    p = [0.7, 0.2, 0.1 - 1e-9, 1e-9]
    assert renyi_entropy(p, order) == pytest.approx(2, abs=1e3 * order)


@pytest.mark.parametrize("step", [1e-12, 1e-9, 1e-6, -1e-9, -1e-12])
def test_an_order_next_to_one_gives_the_shannon_entropy_without_losing_digits(step):
    p = np.array([0.7, 0.2, 0.1])
    # dH_a/da at 1 is minus half the variance of the surprise, in nats; here about -0.2 bits.
    assert renyi_entropy(p, 1 + step) == pytest.approx(shannon_entropy(p), abs=abs(step) + 1e-14)


def test_a_huge_order_comes_near_the_min_entropy():
    assert renyi_entropy([0.7, 0.2, 0.1], 1e15) == pytest.approx(min_entropy([0.7, 0.2, 0.1]))


def test_probabilities_too_small_to_square_do_no_harm():
    p = [1.0, 1e-200, 1e-300]
    assert [renyi_entropy(p, order) for order in (0.5, 1, 2, 40)] == pytest.approx([0, 0, 0, 0], abs=1e-90)
    assert renyi_entropy(p, 1e-9) == pytest.approx(math.log2(3), abs=1e-5)


@given(distributions)
def test_the_entropy_never_rises_with_the_order(p):
    for lower, higher in pairwise(ORDERS):
        assert renyi_entropy(p, higher) <= renyi_entropy(p, lower) + 1e-9


@given(joints, st.sampled_from(ORDERS))
def test_observing_never_raises_an_entropy_of_any_order(joint, order):
    assert conditional_entropy(joint, order) <= renyi_entropy(joint.sum(axis=1), order) + 1e-9


@given(joints)
def test_the_conditional_entropy_never_rises_with_the_order(joint):
    for lower, higher in pairwise(ORDERS):
        assert conditional_entropy(joint, higher) <= conditional_entropy(joint, lower) + 1e-9


@given(joints, st.sampled_from(ORDERS), st.integers(0, 99))
def test_blurring_the_observation_never_lowers_an_entropy(joint, order, seed):
    blur = np.random.default_rng(seed).dirichlet([0.3] * 3, joint.shape[1])
    assert conditional_entropy(joint, order) <= conditional_entropy(joint @ blur, order) + 1e-9


@given(joints, st.sampled_from([0.3, 2, 7.5]))
def test_the_average_is_that_of_the_norms_of_the_joint_probabilities(joint, order):
    norms = (joint**order).sum(axis=0) ** (1 / order)
    assert conditional_entropy(joint, order) == pytest.approx(
        order / (1 - order) * math.log2(norms.sum()), abs=1e-9
    )


@given(joints)
def test_the_error_of_guessing_the_likeliest_is_one_minus_its_average_posterior(joint):
    assert average_map_error(joint) == pytest.approx(1 - joint.max(axis=0).sum(), abs=1e-12)
    prior = joint.sum(axis=1)
    assert map_error(prior) == pytest.approx(1 - prior.max(), abs=1e-12)
    assert average_map_error(joint) <= map_error(prior) + 1e-12


def test_a_channel_and_its_joint_array_read_the_same():
    channel = Channel([0.5, 0.3, 0.2], [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.3, 0.6]])
    for order in ORDERS:
        assert conditional_entropy(channel, order) == conditional_entropy(channel.joint, order)


def test_the_entropies_of_each_observation_with_one_that_never_occurs():
    joint = [[0.25, 0, 0.5], [0.25, 0, 0]]
    assert posterior_entropies(joint, 1) == pytest.approx([1, math.nan, 0], nan_ok=True)
    assert conditional_entropy(joint, 1) == 0.5
    assert conditional_entropy(joint, 0) == 1  # the largest, the limit of small orders
    assert conditional_entropy(joint, 1e-4) == pytest.approx(1, abs=1e-3)
    assert conditional_entropy(joint, math.inf) == pytest.approx(-math.log2(0.75))


def test_guesses_are_made_from_the_likeliest_down():
    assert guessing_entropy([0.2, 0.5, 0.3]) == pytest.approx(0.5 * 1 + 0.3 * 2 + 0.2 * 3)
    assert guessing_entropy([0, 1]) == 1
    assert conditional_guessing_entropy([[0.25, 0.5], [0.25, 0]]) == pytest.approx(0.5 * 1.5 + 0.5)


@given(joints)
def test_observing_never_takes_more_guesses(joint):
    assert conditional_guessing_entropy(joint) <= guessing_entropy(joint.sum(axis=1)) + 1e-12


def test_the_shortest_list_that_holds_a_mass():
    p = [0.1, 0.4, 0.1, 0.4]
    half = confidence_set(p, 0.5)
    assert (half.places, half.size) == ((1, 3), 2)
    assert half.mass == pytest.approx(0.8)
    assert half.error == 0.5
    assert confidence_set(p, 0.9).places == (1, 3, 0)
    assert confidence_set([0.1] * 10, 0.7).size == 7  # although seven tenths add up to a little less


@given(distributions)
def test_the_whole_mass_takes_all_that_is_possible_unless_it_is_next_to_nothing(p):
    everything = confidence_set(p, 1)
    assert everything.size <= np.count_nonzero(p)
    assert everything.mass == pytest.approx(1)
    assert everything.error <= uniform_error(2 ** hartley_entropy(p)) + 1e-12


def test_one_minus_one_over_k_is_the_error_in_a_uniform_class_and_more_than_in_another():
    assert [uniform_error(k) for k in (1, 2, 4)] == [0, 0.5, 0.75]
    assert map_error([1 / 3] * 3) == pytest.approx(uniform_error(3))
    assert map_error([2 / 3, 1 / 3]) < uniform_error(2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: renyi_entropy([0.5, 0.5], -1), "at least 0"),
        (lambda: renyi_entropy([0.5, 0.5], math.nan), "at least 0"),
        (lambda: shannon_entropy([0.5, 0.4]), "adds up to 0.9"),
        (lambda: shannon_entropy([1.5, -0.5]), "negative"),
        (lambda: shannon_entropy([]), "empty"),
        (lambda: conditional_entropy([0.5, 0.5], 1), "dimensions"),
        (lambda: conditional_entropy([[3, 1], [2, 2]], 1), "adds up to 8"),
        (lambda: confidence_set([1.0], 0), "above 0"),
        (lambda: confidence_set([1.0], 1.1), "at most 1"),
        (lambda: uniform_error(0), "at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(call, said):
    with pytest.raises(ParameterError, match=said):
        call()
