"""How far unrelated data reach: against shuffles, by how often there is a false alarm, by renaming."""

import math

import numpy as np
import pytest
from scipy import stats

import divulge as dv
from divulge.counting.counts import JointCounts
from divulge.measures import get, mutual_information
from divulge.readings import chance as chances
from divulge.readings.chance import (
    association,
    certain_by_chance,
    chance,
    expected_mutual_information,
    shuffles,
)
from divulge.readings.null_readings import Following
from divulge.readings.null_spread import Gamma, _drawn_of, information_variance


def shape(classes, values, records, seed, steep=1.0):
    """A table of unrelated attributes, both with values of very different frequency."""
    rng = np.random.default_rng(seed)
    rows, columns = 1 / np.arange(1, classes + 1) ** steep, 1 / np.arange(1, values + 1) ** steep
    shares = np.outer(rows / rows.sum(), columns / columns.sum())
    table = rng.multinomial(records, shares.ravel()).reshape(classes, values)
    return JointCounts.of_table(table[:, table.sum(axis=0) > 0])


def informations(counts, times, seed=5):
    return np.array([mutual_information(one) for one in shuffles(counts, times, seed)])


# -- the gamma distribution --------------------------------------------------------------------------


def test_a_gamma_distribution_by_mean_and_variance_is_the_one_of_scipy():
    law = stats.gamma(a=4, scale=0.5)  # mean 2, variance 1
    found = Gamma(2.0, 1.0)
    assert found.above(3.3) == pytest.approx(law.sf(3.3))
    assert found.exceeded(0.01) == pytest.approx(law.isf(0.01))


def test_without_variance_everything_is_the_mean():
    assert (Gamma(0.5, 0).exceeded(0.01), Gamma(0.5, 0).above(0.5), Gamma(0.5, 0).above(0.6)) == (0.5, 1, 0)
    assert (Gamma(0, 0).exceeded(0.01), Gamma(0, 0).above(0)) == (0, 1)


@pytest.mark.parametrize(
    ("classes", "values", "records"),
    [(2, 2, 100), (2, 5, 500), (5, 10, 200), (50, 3, 300), (500, 5, 300), (40, 60, 400)],
)
def test_the_variance_from_class_sizes_is_that_of_shuffles(classes, values, records):
    counts = shape(classes, values, records, seed=1)
    drawn = informations(counts, 600)
    # 600 shuffles know a standard deviation to about 4 %.
    assert math.sqrt(information_variance(counts)) == pytest.approx(drawn.std(ddof=1), rel=0.15)
    null = Gamma(expected_mutual_information(counts), information_variance(counts))
    assert (drawn > null.exceeded(0.05)).mean() == pytest.approx(0.05, abs=0.035)
    assert (drawn > null.exceeded(0.01)).mean() <= 0.025


def test_large_classes_have_the_variance_of_chi_square():
    counts = JointCounts.of_table(np.full((4, 3), 2000))
    freedom = 3 * 2
    assert information_variance(counts) == pytest.approx(
        2 * freedom / (2 * 24000 * math.log(2)) ** 2, rel=0.1
    )


def test_classes_of_one_record_and_a_single_class_leave_nothing_to_vary():
    assert information_variance(JointCounts.of_table(np.eye(5, dtype=int))) == 0
    assert information_variance(JointCounts.of_table([[5, 3]])) == 0


# -- false alarms ------------------------------------------------------------------------------------


def false_alarms(classes, shares, records, trials, level=0.05):
    """How often unrelated attributes are said to be related at this level."""
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(trials):
        keys = rng.integers(0, classes, records)
        targets = np.searchsorted(np.cumsum(shares)[:-1], rng.random(records))
        table = np.bincount(keys * len(shares) + targets, minlength=classes * len(shares))
        found += association(JointCounts.of_table(table.reshape(classes, -1))).p_value <= level
    return found / trials


