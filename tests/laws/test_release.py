"""What holds for every release, whatever the baseline, the rules and the order of requests.

Verdicts are compared with ``release.reference``, which works every test out anew from the counts by its
definition, and the controller with a list of requests that is searched from its head.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge._support import threads
from divulge.safe_release import (
    TESTS,
    Baseline,
    Controller,
    Guard,
    Reason,
    Rules,
    State,
    decide,
    leaving,
    next_to_leave,
    table_of,
    tabulate,
)
from divulge.safe_release.critical import Critical
from divulge.safe_release.queue import Queue
from divulge.safe_release.statistics import limit_tables
from safe_release import reference
from safe_release.situations import cells, guards, held, histories, likely, states, tables

# -- tests and verdicts ------------------------------------------------------------------------------


def same(found, expected, rel=1e-9):
    """The same number up to rounding; what is infinite has no number."""
    if expected is None or math.isinf(expected):
        return found is None
    return found == pytest.approx(expected, rel=rel, abs=1e-12)


def agree(state):
    """A state reads what the reference does: value, limit and verdict of each test, and all together."""
    assert state.safe == reference.is_safe(state.counts.tolist(), held(state.guard))
    expected = reference.readings(state.counts.tolist(), held(state.guard))
    found = [one for one in state.exposures() if state.records or one.test in ("kld", "cst")]
    assert [(one.test, one.target) for one in found] == [
        (one.test, None if one.target is None else state.guard.domain.targets[one.target]) for one in expected
    ]
    for mine, theirs in zip(found, expected, strict=True):
        rounding = 1e-5 if mine.test == "dqt" else 1e-9  # differences of distances that are nearly the same
        assert same(mine.value, theirs.value, rounding), (mine, theirs)
        assert same(mine.critical, theirs.critical), (mine, theirs)
        assert mine.safe == theirs.safe, (mine, theirs)
    return True


@given(states() | states(changed=True))
def test_what_is_outside_reads_as_by_the_definitions(state):
    assert agree(state)


@given(states() | states(changed=True), st.data())
def test_a_record_may_leave_exactly_if_the_set_with_it_is_safe(state, data):
    cell = data.draw(cells(state.guard))
    verdict = decide(state, cell)
    expected = (
        state.guard.baseline.target_shares[cell.y] > 0
        and state.guard.baseline.shares[cell.x] > 0
        and reference.is_safe(reference.with_one_more(state.counts.tolist(), *cell), held(state.guard))
    )
    assert verdict.released == expected
    assert (verdict.reason is Reason.SAFE) == expected
    assert verdict.following.safe or not verdict.released


@given(states() | states(changed=True), st.data())
def test_deciding_changes_nothing_and_says_the_same_again(state, data):
    cell = data.draw(cells(state.guard))
    before = state.outside.memory.copy()
    first = decide(state, cell)
    next_to_leave(state, np.zeros(state.counts.shape, np.int64))
    again = decide(state, cell)
    assert (first.released, first.reason, first.exposures) == (again.released, again.reason, again.exposures)
    assert np.array_equal(before, state.outside.memory)
    fresh = State.of(Guard(state.guard.baseline, state.guard.rules), state.counts)
    assert (decide(fresh, cell).released, decide(fresh, cell).reason) == (first.released, first.reason)


@given(states() | states(changed=True))
def test_a_set_is_safe_exactly_if_every_exposure_is(state):
    assert state.safe == all(one.safe for one in state.exposures())


@given(states() | states(changed=True))
def test_the_exposures_nearest_to_their_limits_include_one_beyond_if_there_is_any(state):
    assert {one.test for one in state.worst() if not one.safe} == {
        one.test for one in state.exposures() if not one.safe
    }


# -- the controller ----------------------------------------------------------------------------------


def happens(controller, step, ticket):
    """Carry a step out; says which tickets left."""
    if step.request is not None:
        return controller.request(ticket, {"x": step.request.x, "y": step.request.y}).left
    if step.table is not None:
        return controller.follow(step.table)
    waiting = list(controller.waiting)
    if waiting:
        controller.withdraw(waiting[step.withdraw % len(waiting)])
    return ()


def placed(outside, domain):
    """Counts by name as a matrix on a domain."""
    return [[outside[value, target] for target in domain.targets] for value in domain.values]


def by_name(state):
    domain = state.guard.domain
    return Counter(
        {
            (value, target): int(state.counts[x, y])
            for x, value in enumerate(domain.values)
            for y, target in enumerate(domain.targets)
        }
    )


class Naive:
    """A list of requests, searched from its head again after every release, and the reference's verdicts."""

    def __init__(self, state):
        self.outside = by_name(state)
        self.waiting = []

    def may_leave(self, name, guard):
        domain, rules = guard.domain, held(guard)
        known = dict(zip(domain.values, rules.shares, strict=True)).get(name[0], 0) > 0
        meant = dict(zip(domain.targets, rules.targets, strict=True)).get(name[1], 0) > 0
        more = self.outside + Counter([name])
        return known, meant, known and meant and reference.is_safe(placed(more, domain), rules)

    def request(self, ticket, name, guard):
        known, meant, safe = self.may_leave(name, guard)
        if safe:
            self.outside[name] += 1
            return (ticket, *self.search(guard))
        if known and meant:
            self.waiting.append((ticket, name))
        return ()

    def search(self, guard):
        for place, (ticket, name) in enumerate(self.waiting):
            if self.may_leave(name, guard)[2]:
                del self.waiting[place]
                self.outside[name] += 1
                return (ticket, *self.search(guard))
        return ()

    def happens(self, step, ticket, guard):
        if step.request is not None:
            return self.request(ticket, tuple(step.request), guard)
        if step.table is None and self.waiting:
            del self.waiting[step.withdraw % len(self.waiting)]
        return self.search(guard) if step.table is not None else ()


