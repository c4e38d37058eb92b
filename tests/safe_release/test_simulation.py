"""Requests in random orders: what leaves, what it costs, and what other tests say of it."""

import json

import numpy as np
import pytest

from divulge._support.small_counts import exact_counts
from divulge.errors import ParameterError, TooMuch
from divulge.safe_release import Baseline, Cell, Controller, Guard, Reason, Rules, State, decide, table_of
from divulge.safe_release.decision import typical
from divulge.safe_release.printable import printable
from divulge.safe_release.simulation import each, fitting, simulate
from safe_release.military import soldiers

SMALL = table_of([[30, 20, 12], [20, 30, 11], [5, 8, 20]], ["young", "middle", "old"], ["a", "b", "c"])


def test_a_run_lets_out_what_a_controller_would():
    guard = Guard.of(SMALL, "kld", 0.2)
    found = simulate(SMALL, guard, runs=1, seed=3)
    xs, ys = np.nonzero(SMALL.counts)
    xs, ys = (np.repeat(one, SMALL.counts[xs, ys]) for one in (xs, ys))
    order = np.random.default_rng([3, 0]).permutation(SMALL.records)
    controller = Controller(guard)
    for number in order:
        controller.request(str(number), {"x": SMALL.domain.values[xs[number]], "y": "abc"[ys[number]]})
    assert np.array_equal(found.outside[0], controller.state.counts)
    assert len(found.first) == controller.state.records