def test_unrelated_attributes_are_rarely_called_related():
    # Five records per cell on average, but one of the rare value in a class: chi-square rejects most.
    assert false_alarms(200, (0.9, 0.1), 2000, trials=60) <= 0.15
    assert false_alarms(60, (0.4, 0.3, 0.2, 0.1), 150, trials=60) <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "shares", "records"),
    [
        (1000, (0.9, 0.1), 10_000),
        (200, (0.9, 0.1), 2000),
        (500, (0.5, 0.3, 0.1, 0.05, 0.05), 2500),
        (30, (0.97, 0.03), 1800),
        (5000, (0.4, 0.3, 0.2, 0.1), 3000),
        (3, (0.5, 0.5), 60),
    ],
)
def test_false_alarms_are_as_rare_as_is_said(classes, shares, records):
    assert false_alarms(classes, shares, records, trials=400) == pytest.approx(0.05, abs=0.035)
    assert false_alarms(classes, shares, records, trials=400, level=0.01) <= 0.03


# -- readings ----------------------------------------------------------------------------------------


def unrelated(records=300, seed=3, postcodes=100):
    rng = np.random.default_rng(seed)
    return {
        "postcode": [f"{code:05d}" for code in rng.integers(0, postcodes, records)],
        "ill": rng.choice(["flu", "cold", "gout"], records, p=[0.6, 0.3, 0.1]).tolist(),
    }


def test_beside_an_adjusted_rate_stands_how_far_unrelated_data_reach():
    reading = dv.measure(unrelated(), "discrimination_rate", keys="postcode", target="ill")
    drawn = informations(reading.question.counts, 400) / reading.question.counts.entropy
    assert reading.spread == pytest.approx(drawn.std(), rel=0.15)
    assert reading.reach == pytest.approx(np.quantile(drawn, 0.99), rel=0.05)
    assert reading.noise == pytest.approx((reading.reach - reading.chance) / (1 - reading.chance))
    assert reading.noise > 0.05
    assert reading.p_value == pytest.approx((drawn >= reading.value).mean(), abs=0.08)
    found = reading.to_dict()
    assert {name: found[name] for name in ("chance_spread", "chance_reach", "noise", "p_value")} == {
        "chance_spread": reading.spread,
        "chance_reach": reading.reach,
        "noise": reading.noise,
        "p_value": reading.p_value,
    }


@pytest.mark.parametrize(
    "name", ["conditional_entropy", "normalized_conditional_entropy", "conditional_privacy"]
)
def test_readings_that_follow_from_information_share_its_p_value(name):
    readings = dv.measure(unrelated(), ["discrimination_rate", name], keys="postcode", target="ill")
    assert readings[1].p_value == readings[0].p_value
    drawn = [get(name).compute(one) for one in shuffles(readings.question.counts, 300, 2)]
    riskier = -1 if get(name).riskier == "lower" else 1
    beyond = np.array(drawn) * riskier > readings[1].reach * riskier
    assert beyond.mean() <= 0.03
    assert readings[1].spread == pytest.approx(np.std(drawn), rel=0.2)


def test_a_small_table_says_why_there_is_no_p_value():
    found = dv.measure({"k": [1, 1, 2], "x": ["s", "t", "t"]}, "discrimination_rate", keys="k", target="x")
    said = found.to_dict()
    assert (said["p_value"], said["noise"]) == (None, None)
    assert said["p_undefined"] == "fewer than 30 records share their key values with another"


# -- maxima ------------------------------------------------------------------------------------------


def test_a_maximum_is_compared_with_the_maximum_of_each_shuffle():
    counts = dv.ask(unrelated(postcodes=30), keys="postcode", target="ill").counts
    for name in ("kl_closeness", "itpr"):
        [found] = chance(counts, [(get(name), {})], permutations=199, seed=6)
        value = get(name).compute(counts)
        drawn = np.array([get(name).compute(one) for one in shuffles(counts, 199, 6)])
        assert found.null.p_value(value) == (1 + np.count_nonzero(drawn >= value - 1e-12)) / 200, name
        assert found.null.reach(0.01) == (1.0 if name == "itpr" else np.sort(drawn)[197]), name


def test_what_certainty_is_probable_to_reach_is_not_left_to_few_shuffles():
    counts = JointCounts.of_table([[5, 3]] * 5)
    assert certain_by_chance(counts) > 0.05
    for name, reached in (("itpr", 1.0), ("worst_posterior", 1.0), ("attacker_error", None)):
        drawn = [get(name).compute(one) for one in shuffles(counts, 5, seed=1)]
        [found] = chance(counts, [(get(name), {})], permutations=5, seed=1)
        # Of five shuffles none has a class of one value; an average is not at its worst for one class.
        assert max(drawn) < 1
        assert found.null.reach(0.01) == (reached or min(drawn)), name


