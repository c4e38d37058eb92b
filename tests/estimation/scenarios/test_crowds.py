import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.information.entropy import conditional_entropy, posterior_entropies
from divulge.estimation.scenarios.crowds import (
    UNSEEN,
    CorruptedCrowd,
    Crowd,
    members_for_probable_innocence,
)

crowds = st.builds(Crowd, st.integers(1, 30), st.floats(0.01, 1))


@st.composite
def corrupted_crowds(draw):
    members = draw(st.integers(2, 20))
    return CorruptedCrowd(members, draw(st.integers(1, members - 1)), draw(st.floats(0, 0.99)))


def absorbed(crowd):
    """Who submits, by solving the Markov chain of who holds the message."""
    n, p = crowd.users, crowd.submit
    return np.linalg.solve(np.eye(n) - np.full((n, n), (1 - p) / n), p * np.eye(n))


@given(crowds)
def test_the_channel_is_where_the_markov_chain_of_the_protocol_ends(crowd):
    assert crowd.channel().matrix == pytest.approx(absorbed(crowd), abs=1e-10)


@given(crowds)
def test_the_closed_forms_are_what_the_channel_gives(crowd):
    channel = crowd.channel()
    privacy = channel.privacy("hamming")
    assert channel.posterior == pytest.approx(crowd.posterior, abs=1e-12)
    assert [privacy.worst, privacy.average, privacy.best] == pytest.approx([crowd.privacy] * 3, abs=1e-12)


@given(crowds, st.sampled_from([0, 0.5, 1, 1.5, 2, 7, math.inf]))
def test_the_entropy_of_any_order_is_that_of_the_channel(crowd, order):
    assert posterior_entropies(crowd.channel(), order) == pytest.approx(crowd.entropy(order), abs=1e-9)


@given(crowds)
def test_entropies_fall_with_their_order_and_the_least_gives_the_privacy(crowd):
    assert crowd.min_entropy <= crowd.shannon_entropy + 1e-12 <= crowd.hartley_entropy + 2e-12
    assert 1 - 2**-crowd.min_entropy == pytest.approx(crowd.privacy, abs=1e-12)
    assert crowd.mutual_information == pytest.approx(
        math.log2(crowd.users) - conditional_entropy(crowd.channel(), 1), abs=1e-9
    )


def test_an_order_close_to_one_gives_nearly_the_shannon_entropy():
    crowd = Crowd(20, 0.1)
    assert crowd.entropy(1 + 1e-9) == pytest.approx(crowd.shannon_entropy, abs=1e-8)


def test_a_prior_of_ones_own_changes_the_posterior():
    # p(y|x) is 3/4 or 1/4: a user who begins nine times in ten is the best guess whoever submits.
    privacy = Crowd(2, 0.5).channel([0.9, 0.1]).privacy()
    assert privacy.estimates == (1, 1)
    assert privacy.average == pytest.approx(0.1)


def test_messages_are_handed_on_three_times_where_one_in_four_is_submitted():
    assert Crowd(5, 0.25).forwards == 3


def test_a_simulated_crowd_submits_as_the_channel_says():
    random = np.random.default_rng(5)
    crowd, runs = Crowd(4, 0.4), 20_000
    holder = np.ones(runs, dtype=int)
    going = np.ones(runs, dtype=bool)
    while going.any():
        going &= random.random(runs) >= crowd.submit
        holder[going] = random.integers(1, 5, going.sum())
    found = np.bincount(holder, minlength=5)[1:] / runs
    assert found == pytest.approx(crowd.channel().matrix[0], abs=0.015)


def simulated_corruption(crowd, runs, random):
    """Who is seen when member 0 begins: a member's number, or -1 where nobody is."""
    seen = np.full(runs, -1)
    holder = np.zeros(runs, dtype=int)
    going = np.ones(runs, dtype=bool)
    while going.any():
        following = random.integers(0, crowd.members, runs)
        caught = going & (following >= crowd.honest)
        seen[caught] = holder[caught]
        going &= ~caught
        holder[going] = following[going]
        going &= random.random(runs) < crowd.forward
    return seen


def test_a_simulated_crowd_with_corrupted_members_is_seen_as_the_channel_says():
    crowd, runs = CorruptedCrowd(6, 2, 0.7), 40_000
    seen = simulated_corruption(crowd, runs, np.random.default_rng(7))
    found = np.array([*(np.mean(seen == member) for member in range(4)), np.mean(seen == -1)])
    assert found == pytest.approx(crowd.channel().matrix[0], abs=0.01)
    assert np.mean(seen[seen >= 0] == 0) == pytest.approx(crowd.predecessor, abs=0.01)


@given(corrupted_crowds())
def test_whoever_is_seen_is_suspected_as_the_closed_form_says(crowd):
    channel = crowd.channel()
    assert channel.posterior.diagonal() == pytest.approx(crowd.predecessor, abs=1e-9)
    assert channel.marginal[-1] == pytest.approx(1 - crowd.seen, abs=1e-12)
    assert channel.privacy().average == pytest.approx(crowd.privacy, abs=1e-12)
    assert channel.outputs[-1] == UNSEEN


def test_a_message_unseen_tells_nothing():
    prior = [0.5, 0.3, 0.2]
    assert CorruptedCrowd(5, 2, 0.8).channel(prior).posterior[-1] == pytest.approx(prior)


@given(st.integers(1, 8), st.floats(0.55, 0.99))
def test_probable_innocence_begins_at_the_number_of_members_it_takes(corrupted, forward):
    needed = members_for_probable_innocence(corrupted, forward)
    assert CorruptedCrowd(needed, corrupted, forward).probable_innocence
    assert not CorruptedCrowd(needed - 1, corrupted, forward).probable_innocence


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Crowd(0, 0.5), "number of users must be a whole number of at least 1"),
        (lambda: Crowd(2.5, 0.5), "number of users must be a whole number"),
        (lambda: Crowd(3, 0.0), "no message arrives"),
        (lambda: Crowd(3, math.nan), "probability of submitting"),
        (lambda: Crowd(3, 0.5).entropy(-1), "at least 0, or infinite"),
        (lambda: CorruptedCrowd(3, 3, 0.7), "All 3 members would be corrupted"),
        (lambda: CorruptedCrowd(3, 1, 1.0), "might never arrive"),
        (lambda: members_for_probable_innocence(1, 0.5), "No crowd is large enough"),
    ],
)
def test_a_crowd_that_cannot_be_is_refused(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()
