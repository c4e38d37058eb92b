"""Limits by number of records: no step, above the least that can be shown, and nothing gets stuck."""

import numpy as np
import pytest
from scipy.stats import chi2

from divulge.safe_release import Guard, table_of
from divulge.safe_release.simulation import simulate
from divulge.safe_release.statistics.limit_tables import by_moments, fit_limits, simulated
from safe_release import reference

SHAPES = ((5, 5), (10, 5), (20, 2), (20, 10), (50, 5), (2, 20))
FEW_VALUES = ((2.0, 1.0), (9.0, 1.0), (99.0, 1.0), (999.0, 1.0), (1.0, 1.0), (6.0, 3.0, 1.0))


def limits(shares, targets, alpha, size, *, kind=by_moments):
    p, q = (np.asarray(one) / np.sum(one) for one in (shares, targets))
    return kind(p.tobytes(), q.tobytes(), alpha, 10_000, 0, size)


def holder(shares, targets, seed, *, dependent=True, records=4000):
    """A table of so many targets, whose shares are a baseline's, or each its own."""
    rng, columns = np.random.default_rng(seed), []
    for _ in range(targets):
        own = np.asarray(shares) * np.exp(0.5 * rng.normal(size=len(shares)) * dependent)
        columns.append(rng.multinomial(records // targets, own / own.sum()))
    counts = np.array(columns).T
    counts[:2] += 1
    return table_of(counts)


def some_are_stuck(table, guard, *, runs, seed):
    """Whether a run ends where no record could leave, or, held to limits of each target, none of one."""
    found = simulate(table, guard, runs=runs, seed=seed)
    return bool(found.stuck_runs if guard.rules.tests == ("mis",) else found.stuck.any())


def test_ten_values_and_five_targets_have_no_step():
    found = limits(np.ones(10), np.ones(5), 0.2, 2000)
    falls = 1 - found[10:] / found[9:-1]
    assert falls.max() < 0.001
    before = limits(np.ones(10), np.ones(5), 0.2, 100, kind=simulated)
    after = chi2.ppf(0.8, 45) / (2 * np.log(2))
    assert before[100] / after > 1.13  # the step without moments


@pytest.mark.parametrize("records", [40, 100, 400])
def test_limits_are_quantiles_of_what_chance_shows(records):
    shares, targets = np.full(10, 0.1), np.full(5, 0.2)
    drawn = records * reference.by_chance(shares, targets, records, 20_000, seed=3)
    found = limits(shares, targets, 0.2, 400)[records]
    assert found == pytest.approx(np.quantile(drawn, 0.8), rel=0.01)


def test_few_records_are_simulated_and_many_follow_chi_square():
    shares, targets = np.ones(10), np.ones(5)
    found = limits(shares, targets, 0.05, 100_000)
    assert np.array_equal(found[:21], limits(shares, targets, 0.05, 20, kind=simulated))
    assert found[-1] == pytest.approx(chi2.ppf(0.95, 45) / (2 * np.log(2)), rel=1e-3)


def test_limits_do_not_depend_on_how_far_they_are_asked_for():
    shares, targets = [5, 3, 2], [2, 1]
    near, far = (limits(shares, targets, 0.2, size) for size in (128, 4096))
    assert np.array_equal(near, far[:129])
    p = np.array([0.5, 0.3, 0.2]).tobytes()
    assert np.array_equal(fit_limits(p, 0.2, 128), fit_limits(p, 0.2, 4096)[:129])


def test_the_limit_of_pearsons_statistic_of_one_record_is_exact():
    # 1/p - 1 is 1 with probability 0.5, 7/3 with 0.3 and 4 with 0.2.
    p = np.array([0.5, 0.3, 0.2]).tobytes()
    assert [fit_limits(p, alpha, 10)[1] for alpha in (0.6, 0.3, 0.1)] == pytest.approx(
        [1, 7 / 3, 4], rel=1e-5
    )


def test_the_limit_of_pearsons_statistic_keeps_its_level():
    rng, shares = np.random.default_rng(4), np.array([0.4, 0.3, 0.2, 0.06, 0.04])
    for records in (30, 100, 1000):
        counts = rng.multinomial(records, shares, 20_000)
        drawn = ((counts - records * shares) ** 2 / (records * shares)).sum(axis=1)
        level = (drawn >= fit_limits(shares.tobytes(), 0.2, 1000)[records]).mean()
        assert level == pytest.approx(0.2, abs=0.03)


def test_a_guard_reads_limits_of_moments_unless_told_otherwise():
    guard = Guard.of(table_of(np.full((10, 5), 40)), "mis", 0.2)
    step = Guard.of(table_of(np.full((10, 5), 40)), "mis", 0.2, limits="chi-square")
    assert 101 * guard.critical.limit("mis", 101) == pytest.approx(43.4, abs=0.1)
    assert 101 * step.critical.limit("mis", 101) == pytest.approx(38.0, abs=0.1)


@pytest.mark.parametrize("test", ["mis", "kld", "cst"])
def test_nothing_is_stuck_where_much_was_before(test):
    """Of these orders, MIS with chi-square limits and CST with merging leave several stuck."""
    shares = np.ones(10)
    for seed in range(4):
        table = holder(shares, 5, seed, records=1000)
        guard = Guard.of(table, test, 0.2, merging="none", samples=2000)
        assert not some_are_stuck(table, guard, runs=1, seed=seed)


def test_of_the_same_orders_some_are_stuck_by_chi_square_and_by_merging():
    tables = [(holder(np.ones(10), 5, seed, records=1000), seed) for seed in range(4)]
    for rules in ({"tests": "mis", "limits": "chi-square"}, {"tests": "cst"}):
        guards = [(table, Guard.of(table, alpha=0.2, samples=2000, **rules), seed) for table, seed in tables]
        assert any(some_are_stuck(table, guard, runs=1, seed=seed) for table, guard, seed in guards)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["mis", "kld", "cst"])
@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("even", [True, False])
def test_no_domain_gets_stuck(test, dependent, alpha, shape, even):
    values, targets = shape
    shares = np.ones(values) if even else 1 / np.arange(1, values + 1)
    table = holder(shares, targets, values, dependent=dependent)
    guard = Guard.of(table, test, alpha, merging="none")
    assert not some_are_stuck(table, guard, runs=5, seed=values)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["mis", "kld", "cst"])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("targets", [1, 2, 5, 20])
@pytest.mark.parametrize("shares", FEW_VALUES)
def test_no_domain_of_few_values_gets_stuck(test, alpha, targets, shares):
    table = holder(shares, targets, targets)
    guard = Guard.of(table, test, alpha, merging="none")
    assert not some_are_stuck(table, guard, runs=5, seed=targets)