def test_one_class_far_from_the_others_is_beyond_every_shuffle():
    table = np.tile([30, 20, 10], (20, 1))
    table[3] = [2, 3, 55]
    counts = JointCounts.of_table(table)
    [found] = chance(counts, [(get("kl_closeness"), {})])
    assert found.null.p_value(get("kl_closeness").compute(counts)) == 1 / 200


@pytest.mark.slow
def test_maxima_of_unrelated_data_are_rarely_beyond_chance():
    found = []
    for seed in range(150):
        counts = dv.ask(unrelated(400, seed, 20), keys="postcode", target="ill").counts
        [one] = chance(counts, [(get("kl_closeness"), {})], seed=seed)
        found.append(one.null.p_value(get("kl_closeness").compute(counts)))
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.05)
    assert np.mean(np.array(found) <= 0.01) <= 0.03


def test_how_often_unrelated_data_have_a_class_of_one_value():
    counts = JointCounts.of_table([[3, 2], [4, 1], [2, 3], [3, 2], [3, 2], [4, 1]])
    drawn = np.mean([get("worst_posterior").compute(one) == 1 for one in shuffles(counts, 1500, 1)])
    assert certain_by_chance(counts) == pytest.approx(drawn, abs=0.1)
    assert certain_by_chance(JointCounts.of_table([[1, 0], [20, 30]])) > 0.6


# -- the same whatever values are called -------------------------------------------------------------


@pytest.mark.parametrize("name", ["itpr", "worst_posterior", "t_closeness", "discrimination_rate"])
@pytest.mark.parametrize("records", [60, 3000])
def test_chance_does_not_depend_on_names_or_on_the_order_of_records(name, records):
    table = unrelated(records, postcodes=12)
    renamed = table | {"ill": [{"flu": "z", "cold": "a", "gout": "m"}[ill] for ill in table["ill"]]}
    renamed |= {"postcode": [code[::-1] for code in table["postcode"]]}
    turned = {attribute: values[::-1] for attribute, values in table.items()}
    first, *others = (
        dv.measure(one, name, keys="postcode", target="ill") for one in (table, renamed, turned)
    )
    for other in others:
        for what in ("chance", "spread", "reach", "p_value"):
            assert getattr(other, what) == pytest.approx(getattr(first, what), rel=1e-9), what


# -- people with several records ---------------------------------------------------------------------


def visits(people, each, seed, postcodes=6):
    """People with unrelated postcode and illness, and so many records each, all alike."""
    rng = np.random.default_rng(seed)
    each = np.broadcast_to(each, people)
    return dv.read(
        {
            "who": np.repeat(np.arange(people), each).tolist(),
            "postcode": np.repeat(rng.integers(0, postcodes, people), each).tolist(),
            "ill": np.repeat(rng.choice(["flu", "cold", "gout"], people), each).tolist(),
        },
        identifiers="who",
    )


def test_people_with_many_records_each_are_no_evidence():
    data = visits(60, 20, seed=1)
    found = dv.measure(data, ["discrimination_rate", "itpr"], keys="postcode", target="ill")
    by_record = dv.measure(
        {name: list(np.asarray(data.column(name).codes)) for name in ("postcode", "ill")},
        "discrimination_rate",
        keys="postcode",
        target="ill",
    )
    assert by_record.p_value < 1e-9
    assert found.association.p_value > 0.01
    assert found["discrimination_rate"].p_value > 0.01
    assert found["discrimination_rate"].at_chance.method == "199 shuffles"
    assert found["discrimination_rate"].chance > 5 * by_record.chance


