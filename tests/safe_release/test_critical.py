"""What a release has to stay below: simulated while it is small, by chi-square once it is not.

Limits by moments are in ``statistics/test_limit_tables.py``.
"""

import math
from unittest.mock import patch

import numpy as np
import pytest
from scipy.stats import chi2

from divulge.errors import SchemaError
from divulge.safe_release import Baseline, Cell, Controller, Guard, Rules, table_of
from divulge.safe_release.critical import Critical
from divulge.safe_release.statistics import limit_tables
from safe_release import reference
from safe_release.military import soldiers

COIN = table_of([[3, 3], [1, 1]])  # P(X) = 3/4, 1/4
SQUARE = table_of(np.random.default_rng(3).integers(20, 60, (20, 20)))  # 800 records are few here


def critical(table, test, alpha=0.2, **options):
    return Critical(Baseline.of(table), Rules.of(test, alpha, limits="chi-square", **options))


# -- small releases ----------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["mis", "kld"])
@pytest.mark.parametrize(("alpha", "limit"), [(0.2, 2.0), (0.25, -math.log2(0.75)), (0.3, -math.log2(0.75))])
def test_the_limit_of_one_record_is_exact(test, alpha, limit):
    # -log2 p is 0.415 with probability 3/4 and 2 otherwise.
    assert critical(COIN, test, alpha).limit(test, 1) == pytest.approx(limit, rel=1e-5)


def test_the_limit_of_two_records_by_hand():
    # One of each 6/16 (its distance is 1/2 log2 2/3 + 1/2 log2 2), both common 9/16, both rare 1/16.
    found = [critical(COIN, "kld", alpha, samples=20_000).limit("kld", 2) for alpha in (0.7, 0.1, 0.02)]
    assert found == pytest.approx([(math.log2(2 / 3) + 1) / 2, -math.log2(0.75), 2], rel=1e-5)


@pytest.mark.parametrize("test", ["mis", "kld"])
@pytest.mark.parametrize("counts", [[[5, 5], [5, 5]], [[40, 40], [10, 10]], [[4, 4], [4, 4], [2, 2]]])
def test_the_most_ordinary_release_is_never_peculiar(test, counts):
    """With few values the quantile is the least that chance shows, and nothing lies strictly below it."""
    found = Controller(Guard.of(table_of(counts), test, 0.2))
    assert found.request("first", Cell(0, 0)).verdict.released


def test_simulated_limits_reach_as_far_as_the_rules_say():
    near, far = critical(COIN, "mis"), critical(COIN, "mis", reach=5)
    assert (near.small, far.small) == (8, 20)
    assert near.limit("mis", 8) == far.limit("mis", 8)
    assert near.limit("mis", 9) != far.limit("mis", 9)


@pytest.mark.parametrize(("test", "records"), [("cst", 5), ("dqt", 5), ("mis", 0)])
def test_only_information_has_limits_by_number_of_records(test, records):
    with pytest.raises(ValueError, match="from one record on"):
        critical(table_of([[5, 3, 2], [2, 8, 1]]), test).limit(test, records)


@pytest.mark.parametrize("records", [2, 5, 12])
@pytest.mark.parametrize("test", ["mis", "kld"])
def test_limits_are_quantiles_of_what_chance_shows(test, records):
    table = table_of([[30, 20, 10], [5, 25, 10], [20, 10, 30], [3, 3, 3]])
    found = critical(table, test, samples=50_000)
    shares = found.baseline.shares
    targets = found.baseline.target_shares if test == "mis" else [1.0]
    drawn = reference.by_chance(shares, targets, records, 50_000, seed=8)
    limit = found.limit(test, records)
    # Many releases look alike, so the quantile is a step: no less than 80 in 100 reach it, no more pass it.
    assert (drawn <= limit + 1e-9).mean() > 0.8 - 0.008
    assert (drawn < limit - 1e-9).mean() < 0.8 + 0.008


@pytest.mark.parametrize(("alpha", "place"), [(0.45, 55), (0.2, 80), (0.9, 10), (0.205, 80), (0.999, 1)])
def test_of_a_hundred_samples_the_limit_is_the_one_that_alpha_of_them_go_beyond(alpha, place):
    def in_order(*given):
        *_, first, _, found = given
        found[:] = np.arange(first + 1, first + 1 + len(found))[:, None]

    with patch.object(limit_tables, "surprises", in_order):
        found = critical(COIN, "kld", alpha, samples=100, seed=99).by_size("kld", 2)[2]
    # 0.55 of 100 is 55 and a rounding error; of 79.5 samples the eightieth is the first beyond them.
    assert found == pytest.approx(max(place, 1 + 1e-6), rel=1e-9)


def test_between_the_sizes_that_are_simulated_limits_are_a_fiftieth_apart():
    def rising(*given):
        *_, sizes, _, _, found = given
        found[:] = np.sqrt(sizes)

    with patch.object(limit_tables, "surprises", rising):
        found = critical(SQUARE, "kld", samples=100, seed=98).by_size("kld", 800)
    # A line between the roots of n and 1.02 n leaves them by no more than 1 in 80,000.
    assert found[2:] == pytest.approx(np.sqrt(np.arange(2, 801)), rel=2e-5)