@given(histories())
def test_every_release_leads_to_a_set_that_is_safe_under_the_baseline_then_in_force(history):
    controller, steps = history
    outside, names = by_name(controller.state), {}
    for number, step in enumerate(steps):
        names[f"ticket {number}"] = step.request
        for ticket in happens(controller, step, f"ticket {number}"):
            outside[tuple(names[ticket])] += 1
            assert reference.is_safe(placed(outside, controller.guard.domain), held(controller.guard))
        assert by_name(controller.state) == outside


@given(histories())
def test_the_queue_is_a_list_that_is_searched_from_its_head_after_every_release(history):
    controller, steps = history
    naive = Naive(controller.state)
    for number, step in enumerate(steps):
        left = happens(controller, step, f"ticket {number}")
        assert left == naive.happens(step, f"ticket {number}", controller.guard)
        assert list(controller.waiting) == [ticket for ticket, _ in naive.waiting]


@given(states() | states(changed=True), st.data())
def test_of_those_waiting_the_first_that_may_leave_is_found(state, data):
    waiting = data.draw(st.lists(cells(state.guard), max_size=12))
    queue = Queue(state.guard.domain)
    for number, cell in enumerate(waiting):
        queue.join(str(number), cell)
    free = [cell for cell in waiting if decide(state, cell).released]
    assert next_to_leave(state, queue.heads) == (free[0] if free else None)


@given(states(), st.integers(0, 60), st.integers(0, 99))
def test_all_requests_in_one_loop_leave_as_they_do_one_by_one(state, number, seed):
    requests = likely(state.guard, number, np.random.default_rng(seed))
    controller = Controller(state.guard, state)
    left = [ticket for n, cell in enumerate(requests) for ticket in controller.request(str(n), cell).left]
    scratch = state.scratch()
    xs, ys = np.array([cell.x for cell in requests], int), np.array([cell.y for cell in requests], int)
    found = leaving.run_cells(scratch, state.guard.limits(state.records + number + 1), xs, ys)
    assert [str(request) for request in found] == left
    assert np.array_equal(scratch.counts, controller.state.counts)


@given(histories(changes=False), st.integers(0, 99))
def test_it_does_not_matter_which_record_of_a_cell_arrives(history, seed):
    controller, steps = history
    other = Controller(controller.guard, controller.state)
    alike = {}
    for number, step in enumerate(steps):
        alike.setdefault(step.request, []).append(f"ticket {number}")
    rng = np.random.default_rng(seed)
    renamed = {}
    for tickets in alike.values():
        renamed.update(zip(tickets, rng.permutation(tickets).tolist(), strict=True))
    for number, step in enumerate(steps):
        ticket = f"ticket {number}"
        left = happens(controller, step, ticket)
        assert tuple(renamed[one] for one in left) == happens(other, step, renamed[ticket])
        assert [renamed[one] for one in controller.waiting] == list(other.waiting)
    assert np.array_equal(controller.state.counts, other.state.counts)


@given(tables(), st.integers(0, 99))
def test_it_does_not_matter_in_which_order_the_holders_records_stand(table, seed):
    records = [(x, y) for (x, y), number in np.ndenumerate(table.counts) for _ in range(number)]
    order = np.random.default_rng(seed).permutation(len(records))
    tabulated = [
        tabulate(
            dv.read({"x": [records[i][0] for i in places], "y": [records[i][1] for i in places]}), "x", "y"
        )
        for places in (range(len(records)), order)
    ]
    assert tabulated[0].domain.values == tabulated[1].domain.values
    assert tabulated[0].domain.targets == tabulated[1].domain.targets
    assert np.array_equal(tabulated[0].counts, tabulated[1].counts)


