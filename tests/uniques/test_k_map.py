"""k-map and delta-presence of a sample: ends that hold however groups are spread, and what a model adds."""

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge._support.special_functions import beta_below
from divulge.errors import Undefined
from divulge.uniques.k_map import EstimatedPresence, people_at_least
from divulge.uniques.match_chance import match_chance
from divulge.uniques.pitman_yor import pitman_yor_posterior
from divulge.uniques.size_counts import SizeCounts
from known_populations import census, classes

SHARES = (0.01, 0.05, 0.2, 0.5, 0.8)


def test_the_least_people_of_a_group_by_hand():
    # Of 10,000 people a hundredth is drawn. Of the 10000/j groups of j at most, five or more are drawn in
    # 10000/57 * 0.000272 = 0.0477 if j = 57, and in 0.0508 if j = 58.
    assert people_at_least(np.array([5]), 0.01, 10_000).tolist() == [58]
    # Two of two are drawn in 5,000 * 0.0001 = half a group, so that F = 2 stays possible.
    assert people_at_least(np.array([1, 2]), 0.01, 10_000).tolist() == [1, 2]


@pytest.mark.parametrize("share", SHARES)
def test_so_few_people_are_ruled_out_and_one_more_is_not(share):
    """Against exact binomial chances: P(f or more of j) is that of a beta variable below the share."""
    sizes, population = np.array([2, 3, 5, 9, 20, 60]), 50_000.0
    for size, least in zip(sizes, people_at_least(sizes, share, population), strict=True):
        people = np.arange(size, least + 1)
        expected = population / people * beta_below(size, people - size + 1, share)
        assert (expected[:-1] <= 0.05).all()
        assert expected[-1] > 0.05 * 0.8  # a geometric series is a little more than the rest of the chances


def test_nothing_is_won_where_everybody_is_drawn():
    found = EstimatedPresence(SizeCounts(np.array([3, 8]), np.array([4, 1]), 20), 1.0, None)
    assert (found.k_map.value, found.delta_presence.value, found.below(5)) == (3, 1, (12, 12))


def test_ends_by_hand():
    counts = SizeCounts(np.array([1, 2, 5]), np.array([40, 15, 6]), 1000)
    found = EstimatedPresence(counts, 0.1, match_chance(counts))
    # The smallest F is at most the mean over unique records, one over the lower end of the chance of a match.
    low = match_chance(counts).low
    assert low == pytest.approx(0.065001, abs=1e-6)
    assert (found.k_map.low, found.k_map.high) == (1, 15)
    assert (found.delta_presence.low, found.delta_presence.high) == (0.1, 1)  # the sampled share is more
    # Each unique record has at most 14.38 others on average, so 40 * 14.38/49 of them may have 50 or more.
    assert found.below(50)[0] == 28
    # Groups of five have five people or more, so that only 70 people may have fewer than five.
    assert (found.below(2), found.below(5)) == ((0, 40), (0, 70))


def test_how_many_join_a_class_is_beta_binomial():
    counts = SizeCounts(np.array([1, 2, 4]), np.array([60, 20, 10]), 700.0)
    found = pitman_yor_posterior(counts)
    place = int(found.weight.argmax())
    own, others = 2 - found.discount[place], found.strength[place] + 140 - 2 + found.discount[place]
    shares = (np.arange(200_000) + 0.5) / 200_000  # the share of those who come that joins is a beta variable
    density = shares ** (own - 1) * (1 - shares) ** (others - 1)
    none = (density * (1 - shares) ** 560).sum()
    one = (density * 560 * shares * (1 - shares) ** 559).sum()
    assert found.below(3, 2)[place] == pytest.approx(none / density.sum(), rel=1e-3)
    assert found.below(4, 2)[place] == pytest.approx((none + one) / density.sum(), rel=1e-3)
    assert (found.below(2, 2) == 0).all()


def held(owner, shares, samples, rng):
    """How often ends hold the truth: k-map, delta-presence, people with fewer than 2, 3, 5 and 10 alike."""
    people, found = np.bincount(owner), []
    for share in shares:
        for _ in range(samples):
            sizes = np.bincount(owner[rng.random(len(owner)) < share], minlength=len(people))
            here = sizes > 0
            counts = SizeCounts.of(sizes[here], len(owner))
            ends = EstimatedPresence(counts, counts.fraction, match_chance(counts))
            presence = (sizes[here] / people[here]).max()
            row = [ends.k_map.low <= people[here].min() <= ends.k_map.high]
            row += [ends.delta_presence.low <= presence <= ends.delta_presence.high + 1e-12]
            for k in (2, 3, 5, 10):
                low, high = ends.below(k)
                row.append(low <= sizes[here & (people < k)].sum() <= high)
            found.append(row)
    return np.mean(found, axis=0)


