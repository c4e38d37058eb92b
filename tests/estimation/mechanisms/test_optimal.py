from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.mechanisms.optimal import optimal_mechanism
from estimation.channels import epsilon_of

LETTERS = [0, 1, 3]
PRIOR = [0.5, 0.3, 0.2]
few = settings(max_examples=15, deadline=None)


@st.composite
def priors(draw, least=2, most=5):
    weights = draw(st.lists(st.integers(1, 9), min_size=least, max_size=most))
    return np.array(weights) / sum(weights)


@few
@given(prior=priors(), share=st.floats(0, 1.2))
def test_with_one_distortion_for_both_the_best_average_privacy_is_the_budget_or_the_prior_risk(prior, share):
    risk = 1 - prior.max()
    best = optimal_mechanism(prior, loss="hamming", budget=share * risk)
    assert best.value == pytest.approx(min(share, 1) * risk, abs=1e-9)
    assert best.gap < 1e-9


def test_the_same_law_holds_for_absolute_error():
    def best(budget):
        return optimal_mechanism(
            PRIOR, loss="absolute", budget=budget, privacy="absolute", inputs=LETTERS
        ).value

    # By hand: the median 0 is wrong by 0.3 * 1 + 0.2 * 3 on average.
    assert [best(0.2), best(0.9), best(2)] == pytest.approx([0.2, 0.9, 0.9])


@pytest.mark.parametrize("u0", [0.6, 0.75, 0.9, 1.0])
def test_a_fair_bit_keeps_as_much_privacy_as_it_gives_up_utility(u0):
    best = optimal_mechanism([0.5, 0.5], loss="hamming", budget=1 - u0)
    assert best.value == pytest.approx(1 - u0, abs=1e-12)


@pytest.mark.parametrize("goal", ["average", "worst"])
@pytest.mark.parametrize("privacy", ["hamming", "absolute", "squared"])
def test_the_value_is_what_the_returned_channel_gives(goal, privacy):
    best = optimal_mechanism(PRIOR, loss="absolute", budget=0.4, privacy=privacy, goal=goal, inputs=LETTERS)
    reading = best.channel.privacy(privacy)
    assert best.value == pytest.approx(reading.average if goal == "average" else reading.worst, abs=1e-12)
    assert best.loss <= 0.4 + 1e-9
    assert best.gap < 1e-6


def grid_rules(steps):
    """All rules from two letters to two outputs whose probabilities are multiples of 1/steps."""
    for a, b in product(range(steps + 1), repeat=2):
        yield np.array([[a, steps - a], [b, steps - b]]) / steps


@pytest.mark.parametrize("goal", ["average", "worst"])
@pytest.mark.parametrize("privacy", ["hamming", "squared"])
def test_no_rule_on_a_fine_grid_is_better(goal, privacy):
    prior, loss, budget = np.array([0.6, 0.4]), np.array([[0.0, 1.0], [2.0, 0.5]]), 0.5
    best = optimal_mechanism(prior, loss=loss, budget=budget, privacy=privacy, goal=goal)
    reached = []
    for rule in grid_rules(60):
        if float((prior[:, None] * loss * rule).sum()) <= budget:
            reading = Channel(prior, rule).privacy(privacy)
            reached.append(reading.average if goal == "average" else reading.worst)
    assert max(reached) <= best.value + best.gap + 1e-12
    assert max(reached) >= best.value - 0.03


def test_worst_case_privacy_never_beats_average_privacy():
    arguments = {"loss": "squared", "budget": 0.7, "privacy": "hamming", "inputs": LETTERS}
    worst = optimal_mechanism(PRIOR, goal="worst", **arguments)
    assert worst.value <= optimal_mechanism(PRIOR, goal="average", **arguments).value + 1e-9
    assert worst.gap < 1e-8


@pytest.mark.parametrize("goal", ["average", "worst", "information", "epsilon"])
def test_the_price_is_what_a_little_more_budget_buys(goal):
    arguments = {"loss": "absolute", "privacy": "hamming", "goal": goal, "inputs": LETTERS}
    best = optimal_mechanism(PRIOR, budget=0.41, **arguments)
    more = optimal_mechanism(PRIOR, budget=0.4101, **arguments)
    assert best.price > 0
    assert abs(more.value - best.value) / 1e-4 == pytest.approx(best.price, rel=1e-3)