@given(histories(changes=False))
def test_a_request_that_is_withdrawn_leaves_no_trace(history):
    controller, steps = history
    other = Controller(controller.guard, controller.state)
    for number, step in enumerate(steps):
        if step.request is None:
            continue
        answer = controller.request(f"ticket {number}", step.request)
        if f"ticket {number}" in controller.waiting:
            controller.withdraw(f"ticket {number}")
        elif answer.verdict.released:
            assert other.request(f"ticket {number}", step.request).left == answer.left
    assert not len(controller.waiting)
    assert np.array_equal(controller.state.counts, other.state.counts)


# -- critical values ---------------------------------------------------------------------------------


@given(guards(), st.data())
def test_limits_do_not_depend_on_when_they_are_asked_for(guard, data):
    """Baselines are too small here for more than one table; ``test_critical`` has larger ones."""
    if not {"mis", "kld"} & set(guard.rules.tests):
        return
    test = data.draw(st.sampled_from([test for test in ("mis", "kld") if test in guard.rules.tests]))
    small = min(guard.critical.small, 200)
    sizes = data.draw(st.lists(st.integers(1, small), min_size=1, max_size=5))
    found = [guard.critical.limit(test, size) for size in sizes]
    at_once = Critical(guard.baseline, guard.rules)
    at_once.by_size(test, small)
    assert found == [at_once.limit(test, size) for size in sizes]


@pytest.mark.parametrize("test", ["mis", "kld"])
@given(seed=st.integers(0, 99), shape=st.tuples(st.integers(3, 6), st.integers(2, 5)))
@settings(max_examples=8)
def test_simulated_and_asymptotic_limits_meet(test, seed, shape):
    """Roughly at twice as many records as cells, closely at many more, which only the reference simulates."""
    table = table_of(np.random.default_rng(seed).integers(40, 100, shape))
    for alpha in (0.05, 0.2):
        critical = Guard.of(table, test, alpha, seed=seed, limits="chi-square").critical
        small, many = critical.small, 50 * critical.small
        assert critical.limit(test, small) * small == pytest.approx(
            critical.limit(test, small + 1) * (small + 1), rel=0.3
        )
        for records in (small, many):
            targets = critical.baseline.target_shares if test == "mis" else [1.0]
            drawn = reference.by_chance(critical.baseline.shares, targets, records, 10_000, seed)
            limit = critical.limit(test, records)  # sets that look alike make steps: it lies on one of them
            assert (drawn < limit - 1e-9).mean() - 0.02 <= 1 - alpha <= (drawn <= limit + 1e-9).mean() + 0.02


@given(tables(), st.sampled_from(["mis", "kld"]), st.integers(1, 60))
@settings(max_examples=10)
def test_a_higher_level_never_has_a_higher_limit(table, test, records):
    levels = [1e-12, 0.001, 0.05, 0.2, 0.5, 0.9, 0.999, math.nextafter(1, 0)]
    limits = [Guard.of(table, test, alpha, samples=200).critical.limit(test, records) for alpha in levels]
    assert all(low >= high or math.isclose(low, high) for low, high in pairwise(limits))


@given(states())
def test_what_is_safe_at_a_level_is_safe_at_every_lower_one(state):
    if "dqt" in state.guard.rules.tests:  # printed values of Dixon's are rounded
        return
    lower = replace(state.guard.rules, alpha=state.guard.rules.alpha / 4)
    if state.safe:
        assert State.of(Guard(state.guard.baseline, lower), state.counts).safe


@given(states())
def test_a_set_that_passes_tests_together_passes_each_of_them(state):
    alone = [replace(state.guard.rules, tests=(test,)) for test in state.guard.rules.tests]
    assert state.safe == all(State.of(Guard(state.guard.baseline, one), state.counts).safe for one in alone)


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
def test_limits_do_not_depend_on_the_number_of_threads(cores, monkeypatch):
    baseline = Baseline.of(table_of([[50, 40, 10], [30, 60, 20], [5, 10, 20]]))
    limit_tables.simulated.cache_clear()
    found = {
        test: Critical(baseline, Rules.of(test, 0.2, samples=500)).by_size(test, 18) for test in TESTS[:2]
    }
    limit_tables.simulated.cache_clear()
    monkeypatch.setattr(threads, "cores", lambda: cores)
    for test, table in found.items():
        assert np.array_equal(Critical(baseline, Rules.of(test, 0.2, samples=500)).by_size(test, 18), table)


def test_the_reference_tells_a_safe_set_from_one_that_is_not():
    """Every test says no somewhere, and yes somewhere, or it would agree with anything."""
    guard = Guard.of(table_of([[40, 30, 30], [30, 40, 30], [30, 30, 40]]), list(TESTS), 0.05, samples=200)
    alike = reference.readings([[40, 31, 32], [31, 41, 30], [33, 30, 40]], held(guard))
    apart = reference.readings([[90, 31, 30], [3, 40, 30], [3, 30, 41]], held(guard))
    assert {one.test for one in alike if one.safe} == set(TESTS)
    assert {one.test for one in apart if not one.safe} == set(TESTS)