def test_the_same_seed_gives_the_same_runs_and_another_does_not():
    guard = Guard.of(SMALL, "mis", 0.2)
    one, again, other = (simulate(SMALL, guard, runs=3, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.outside, again.outside)
    assert not np.array_equal(one.outside, other.outside)


def test_nothing_leaves_that_was_not_requested():
    found = simulate(SMALL, Guard.of(SMALL, "kld,cst", 0.05), runs=5, requests=60)
    assert (found.requested.sum(axis=1) == 60).all()
    assert (found.released <= found.requested).all()
    assert (found.outside <= SMALL.counts).all()


def test_every_moment_of_a_run_is_safe_and_the_last_is_where_it_ended():
    found = simulate(SMALL, Guard.of(SMALL, "mis,kld,cst,dqt", 0.2), runs=1)
    moments = found.evolution()
    assert all(state.safe for state in moments)
    assert np.array_equal(moments[-1].counts, found.outside[0])
    assert moments[0].records == 1


def test_a_set_that_was_let_out_by_a_test_passes_it():
    for found in each(SMALL, Guard.of(SMALL, "mis", 0.2), runs=4):
        (test,) = found.guard.rules.tests
        assert found.passing(test) == 4


def test_a_test_that_cannot_be_carried_out_says_nothing():
    two = table_of([[30, 20], [10, 25]])
    found = simulate(two, Guard.of(two, "mis", 0.2), runs=2)
    assert found.passing("dqt") is None
    carried_out = [one.guard.rules.tests for one in each(two, found.guard, runs=1)]
    assert carried_out == [("mis",), ("kld",), ("cst",), ("seq",)]


def test_fitting_the_baseline_is_bounded_by_the_scarcest_value():
    # P(young) is 62/156: of c at most 12 / (62/156) can leave if its ages are to be spread like all.
    expected = [min(SMALL.counts[:, y] / (SMALL.counts.sum(axis=1) / 156)) for y in range(3)]
    assert fitting(SMALL, Baseline.of(SMALL)) == pytest.approx(expected)


def test_the_document_adds_up_and_is_plain():
    document = simulate(SMALL, Guard.of(SMALL, "mis", 0.2), runs=4).to_dict()
    json.dumps(document, allow_nan=False)
    assert document["released"] == pytest.approx(sum(document["released_by_target"].values()))
    assert document["released"] + document["waiting"] == document["requested"] == 156
    assert document["refused"] == 0
    assert document["share"] == pytest.approx(document["released"] / 156)
    assert [one["target"] for one in document["by_target"]] == ["a", "b", "c"]
    assert document["cross_safety"]["mis"] == 4


def test_histograms_add_up_to_what_was_released_and_are_printed_to_the_nearest_ten():
    found = simulate(SMALL, Guard.of(SMALL, "mis", 0.2), runs=4).to_dict()
    drawn = found["histograms"]
    assert [one["values"] for one in drawn["groups"]] == ["young", "middle", "old"]
    assert [one["expected"] for one in drawn["groups"]] == pytest.approx([62 / 156, 61 / 156, 33 / 156])
    assert [sum(one["released"]) for one in drawn["targets"]] == pytest.approx(
        [*found["released_by_target"].values()]
    )
    printed = printable(found)["histograms"]
    assert printed["groups"][0] == {"values": "value 1", "numbers": "value 1", "expected": 60 / 156}
    assert printed["targets"][0] | {"released": []} == {
        "target": "target 1",
        "records": [30, 20, 10],
        "released": [],
    }
    with exact_counts():
        assert printable(found)["histograms"]["targets"][0]["records"] == [30, 20, 5]


def test_many_values_are_drawn_in_twenty_groups():
    table = table_of(np.full((45, 2), 3))
    drawn = simulate(table, Guard.of(table, "mis", 0.2), runs=1).to_dict()["histograms"]
    assert [one["numbers"] for one in drawn["groups"]][4:6] == ["values 13 to 15", "values 16 to 17"]
    assert len(drawn["groups"]) == 20
    assert sum(drawn["targets"][0]["records"]) == 135


def test_a_statistic_varies_by_chance_as_chi_square_says():
    table = table_of([[500, 500], [500, 500]])
    guard = Guard.of(table, "kld", 0.2, limits="chi-square")
    (found,) = simulate(table, guard, runs=1).to_dict()["statistics"]
    # One target of two even values: one degree of freedom.
    assert (found["test"], found["degrees"]) == ("kld", 1)
    assert sum(one["simulated"] for one in found["bins"]) == pytest.approx(1)
    assert sum(one["chi_square"] for one in found["bins"]) == pytest.approx(1, abs=0.01)
    low = [one for one in found["bins"] if one["high"] < 2]
    assert sum(one["simulated"] for one in low) == pytest.approx(
        sum(one["chi_square"] for one in low), abs=0.06
    )
    assert found["critical"] == pytest.approx(1.6424, abs=1e-4)  # what chi-square of 1 exceeds with 0.2


def test_typical_records_are_released_while_there_is_room_and_not_beyond():
    guard = Guard.of(SMALL, "mis", 0.2)
    assert typical(State.start(guard), 50)["requested"] == 50
    assert 25 < typical(State.start(guard), 50)["released"] <= 50
    lopsided = State.of(guard, np.array([[400, 0, 0], [0, 400, 0], [0, 0, 400]]))
    assert typical(lopsided, 50) == {"requested": 50, "released": 0}


def test_a_single_run_has_no_deviation():
    (first, *_) = simulate(SMALL, Guard.of(SMALL, "mis", 0.2), runs=1).to_dict()["by_target"]
    assert first["deviation"] is None


def test_a_value_that_the_reference_never_expects_stays_inside():
    guard = Guard(Baseline.reference(SMALL, {"young": 1, "middle": 1}), Rules.of("kld", 0.2))
    found = simulate(SMALL, guard, runs=3)
    assert found.outside[:, 2].sum() == 0
    assert found.released.sum() > 0


def test_records_refused_for_good_do_not_wait():
    guard = Guard(Baseline.reference(SMALL, {"young": 1, "middle": 1}), Rules.of("kld", 0.2))
    found = simulate(SMALL, guard, runs=3)
    document = found.to_dict()
    # The 33 old ones: 5, 8 and 20 of the targets. Each of the others left or waits.
    assert document["refused"] == 33
    assert document["refused_by_reason"] == {"unknown target": 0, "unknown value": 33}
    assert [one["refused"] for one in document["by_target"]] == [5, 8, 20]
    assert document["released"] + document["waiting"] + document["refused"] == pytest.approx(156)
    for one in document["by_target"]:
        assert one["released"] + one["waiting"] + one["refused"] == pytest.approx(one["requested"])
    assert (found.waiting >= 0).all()


def test_what_is_refused_is_what_a_decision_refuses():
    # The baseline has neither c nor old ones, and never expects the middle ones.
    known = table_of([[50, 40], [0, 0]], ["young", "middle"], ["b", "a"])
    baseline = Baseline(known.domain, np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    found = simulate(SMALL, Guard(baseline, Rules.of("kld", 0.2)), runs=2)
    state = State.start(found.guard)
    expected = np.zeros((2, 3), int)
    for value in SMALL.domain.values:
        for place, target in enumerate(SMALL.domain.targets):
            verdict = decide(state, {"x": value, "y": target})
            if not verdict.waits and not verdict.released:
                reason = [Reason.UNKNOWN_TARGET, Reason.UNKNOWN_VALUE].index(verdict.reason)
                expected[reason, place] += SMALL.counts[SMALL.domain.values.index(value), place]
    assert (found.refused == expected).all()
    assert found.released[:, [0, 2]].sum() == 0  # of a and c, which the baseline does not expect
    assert found.released[:, 1].min() > 0
    assert (found.released + found.waiting + found.refused.sum(axis=1) == found.requested).all()
    assert list(fitting(SMALL, baseline)) == [0, 40, 0]


def test_a_level_for_the_whole_set_lets_more_out_and_what_leaves_passes_it():
    one, other = (
        simulate(SMALL, Guard.of(SMALL, "kld", 0.2, familywise=given), runs=3) for given in (False, True)
    )
    assert other.released.sum() > one.released.sum()
    both = simulate(SMALL, Guard.of(SMALL, "kld,cst", 0.2, familywise=True), runs=3)
    assert both.passing("kld") == both.passing("cst") == 3
    document = both.to_dict()
    assert document["comparisons"] == 6
    assert 1 - (1 - document["level"]) ** 6 == pytest.approx(0.2)
    assert one.to_dict()["level"] == 0.2


@pytest.mark.parametrize("runs", [10**9, 10**30])
def test_runs_beyond_reason_are_refused_with_what_they_would_take(runs):
    with pytest.raises(TooMuch, match=r"would need (about|more than) .* of memory; the limit is 4 GB"):
        simulate(SMALL, Guard.of(SMALL, "cst", 0.2), runs=runs)


def test_a_seed_below_zero_is_refused():
    with pytest.raises(ParameterError, match="seed must be 0 or more, not -1"):
        simulate(SMALL, Guard.of(SMALL, "cst", 0.2), runs=1, seed=-1)


@pytest.mark.parametrize(("runs", "requests"), [(0, None), (1, 0), (1, 157), (-1, 5)])
def test_runs_and_requests_that_cannot_be_are_refused(runs, requests):
    with pytest.raises(ParameterError, match="at most one request for each record"):
        simulate(SMALL, Guard.of(SMALL, "mis", 0.2), runs=runs, requests=requests)


def test_soldiers_leave_about_as_in_the_paper():
    found = simulate(soldiers(), Guard.of(soldiers(), "mis", 0.2), runs=3)
    assert found.released.sum(axis=1).mean() == pytest.approx(6113.8, rel=0.03)


def test_a_run_is_stuck_where_no_record_could_leave_whoever_asks():
    """Where simulated limits end, that of mutual information falls, and a set may be above the next one."""
    even = table_of(np.full((10, 5), 40))
    steps = Guard.of(even, "mis", 0.2, samples=1000, limits="chi-square")
    found = simulate(even, steps, runs=6, seed=2)
    stuck = [not any_may_leave(found.guard, counts) for counts in found.outside]
    assert found.stuck_runs == sum(stuck) > 0
    assert found.to_dict()["stuck_runs"] == sum(stuck)
    for guard in (Guard.of(even, "seq", 0.2, form="joint"), Guard.of(even, "mis", 0.2, samples=1000)):
        free = simulate(even, guard, runs=6, seed=2)
        assert free.stuck_runs == 0
        assert not free.stuck.any()


def any_may_leave(guard, counts):
    state = State.of(guard, counts)
    return any(decide(state, Cell(*cell)).released for cell in np.ndindex(counts.shape))


def test_a_target_is_stuck_by_itself():
    table = table_of([[60, 60], [40, 40]])
    found = simulate(table, Guard.of(table, "kld", 0.2, samples=500), runs=3)
    state = State.of(found.guard, found.outside[0])
    by_hand = [not any(decide(state, Cell(x, y)).released for x in (0, 1)) for y in (0, 1)]
    assert found.stuck[0].tolist() == by_hand
