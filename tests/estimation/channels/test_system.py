"""A system between the secret and the attacker: X is not X', and Y is not Y'."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.channels.system import System
from estimation.channels import channels, rows, stochastic


@given(channels())
def test_a_system_fed_the_secret_itself_and_seen_as_it_is_is_a_channel(channel):
    system = System(np.diag(channel.prior), channel.matrix)
    assert system.channel.joint == pytest.approx(channel.joint, abs=1e-15)
    assert system.distortion() == pytest.approx(channel.distortion())


def test_the_secret_shows_through_an_input_that_depends_on_it():
    # By hand: p(x, y') = sum over x' of p(x, x') p(y'|x').
    system = System([[0.5, 0.125], [0.125, 0.25]], [[0.75, 0.25], [0.25, 0.75]])
    expected = [[0.5 * 0.75 + 0.125 * 0.25, 0.5 * 0.25 + 0.125 * 0.75], [0.15625, 0.21875]]
    assert system.channel.joint == pytest.approx(np.array(expected))
    # The distortion is that of X' -> Y', not of X -> Y'.
    assert system.distortion() == pytest.approx(0.25)


def test_an_input_that_has_nothing_to_do_with_the_secret_tells_nothing():
    system = System(np.outer([0.6, 0.4], [0.3, 0.7]), np.eye(2))
    privacy = system.channel.privacy()
    assert privacy.average == pytest.approx(privacy.prior)
    assert system.distortion() == 0


@st.composite
def systems(draw):
    x, inputs, decisions, seen = (draw(st.integers(1, 3)) for _ in range(4))
    prior = np.array(rows(draw, x, inputs), dtype=float)
    rule, observation = (stochastic(rows(draw, a, b)) for a, b in ((inputs, decisions), (decisions, seen)))
    return prior / prior.sum(), rule, observation, stochastic(rows(draw, x, 2))


@given(systems())
def test_the_joint_distribution_is_the_sum_over_all_that_lies_between(parts):
    prior, rule, observation, background = parts
    system = System(prior, rule, observation)
    expected = np.einsum("xi,ij,jy->xy", prior, rule, observation)
    assert system.channel.joint == pytest.approx(expected, abs=1e-12)
    known = System(prior, rule, observation, background).channel
    pairs = np.einsum("xy,xb->xyb", expected, background).reshape(len(prior), -1)
    assert known.joint == pytest.approx(pairs, abs=1e-12)


@given(systems())
def test_a_blurred_view_never_lowers_privacy_and_background_never_raises_it(parts):
    prior, rule, observation, background = parts
    clear, blurred = System(prior, rule).channel.privacy(), System(prior, rule, observation).channel.privacy()
    informed = System(prior, rule, observation, background).channel.privacy()
    assert blurred.average >= clear.average - 1e-12
    assert informed.average <= blurred.average + 1e-12


def test_background_is_observed_beside_what_the_system_shows():
    system = System(np.diag([0.5, 0.5]), [[1], [1]], background=[[0.75, 0.25], [0.25, 0.75]], decisions=["-"])
    assert system.channel.outputs == (("-", 0), ("-", 1))
    assert system.channel.privacy().average == 0.25


def test_names_are_those_of_unknowns_and_decisions():
    system = System(np.diag([0.5, 0.5]), np.eye(2), unknowns=["a", "b"], inputs=[0, 10], decisions=[0, 9])
    assert (system.channel.inputs, system.channel.outputs) == (("a", "b"), (0, 9))
    assert system.distortion("absolute") == 0.5


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"prior": [[0.5, 0.6]]}, "The prior adds up to 1.1 instead of 1"),
        ({"rule": [[1, 0]]}, "There are 2 columns of the prior, and the rule has 1 rows"),
        ({"rule": [[1, 1], [0, 1]]}, "The rule: row 0 .* adds up to 2 instead of 1"),
        ({"observation": [[1]]}, "There are 2 columns of the rule, and the observation has 1 rows"),
        ({"background": [[1]]}, "There are 2 rows of the prior, and the background has 1 rows"),
    ],
)
def test_parts_that_do_not_meet_are_refused(parts, sentence):
    with pytest.raises(ParameterError, match=sentence):
        System(**{"prior": np.diag([0.5, 0.5]), "rule": np.eye(2), **parts})
