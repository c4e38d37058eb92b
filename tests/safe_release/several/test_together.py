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


@pytest.mark.parametrize("alpha", [0.2, 0.9])
def test_a_target_is_stuck_where_none_of_its_kinds_may_leave(people, alpha):
    parts = tabulate_all(people, [AGE, RANK], {})
    table = joint_table(parts)
    guard = JointGuard.over(
        table.domain, [Guard.of(part, "mis", alpha, limits="chi-square", samples=200) for part in parts]
    )
    found = simulate_together(table, guard, runs=1, requests=300)
    counts = np.zeros(guard.domain.shape, np.int64)
    for first, second in zip(found[0].first, found[1].first, strict=True):
        kind = (first.x * 3 + first.y, second.x * 3 + second.y)
        counts[[*zip(*(cells.tolist() for cells in guard.cells), strict=True)].index(kind)] += 1
    state = guard.state(counts)
    free = [decide(state, Cell(kind, 0)).released for kind in range(len(counts))]
    for place, one in enumerate(found):
        targets = guard.cells[place] % 3
        by_hand = [not any(f for f, of in zip(free, targets, strict=True) if of == y) for y in range(3)]
        assert one.stuck[0].tolist() == by_hand
