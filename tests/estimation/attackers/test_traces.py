"""Traces of a secret that moves: all ways one by one, closed forms, and laws."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.attackers.traces import HiddenMarkov
from divulge.estimation.channels.channel import Channel
from divulge.estimation.channels.distortion import Matrix
from estimation.channels import rows, stochastic


def near(value):
    return pytest.approx(value, abs=1e-11, rel=1e-9)


@st.composite
def watched(draw):
    """A model of two or three states, and observations that can occur under it."""
    states, outputs, steps = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 5))
    parts = (rows(draw, 1, states)[0], rows(draw, states, states), rows(draw, states, outputs))
    model = HiddenMarkov(*(stochastic(part) for part in parts))
    state, observed = model.initial, []
    for _ in range(steps):
        y = draw(st.sampled_from(np.flatnonzero(state @ model.emission).tolist()))
        state = (state * model.emission[:, y]) @ model.transition
        observed.append(y)
    return model, observed


def all_ways(model, observed):
    """p(way, observations) for every way through the states."""
    found = {}
    for way in product(range(len(model.states)), repeat=len(observed)):
        chance = model.initial[way[0]]
        for before, after in pairwise(way):
            chance *= model.transition[before, after]
        for state, y in zip(way, observed, strict=True):
            chance *= model.emission[state, y]
        found[way] = float(chance)
    return found


def by_step(ways, steps, states):
    """The share of each state at each step."""
    shares = np.zeros((steps, states))
    for way, chance in ways.items():
        shares[np.arange(steps), list(way)] += chance
    return shares / shares.sum(axis=1, keepdims=True)


@given(watched())
def test_beliefs_about_steps_are_those_over_all_ways(watching):
    model, observed = watching
    trace, ways = model.trace(observed), all_ways(model, observed)
    assert trace.log2_likelihood == near(math.log2(sum(ways.values())))
    assert trace.posterior == near(by_step(ways, len(observed), len(model.states)))
    for t in range(1, len(observed) + 1):
        so_far = by_step(all_ways(model, observed[:t]), t, len(model.states))
        assert trace.filtered[t - 1] == near(so_far[-1])


@given(watched())
def test_the_most_likely_way_and_the_entropy_are_those_over_all_ways(watching):
    model, observed = watching
    trace, ways = model.trace(observed), all_ways(model, observed)
    total = sum(ways.values())
    assert ways[trace.path] == near(max(ways.values()))
    assert trace.path_error == near(1 - max(ways.values()) / total)
    shares = [chance / total for chance in ways.values() if chance]
    assert trace.entropy == near(-sum(p * math.log2(p) for p in shares))


@given(watched(), st.data())
def test_privacy_of_a_step_is_the_least_distortion_over_all_estimates(watching, data):
    model, observed = watching
    states = len(model.states)
    distances = np.array(rows(data.draw, states, data.draw(st.integers(1, 3))), dtype=float)
    matrix = Matrix(distances, [f"estimate {i}" for i in range(distances.shape[1])])
    beliefs = by_step(all_ways(model, observed), len(observed), states)
    privacy = model.trace(observed).privacy(matrix)
    assert privacy.steps == near((beliefs @ distances).min(axis=1))
    chosen = [matrix.candidates(model.states).index(one) for one in privacy.estimates]
    assert (beliefs @ distances)[np.arange(len(observed)), chosen] == near(privacy.steps)
    assert (privacy.worst, privacy.best) == (privacy.steps.min(), privacy.steps.max())


def test_states_without_memory_are_estimated_step_by_step():
    channel = Channel([0.6, 0.4], [[0.8, 0.2], [0.3, 0.7]], inputs=["home", "work"], outputs=["h", "w"])
    trace = HiddenMarkov.of_channel(channel, np.tile(channel.prior, (2, 1))).trace(["h", "w", "w"])
    alone = channel.posterior[[0, 1, 1]]
    assert trace.posterior == near(alone)
    assert trace.filtered == near(alone)
    assert trace.path == ("home", "work", "work")
    assert trace.privacy().steps == near(channel.privacy().conditional[[0, 1, 1]])


def test_a_secret_that_never_moves_is_one_unknown_observed_again_and_again():
    channel = Channel([0.5, 0.3, 0.2], [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]])
    observed = [0, 1, 1, 2, 1]
    trace = HiddenMarkov.of_channel(channel, np.eye(3)).trace(observed)
    joint = channel.prior * channel.matrix[:, observed].prod(axis=1)
    believed = joint / joint.sum()
    assert trace.posterior == near(np.tile(believed, (5, 1)))
    assert trace.path_error == near(1 - believed.max())


def test_a_detour_seen_once_is_held_for_an_error():
    moves = HiddenMarkov([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.75, 0.25], [0.25, 0.75]])
    trace = moves.trace([0, 0, 1, 0, 0])
    assert trace.path == (0, 0, 0, 0, 0)
    assert trace.privacy().estimates == (0, 0, 0, 0, 0)
    assert trace.privacy().best == trace.privacy().steps[2]


def test_the_likeliest_way_may_differ_from_the_likeliest_states():
    # From a the way splits three ways with 0.4 : 0.3 : 0.3, of which the latter two come together in d.
    transition = np.zeros((5, 5))
    transition[0, 1:4] = 0.4, 0.3, 0.3
    transition[1, 1] = transition[2, 4] = transition[3, 4] = transition[4, 4] = 1
    model = HiddenMarkov([1, 0, 0, 0, 0], transition, np.ones((5, 1)), states=list("abcde"))
    trace = model.trace([0, 0, 0])
    assert trace.path == ("a", "b", "b")
    assert trace.privacy().estimates == ("a", "b", "e")
    assert trace.path_error == near(0.6)


def test_hindsight_sees_what_the_moment_did_not():
    # Only b shows itself, half of the time, and whoever is in b has been there all along.
    model = HiddenMarkov([0.5, 0.5], [[1, 0], [0.5, 0.5]], [[1, 0], [0.5, 0.5]], outputs=["?", "b"])
    trace = model.trace(["?", "b"])
    assert trace.privacy().steps == near([0, 0])
    assert trace.privacy(hindsight=False).steps == near([1 / 3, 0])


def test_a_state_that_seemed_out_of_the_question_comes_back():
    # After 3000 steps one state is 10^3000 times likelier, and then it is impossible.
    model = HiddenMarkov([0.5, 0.5], np.eye(2), [[0.9, 0.1, 0], [0.09, 0.1, 0.81]])
    trace = model.trace([0] * 3000 + [2])
    assert trace.posterior[0] == near([0, 1])
    assert trace.filtered[-2] == near([1, 0])
    assert trace.path == (1,) * 3001


def test_distances_between_places_are_judged_step_by_step():
    corridor = [[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]]
    model = HiddenMarkov([0, 1, 0], corridor, np.ones((3, 1)), states=[0, 10, 20])
    squared = model.trace([0, 0]).privacy("squared")
    assert squared.steps == near([0, 50])
    assert squared.average == near(25)
    assert squared.estimates == (10, 10)


def test_improper_models_and_traces_are_refused():
    with pytest.raises(ParameterError, match=r"transition matrix: row 1 .* adds up to 0\.9"):
        HiddenMarkov([0.5, 0.5], [[1, 0], [0.5, 0.4]], np.eye(2))
    with pytest.raises(ParameterError, match="2 states, the transition matrix 1 rows and 2 columns"):
        HiddenMarkov([0.5, 0.5], [[0.5, 0.5]], np.eye(2))
    model = HiddenMarkov([0.5, 0.5], np.eye(2), np.eye(2))
    with pytest.raises(ParameterError, match="first 2 of 3 observations cannot occur together"):
        model.trace([0, 1, 1])
    with pytest.raises(ParameterError, match="1 of the 2 observations"):
        model.trace([0, "secret"])
    with pytest.raises(ParameterError, match="no steps"):
        model.trace([])
