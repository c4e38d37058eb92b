"""The Bayesian nonparametric model: against its urn, a plain grid, known truths, and at its edges."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import Undefined
from divulge.uniques.pitman_yor import PitmanYorPosterior, log_ratio, pitman_yor_posterior
from divulge.uniques.population_models import estimates
from divulge.uniques.size_counts import SizeCounts
from known_populations import census, classes, urn

PEER = json.loads(
    (Path(__file__).parents[1] / "golden" / "peers" / "population_uniqueness.json").read_text()
)["cases"]
TRUTHS = [case for case in PEER if case["true_population_uniques"] is not None]


def at_one_point(sizes, population, discount, strength):
    counts = SizeCounts.of(np.array(sizes), population)
    return PitmanYorPosterior(np.array([discount]), np.array([strength]), np.ones(1), counts)


@pytest.mark.parametrize(("discount", "strength"), [(0.5, 3.0), (0.2, 10.0), (0.8, -0.3)])
def test_means_and_variances_are_those_of_the_urn(discount, strength):
    rng, sizes, people, rounds = np.random.default_rng(1), [1] * 6 + [2, 2, 5], 40, 1200
    both, all_over = [], []
    for _ in range(rounds):
        grown = np.bincount(urn(people, discount, strength, rng, sizes))
        both.append((grown[:6] == 1).sum())
        all_over.append((grown == 1).sum())
    point = at_one_point(sizes, people, discount, strength)
    for drawn, moments in ((both, point.unique_in_both), (all_over, point.uniques)):
        (mean,), (variance,) = moments
        assert np.mean(drawn) == pytest.approx(mean, abs=4 * math.sqrt(variance / rounds))
        assert np.var(drawn) == pytest.approx(variance, rel=0.2)


def test_a_unique_person_stays_unique_as_the_ratio_of_gamma_functions_says():
    """By hand: of two more people each may join, with chances (1 - s) / (t + 4) and (1 - s) / (t + 5)."""
    point = at_one_point([1, 3], 6, 0.25, 2.0)
    mean, variance = (float(one[0]) for one in point.unique_in_both)
    assert mean == pytest.approx((1 - 0.75 / 6) * (1 - 0.75 / 7))
    assert variance == pytest.approx(mean * (1 - mean))


def test_expected_groups_are_those_of_the_urn():
    rng = np.random.default_rng(2)
    drawn = [np.bincount(np.bincount(urn(60, 0.4, 5.0, rng)), minlength=3)[1:3] for _ in range(700)]
    point = at_one_point([1] * 60, 600, 0.4, 5.0)
    for size in (1, 2):
        assert np.mean([one[size - 1] for one in drawn]) == pytest.approx(
            point.expected_classes(size)[0], rel=0.05
        )


def test_the_posterior_is_that_of_a_plain_grid():
    """Each point's chance by the urn's own steps, person after person, even in s and in ln(t + s)."""
    sizes, population = [1] * 9 + [2] * 3 + [4, 7], 200
    u, v = np.meshgrid(np.linspace(0.004, 0.996, 250), np.linspace(-14, 9, 500))
    strength, height = np.exp(v) - u, np.zeros_like(u)
    here = 0
    for place, size in enumerate(sizes):
        for count in range(size):
            chance = (strength + u * place) if count == 0 else count - u
            if here:
                height += np.log(chance) - np.log(strength + here)
            here += 1
    weight = np.exp(height - height.max())
    weight /= weight.sum()
    found = pitman_yor_posterior(SizeCounts.of(np.array(sizes), population))
    assert found.mean(found.discount) == pytest.approx((weight * u).sum(), rel=0.01)
    assert found.mean(np.log(found.strength + found.discount)) == pytest.approx((weight * v).sum(), rel=0.01)


def test_ratios_of_gamma_functions_keep_their_digits():
    for x, more in ((3.5, 2.0), (900.0, 300.0), (5e3, -1.4), (2e4, 5e3)):
        assert log_ratio(x, more).item() == pytest.approx(math.lgamma(x + more) - math.lgamma(x), rel=1e-10)
    assert log_ratio(1e12, 1.0).item() == pytest.approx(math.log(1e12), rel=1e-15)


@pytest.mark.parametrize("case", TRUTHS, ids=lambda case: f"{case['qi']}-{case['every']}")
def test_the_truth_of_a_known_population_lies_between_the_ends(case):
    sizes, many = np.array(case["class_size_histogram"]).T
    counts = SizeCounts(sizes, many, case["population"])
    found = {one.model: one for one in estimates(counts)}["pitman_yor"]
    low, high = found.parameters["credible_low"], found.parameters["credible_high"]
    assert low < case["true_population_uniques"] < high
    assert low < found.uniques < high
    assert found.parameters["unique_in_both"] < counts.of_size(1)
    assert found.note is None  # it fits, and an interval that does not hold in a census is not repeated


@pytest.mark.parametrize(
    ("sizes", "why"), [([3, 4], "no record is unique"), ([1] * 30, "every record is unique")]
)
def test_at_the_edges_there_is_a_reason_instead(sizes, why):
    with pytest.raises(Undefined, match=why):
        pitman_yor_posterior(SizeCounts.of(np.array(sizes), 1000))


def test_one_pair_among_unique_people_leaves_nearly_everything_open():
    found = pitman_yor_posterior(SizeCounts.of(np.array([1] * 40 + [2]), 5000))
    low, high = found.credible(found.uniques, 0, 5000)
    assert low < 500
    assert high > 4000


def held(designs, people, seed):
    """How often credible intervals hold the truth where the population is what the model says."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(designs):
        owner = urn(people, rng.uniform(0.1, 0.9), math.exp(rng.uniform(0, 6)), rng)
        drawn = owner[: int(people * rng.uniform(0.05, 0.4))]
        sizes, whole = np.bincount(drawn), np.bincount(owner)
        try:
            posterior = pitman_yor_posterior(SizeCounts.of(sizes[sizes > 0], people))
        except Undefined:
            continue
        both = int((whole[: len(sizes)][sizes == 1] == 1).sum())
        for moments, true, most in (
            (posterior.unique_in_both, both, int((sizes == 1).sum())),
            (posterior.uniques, int((whole == 1).sum()), people),
        ):
            low, high = posterior.credible(moments, 0, most)
            found.append(low - 0.5 <= true <= high + 0.5)
    return float(np.mean(found))


