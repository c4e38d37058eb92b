"""The typical set: all sequences one by one, closed forms, and bounds that hold."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.attackers import typical
from divulge.estimation.attackers.typical import conditionally_typical_set, typical_set
from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.entropy import conditional_entropy, shannon_entropy
from estimation.channels import channels, stochastic

distributions = st.lists(st.integers(0, 6), min_size=1, max_size=4).filter(any).map(stochastic)
epsilons = st.sampled_from([0.013, 0.1, 0.37, 2.0])


def near(value):
    return pytest.approx(value, abs=1e-11, rel=1e-9)


def all_typical(rows, entropy, epsilon):
    """How many sequences (a letter from each row) are typical, and how probable they are."""
    found = [math.prod(chosen) for chosen in product(*(row.tolist() for row in rows))]
    length = len(rows)
    good = [p for p in found if p > 0 and abs(-math.log2(p) / length - entropy) <= epsilon + 1e-12]
    return len(good), sum(good)


@given(distributions, st.integers(1, 6), epsilons)
def test_counting_by_kinds_finds_what_going_through_all_sequences_finds(p, length, epsilon):
    found = typical_set(p, length, epsilon)
    size, probability = all_typical([p] * length, shannon_entropy(p), epsilon)
    assert found.size == size
    assert found.probability == near((probability, probability))
    assert found.log2_size[0] == (near(math.log2(size)) if size else -math.inf)


@given(channels(3, 3), st.data(), epsilons)
def test_secrets_typical_given_what_was_observed_are_those_among_all_secrets(channel, data, epsilon):
    possible = np.flatnonzero(channel.possible).tolist()
    observed = data.draw(st.lists(st.sampled_from(possible), min_size=1, max_size=5))
    found = conditionally_typical_set(channel, observed, epsilon)
    rows = [channel.posterior[y] for y in observed]
    size, probability = all_typical(rows, conditional_entropy(channel, 1), epsilon)
    assert found.size == size
    assert found.probability[0] == near(probability)
    assert size <= 2 ** (len(observed) * (found.entropy + epsilon)) * (1 + 1e-9)


@given(channels(3, 3), st.data(), epsilons)
def test_bounds_hold_what_counting_finds(channel, data, epsilon):
    possible = np.flatnonzero(channel.possible).tolist()
    observed = data.draw(st.lists(st.sampled_from(possible), min_size=1, max_size=12))
    counted = conditionally_typical_set(channel, observed, epsilon)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typical, "MOST_CELLS", 0)
        bounded = conditionally_typical_set(channel, observed, epsilon)
    assert counted.size is not None
    assert bounded.size is None
    for name in ("log2_size", "probability"):
        least, most = getattr(bounded, name)
        assert least - 1e-9 <= getattr(counted, name)[0] <= most + 1e-9


def test_of_ten_biased_bits_those_with_a_single_one_are_typical():
    # H = 0.469; per place no one costs 0.152 bits, a single one 0.469, two 0.786.
    found = typical_set([0.9, 0.1], 10, 0.2)
    assert found.size == 10
    assert found.probability == near((0.9**9, 0.9**9))


def test_the_likeliest_sequence_need_not_be_typical():
    assert typical_set([0.9, 0.1], 10, 0.2).size < 11  # ten times the likely letter is not among them


def test_all_sequences_of_equally_likely_letters_are_typical_however_long():
    found = typical_set([0.25] * 4, 5000, 0.001)
    assert (found.size, found.probability) == (4**5000, (1, 1))
    assert "log2_size=(10000.0, 10000.0)" in repr(found)


def test_typical_sequences_become_certain_and_few():
    found = [typical_set([0.9, 0.1], length, 0.1) for length in (10, 100, 1000, 100_000)]
    held = [one.probability[0] for one in found]
    assert held == sorted(held)
    assert held[-2] > 0.99
    assert [one.size is not None for one in found] == [True, True, True, False]
    least, most = found[-1].log2_size
    assert 100_000 * (0.468 - 0.1) < least < most < 100_000 * (0.47 + 0.1)


def test_observations_that_tell_nothing_leave_the_typical_set_of_the_prior():
    blind = Channel([0.9, 0.1], [[0.5, 0.5], [0.5, 0.5]])
    assert conditionally_typical_set(blind, [0, 1] * 5, 0.2).size == typical_set([0.9, 0.1], 10, 0.2).size


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf])
def test_an_epsilon_that_is_no_positive_number_is_refused(epsilon):
    with pytest.raises(ParameterError, match="finite number above 0"):
        typical_set([0.5, 0.5], 3, epsilon)


def test_sequences_of_nothing_and_impossible_observations_are_refused():
    with pytest.raises(ParameterError, match="1 or more, not 0"):
        typical_set([0.5, 0.5], 0, 0.1)
    with pytest.raises(ParameterError, match="cannot occur"):
        conditionally_typical_set(Channel([0.5, 0.5], [[1, 0], [1, 0]]), [1], 0.1)
