import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.information.entropy import shannon_entropy
from divulge.estimation.scenarios.anonymity import edman, edman_possible
from divulge.estimation.scenarios.correspondence import permanent
from divulge.estimation.scenarios.mixes import (
    INSIDE,
    Mix,
    pool_mix,
    pool_mix_entropy,
    threshold_mix,
    timed_mix,
)


@st.composite
def mixes(draw):
    """Up to three flushes of up to eight messages."""
    pool = inside = draw(st.integers(0, 2))
    arrivals, departures = [], []
    for _ in range(draw(st.integers(1, 3))):
        arrivals.append(draw(st.integers(0, 2)))
        inside += arrivals[-1]
        departures.append(draw(st.integers(0, inside)))
        inside -= departures[-1]
    if not sum(departures):
        arrivals.append(1)
        departures.append(1)
    return Mix(tuple(arrivals), tuple(departures), pool)


def run(mix, random):
    """The inputs in the order in which one run of the mix lets them out."""
    inside, following, out = list(range(mix.pool)), mix.pool, []
    for came, leaving in zip(mix.arrivals, mix.departures, strict=True):
        inside += range(following, following + came)
        following += came
        picked = random.permutation(inside)[:leaving].tolist()
        out += picked
        inside = [message for message in inside if message not in picked]
    return out


@given(mixes())
def test_links_and_entropy_are_those_of_all_correspondences_listed(mix):
    possible = mix.links > 0
    total, links = permanent(possible), np.zeros(possible.shape)
    for row, column in zip(*np.nonzero(possible), strict=True):
        others = np.delete(np.delete(possible, row, 0), column, 1)
        links[row, column] = (permanent(others) if others.size else 1) / total
    assert mix.links == pytest.approx(links)
    assert mix.entropy == pytest.approx(math.log2(total), abs=1e-9)
    assert mix.privacy == pytest.approx(1 - 1 / total, abs=1e-9)
    assert mix.link_privacy == pytest.approx(1 - links.max(axis=0).mean(), abs=1e-9)


@given(mixes())
def test_the_posterior_of_the_channel_is_the_links(mix):
    channel, outputs = mix.channel, sum(mix.departures)
    assert mix.links == pytest.approx(channel.posterior[:outputs].T)
    assert (channel.outputs[-1] == INSIDE) == (len(channel.outputs) > outputs)


@given(mixes())
def test_the_degree_is_the_combinatorial_one_of_the_links_once_all_have_left(mix):
    emptied = mix.emptied()
    assert emptied.left_over == 0
    assert emptied.links.sum(axis=1) == pytest.approx(1)
    assert mix.degree == pytest.approx(edman_possible(emptied.links > 0), abs=1e-9)


def test_a_simulated_pool_mix_links_as_computed():
    mix, random, runs = Mix((2, 1, 2), (2, 2, 1), pool=1), np.random.default_rng(11), 8_000
    found = np.zeros_like(mix.links)
    for _ in range(runs):
        found[run(mix, random), range(5)] += 1 / runs
    assert found == pytest.approx(mix.links, abs=0.025)


def test_a_threshold_mix_hides_a_message_in_its_batch_only():
    mix = threshold_mix(messages=5, threshold=2)
    assert mix.links.tolist() == [
        [0.5, 0.5, 0, 0],
        [0.5, 0.5, 0, 0],
        [0, 0, 0.5, 0.5],
        [0, 0, 0.5, 0.5],
        [0, 0, 0, 0],
    ]
    assert mix.entropy == pytest.approx(2)
    assert mix.privacy == pytest.approx(3 / 4)
    assert mix.link_privacy == 0.5
    assert mix.channel.inputs == ("1.1", "1.2", "2.1", "2.2", "3.1")
    assert mix.channel.outputs == ("1.1", "1.2", "2.1", "2.2", "inside")


def test_one_batch_of_a_threshold_mix_has_the_full_combinatorial_degree_and_two_have_less():
    assert edman(threshold_mix(4, 4).links) == pytest.approx(1)
    # Two batches of two: per = (1/2)^2, against 4!/4^4 = 3/32.
    assert edman(threshold_mix(4, 2).links) == pytest.approx(math.log(1 / 4) / math.log(3 / 32))


def test_a_pool_mix_links_to_earlier_rounds_ever_less():
    # Three come to a pool of one: a quarter stays at each flush.
    links = pool_mix(rounds=3, threshold=3, pool=1).links
    assert links[:, -1] == pytest.approx([1 / 64, *[1 / 64] * 3, *[1 / 16] * 3, *[1 / 4] * 3])


@pytest.mark.parametrize(("threshold", "pool"), [(1, 3), (2, 2), (10, 1), (5, 0)])
def test_the_sender_of_a_message_is_as_uncertain_as_serjantov_and_danezis_say_in_the_long_run(
    threshold, pool
):
    last = pool_mix(120, threshold, pool).links[:, -1]
    assert shannon_entropy(last) == pytest.approx(pool_mix_entropy(threshold, pool), abs=1e-9)


def test_a_timed_mix_sends_together_what_came_between_two_flushes():
    mix = timed_mix([0.0, 0.4, 1.0, 1.2, 3.7], interval=1.0)
    assert mix.arrivals == mix.departures == (3, 1, 1)
    assert mix.privacy == pytest.approx(1 - 1 / 6)
    # 1.1 / 0.1 comes out just above 11, and the message goes with the eleventh flush all the same.
    assert timed_mix([1.05, 1.1], interval=0.1).arrivals == (2,)
    assert timed_mix([0.4, 1.2], interval=1.0, pool=1).links[:, 1] == pytest.approx([1 / 4, 1 / 4, 1 / 2])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Mix((1,), (2,)), "At 1 flushes more messages leave than are inside"),
        (lambda: Mix((1, 1), (1,)), "2 counts of arrivals and 1 of departures"),
        (lambda: threshold_mix(3, 4), "No message leaves"),
        (lambda: threshold_mix(3, 0), "threshold must be a whole number of at least 1"),
        (lambda: pool_mix(2, 2, -1), "at least 0"),
        (lambda: timed_mix([1.0, 0.5], 1.0), "must be sorted"),
        (lambda: timed_mix([], 1.0), "at least one of them"),
        (lambda: timed_mix([1.0], 0.0), "interval must be a finite number above 0"),
    ],
)
def test_a_mix_that_cannot_be_is_refused(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()
