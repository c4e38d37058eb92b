"""Differential privacy by exact computation: what two tables that differ by one record may release."""

import math
from importlib import import_module
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import divulge as dv
from divulge.mechanisms.synthesis.private_noise import noisy_choice, noisy_counts

pytest.importorskip("opendp")
COUNTS, RECORDS = (
    import_module(f"divulge.mechanisms.synthesis.{name}") for name in ("private_counts", "private_records")
)
CELLS = ("a", "b", "other")
SLACK = 1 + 1e-9


def discrete_laplace(count, outcome, epsilon, *, floor):
    """P(outcome) of a count with noise of scale 1 / epsilon; with a floor, all below 0 is 0."""
    alpha = math.exp(-epsilon)
    if floor and outcome == 0:  # all noise of -count and less
        return alpha**count / (1 + alpha) if count >= 0 else 1.0
    return (1 - alpha) / (1 + alpha) * alpha ** abs(outcome - count)


def counted(values, epsilon, monkeypatch, nonnegative=True):
    """The counts that a step hands to the noise, and what is asked of the noise."""
    handed = []

    def no_noise(counts, epsilon):
        handed.append((tuple(counts), epsilon))
        return list(counts), epsilon

    step = {"mechanism": "private_counts", "attributes": ["x"], "epsilon": epsilon}
    with monkeypatch.context() as patched:
        patched.setattr(COUNTS, "noisy_counts", no_noise)
        dv.transform({"x": values}, [{**step, "domains": {"x": ["a", "b"]}, "nonnegative": nonnegative}])
    [found] = handed
    return found


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("floor", [True, False])
def test_one_record_changes_no_release_by_more_than_its_epsilon(monkeypatch, epsilon, floor):
    least = 0 if floor else -2
    for table in combinations_with_replacement(("a", "b", "c"), 2):
        one, asked = counted(list(table), epsilon, monkeypatch, floor)
        assert asked == epsilon
        for more in ("a", "b", "c"):
            other, _ = counted([*table, more], epsilon, monkeypatch, floor)
            for outcome in product(range(least, 4), repeat=len(CELLS)):
                p, q = (
                    math.prod(
                        discrete_laplace(count, seen, epsilon, floor=floor)
                        for count, seen in zip(counts, outcome, strict=True)
                    )
                    for counts in (one, other)
                )
                assert max(p / q, q / p) <= math.exp(epsilon) * SLACK


def test_noise_is_drawn_as_it_is_computed():
    drawn, spent = noisy_counts([3] * 4000, 0.8)
    assert spent <= 0.8
    for outcome in range(6):
        share = discrete_laplace(3, outcome, 0.8, floor=False)
        assert np.mean(np.asarray(drawn) == outcome) == pytest.approx(
            share, abs=5 * math.sqrt(share * (1 - share) / 4000)
        )


def test_a_choice_and_all_parts_together_spend_no_more_than_is_allowed(monkeypatch):
    spent = []

    def noted(function):
        def asked(*given):
            found, epsilon = function(*given)
            spent.append(epsilon)
            return found, epsilon

        return asked

    monkeypatch.setattr(RECORDS, "noisy_counts", noted(noisy_counts))
    monkeypatch.setattr(RECORDS, "noisy_choice", noted(noisy_choice))
    table = {"x": ["a", "b"] * 20, "y": ["a", "b"] * 20, "z": ["b", "a"] * 20}
    domains = {name: ["a", "b"] for name in table}
    step = {"mechanism": "private_records", "attributes": list(table), "epsilon": 1.5, "domains": domains}
    found = dv.transform(table, [step])
    assert len(spent) == 3 + 2 + 2  # attributes, choices of two pairs, pairs
    assert sum(spent) <= 1.5
    assert sum(spent) == pytest.approx(1.5, rel=1e-6)
    [promise] = found.manifest.promises
    assert (promise.name, promise.value) == ("epsilon", 1.5)