def test_shuffling_people_keeps_classes_targets_and_what_each_person_has():
    rng = np.random.default_rng(2)
    each = rng.integers(1, 4, 40)
    counts = dv.ask(visits(40, each, seed=2), keys="postcode", target="ill").counts
    before = counts.matrix()
    for one in shuffles(counts, 20, seed=1):
        assert sorted(one.size) == sorted(counts.size)
        assert one.target_weight.tolist() == counts.target_weight.tolist()
    # All records of a person go to one class: sizes of cells are sums of whole people, so that with three
    # records each every cell is a multiple of three.
    threes = dv.ask(visits(40, 3, seed=2), keys="postcode", target="ill").counts
    assert all((one.matrix() % 3 == 0).all() for one in shuffles(threes, 20, seed=1))
    assert before.sum() == each.sum()


def test_shuffling_people_does_not_depend_on_names_or_on_the_order_of_records():
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(50), rng.integers(1, 4, 50))
    table = {
        "who": who,
        "k": rng.integers(0, 6, len(who)),
        "x": rng.choice([1, 2, 3], len(who), p=[0.5, 0.3, 0.2]),
    }
    order = rng.permutation(len(who))
    renamed = table | {"k": 5 - table["k"], "x": 9 - table["x"]}
    turned = {name: values[order] for name, values in table.items()}

    def read(columns):
        data = dv.read({name: values.tolist() for name, values in columns.items()}, identifiers="who")
        found = dv.measure(data, ["discrimination_rate", "itpr"], keys="k", target="x")
        return [number for one in found for number in (one.chance, one.spread, one.p_value)]

    assert read(renamed) == pytest.approx(read(table))
    assert read(turned) == pytest.approx(read(table))


def test_people_who_have_as_many_records_as_nobody_else_leave_nothing_to_say():
    data = visits(20, np.arange(1, 21), seed=3)
    reading = dv.measure(data, "discrimination_rate", keys="postcode", target="ill")
    assert reading.p_value is None
    assert reading.at_chance.unsure == "fewer than 30 people have as many records as someone else"


def test_two_shuffles_of_people_are_enough_for_a_spread_and_one_is_not():
    counts = dv.ask(visits(60, 4, seed=1), keys="postcode", target="ill").counts
    one, two = (chance(counts, [(get("discrimination_rate"), {})], permutations=n)[0] for n in (1, 2))
    assert one.null is None
    drawn = informations(counts, 2, seed=chances.SEED)
    # The deviation of two is half of what they differ by, times the root of two.
    expected = abs(drawn[0] - drawn[1]) / math.sqrt(2) / counts.entropy
    assert two.null.spread == pytest.approx(expected)
    # A gamma distribution is fitted to them, so that the p-value is none of the three that two shuffles have.
    assert isinstance(two.null, Following)
    assert two.null.p_value(0.5) not in (1 / 3, 2 / 3, 1)


def test_by_person_there_are_few_false_alarms():
    found = [
        dv.measure(
            visits(60, 4, seed), "discrimination_rate", keys="postcode", target="ill", permutations=99
        ).p_value
        for seed in range(25)
    ]
    assert np.mean(np.array(found) <= 0.05) <= 0.2
    assert min(found) > 1e-4


@pytest.mark.slow
def test_by_person_false_alarms_are_as_rare_as_is_said():
    rng = np.random.default_rng(0)
    found = np.array(
        [
            dv.measure(
                visits(80, rng.integers(1, 5, 80), seed), "discrimination_rate", keys="postcode", target="ill"
            ).p_value
            for seed in range(300)
        ]
    )
    assert (found <= 0.05).mean() == pytest.approx(0.05, abs=0.04)
    assert (found <= 0.01).mean() <= 0.03


def test_people_with_very_many_values_and_classes_are_shuffled():
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(400), rng.integers(1, 3, 400))
    table = {
        "person": person.tolist(),
        "age": rng.integers(0, 120, len(person)).tolist(),
        "income": rng.integers(0, 1000, len(person)).tolist(),
    }
    data = dv.read(table, identifiers="person")
    found = dv.measure(data, "discrimination_rate", keys="age", target="income")
    assert found.chance is not None
    assert 0 < found.chance < 1


def test_what_is_drawn_for_one_question_does_not_depend_on_others():
    one = JointCounts.of_table(np.array([[40, 60, 20], [70, 10, 40]]))
    other = JointCounts.of_table(np.array([[400, 600, 200], [70, 10, 40], [3, 4, 1]]))
    alone = information_variance(one)
    _drawn_of.cache_clear()
    information_variance(other)
    assert information_variance(one) == alone