@pytest.mark.parametrize("test", ["mis", "kld"])
def test_with_no_record_the_limit_is_zero_and_from_one_on_it_is_not(test):
    first, *others = critical(COIN, test).by_size(test, 8).tolist()
    assert first == 0
    assert min(others) > 0


def test_a_value_or_target_that_does_not_occur_changes_no_limit():
    padded = table_of([[3, 0, 3], [0, 0, 0], [1, 0, 1]])
    for test in ("mis", "kld"):
        assert np.array_equal(critical(padded, test).by_size(test, 8), critical(COIN, test).by_size(test, 8))
    assert critical(padded, "mis").small == critical(COIN, "mis").small == 8
    assert critical(padded, "mis").joint_degrees == 2


@pytest.mark.parametrize("test", ["mis", "kld"])
def test_limits_are_the_same_whenever_they_are_asked_for(test):
    at_once = critical(SQUARE, test, samples=200)
    bit_by_bit = critical(SQUARE, test, samples=200)
    small = at_once.small
    assert small == 800
    whole = at_once.by_size(test, small)
    for asked in (1, 10, 100, 128, 129, 256, 257, 300, 500, 512, 513, 600, 799, 800):
        table = bit_by_bit.by_size(test, asked)
        assert len(table) > asked
        assert np.array_equal(table, whole[: len(table)]), f"after {asked} were asked for"


def test_limits_follow_the_seed():
    first, again, other = (
        critical(COIN, "mis", samples=300, seed=seed).by_size("mis", 8) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_simulated_limits_cannot_be_overwritten():
    with pytest.raises(ValueError, match="read-only"):
        critical(COIN, "mis").by_size("mis", 8)[3] = 1e9


@pytest.mark.parametrize("test", ["cst", "dqt"])
def test_only_information_has_simulated_limits(test):
    with pytest.raises(ValueError, match="do not go by the number of records"):
        critical(COIN, "mis").by_size(test, 5)


# -- large releases ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2, 0.37])
def test_beyond_twice_as_many_records_as_cells_limits_follow_chi_square(alpha):
    table = table_of([[30, 20, 10], [5, 25, 10], [20, 10, 30], [3, 3, 3]])
    mis, kld = critical(table, "mis", alpha), critical(table, "kld", alpha)
    assert mis.small == kld.small == 24
    assert mis.limit("mis", 25) == pytest.approx(chi2.ppf(1 - alpha, 9) / (50 * math.log(2)))
    assert kld.limit("kld", 25) == pytest.approx(chi2.ppf(1 - alpha, 3) / (50 * math.log(2)))
    assert mis.by_degrees.tolist() == pytest.approx([0, *chi2.ppf(1 - alpha, [1, 2, 3])])


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("test", ["mis", "kld"])
def test_the_soldiers_limits_hardly_jump_where_simulation_ends(test, alpha):
    found = critical(soldiers(), test, alpha)
    assert found.small == 100
    assert found.limit(test, 101) * 101 == pytest.approx(found.limit(test, 100) * 100, rel=0.05)


def test_degrees_of_what_is_present_have_a_limit_each():
    found = critical(table_of([[3, 3], [1, 1], [2, 2]]), "mis", 0.05, degrees="present")
    assert found.joint.tolist() == pytest.approx([0, *chi2.ppf(0.95, [1, 2, 3, 4])])


# -- what cannot be tested ---------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["mis", "kld", "cst", "dqt", "mis,kld,cst,dqt"])
@pytest.mark.parametrize("counts", [[[5, 3, 4]], [[5, 3, 4], [0, 0, 0]]])
def test_a_single_value_of_x_is_refused(test, counts):
    with pytest.raises(SchemaError, match="X has a single value"):
        Guard.of(table_of(counts), test, 0.2)


@pytest.mark.parametrize("counts", [[[5], [3]], [[5, 4], [3, 4]], [[5, 4, 0], [3, 4, 0]]])
def test_dixons_test_needs_three_targets(counts):
    with pytest.raises(SchemaError, match=r"among at least 3, and the baseline has \d"):
        Guard.of(table_of(counts), "mis,dqt", 0.2)
    Guard.of(table_of(counts), "mis,kld,cst", 0.2)


def test_more_than_ten_targets_have_simulated_limits_of_dixons():
    found = critical(table_of(np.full((2, 13), 5)), "dqt").ratios
    assert len(found) == 14
    assert found[:3].tolist() == [math.inf] * 3
    assert found[10] == 0.273
    assert (np.diff(found[3:]) < 0).all()
    drawn = np.sort(np.random.default_rng(2).normal(size=(20_000, 13)))
    ratios = (drawn[:, -1] - drawn[:, -2]) / (drawn[:, -1] - drawn[:, 0])
    assert found[13] == pytest.approx(np.quantile(ratios, 0.8), abs=0.01)
