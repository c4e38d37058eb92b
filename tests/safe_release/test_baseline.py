"""What an observer expects: of a holder's table, of a reference, and of the table as it is now."""

import math

import numpy as np
import pytest

import divulge as dv
from divulge.errors import DivulgeError, ParameterError
from divulge.safe_release import (
    Baseline,
    Cell,
    Domain,
    Guard,
    HolderTable,
    Reason,
    Rules,
    State,
    decide,
    table_of,
    tabulate,
)

AGES = table_of([[6, 2], [3, 1], [1, 7]], ["young", "middle", "old"], ["camp", "office"])


def test_a_table_expects_what_it_has():
    baseline = Baseline.of(AGES)
    assert baseline.shares.tolist() == [0.4, 0.2, 0.4]
    assert baseline.target_shares.tolist() == [0.5, 0.5]
    assert baseline.expected == (3, 2)
    assert baseline.version == 1
    assert Baseline(AGES.domain, baseline.shares, baseline.target_shares).version == 1


def test_an_empty_table_expects_nothing_and_is_refused():
    with pytest.raises(ParameterError, match="needs records"):
        Baseline.of(table_of([[0, 0], [0, 0]]))


def test_a_reference_is_given_by_counts_or_shares():
    by_count = Baseline.reference(AGES, {"young": 30, "middle": 50, "old": 20})
    by_share = Baseline.reference(AGES, {"old": 0.2, "young": 0.3, "middle": 0.5})
    assert by_count.shares.tolist() == by_share.shares.tolist() == [0.3, 0.5, 0.2]
    assert by_count.target_shares.tolist() == [0.5, 0.5]


def test_what_a_reference_lacks_cannot_leave_and_what_it_adds_stays_in_the_domain():
    baseline = Baseline.reference(AGES, {"young": 1, "middle": 0, "ancient": 1})
    assert baseline.domain.values == ("young", "middle", "old", "ancient")
    assert baseline.shares.tolist() == [0.5, 0, 0, 0.5]
    assert baseline.expected == (2, 2)
    state = State.start(Guard(baseline, Rules.of("cst", 0.2)))
    for value in ("middle", "old", "unheard of"):
        assert decide(state, {"x": value, "y": "camp"}).reason is Reason.UNKNOWN_VALUE
    assert decide(state, {"x": "ancient", "y": "camp"}).released


def test_a_value_that_only_the_reference_has_stands_among_its_neighbours():
    """Neighbours are merged, so 30 belongs between 20 and 40."""
    table = tabulate(dv.read({"x": [20, 40, 20], "y": ["u", "v", "v"]}), ["x"], ["y"])
    assert Baseline.reference(table, {20: 2, 30: 1, 40: 1}).domain.values == (20, 30, 40)


@pytest.mark.parametrize(
    "weights",
    [
        {},
        {"young": 0},
        {"young": -1, "old": 2},
        {"young": math.nan, "old": 1},
        {"young": math.inf, "old": 1},
        {"young": "many", "old": 1},
        {"young": None, "old": 1},
    ],
)
def test_a_reference_that_is_no_distribution_is_refused(weights):
    with pytest.raises(ParameterError, match="reference distribution"):
        Baseline.reference(AGES, weights)


@pytest.mark.parametrize(
    ("shares", "targets"),
    [
        ([0.5, 0.5], [0.5, 0.5]),
        ([0.5, 0.3, 0.3], [0.5, 0.5]),
        ([1.2, -0.2, 0.0], [0.5, 0.5]),
        ([math.nan, 0.5, 0.5], [0.5, 0.5]),
        ([0.4, 0.2, 0.4], [1.0]),
        ([0.4, 0.2, 0.4], [0.0, 0.0]),
    ],
)
def test_shares_that_are_none_are_refused(shares, targets):
    with pytest.raises(ParameterError, match="share"):
        Baseline(AGES.domain, np.array(shares), np.array(targets))


def test_a_table_that_is_followed_makes_the_next_version_and_what_was_known_keeps_its_name():
    later = table_of([[1, 3], [4, 0]], ["ancient", "young"], ["office", "ship"])
    following = Baseline.of(AGES).following(later)
    assert following.version == 2
    assert following.domain.values == ("ancient", "young", "middle", "old")
    assert following.domain.targets == ("office", "ship", "camp")
    assert following.shares.tolist() == [0.5, 0.5, 0, 0]
    assert following.target_shares.tolist() == [0.625, 0.375, 0]
    assert following.expected == (2, 2)
    assert following.following(AGES).version == 3
    assert following.numbered(9).version == 9


def test_true_and_one_stay_apart_when_a_table_is_followed():
    table = tabulate(dv.read({"x": [1, True, 0, False, 1, 2], "y": [*"uvuvuv"]}), ["x"], ["y"])
    following = Baseline.of(table).following(table)
    assert list(map(repr, following.domain.values)) == list(map(repr, table.domain.values))
    assert following.shares.tolist() == Baseline.of(table).shares.tolist()


def test_a_table_of_other_attributes_is_not_followed():
    """Ages cannot be held to a baseline of weights."""
    other = HolderTable(
        Domain(("weight",), ("y",), ("60", "70"), ("camp", "office")), np.array([[1, 2], [3, 4]])
    )
    with pytest.raises(DivulgeError, match="weight"):
        Baseline.of(AGES).following(other)


def test_what_was_released_and_is_no_longer_expected_is_never_safe():
    state = State.of(Guard.of(AGES, "kld", 0.05), np.array([[12, 4], [6, 2], [9, 4]]))
    later = table_of([[60, 20], [30, 10]], ["young", "middle"], ["camp", "office"])
    after = state.under(Guard(state.guard.baseline.following(later), state.guard.rules))
    assert state.safe
    assert not after.safe
    assert decide(after, Cell(0, 0)).reason is Reason.PECULIAR