@pytest.mark.parametrize("budget", [0.05, 0.1, 0.25, 0.4])
def test_worst_case_privacy_of_two_equal_secrets_costs_its_own_amount(budget):
    best = optimal_mechanism([0.5, 0.5], loss="hamming", budget=budget, goal="worst")
    # By hand: telling the truth 1 - D of the time loses D and leaves an error of D, and no rule leaves more.
    assert best.value == pytest.approx(budget)
    assert best.price == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize(("loss", "privacy"), [("hamming", "hamming"), ("absolute", "squared")])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_price_of_the_worst_case_is_the_slope_of_what_budgets_reach(loss, privacy, share):
    prior = [0.5, 0.3, 0.2]
    all_of_it = optimal_mechanism(prior, loss=loss, budget=9, privacy=privacy, goal="worst").loss
    budgets = [share * all_of_it, (share + 1e-4) * all_of_it]
    best, more = (
        optimal_mechanism(prior, loss=loss, budget=one, privacy=privacy, goal="worst") for one in budgets
    )
    slope = (more.value - best.value) / (1e-4 * all_of_it)
    assert slope > 0.01
    assert best.price == pytest.approx(slope, rel=1e-2)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_the_best_rule_under_epsilon_for_uniform_letters_is_randomized_response(size, epsilon):
    best = optimal_mechanism(np.full(size, 1 / size), loss="hamming", budget=epsilon, goal="epsilon")
    wrong = (size - 1) / (np.exp(epsilon) + size - 1)
    assert best.value == pytest.approx(wrong, abs=1e-9)
    if epsilon:
        assert best.price == pytest.approx(wrong * (1 - wrong), abs=1e-7)


@pytest.mark.parametrize("distance", ["hamming", "absolute", "squared"])
def test_a_rule_under_epsilon_keeps_every_limit(distance):
    letters = np.array([0.0, 0.1, 0.3, 1.0, 2.5])
    best = optimal_mechanism(
        np.full(5, 0.2), loss="absolute", budget=1.0, privacy=distance, goal="epsilon", inputs=letters
    )
    apart = np.abs(letters[:, None] - letters)
    apart = {"hamming": 1.0 - np.eye(5), "absolute": apart, "squared": apart**2}[distance]
    assert epsilon_of(best.channel.matrix, apart) <= 1 + 1e-12
    assert best.gap < 1e-9


def test_a_system_that_sees_only_a_trace_of_the_secret_is_told_by_the_joint_prior():
    joint = np.array([[0.3, 0.1], [0.2, 0.4]])
    free = optimal_mechanism(joint, loss="hamming", budget=0.0)
    assert free.value == pytest.approx(0.2 + 0.1)
    assert optimal_mechanism(joint, loss="hamming", budget=1.0).value == pytest.approx(0.4)


@pytest.mark.parametrize("goal", ["average", "worst"])
def test_a_budget_that_one_output_keeps_leaves_the_attacker_with_the_prior(goal):
    best = optimal_mechanism(PRIOR, loss="absolute", budget=5, privacy="squared", goal=goal, inputs=LETTERS)
    # By hand: the mean is 0.9, the mean square 2.1.
    assert best.value == pytest.approx(2.1 - 0.81)
    assert (best.price, best.gap) == (0, 0)


def test_an_input_that_never_occurs_does_no_harm():
    for goal in ("average", "worst", "information", "epsilon"):
        best = optimal_mechanism([0.5, 0.0, 0.5], loss="hamming", budget=0.2, goal=goal)
        assert np.allclose(best.channel.matrix.sum(axis=1), 1)
        assert best.gap < 1e-9


def test_an_infeasible_budget_names_the_smallest_feasible_one():
    with pytest.raises(ParameterError, match=r"smallest feasible budget is 0\.5"):
        optimal_mechanism([0.5, 0.5], loss=[[0, 1], [1, 1]], budget=0.3)
    assert optimal_mechanism([0.5, 0.5], loss=[[0, 1], [1, 1]], budget=0.5).gap < 1e-9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"budget": -1.0}, "at least 0"),
        ({"budget": float("nan")}, "at least 0"),
        ({"goal": "averag"}, "Did you mean 'average'"),
        ({"loss": "haming"}, "Did you mean 'hamming'"),
        ({"loss": [[0, 1]]}, "1 rows where there are 2"),
        ({"privacy": [[0, 1]]}, "1 rows"),
        ({"secrets": ["a", "b"]}, "joint prior"),
        ({"goal": "epsilon", "privacy": [[0, 0], [0, 0]]}, "distance above zero"),
    ],
)
def test_what_makes_no_sense_is_refused(change, says):
    with pytest.raises(ParameterError, match=says):
        optimal_mechanism([0.5, 0.5], **{"loss": "hamming", "budget": 0.1} | change)


@pytest.mark.parametrize("letters", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_many_letters_are_no_trouble(letters):
    prior = np.arange(1, letters + 1) / np.arange(1, letters + 1).sum()
    best = optimal_mechanism(prior, loss="absolute", budget=3.0)
    assert best.gap < 1e-8
    assert best.loss <= 3 + 1e-9
