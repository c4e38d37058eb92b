"""How often chance alone exceeds a limit: alpha for each target, and for the whole set if asked for."""

import numpy as np
import pytest

from divulge.errors import TooMuch
from divulge.safe_release import Baseline, Domain, Guard, Rules, State, table_of

EVEN = np.full(10, 0.1)
SKEWED = 1 / np.arange(1, 11) / (1 / np.arange(1, 11)).sum()
EQUAL, UNEQUAL = [300] * 5, [1500, 800, 400, 200, 100]
PRECISE = [400] * 4 + [50]  # one target of which there is less


def exceeded(test, sizes, *, alpha, times, shares=EVEN, seed=1, **options):
    """The share of sets without any dependency that a test calls peculiar."""
    domain = Domain(("x",), ("y",), tuple(range(len(shares))), tuple(range(len(sizes))))
    baseline = Baseline(domain, shares, np.asarray(sizes) / sum(sizes))
    guard = Guard(baseline, Rules.of(test, alpha, **options))
    rng = np.random.default_rng(seed)
    sets = (np.stack([rng.multinomial(size, shares) for size in sizes], axis=1) for _ in range(times))
    return np.mean([not State.of(guard, counts).safe for counts in sets])


@pytest.mark.parametrize("test", ["kld", "cst"])
def test_a_level_for_each_target_is_more_for_the_set_and_one_for_the_set_is_kept(test):
    # Five targets at 0.2: 1 - 0.8^5 = 67 % for the set. Of 150 sets, 0.2 varies by 0.033.
    assert exceeded(test, EQUAL, alpha=0.2, times=150, samples=500) > 0.5
    assert exceeded(test, EQUAL, alpha=0.2, times=150, samples=500, familywise=True) < 0.32


def test_mutual_information_is_compared_once_so_its_level_is_that_of_the_set():
    for familywise in (False, True):
        found = exceeded("mis", EQUAL, alpha=0.2, times=150, samples=500, familywise=familywise)
        assert 0.1 < found < 0.32


def test_dixons_test_does_not_keep_its_level_where_targets_differ_in_size():
    assert exceeded("dqt", PRECISE, alpha=0.05, times=100) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("shares", [EVEN, SKEWED], ids=["even", "skewed"])
@pytest.mark.parametrize("sizes", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
def test_levels_of_five_targets_at_five_hundredths(shares, sizes):
    def found(test, **options):
        return exceeded(test, sizes, alpha=0.05, times=2000, shares=shares, **options)

    for test in ("kld", "cst"):
        assert 0.19 < found(test) < 0.28
        assert 0.03 < found(test, familywise=True) < 0.075
    assert 0.035 < found("mis") < 0.08
    assert found("dqt") > 0.08


@pytest.mark.slow
def test_the_figures_of_dixons_fault():
    assert exceeded("dqt", EQUAL, alpha=0.05, times=2000) == pytest.approx(0.11, abs=0.02)
    assert exceeded("dqt", PRECISE, alpha=0.05, times=2000) == pytest.approx(0.91, abs=0.02)


def test_a_level_shared_by_many_targets_has_samples_enough_beyond_it():
    guard = Guard.of(table_of([[9] * 40, [7] * 40]), "kld", 0.05, samples=100, familywise=True)
    # 1 - 0.95^(1/40) = 0.00128: twenty samples beyond it are 15,607 in all.
    assert guard.critical.samples == pytest.approx(20 / (1 - 0.95 ** (1 / 40)), abs=1)
    assert Guard.of(table_of([[9] * 40, [7] * 40]), "kld", 0.05, samples=100).critical.samples == 100


@pytest.mark.parametrize("samples", [10**9, 10**40])
def test_samples_beyond_reason_are_refused_with_what_they_would_take(samples):
    with pytest.raises(TooMuch, match=r"would need (about|more than) .* of memory; the limit is 4 GB"):
        Guard.of(table_of([[5, 3], [2, 8]]), "mis", 0.2, samples=samples)


def test_a_reach_without_end_is_one_that_no_release_reaches():
    guard = Guard.of(table_of([[5, 3], [2, 8]]), "mis", 0.2, reach=10**30, samples=100)
    assert State.start(guard).safe


def test_what_is_affordable_depends_on_how_far_limits_are_asked_for():
    guard = Guard.of(table_of(np.full((100, 100), 1000)), "mis", 0.2, samples=1_000_000, reach=10**6)
    with pytest.raises(TooMuch, match="for releases of up to"):
        guard.critical.check_cost(10**7)
    guard.critical.check_cost(10)
