from __future__ import annotations

import json
import math
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.estimation.mechanisms import rate_distortion
from divulge.estimation.mechanisms.optimal import optimal_mechanism


def entropy(p):
    return -sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)


def least(prior, budget, loss="hamming"):
    return optimal_mechanism(prior, loss=loss, budget=budget, goal="information")


@pytest.mark.parametrize("p", [0.5, 0.3, 0.11])
@pytest.mark.parametrize("budget", [0.0, 1e-6, 0.01, 0.1])
def test_a_bit_is_told_down_to_the_entropy_of_the_budget(p, budget):
    best = least([1 - p, p], budget)
    assert best.value == pytest.approx(entropy(p) - entropy(budget), abs=1e-9)
    assert best.gap < 1e-9
    if budget:
        assert best.price == pytest.approx(math.log2((1 - budget) / budget), rel=1e-5)


@pytest.mark.parametrize("size", [2, 4, 8, 60])
@pytest.mark.parametrize("budget", [0.0, 0.25, 0.3])
def test_uniform_letters_under_hamming(size, budget):
    closed = math.log2(size) - entropy(budget) - budget * math.log2(size - 1)
    assert least(np.full(size, 1 / size), budget).value == pytest.approx(closed, abs=1e-9)


def test_a_budget_that_a_constant_keeps_tells_nothing():
    best = least([0.7, 0.3], 0.3)
    assert (best.value, best.price, best.gap) == (0, 0, 0)


@pytest.mark.parametrize("loss", ["hamming", "absolute", "squared"])
def test_every_rate_is_certified(loss):
    rng = np.random.default_rng(5)
    prior = rng.dirichlet(np.ones(25))
    for budget in (0.0, 0.05, 0.4, 3.0):
        best = least(prior, budget, loss)
        assert best.gap < 1e-9
        assert best.loss <= budget + 1e-9


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.floats(0, 0.6))
def test_a_secret_seen_through_a_channel_has_a_certified_least_information(seed, budget):
    joint = np.random.default_rng(seed).dirichlet(np.full(12, 0.4)).reshape(3, 4)
    best = least(joint, budget)
    assert best.gap < 1e-8
    assert best.loss <= budget + 1e-9
    told = joint @ best.channel.matrix
    independent = told.sum(axis=1, keepdims=True) * told.sum(axis=0)
    some = told > 0
    assert best.value == pytest.approx((told[some] * np.log2(told[some] / independent[some])).sum(), abs=1e-9)


def test_no_random_rule_within_the_budget_tells_less_about_a_remote_secret():
    rng = np.random.default_rng(2)
    joint = rng.dirichlet(np.ones(6)).reshape(2, 3)
    best = least(joint, 0.3)
    rules = rng.dirichlet(np.full(3, 0.5), size=(20000, 3))
    wrong = 1 - np.einsum("i,rii->r", joint.sum(axis=0), rules)
    told = np.einsum("xi,riy->rxy", joint, rules[wrong <= 0.3])
    independent = told.sum(axis=2, keepdims=True) * told.sum(axis=1, keepdims=True)
    rates = np.where(told > 0, told * np.log2(np.maximum(told, 1e-300) / independent), 0).sum(axis=(1, 2))
    assert len(rates) > 100
    assert best.value <= rates.min()


def test_a_secret_that_the_input_is_a_function_of_gives_the_plain_problem():
    joint = np.array([[0.2, 0.0], [0.3, 0.0], [0.0, 0.5]])
    assert least(joint, 0.1).value == pytest.approx(1 - entropy(0.1), abs=1e-9)


def test_the_published_figures_come_out():
    records = json.loads((Path(__file__).parents[2] / "golden" / "estimation_error.json").read_text())
    read = 0
    for record in records:
        if record["id"].startswith("ee.rd.binary"):
            prior, budget = record["params"].get("prior", [0.5, 0.5]), record["params"]["D"]
            assert least(prior, budget).value == pytest.approx(record["computed"], abs=1e-9)
            read += 1
    assert read == 13


@pytest.mark.parametrize("kind", ["absolute", "random"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.95])
def test_of_many_outputs_those_in_use_are_found_without_all_of_them(kind, share):
    rng = np.random.default_rng(5)
    letters = 60
    prior = rng.dirichlet(np.ones(letters))
    places = np.arange(letters)
    distances = np.abs(places[:, None] - places) / letters if kind == "absolute" else rng.random((60, 60))
    least = prior @ distances.min(axis=1)
    budget = least + share * ((prior @ distances).min() - least)
    found = []
    for many in (10, 1000):
        with patch.multiple(rate_distortion, MANY=many, SOME=12):
            found.append(optimal_mechanism(prior, loss=distances, goal="information", budget=budget))
    some, all_at_once = found
    assert some.gap < 1e-10
    assert some.value == pytest.approx(all_at_once.value, abs=1e-10)
    assert some.price == pytest.approx(all_at_once.price, rel=1e-5)
    assert some.loss <= budget * (1 + 1e-12)


def problem(kind, letters=40):
    """A prior with light letters, and losses whose outputs are alike as neighbours, or are not."""
    rng = np.random.default_rng(11)
    places = np.arange(letters) / letters
    losses = {
        "absolute": np.abs(places[:, None] - places),
        "squared": (places[:, None] - places) ** 2,
        "hamming": 1 - np.eye(letters),
        "random": rng.random((letters, letters)),
    }[kind]
    return rng.dirichlet(np.full(letters, 0.5)), losses


@pytest.mark.parametrize("kind", ["absolute", "squared", "hamming", "random"])
@pytest.mark.parametrize("share", [0.05, 0.4, 0.97])
@pytest.mark.parametrize("thin", [rate_distortion.THIN, 0.1])
def test_outputs_left_on_the_way_and_a_start_nearby_change_nothing(kind, share, thin):
    prior, losses = problem(kind)
    least = prior @ losses.min(axis=1)
    budget = least + share * ((prior @ losses).min() - least)
    with patch.multiple(rate_distortion, THIN=thin):  # so many at 0.1 that some are missed
        found = optimal_mechanism(prior, loss=losses, goal="information", budget=budget)
    with patch.multiple(rate_distortion, THIN=0.0, FEW_STEPS=0):
        slowly = optimal_mechanism(prior, loss=losses, goal="information", budget=budget)
    assert found.gap < 1e-10
    assert found.value == pytest.approx(slowly.value, abs=1e-10)
    assert found.price == pytest.approx(slowly.price, rel=1e-6)
    assert found.loss <= budget * (1 + 1e-12)


@pytest.mark.parametrize("share", [0.99, 0.9999])
@pytest.mark.parametrize("kind", ["absolute", "squared", "hamming", "random"])
def test_rates_near_nothing_are_certified_as_well(kind, share):
    prior, losses = problem(kind)
    best = optimal_mechanism(prior, loss=losses, goal="information", budget=share * (prior @ losses).min())
    assert best.gap < 1e-10


def test_letters_that_hardly_occur_leave_a_system_that_rounding_spoils_and_are_told_of():
    rng = np.random.default_rng(286)
    rng.integers(2, 60), rng.integers(1, 60), rng.choice([0.03, 0.2, 1, 10])
    prior = rng.dirichlet(np.full(19, 0.03))  # some probabilities are below 1e-12
    rng.integers(6), rng.random(19), rng.random(26)
    losses = rng.integers(0, 4, (19, 26)).astype(float)
    best = least(prior, prior @ losses.min(axis=1), losses)
    assert 0 <= best.gap < 1e-4
