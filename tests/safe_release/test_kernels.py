"""The compiled loops, one decision at a time, on sets that can be worked out by hand."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from divulge._compiled.release import NEVER
from divulge.safe_release import Baseline, Guard, Rules, State, kernels, leaving, table_of
from divulge.safe_release.leaving import GuardedSet

EVEN = table_of([[50, 50, 50], [50, 50, 50]])
LEAN = table_of([[3, 3, 2], [1, 1, 2]])  # P(X) = 2/3, 1/3; 12 records are few


def outside(counts, tests, alpha=0.2, table=EVEN, **options):
    """A state's arrays and limits, as loops take them."""
    state = State.of(Guard.of(table, tests, alpha, **options), np.array(counts))
    return state.scratch(), state.guard.limits(int(np.sum(counts)) + 50)


def test_what_the_tests_read_of_a_target():
    found, limits = outside([[12, 3, 0], [8, 1, 0]], "mis,kld,cst")
    # 20 records, 60 and 40 in a hundred instead of 50 each: 1 - H(0.6) bits.
    entropy = -0.6 * math.log2(0.6) - 0.4 * math.log2(0.4)
    assert found.totals.tolist() == [20, 4, 0]
    assert found.surprise[0] == pytest.approx(20 * (1 - entropy))
    assert found.surprise[2] == 0
    assert found.fit[0] == pytest.approx(0.8)  # (2^2 + 2^2) / 10
    assert found.bins.tolist() == [2, 1, 1]
    kernels.put(found, limits, 1, 2, 3)
    assert found.totals.tolist() == [20, 4, 3]
    assert found.surprise[2] == pytest.approx(3)  # three of the same value, a bit each
    kernels.put(found, limits, 1, 2, -3)
    assert found.surprise[2] == 0


def test_values_are_outside_whatever_their_target():
    assert kernels.present_values(outside([[0, 3, 1], [0, 0, 0]], "mis")[0]) == 1
    assert kernels.present_values(outside([[0, 3, 0], [1, 0, 0]], "mis")[0]) == 2


def test_a_value_that_reaches_its_limit_is_not_below_it():
    assert kernels.below(1.0, 1.1)
    assert not kernels.below(1.1, 1.1)
    assert not kernels.below(1.1 * (1 - 1e-12), 1.1)  # rounding does not decide
    assert kernels.below(1.1 * (1 - 1e-6), 1.1)
    assert not kernels.below(0.0, 0.0)
    assert not kernels.below(math.inf, math.inf)
    assert not kernels.below(math.nan, 1.0)


@pytest.mark.parametrize(
    ("counts", "ratio", "different"),
    [
        ([[0, 0, 0], [0, 0, 0]], 0.0, 0),
        ([[1, 0, 0], [0, 0, 0]], 0.0, 1),
        ([[1, 1, 0], [0, 0, 5]], 0.0, 1),  # three times the same distance, a bit
        ([[1, 1, 1], [0, 0, 1]], 0.0, 2),
        ([[1, 2, 1], [0, 1, 1]], (1 - 0.0817042) / 1, 3),  # 1, 0.0817 and 0 bits
    ],
)
def test_one_of_three_different_distances_can_stand_out(counts, ratio, different):
    found = kernels.dixon(outside(counts, "dqt")[0])
    assert found == (pytest.approx(ratio, abs=1e-6), different)


def test_a_target_with_a_value_that_nobody_expects_stands_out_for_certain():
    found, limits = outside(
        [[6, 6, 0], [6, 6, 0], [0, 1, 0]], "dqt", table=table_of([[9, 9, 9]] * 2 + [[0] * 3])
    )
    assert kernels.dixon(found) == (math.inf, 3)
    assert not kernels.is_safe(found, limits)


def test_a_record_may_not_leave_for_its_own_target_or_for_all_together():
    found, limits = outside([[6, 6, 6], [6, 6, 6]], "mis,kld,cst,dqt")
    assert kernels.may_leave(found, limits, 0, 0, 0) == 0
    found, limits = outside(
        [[18, 6, 6], [6, 6, 6]], "kld", 0.01, limits="chi-square"
    )  # 4.53 bits of 4.79; with one more 5.12
    assert kernels.is_safe(found, limits)
    assert kernels.may_leave(found, limits, 0, 0, 0) == 1
    found, limits = outside(
        [[15, 6, 6], [6, 6, 6]], "mis", limits="chi-square"
    )  # 2.88 bits of 3.35; with one more 3.41
    assert kernels.is_safe(found, limits)
    assert kernels.may_leave(found, limits, 0, 0, 0) == 2


def test_asking_whether_a_record_may_leave_leaves_the_set_as_it_was():
    found, limits = outside([[9, 6, 6], [6, 7, 6]], "mis,kld,cst,dqt")
    before = found.memory.copy()
    for x in range(2):
        for y in range(3):
            kernels.may_leave(found, limits, x, y, 0)
    assert np.array_equal(before, found.memory)


@pytest.mark.parametrize("tests", ["kld", "cst"])
def test_other_exposed_targets_stand_against_every_record(tests):
    """As after a change of the baseline: the second target is exposed, the first is not."""
    found, limits = outside([[60, 90, 60], [60, 30, 60]], tests)
    exposed = kernels.count_exposed(found, limits)
    assert exposed == 1
    assert not kernels.is_safe(found, limits)
    assert kernels.may_leave(found, limits, 0, 0, exposed) == 2
    assert kernels.may_leave(found, limits, 1, 1, exposed) == 1
    kernels.put(
        found, limits, 1, 1, 43
    )  # 90 and 73; with one more the difference is 16, and no longer too large
    assert kernels.count_exposed(found, limits) == 1
    assert kernels.may_leave(found, limits, 1, 1, 1) == 0