def populations(people, rng):
    table = census(people, rng)
    return {
        "two attributes": classes(table, ["sex", "age"]),
        "four attributes": classes(table, ["sex", "age", "race", "married"]),
        "all": classes(table, [name for name in table if name != "salary"]),
        "few large groups and many people alone": np.concatenate(
            [np.repeat(np.arange(20), people // 25), 20 + np.arange(people // 5)]
        ),
        "groups of twenty": np.repeat(np.arange(people // 20), 20),
        "pairs": np.repeat(np.arange(people // 2), 2),
    }


def test_ends_hold_the_truth_of_known_populations():
    rng = np.random.default_rng(8)
    for owner in populations(3000, rng).values():
        assert (held(owner, (0.5, 0.1), 4, rng) >= 0.75).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", list(populations(100, np.random.default_rng(1))))
@pytest.mark.parametrize("share", [0.01, 0.05, 0.2, 0.5, 0.8])
def test_they_do_so_in_90_of_100_samples(name, share):
    rng = np.random.default_rng(9)
    owner = populations(20_000, rng)[name]
    assert (held(owner, (share,), 100, rng) >= 0.9).all()


def test_the_model_is_near_the_truth_of_a_census():
    rng = np.random.default_rng(2)
    owner = classes(census(8000, rng), ["sex", "age", "race", "married", "school"])
    people = np.bincount(owner)
    sizes = np.bincount(owner[rng.random(8000) < 0.2], minlength=len(people))
    counts = SizeCounts.of(sizes[sizes > 0], 8000)
    found = EstimatedPresence(counts, counts.fraction, match_chance(counts))
    for k in (2, 5, 10):
        truth = sizes[people < k].sum()
        assert 0.7 * truth < found.modelled_below(k) < 1.4 * truth


def test_a_model_that_does_not_fit_gives_no_number_and_the_ends_stay():
    rng = np.random.default_rng(3)
    owner = np.repeat(np.arange(400), 20)
    table = {"group": owner[rng.random(8000) < 0.2].tolist()}
    said = dv.uniqueness(table, keys="group", size=8000, models=["pitman_yor"]).to_dict()["estimated"]
    assert {one["value"] for one in said["people_below"]} == {None}
    assert {one["undefined"] for one in said["people_below"]} == {"the sizes of groups do not fit the model"}
    assert said["k_map"]["interval"][0] <= 20 <= said["k_map"]["interval"][1]
    sizes = np.unique(table["group"], return_counts=True)[1]
    counts = SizeCounts.of(sizes, 8000)
    with pytest.raises(Undefined, match="do not fit"):
        EstimatedPresence(counts, 0.2, match_chance(counts)).modelled_below(5)


def test_where_no_group_can_be_so_small_nobody_is_counted():
    said = dv.uniqueness({"group": [1, 2] * 300}, keys="group", fraction=0.1).to_dict()["estimated"]
    below = [(one["value"], one["interval"], one["undefined"]) for one in said["people_below"]]
    assert below == [(0, [0, 0], None)] * 4


RNG = np.random.default_rng(4)
PEOPLE = {
    "age": RNG.integers(20, 80, 900).tolist(),
    "town": RNG.choice(9, 900, p=np.arange(1, 10) / 45).tolist(),
}


def test_an_account_has_ends_only_where_they_are_not_known():
    assert dv.uniqueness(PEOPLE, keys=["age", "town"]).to_dict()["estimated"] is None
    assert dv.uniqueness(PEOPLE, keys=["age", "town"], population=PEOPLE).to_dict()["estimated"] is None
    said = dv.uniqueness(PEOPLE, keys=["age", "town"], fraction=0.1).to_dict()
    ends = {one["k"]: one["interval"] for one in said["estimated"]["people_below"]}
    assert all(one % 10 == 0 for pair in ends.values() for one in pair)
    with exact_counts():
        exact = dv.uniqueness(PEOPLE, keys=["age", "town"], fraction=0.1).to_dict()["estimated"]
    assert exact["people_below"][0]["interval"][1] == said["sample"]["unique"] <= ends[2][1]


def test_with_weights_the_largest_chance_to_be_drawn_counts():
    weights = [10.0] * 450 + [40.0] * 450
    data = dv.read({**PEOPLE, "w": weights}, weights="w")
    found = dv.uniqueness(data, keys="town")
    even = dv.uniqueness(PEOPLE, keys="town", size=int(sum(weights)))
    alike = people_at_least(found.counts.sizes, 0.1, sum(weights))
    assert found.presence.k_map.low == alike.min() < even.presence.k_map.low
    said = dv.uniqueness(data, keys=["age", "town"]).to_dict()["estimated"]["people_below"]
    assert {one["value"] for one in said} == {None}
    assert "weights differ" in said[0]["undefined"]
