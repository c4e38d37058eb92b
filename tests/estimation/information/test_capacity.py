from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.estimation.channels.channel import Channel
from divulge.estimation.information.capacity import capacity
from divulge.estimation.information.leakage import maximal_leakage, mutual_information


def h(p: float) -> float:
    return 0.0 if p in (0, 1) else -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def certified(found, exactly):
    """The bounds enclose the value, up to rounding."""
    return found.value - 1e-12 <= exactly <= found.value + found.gap + 1e-12


@st.composite
def matrices(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    inputs, outputs = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    matrix = rng.dirichlet([draw(st.sampled_from([0.03, 0.3, 3, 300]))] * outputs, inputs)
    matrix[matrix < draw(st.sampled_from([0, 0.05]))] = 0
    return matrix / matrix.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("p", [0, 1e-6, 0.1, 0.25, 0.499, 0.5])
def test_a_binary_symmetric_channel_carries_one_bit_less_the_entropy_of_its_error(p):
    found = capacity([[1 - p, p], [p, 1 - p]])
    assert found.gap < 1e-10
    assert certified(found, 1 - h(p))


@pytest.mark.parametrize("p", [1e-6, 0.1, 0.5, 0.9, 0.999])
def test_a_z_channel_by_its_closed_form(p):
    found = capacity([[1, 0], [p, 1 - p]])
    assert found.gap < 1e-10
    assert certified(found, math.log2(1 + (1 - p) * p ** (p / (1 - p))))


@pytest.mark.parametrize("p", [0, 0.2, 0.9, 1])
@pytest.mark.parametrize("inputs", [2, 7])
def test_an_erasure_channel_carries_what_is_not_erased(inputs, p):
    matrix = np.hstack([(1 - p) * np.eye(inputs), np.full((inputs, 1), p)])
    found = capacity(matrix)
    assert certified(found, (1 - p) * math.log2(inputs))
    assert found.gap < 1e-10


def test_a_noisy_typewriter_uses_every_other_key():
    matrix = (np.eye(26) + np.roll(np.eye(26), 1, axis=1)) / 2
    assert capacity(matrix).value == pytest.approx(math.log2(13))


def test_an_input_that_only_blurs_is_left_unused():
    found = capacity([[1, 0], [0, 1], [0.5, 0.5]])
    assert found.value == pytest.approx(1)
    assert found.distribution == pytest.approx([0.5, 0.5, 0], abs=1e-5)


def test_a_channel_that_tells_nothing_or_has_one_input_carries_nothing():
    assert capacity([[0.3, 0.7, 0], [0.3, 0.7, 0]]).value == pytest.approx(0, abs=1e-15)
    assert capacity([[1.0]]).value == 0


def test_the_prior_of_a_channel_does_not_matter():
    matrix = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.3, 0.6]]
    assert capacity(Channel([0.9, 0.1, 0], matrix)).value == capacity(matrix).value


def test_a_gap_that_rounding_does_not_allow_is_reported_as_it_is():
    found = capacity([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.3, 0.6]], gap=1e-300)
    assert found.gap < 1e-13


@pytest.mark.parametrize("sharpness", [0.05, 1])
def test_many_random_inputs_are_certified_within_a_billionth_of_a_bit(sharpness):
    matrix = np.random.default_rng(0).dirichlet([sharpness] * 100, 310)
    found = capacity(matrix)
    assert 0 <= found.gap < 1e-9
    assert mutual_information(Channel(found.distribution, matrix)) == pytest.approx(found.value, abs=1e-12)


def test_many_inputs_that_all_matter_are_certified_as_well():
    away = np.abs(np.arange(310)[:, None] - np.arange(310))
    for weight in (0.5**away, np.exp(-((away / 8) ** 2))):
        assert capacity(weight / weight.sum(axis=1, keepdims=True)).gap < 1e-9


@given(matrices())
def test_every_channel_is_certified_and_its_distribution_reaches_the_value(matrix):
    found = capacity(matrix)
    assert 0 <= found.gap < 1e-9
    assert found.distribution.sum() == pytest.approx(1, abs=1e-12)
    assert (found.distribution >= 0).all()
    reached = mutual_information(found.distribution[:, None] * matrix)
    assert reached == pytest.approx(found.value, abs=1e-9)


@given(matrices(), st.integers(0, 99))
def test_no_prior_tells_more_than_the_capacity_and_that_no_more_than_maximal_leakage(matrix, seed):
    rng = np.random.default_rng(seed)
    found = capacity(matrix)
    told = mutual_information(Channel(rng.dirichlet(np.full(len(matrix), 0.5)), matrix))
    assert told <= found.value + found.gap + 1e-12
    assert found.value <= maximal_leakage(matrix) + 1e-12


@given(matrices(), st.integers(0, 99))
def test_processing_the_output_never_raises_the_capacity(matrix, seed):
    blur = np.random.default_rng(seed).dirichlet([0.5] * 3, matrix.shape[1])
    before, after = capacity(matrix), capacity(matrix @ blur)
    assert after.value <= before.value + before.gap + 1e-12


@pytest.mark.parametrize(
    ("matrix", "gap", "said"),
    [([[0.5, 0.4]], 1e-9, "instead of 1"), ([0.5, 0.5], 1e-9, "dimensions"), ([[1.0]], 0, "above 0")],
)
def test_what_is_no_channel_is_refused(matrix, gap, said):
    with pytest.raises(ParameterError, match=said):
        capacity(matrix, gap=gap)
