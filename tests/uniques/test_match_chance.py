"""How sure a match is, and the average risk of a population: by hand, at the edges, on known populations."""

import math

import numpy as np
import pytest

import divulge as dv
from divulge.uniques.match_chance import average_risk, expected_named, match_chance
from divulge.uniques.size_counts import SizeCounts
from known_populations import census, classes

COUNTS = SizeCounts(np.array([1, 2, 5]), np.array([40, 15, 6]), 1000)


def test_the_chance_of_a_match_by_hand():
    found = match_chance(COUNTS)
    # A tenth is sampled: 0.1 * 40 right to 2 * 0.9 * 15 wrong.
    assert found.value == pytest.approx(4 / (4 + 27))
    # The 40 share their values with about 2 * 0.9 * 15 / 0.1 others.
    odds, error = math.log(4 / 27), 1.25 * 1.959964 * math.sqrt(1 / 40 + 1 / 15 + 1 / 270)
    assert found.low == pytest.approx(1 / (1 + math.exp(error - odds)))


def test_the_average_risk_by_hand():
    found = average_risk(COUNTS)
    # 61 groups of 100 people; unseen at least 40^2 / (2 * 15 + 40 / 9), less what may be off.
    unseen = 40**2 / (30 + 40 / 9)
    factor = math.exp(1.959964 * math.sqrt(math.log(1 + 2 * (1 + unseen / 40) / unseen)))
    assert found.low == (61 + int(unseen / factor)) / 1000  # whole groups
    error = math.sqrt(0.61 * 0.39 * 0.9 / 100)
    assert (found.value, found.high) == (None, pytest.approx(0.61 + 1.959964 * error))
    named = expected_named(COUNTS)
    off = 0.1 * math.sqrt(0.9 * (40 + 15 / 2 + 6 / 5))
    assert named.low == pytest.approx(0.1 * (61 + int(unseen / factor)) - 1.959964 * off)
    assert named.high == 61


def test_a_table_that_is_the_population_has_the_risk_it_has():
    whole = SizeCounts(np.array([1, 4]), np.array([4, 4]), 20)
    assert (average_risk(whole).low, average_risk(whole).high) == (0.4, 0.4)
    assert average_risk(SizeCounts(np.array([3]), np.array([4]), 60)).low == 4 / 60  # nobody is unique


def held(people, samples, shares):
    rng = np.random.default_rng(6)
    table, found = census(people, rng), []
    for keys in (["sex", "age"], ["sex", "age", "race", "married"], ["age", "married", "school", "country"]):
        owner = classes(table, keys)
        true = len(np.unique(owner)) / people
        for share in shares:
            for _ in range(samples):
                sizes = np.bincount(owner[rng.random(people) < share])
                said = average_risk(SizeCounts.of(sizes[sizes > 0], people))
                found.append(said.low <= true <= said.high)
    return float(np.mean(found))


def test_the_average_risk_of_a_known_population_lies_between_the_ends():
    assert held(4000, 4, (0.5, 0.1)) >= 0.8


@pytest.mark.slow
def test_it_does_so_in_90_of_100_samples():
    assert held(30_000, 60, (0.5, 0.2, 0.05, 0.01)) >= 0.95


def test_it_is_said_where_it_has_to_be_estimated():
    rng = np.random.default_rng(7)
    table = {"age": rng.integers(0, 300, 500).tolist()}
    said = dv.uniqueness(table, keys="age", fraction=0.1).to_dict()
    assert said["average_risk"]["interval"] == [
        pytest.approx(one)
        for one in vars(average_risk(dv.uniqueness(table, keys="age", fraction=0.1).counts)).values()
        if isinstance(one, float)
    ]
    assert dv.uniqueness(table, keys="age").to_dict()["average_risk"] is None
    assert dv.uniqueness(table, keys="age", population=table).to_dict()["average_risk"] is None


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_the_ends_hold_on_samples_of_a_population_that_is_known(share):
    rng = np.random.default_rng(5)
    people = (rng.pareto(0.7, 20_000) * 20).astype(np.int64) % 4000
    alike, held = np.bincount(people, minlength=4000), 0
    for _ in range(30):
        drawn = people[rng.random(len(people)) < share]
        sizes = np.bincount(drawn)
        found = average_risk(SizeCounts.of(sizes[sizes > 0], len(people)))
        held += found.low <= (1 / alike[drawn]).mean() <= found.high
    assert held >= 27


def sample_of(owner, share, rng):
    """The size of every class in a sample, and in the population."""
    alike = np.bincount(owner)
    return np.bincount(owner[rng.random(len(owner)) < share], minlength=len(alike)), alike


def matches_held(owner, share, samples, rng):
    """How often the ends hold the chance that a match with the unique records of a sample is right."""
    held = []
    for _ in range(samples):
        sizes, alike = sample_of(owner, share, rng)
        if (sizes == 1).sum() >= 5:
            said = match_chance(SizeCounts.of(sizes[sizes > 0], len(owner)))
            held.append(said.low <= (sizes == 1).sum() / alike[sizes == 1].sum() <= said.high)
    return held


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.9])
def test_the_chance_of_a_match_lies_between_its_ends_however_much_is_sampled(share):
    rng = np.random.default_rng(8)
    owner = classes(census(6000, rng), ["sex", "age", "race", "married"])
    assert np.mean(matches_held(owner, share, 60, rng)) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("keys", [["sex", "age", "race"], ["age", "married", "school", "country"]])
def test_it_does_so_in_90_of_100_samples_of_a_census(share, keys):
    rng = np.random.default_rng(9)
    owner = classes(census(20_000, rng), keys)
    assert np.mean(matches_held(owner, share, 300, rng)) >= 0.9


def test_where_hardly_a_wrong_match_is_to_be_expected_all_may_be_right():
    few = SizeCounts(np.array([1, 2, 5]), np.array([40, 15, 100]), 570 / 0.9)
    assert match_chance(few).high == 1  # 2 * 0.1 * 15 / 0.9 others, of whom there may be none


ONE_AND_MANY = np.concatenate([np.arange(1000), np.full(19_000, 1000)])
FEW_LARGE = np.concatenate([np.arange(800), 800 + np.arange(200) // 2, 900 + np.arange(15_000) // 5000])


@pytest.mark.parametrize(
    ("owner", "share"),
    [(ONE_AND_MANY, 0.05), (ONE_AND_MANY, 0.5), (FEW_LARGE, 0.05), (np.arange(20_000) % 70, 0.5)],
)
def test_the_average_risk_is_held_where_most_people_have_much_company(owner, share):
    rng, held = np.random.default_rng(10), []
    for _ in range(100):
        sizes, alike = sample_of(owner, share, rng)
        counts = SizeCounts.of(sizes[sizes > 0], len(owner))
        risk, named = average_risk(counts), expected_named(counts)
        truth = (sizes / alike).sum()
        held.append((risk.low <= len(alike) / len(owner) <= risk.high, named.low <= truth <= named.high))
    assert np.mean(held, axis=0).min() >= 0.9
