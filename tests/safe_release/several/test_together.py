"""Several dependencies of one table: a record leaves only if every guard stays safe."""

import numpy as np
import pytest

import divulge as dv
from divulge.safe_release import Cell, Controller, Guard, decide, tabulate
from divulge.safe_release.several.guards import JointGuard
from divulge.safe_release.several.simulation import simulate_together
from divulge.safe_release.several.tables import joint_table, tabulate_all
from divulge.safe_release.simulation import simulate

AGE, RANK = (("age",), ("place",)), (("rank",), ("place",))


@pytest.fixture(scope="module")
def people():
    """Ages and ranks of three places: the second has older people, the third higher ranks."""
    rng = np.random.default_rng(4)
    place = rng.integers(0, 3, 900)
    age = np.where((place == 1) & (rng.random(900) < 0.5), 3, rng.integers(0, 4, 900))
    rank = np.where((place == 2) & (rng.random(900) < 0.5), 2, rng.integers(0, 3, 900))
    return dv.read({"age": age.tolist(), "rank": rank.tolist(), "place": place.tolist()})


def joint(data, *dependencies, test="kld", **options):
    parts = tabulate_all(data, dependencies, {})
    table = joint_table(parts)
    return table, JointGuard.over(table.domain, [Guard.of(part, test, 0.2, **options) for part in parts])


@pytest.mark.parametrize("test", ["mis", "kld", "cst", "dqt", "seq", "mis,seq"])
def test_two_identical_guards_behave_as_one(people, test):
    one = tabulate(people, *AGE)
    alone = simulate(one, Guard.of(one, test, 0.2), runs=2, seed=3)
    table, guard = joint(people, AGE, AGE, test=test)
    for found in simulate_together(table, guard, runs=2, seed=3):
        assert np.array_equal(found.outside, alone.outside)
        assert found.first == alone.first
        assert np.array_equal(found.requested, alone.requested)
        assert np.array_equal(found.stuck.any(axis=1), alone.stuck.any(axis=1))


def test_what_leaves_passes_under_every_guard(people):
    table, guard = joint(people, AGE, RANK)
    first, second = simulate_together(table, guard, runs=2, seed=3)
    assert first.passing("kld") == second.passing("kld") == 2
    assert np.array_equal(first.released.sum(axis=1), second.released.sum(axis=1))
    for dependency, found in ((AGE, first), (RANK, second)):
        one = tabulate(people, *dependency)
        alone = simulate(one, Guard.of(one, "kld", 0.2), runs=2, seed=3)
        assert found.released.sum() < alone.released.sum()
        assert np.array_equal(found.requested, alone.requested)


def test_a_decision_is_the_and_of_decisions(people):
    _, guard = joint(people, AGE, RANK)
    rng, state = np.random.default_rng(1), guard.start()
    refused = 0
    for _ in range(200):
        record = {"age": int(rng.integers(4)), "rank": int(rng.integers(3)), "place": int(rng.integers(3))}
        verdict = decide(state, record)
        each = [decide(part, record).released for part in state.parts]
        assert verdict.released == all(each)
        refused += any(each) and not all(each)
        state = verdict.following
    assert refused > 0
    assert state.safe
    assert {one.test for one in state.worst()} == {"kld"}


def test_a_controller_releases_who_waits_when_every_guard_allows(people):
    table, guard = joint(people, AGE, RANK)
    controller = Controller(guard)
    kinds = np.random.default_rng(2).permutation(np.repeat(np.arange(len(table.counts)), table.counts[:, 0]))
    for ticket, kind in enumerate(kinds[:300].tolist()):
        controller.request(str(ticket), Cell(kind, 0))
    left = guard.start().run(kinds[:300])
    assert controller.state.records == len(left)
    assert controller.state.records + len(controller.waiting) == 300


def test_a_value_that_one_baseline_lacks_is_refused(people):
    _, guard = joint(people, AGE, RANK)
    assert repr(decide(guard.start(), {"age": 0, "rank": 9, "place": 0})) == "Verdict(refused: unknown value)"


def test_a_stuck_pair_is_found():
    """What one dependency needs next, the other does not let out."""
    data = dv.read({"a": [0, 1] * 20, "b": [0, 1] * 20, "t": [0] * 40})
    table, guard = joint(data, (("a",), ("t",)), (("b",), ("t",)), test="seq")
    (first, _) = simulate_together(table, guard, runs=1)
    assert first.stuck_runs == 0