def test_the_first_arrival_that_may_leave_is_found():
    found, limits = outside([[31, 20, 20], [22, 20, 20]], "kld")
    assert kernels.may_leave(found, limits, 0, 0, 0) == 1  # 32 and 22 are too different
    heads = np.array([[0, 7, NEVER], [5, 9, 3]])
    blocked = np.zeros(heads.shape, bool)
    assert leaving.first_to_leave([GuardedSet(found, limits, None, blocked)], heads) == 1 * 3 + 2
    assert np.argwhere(blocked).tolist() == [[0, 0]]
    assert leaving.first_to_leave([GuardedSet(found, limits, None, blocked)], np.full((2, 3), NEVER)) == -1


def test_those_waiting_are_held_to_the_limit_of_one_record_more():
    """A common and a rare value of two targets have 2.17 bits: too many for one record, not for two."""
    found, limits = outside([[1, 0, 0], [0, 0, 0]], "mis", 0.05, table=LEAN)
    assert limits.mutual[1] < 2.17 < limits.mutual[2]
    heads = np.full((2, 3), NEVER)
    heads[1, 1] = 0
    assert leaving.first_to_leave([GuardedSet(found, limits)], heads) == 1 * 3 + 1


def test_what_is_blocked_is_passed_over():
    found, limits = outside([[6, 6, 6], [6, 6, 6]], "kld")
    heads = np.array([[0, 7, NEVER], [5, 9, 3]])
    blocked = heads < 4
    assert leaving.first_to_leave([GuardedSet(found, limits, None, blocked)], heads) == 3


def test_requests_leave_wait_and_leave_later():
    """Alone, the rare value has 1.58 bits and so reaches the limit; beside a common one the two have 0.17."""
    found, limits = outside(np.zeros((2, 3), int), "mis", table=LEAN)
    out = leaving.run_cells(found, limits, np.array([1, 1, 0, 0, 0]), np.array([0, 1, 0, 0, 0]))
    assert out.tolist() == [2, 0, 1, 3, 4]
    assert found.counts.tolist() == [[3, 0, 0], [1, 1, 0]]


def test_a_loop_without_requests_lets_nothing_out():
    found, limits = outside(np.zeros((2, 3), int), "mis")
    assert len(leaving.run_cells(found, limits, np.zeros(0, int), np.zeros(0, int))) == 0


@pytest.mark.parametrize("tests", ["mis", "kld", "cst", "dqt"])
def test_what_is_not_expected_stays(tests):
    found, limits = outside(
        [[6, 6, 6], [6, 6, 6], [0, 0, 0]], tests, table=table_of([[9, 9, 9]] * 2 + [[0] * 3])
    )
    assert kernels.may_leave(found, limits, 2, 0, 0) == 1
    heads = np.full((3, 3), NEVER)
    heads[2] = 0
    assert leaving.first_to_leave([GuardedSet(found, limits)], heads) == -1


def test_degrees_of_freedom_count_what_is_outside_if_they_are_to():
    counts = [[40, 40, 0], [40, 40, 0], [0, 0, 0]]
    table = table_of(np.full((3, 3), 20))
    domain, present = (
        outside(counts, "mis,kld", table=table, degrees=one, limits="chi-square")
        for one in ("domain", "present")
    )
    bits = 1 / (2 * math.log(2))
    assert kernels.mutual_limit(*domain, 160) == pytest.approx(chi2.ppf(0.8, 6) * bits)
    assert kernels.mutual_limit(*present, 160) == pytest.approx(chi2.ppf(0.8, 2) * bits)
    assert kernels.distance_limit(*domain, 80) == pytest.approx(chi2.ppf(0.8, 2) * bits)
    assert kernels.distance_limit(*present, 80) == pytest.approx(chi2.ppf(0.8, 1) * bits)


def test_degrees_of_freedom_count_targets_that_the_baseline_no_longer_has():
    state = State.of(Guard.of(EVEN, "mis", 0.2, degrees="present"), np.full((2, 3), 20))
    later = Guard(Baseline.of(EVEN).following(table_of([[50, 50], [50, 50]])), state.guard.rules)
    after = state.under(later)
    found = kernels.mutual_limit(after.outside, after.limits, 120)
    assert found == pytest.approx(chi2.ppf(0.8, 3) / (2 * math.log(2)))


def test_degrees_of_freedom_count_values_that_the_baseline_no_longer_has():
    table = table_of(np.full((3, 3), 20))
    state = State.of(Guard.of(table, "kld", 0.2, degrees="present"), np.full((3, 3), 20))
    later = Guard(Baseline.of(table).following(table_of([[50, 50, 50], [50, 50, 50]])), state.guard.rules)
    after = state.under(later)
    found = kernels.distance_limit(after.outside, after.limits, 60)
    assert found == pytest.approx(chi2.ppf(0.8, 2) / (2 * math.log(2)))


@pytest.mark.parametrize("merging", ["smallest", "none"])
def test_verdicts_stand_however_many_are_outside(merging):
    many = np.full((2, 3), 10**12)
    guard = Guard(Baseline.of(EVEN), Rules.of("mis,kld,cst,dqt", 0.2, merging=merging))
    state = State.of(guard, many)
    assert state.records == 6 * 10**12
    assert kernels.may_leave(state.scratch(), state.limits, 0, 0, 0) == 0
    many[0, 0] += 10**8  # a hundred standard deviations
    exposed = State.of(guard, many)
    assert not exposed.safe