def test_credible_intervals_hold_where_the_model_is_right():
    assert held(8, 1000, 3) >= 0.75  # 0.95 less three standard errors


@pytest.mark.slow
def test_credible_intervals_hold_in_90_of_100_where_the_model_is_right():
    assert held(300, 8000, 4) >= 0.90


@pytest.mark.slow
def test_in_a_census_the_model_is_right_to_a_factor_and_its_interval_is_not():
    """Why no interval is printed: with few attributes groups do not grow as the model says."""
    rng, off, inside = np.random.default_rng(5), [], []
    table = census(30_000, rng)
    for keys in (["sex", "age", "race", "married"], ["sex", "age", "race", "married", "school", "country"]):
        owner = classes(table, keys)
        true = int((np.bincount(owner) == 1).sum())
        for share in (0.5, 0.2, 0.1, 0.05):
            for _ in range(5):
                sizes = np.bincount(owner[rng.random(len(owner)) < share])
                found = pitman_yor_posterior(SizeCounts.of(sizes[sizes > 0], len(owner)))
                low, high = found.credible(found.uniques, 0, len(owner))
                off.append(found.mean(found.uniques[0]) / true)
                inside.append(low <= true <= high)
    assert min(off) > 0.6
    assert max(off) < 3
    assert np.mean(inside) < 0.7
