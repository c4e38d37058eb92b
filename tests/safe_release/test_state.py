"""What is outside, and how exposed it leaves the targets."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

import divulge as dv
from divulge.errors import ParameterError
from divulge.safe_release import Baseline, Cell, Exposure, Guard, Rules, State, table_of

EVEN = table_of([[50, 50, 50], [50, 50, 50]], ["low", "high"], ["a", "b", "c"])
FOUR = table_of([[30, 30, 30], [40, 30, 20], [30, 20, 10], [10, 10, 10]])
WITHOUT_ONE = table_of([[30, 30, 30], [40, 30, 20], [30, 20, 10]])


def state(counts, tests="mis,kld,cst,dqt", alpha=0.2, table=EVEN, **options):
    return State.of(Guard.of(table, tests, alpha, **options), np.array(counts))


def changed(counts, tests, **options):
    """What is outside after the last of four values is expected no longer."""
    before = state(counts, tests, table=FOUR, **options)
    return before.under(Guard(before.guard.baseline.following(WITHOUT_ONE), before.guard.rules))


def test_with_nothing_outside_nothing_is_exposed():
    start = State.start(Guard.of(EVEN, "mis,kld,cst,dqt", 0.2))
    assert start.records == 0
    assert start.safe
    assert start.exposures() == tuple(Exposure(test, None, None, None, True) for test in ("mis", "dqt"))
    assert [(one.value, one.safe) for one in start.worst()] == [(None, True)] * 4
    assert start.readings == {"discrimination_rate": None, "itpr": None}


def test_every_test_reads_all_targets_or_each_that_is_outside():
    found = state([[60, 30, 0], [40, 30, 0]], limits="chi-square").exposures()
    assert [(one.test, one.target) for one in found] == [
        ("mis", None),
        ("kld", "a"),
        ("kld", "b"),
        ("cst", "a"),
        ("cst", "b"),
        ("dqt", None),
    ]
    distance = 1 + 0.6 * math.log2(0.6) + 0.4 * math.log2(0.4)
    values = [0.625 * distance, distance, 0, 4.0, 0, None]
    assert [one.value for one in found] == [
        None if v is None else pytest.approx(v, abs=1e-12) for v in values
    ]
    limits = [
        chi2.ppf(0.8, 3) / (320 * math.log(2)),
        *(chi2.ppf(0.8, 1) / (2 * n * math.log(2)) for n in (100, 60)),
    ]
    assert [one.critical for one in found] == [
        *(pytest.approx(limit) for limit in limits),
        *[pytest.approx(chi2.ppf(0.8, 1))] * 2,
        None,
    ]
    assert [one.safe for one in found] == [True, False, True, False, True, True]


def test_a_set_is_safe_if_all_tests_say_so():
    counts = [[60, 30, 0], [40, 30, 0]]
    assert [state(counts, test).safe for test in ("mis", "kld", "cst", "dqt")] == [True, False, False, True]
    assert state(counts, "mis,dqt").safe
    assert not state(counts, "mis,kld").safe
    assert state(counts, "kld").exposed == 1


def test_where_a_test_cannot_be_carried_out_nothing_stands_against_a_release():
    few = state([[4, 1, 0], [0, 0, 0]], "cst,dqt")
    assert [(one.value, one.critical, one.safe) for one in few.exposures()] == [(None, None, True)] * 3
    assert few.safe


def test_how_much_is_used_up():
    assert Exposure("mis", None, 0.5, 2.0, True).used == 0.25
    assert Exposure("cst", "a", None, None, True).used is None


def test_an_exposure_that_reaches_its_limit_is_not_below_it():
    # One record of a value with share 1/4 is 2 bits away, which is the limit of one record as well.
    coin = table_of([[3, 3], [1, 1]])
    reached = state([[0, 0], [1, 0]], "kld", table=coin)
    (one,) = reached.exposures()
    assert (one.value, one.critical, one.safe) == (2, 2, False)
    assert not reached.safe


def test_an_exposure_is_told_in_plain_values():
    assert Exposure("kld", "L1", 0.1, 0.2, True).to_dict() == {
        "test": "kld",
        "target": "L1",
        "value": 0.1,
        "critical": 0.2,
        "unit": "bits",
        "safe": True,
    }


def test_the_worst_exposure_of_each_test_is_the_nearest_to_its_limit():
    found = state([[60, 33, 0], [40, 30, 0]]).worst()
    assert [(one.test, one.target, one.safe) for one in found] == [
        ("mis", None, True),
        ("kld", "a", False),
        ("cst", "a", False),
        ("dqt", None, True),
    ]


@pytest.mark.parametrize("tests", ["mis", "kld", "mis,kld"])
def test_an_infinite_exposure_is_worse_than_any_other(tests):
    found = changed([[9, 9, 12], [12, 9, 6], [9, 6, 5], [1, 0, 0]], tests)
    assert not found.safe
    assert not any(one.safe for one in found.worst())


@pytest.mark.parametrize("degrees", ["domain", "present"])
@pytest.mark.parametrize("tests", ["mis", "kld", "cst", "dqt"])
@pytest.mark.parametrize("left_over", [1, 20])
def test_a_set_with_a_value_that_nobody_expects_shows_where_it_is_exposed(left_over, tests, degrees):
    found = changed([[9, 9, 12], [12, 9, 6], [9, 6, 5], [left_over, 0, 0]], tests, degrees=degrees)
    assert found.safe == all(one.safe for one in found.exposures())


def test_an_exposure_with_nothing_allowed_is_worse_than_any_other():
    """One value is present, so there is no freedom left, and the limit of every target is zero."""
    found = state([[50, 50, 50], [0, 0, 0]], "kld", degrees="present")
    assert [one.critical for one in found.exposures()] == [0, 0, 0]
    assert not any(one.safe for one in found.worst())


def test_a_release_makes_the_next_state_and_leaves_this_one():
    before = state([[6, 6, 6], [6, 6, 6]])
    after = before.after(Cell(1, 2), 3)
    assert (before.records, after.records) == (36, 39)
    assert after.counts.tolist() == [[6, 6, 6], [6, 6, 9]]
    fresh = state(after.counts)
    assert np.array_equal(after.outside.memory, fresh.outside.memory)


@pytest.mark.parametrize("counts", [[[1, 2]], [[1, 2, 3]], [[1, 2, -3], [1, 1, 1]], [1, 2, 3], [[[1]]]])
def test_what_is_outside_must_be_counts_on_the_domain(counts):
    with pytest.raises(ParameterError, match="2 values and 3 targets"):
        state(counts)


def test_what_is_outside_keeps_its_cells_under_another_guard():
    before = state([[6, 5, 4], [3, 2, 1]])
    wider = table_of([[5, 5], [5, 5], [5, 5]], ["high", "middle", "low"], ["c", "d"])
    after = before.under(Guard(before.guard.baseline.following(wider), Rules.of("mis", 0.05)))
    assert after.guard.domain.values == ("high", "middle", "low")
    assert after.guard.domain.targets == ("c", "d", "a", "b")
    assert after.counts.tolist() == [[1, 0, 3, 2], [0, 0, 0, 0], [4, 0, 6, 5]]


def test_readings_say_what_the_values_outside_tell_about_the_targets():
    found = state([[6, 1, 2], [0, 4, 2]])
    records = [
        (x, y) for x, row in enumerate(found.counts.tolist()) for y, n in enumerate(row) for _ in range(n)
    ]
    data = dv.read({"x": [x for x, _ in records], "y": [y for _, y in records]})
    for name, reading in found.readings.items():
        assert reading == pytest.approx(dv.measure(data, name, keys=["x"], target="y").value)


def test_readings_are_none_where_they_have_no_value():
    assert state([[6, 0, 0], [2, 0, 0]], "mis").readings == {"discrimination_rate": None, "itpr": None}


@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("tests", ["mis", "kld", "cst"])
def test_one_target_is_held_to_the_baseline_like_any_other(tests, targets):
    table = table_of(np.full((3, targets), 20))
    alike = np.full((3, targets), 20)
    apart = alike * [[3], [1], [1]]
    assert state(alike, tests, table=table).safe
    assert not state(apart, tests, table=table).safe


def test_limits_reach_as_far_as_they_are_asked_to():
    guard = Guard.of(table_of(np.full((20, 20), 5)), "mis,kld", 0.2, samples=100)
    for records in (1, 127, 128, 129, 300, 700, 900, 5):
        limits = guard.limits(records)
        reach = min(records, 800)
        assert len(limits.mutual) > reach
        assert len(limits.distance) > reach
        assert (limits.mutual[1 : reach + 1] > 0).all()


def test_a_distance_is_never_negative():
    table = table_of([[3, 7, 2], [11, 5, 2], [13, 17, 2]])
    proportional = np.outer([12, 18, 32], [1, 7, 1000])
    found = state(proportional, "mis,kld", table=table)
    assert all(one.value >= 0 for one in found.exposures())
    assert found.safe


def test_a_guard_knows_its_domain_and_baseline():
    guard = Guard(Baseline.of(EVEN), Rules.of("mis", 0.2))
    assert guard.domain is EVEN.domain
    assert guard.critical.baseline is guard.baseline
