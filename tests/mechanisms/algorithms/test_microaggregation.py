"""Groups of at least k: the thesis's tables, sdcMicro's figures, and MDAV step by step in fractions."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError
from divulge.mechanisms.algorithms.group_centres import aggregated, squared_error
from divulge.mechanisms.algorithms.microaggregation import (
    mdav_groups,
    standardized,
    variable_groups,
    within_strata,
)
from peer_data import sdcmicro_table

TABLES = Path(__file__).parents[2] / "golden" / "tables"


def thesis(table):
    with (TABLES / f"thesis_table{table}.csv").open() as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row["Age"]), float(row["Salary"].removesuffix("K"))] for row in rows])


def share_lost(points, groups):
    """SSE / SST: the share of all squared distances from the mean that lies within groups."""
    return squared_error(points, groups) / squared_error(points, np.zeros(len(points), int))


def test_table_2_1_becomes_table_2_6():
    points, groups = thesis("2_1"), np.repeat([0, 1, 2], 3)
    assert multisets(points, mdav_groups(points, 3)) == multisets(points, groups)
    released = np.column_stack([aggregated(points[:, 0], groups), aggregated(points[:, 1], groups, "median")])
    assert released.round(2).tolist() == thesis("2_6").tolist()
    # By hand: ages 0 + 292.667 + 6, salaries 2 + 12.667 + 4.667.
    assert squared_error(points[:, :1], groups) == pytest.approx(896 / 3)
    assert squared_error(points[:, 1:], groups) == pytest.approx(58 / 3)
    assert share_lost(points, groups) == pytest.approx(0.2142, abs=5e-5)


#: sdcMicro 5.8.1, 100 SSE/SST of standardized columns; the same is published for MDAV, to two digits.
PEER = {
    ("CASCrefmicrodata", 3): 5.6921862787708,
    ("CASCrefmicrodata", 5): 9.0884,
    ("CASCrefmicrodata", 10): 14.1559,
    ("Tarragona", 3): 16.93,
    ("Tarragona", 5): 22.46,
    ("Tarragona", 10): 33.19,
}
FIRST = [265865.666666667, 50009.3333333333, 4774, 4937, 49943, 1464.33333333333, 32917]
TENTH = [242990.666666667, 63986.3333333333, 4467.66666666667, 7726.66666666667, 43641, 2581.33333333333]


@pytest.mark.parametrize(("name", "k"), PEER)
def test_mdav_loses_what_sdcmicro_loses(name, k):
    points = standardized(sdcmicro_table(name))
    digits = 10 if k == 3 and name[0] == "C" else 4 if name[0] == "C" else 2
    assert round(100 * share_lost(points, mdav_groups(points, k)), digits) == round(PEER[name, k], digits)


def test_mdav_releases_what_sdcmicro_releases():
    values = sdcmicro_table("CASCrefmicrodata")
    groups = mdav_groups(standardized(values), 3)
    released = np.column_stack([aggregated(column, groups) for column in values.T])
    assert released[0, : len(FIRST)].tolist() == pytest.approx(FIRST)
    assert released[9, : len(TENTH)].tolist() == pytest.approx(TENTH)
    assert np.bincount(np.bincount(groups)).tolist() == [0, 0, 0, 360]


def apart(one, other):
    return sum((Fraction(a) - b) ** 2 for a, b in zip(one, other, strict=True))


def farthest(left, place):
    """Of the records furthest from a place the lowest."""
    return min(left, key=lambda point: (-apart(point, place), point))


def taken(left, place, k):
    """The k records nearest to a place, of equally near ones the lowest; they leave."""
    group = sorted(left, key=lambda point: (apart(point, place), point))[:k]
    for point in group:
        left.remove(point)
    return group


def mean(left):
    return [Fraction(sum(side), len(left)) for side in zip(*left, strict=True)]


def published(points, k):
    """MDAV as it is published, in fractions, so that no tie is missed."""
    left, groups = list(points), []
    while len(left) >= 3 * k:
        first = farthest(left, mean(left))
        second = farthest(left, first)
        groups.append(taken(left, first, k))
        groups.append(taken(left, second if second in left else farthest(left, first), k))
    if len(left) >= 2 * k:
        groups.append(taken(left, farthest(left, mean(left)), k))
    return [*groups, left]


POINTS = st.integers(1, 3).flatmap(
    lambda sides: st.lists(st.tuples(*[st.integers(-6, 6)] * sides), min_size=2, max_size=24)
)


def multisets(points, groups):
    """The groups as what they hold, whatever their numbers and rows."""
    found = {}
    for point, group in zip(points, groups.tolist(), strict=True):
        found.setdefault(group, []).append(tuple(point))
    return sorted(sorted(group) for group in found.values())


@given(points=POINTS, data=st.data())
def test_mdav_is_what_was_published(points, data):
    k = data.draw(st.integers(1, min(5, len(points))))
    groups = mdav_groups(np.array(points, float), k)
    assert multisets(points, groups) == sorted(map(sorted, published(points, k)))


@given(points=POINTS, gamma=st.sampled_from([0.0, 0.2, 1.1, 5.0]), data=st.data())
def test_groups_have_k_to_2k_minus_1_records_and_do_not_depend_on_the_order_of_rows(points, gamma, data):
    k = data.draw(st.integers(1, min(5, len(points))))
    order = data.draw(st.permutations(range(len(points))))
    values = np.array(points, float)
    for grouping, most in ((mdav_groups, 2 * k - 1), (lambda p, k: variable_groups(p, k, gamma), 3 * k)):
        groups = grouping(values, k)
        sizes = np.bincount(groups)
        assert sizes.min() >= k
        assert sizes.max() <= most
        assert sizes.sum() == len(points)
        scaled, shuffled = standardized(values), standardized(values[order])
        assert multisets(scaled[order].tolist(), grouping(scaled, k)[order]) == multisets(
            shuffled.tolist(), grouping(shuffled, k)
        )


@given(points=POINTS, data=st.data())
def test_groups_of_whole_records_do_not_depend_on_the_order_of_rows_where_ties_are_ordered(points, data):
    order = np.array(data.draw(st.permutations(range(len(points)))))
    values, other = np.array(points, float), np.arange(len(points))
    k = min(2, len(points))
    groups = mdav_groups(values, k, tie_order=other)
    assert mdav_groups(values[order], k, tie_order=other[order]).tolist() == groups[order].tolist()


def test_a_group_grows_where_records_lie_close_together():
    """By hand: 0, 1 and 2 are nearer to each other than the next record is to them, so they stay together."""
    values = np.array([[0.0], [1.0], [2.0], [20.0], [21.0], [30.0]])
    assert variable_groups(values, 2, gamma=0.0).tolist() == [1, 1, 2, 2, 0, 0]
    assert variable_groups(values, 2, gamma=1.1).tolist() == [1, 1, 1, 0, 0, 0]


@given(points=POINTS, k=st.integers(1, 3))
def test_microaggregating_groups_of_exactly_k_again_changes_nothing(points, k):
    """With a larger group, its records that the first search leaves would join others."""
    values = np.array(points[: len(points) - len(points) % k] or points * k, float) / 10
    groups = mdav_groups(values, k)
    once = np.column_stack([aggregated(side, groups) for side in values.T])
    groups = mdav_groups(once, k)
    assert np.column_stack([aggregated(side, groups) for side in once.T]).tolist() == once.tolist()


def test_strata_are_never_mixed():
    values, strata = np.array([[1.0], [9.0], [2.0], [8.0], [3.0]]), np.array([7, 3, 7, 3, 7])
    groups = within_strata(lambda rows: mdav_groups(values[rows], 2), strata, 2)
    assert groups.tolist() == [1, 0, 1, 0, 1]
    with pytest.raises(ParameterError, match=r"1 of 2 strata have fewer than k = 3 records"):
        within_strata(lambda rows: mdav_groups(values[rows], 3), strata, 3)


@pytest.mark.parametrize("k", [0, 4, -1])
def test_k_lies_between_one_and_the_number_of_records(k):
    with pytest.raises(ParameterError, match="k is"):
        mdav_groups(np.zeros((3, 1)), k)


def test_what_is_no_number_is_refused():
    for wrong in (np.nan, np.inf, 1e200):
        with pytest.raises(ParameterError, match="needs numbers"):
            mdav_groups(np.array([[1.0], [wrong]]), 1)
    with pytest.raises(ParameterError, match="gamma is -1"):
        variable_groups(np.zeros((3, 1)), 2, gamma=-1)
