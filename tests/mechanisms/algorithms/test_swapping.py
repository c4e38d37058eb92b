"""Swapping: values move within bounds and none is lost; as far as sdcMicro moves them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.swapping import random_swap_rows, rank_swap_rows
from divulge.mechanisms.algorithms.targeted_swapping import targeted_swap_rows
from peer_data import sdcmicro_table

CHANCES = st.floats(0, 1, exclude_max=True, width=32)
#: sdcMicro 5.8.1, rankSwap(P = 0.01, TopPercent = 0, BottomPercent = 0), 20 seeds: mean and standard
#: deviation of the share of values changed, of sum |x - x'| / (sqrt 2 sd), and of the mean difference of
#: correlations.
PEER = {"changed": (0.85975, 0.00317), "moved": (293.71, 6.47), "correlation": (0.00466, 0.00104)}


def pairs(rows):
    """Whether records exchange values: who has it from another gives its own to that one."""
    return rows[rows].tolist() == list(range(len(rows)))


@given(rows=st.lists(st.tuples(st.integers(0, 9), CHANCES), min_size=2, max_size=40), data=st.data())
def test_rank_swapping_keeps_frequencies_and_moves_ranks_within_the_window(rows, data):
    values, uniforms = (np.array(side) for side in zip(*rows, strict=True))
    percent = data.draw(st.floats(101 / len(rows), 100))
    partners = rank_swap_rows(values, percent, uniforms)
    assert pairs(partners)
    assert sorted(values[partners]) == sorted(values)
    rank = np.empty(len(values), int)
    rank[np.argsort(values, kind="stable")] = np.arange(len(values))
    assert np.abs(rank[partners] - rank).max() <= percent * len(values) / 100


def test_rank_swapping_by_hand():
    """Window 2: 10 draws the second above it, 30; 20 finds 30 taken and takes 40 above it; 50 finds none."""
    values, uniforms = np.array([10, 20, 30, 40, 50]), np.array([0.5, 0.0, 0.0, 0.0, 0.9])
    assert values[rank_swap_rows(values, 40, uniforms)].tolist() == [30, 40, 10, 20, 50]


def test_values_move_as_far_as_by_sdcmicro():
    values, rng = sdcmicro_table("CASCrefmicrodata"), np.random.default_rng(5)
    found = []
    for _ in range(5):
        chances = rng.random((2, *values.shape))
        released = np.column_stack(
            [
                column[rank_swap_rows(column, 1, chances[0, :, i], tie_order=chances[1, :, i])]
                for i, column in enumerate(values.T)
            ]
        )
        moved = np.abs(values - released) / (np.sqrt(2) * values.std(axis=0, ddof=1))
        correlation = np.abs(np.corrcoef(values.T) - np.corrcoef(released.T)).mean()
        found.append(((values != released).mean(), moved.sum(), correlation))
    for (mean, spread), own in zip(PEER.values(), np.mean(found, axis=0), strict=True):
        assert abs(own - mean) < 4 * spread


@given(rows=st.lists(st.tuples(CHANCES, st.integers(0, 2)), max_size=40), share=st.floats(0.01, 1))
def test_random_swapping_pairs_at_most_a_share_of_each_stratum(rows, share):
    uniforms, strata = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], int)
    partners = random_swap_rows(share, uniforms, strata)
    assert pairs(partners)
    assert (strata[partners] == strata).all()
    moved = partners != np.arange(len(rows))
    for stratum in set(strata.tolist()):
        size, swapped = (strata == stratum).sum(), moved[strata == stratum].sum()
        assert size * share - 2 < swapped <= size * share + 1e-9


def test_three_tenths_of_ten_records_and_of_twenty():
    for records, swapped in ((10, 2), (20, 6)):
        partners = random_swap_rows(0.3, np.random.default_rng(1).random(records))
        assert (partners != np.arange(records)).sum() == swapped


def test_a_record_at_risk_is_swapped_with_the_one_most_like_it():
    regions = np.array([0, 1, 1, 0, 2])
    keys = np.array([[1, 1], [1, 2], [2, 1], [1, 1], [9, 9]])
    sizes = np.array([1, 5, 5, 5, 5])
    # The record with the same keys is in the same region; the next agrees on the first key.
    assert targeted_swap_rows(regions, keys, sizes, 2, np.zeros(5)).tolist() == [1, 0, 2, 3, 4]
    # Where both keys have to agree nobody is left.
    assert targeted_swap_rows(regions, keys, sizes, 2, np.zeros(5), least_alike=2).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("chance", "partner"), [(0.1, 0), (0.3, 1), (0.6, 3), (0.9, 4)])
def test_all_records_that_are_as_much_alike_have_the_same_chance(chance, partner):
    uniforms = np.array([0.1, 0.2, chance, 0.1, 0.2])
    rows = targeted_swap_rows(
        np.array([0, 0, 1, 2, 2]), np.zeros((5, 1), int), np.array([9, 9, 1, 9, 9]), 2, uniforms
    )
    assert rows[2] == partner


ROWS = st.lists(
    st.tuples(*[st.integers(0, 2)] * 3, st.integers(1, 4), CHANCES),
    min_size=1,
    max_size=30,
    unique_by=lambda r: r[4],
)


@given(rows=ROWS, data=st.data())
def test_targeted_swapping_leaves_nobody_at_risk_who_could_be_swapped(rows, data):
    codes, first, second, sizes, uniforms = (np.array(side) for side in zip(*rows, strict=True))
    keys = np.column_stack([first, second])
    partners = targeted_swap_rows(codes, keys, sizes, 3, uniforms)
    assert pairs(partners)
    moved = partners != np.arange(len(rows))
    assert (codes[partners] != codes)[moved].all()
    assert ((sizes < 3) | (sizes[partners] < 3))[moved].all()
    for row in np.flatnonzero((sizes < 3) & ~moved):
        assert (codes[~moved] == codes[row]).all()
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    again = targeted_swap_rows(codes[order], keys[order], sizes[order], 3, uniforms[order])
    assert order[again].tolist() == partners[order].tolist()


@pytest.mark.parametrize("percent", [0, -1, 101, float("nan")])
def test_a_percentage_out_of_range_is_refused(percent):
    with pytest.raises(ParameterError, match="percentage of ranks"):
        rank_swap_rows(np.arange(9), percent, np.zeros(9))


def test_what_would_swap_nothing_is_refused():
    with pytest.raises(ParameterError, match="less than one rank"):
        rank_swap_rows(np.arange(9), 5, np.zeros(9))
    with pytest.raises(ParameterError, match="share of records"):
        random_swap_rows(0, np.zeros(3))
    with pytest.raises(ParameterError, match="k is 0"):
        targeted_swap_rows(np.zeros(1, int), np.zeros((1, 1), int), np.ones(1, int), 0, np.zeros(1))
