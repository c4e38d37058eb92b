"""What chance gives: against every arrangement of small tables, against theory on large ones."""

import math
from dataclasses import replace
from itertools import count, permutations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import divulge as dv
import reference
from divulge._compiled import library
from divulge.counting.counts import JointCounts
from divulge.errors import Undefined
from divulge.measures import MEASURES, get, mutual_information
from divulge.readings import chance as chances
from divulge.readings import null_readings, shuffled_tables, shuffling
from divulge.readings.chance import (
    Chance,
    association,
    chance,
    expected_mutual_information,
    no_chance,
    shuffles,
)
from divulge.readings.null_readings import certain_by_chance


def of_every_arrangement(keys, targets, name="mutual_information", **parameters):
    """The reference's mean reading over all different ways to deal out the targets."""
    found = []
    for dealt in set(permutations(targets)):
        rows = [{"k": y, "x": x} for y, x in zip(keys, dealt, strict=True)]
        found.append(reference.measure(name, reference.joint(rows, ["k"], "x"), **parameters))
    return math.fsum(found) / len(found)


records = st.integers(1, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n) for _ in range(2)])
)


@settings(max_examples=20)
@given(records)
def test_expected_mutual_information_is_the_mean_over_all_arrangements(table):
    keys, targets = table
    counts = JointCounts.of(list(zip(keys, targets, strict=True)))
    assert expected_mutual_information(counts) == pytest.approx(
        of_every_arrangement(keys, targets), abs=1e-12
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (6, 9), (40, 30)])
def test_the_compiled_expectation_is_the_same(shape):
    rng = np.random.default_rng(7)
    counts = JointCounts.of_table(rng.geometric(0.01, shape) ** 2)
    assert library.built()
    compiled = expected_mutual_information(counts)
    with patch.object(library, "built", lambda: False):
        assert compiled == pytest.approx(expected_mutual_information(counts), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize(
    ("keys", "targets"),
    [
        ("aaabbccc", "xxxxyyyy"),
        ("abcdefgh", "xxxxxyyz"),
        ("aaaaaaab", "xxxxxxyy"),
        ("aaaa", "xxyy"),
        ("aabb", "xxxx"),
    ],
)
def test_expected_mutual_information_of_tables_of_up_to_eight(keys, targets):
    counts = JointCounts.of(list(zip(keys, targets, strict=True)))
    assert expected_mutual_information(counts) == pytest.approx(
        of_every_arrangement(keys, targets), abs=1e-12
    )


@pytest.mark.parametrize("name", sorted(chances.LINEAR))
def test_rates_made_of_mutual_information_are_exact_too(name):
    keys, targets = "aaabbcc", "xxxxyyz"
    reading = dv.measure({"k": list(keys), "x": list(targets)}, name, keys="k", target="x")
    assert reading.chance == pytest.approx(of_every_arrangement(keys, targets, name), abs=1e-12)
    assert (reading.at_chance.method, reading.at_chance.error) == ("exact", 0)


@pytest.mark.parametrize(("classes", "values", "records"), [(4, 3, 10**5), (20, 10, 10**6), (2, 2, 10**9)])
def test_expected_mutual_information_of_large_tables_is_nearly_the_chi_square_one(classes, values, records):
    per_cell = records // (classes * values)
    counts = JointCounts.of_table(np.full((classes, values), per_cell))
    expected = (classes - 1) * (values - 1) / (2 * counts.records * math.log(2))
    assert expected_mutual_information(counts) == pytest.approx(expected, rel=1e-3)


def test_classes_held_once_have_the_same_expectation():
    plain = JointCounts.of_table([[1, 0], [1, 0], [1, 0], [0, 1], [2, 3]])
    cells = JointCounts.of_table([[1, 0], [0, 1], [2, 3]]).cells
    held = JointCounts(np.array([1, 1, 5]), cells, [0, 1], multiplicity=np.array([3, 1, 1]), target="x")
    assert mutual_information(held) == pytest.approx(mutual_information(plain))
    assert expected_mutual_information(held) == pytest.approx(expected_mutual_information(plain), rel=1e-12)


# -- shuffling ---------------------------------------------------------------------------------------

TABLE = JointCounts.of_table([[6, 3, 1], [2, 5, 3], [1, 1, 8], [4, 0, 0]], ["x", "y", "z"])


@pytest.mark.parametrize("by_margins", [True, False])
def test_shuffled_tables_keep_classes_and_targets(by_margins):
    with patch.object(shuffling, "dealt_by_margins", return_value=by_margins):
        drawn = list(shuffles(TABLE, 20, seed=1))
    assert len(drawn) == 20
    for counts in drawn:
        assert counts.matrix().sum(axis=1).tolist() == [10, 10, 10, 4]
        assert counts.matrix().sum(axis=0).tolist() == [13, 9, 12]
        assert counts.target_values == ["x", "y", "z"]
    assert len({counts.matrix().tobytes() for counts in drawn}) > 10


@pytest.mark.parametrize("by_margins", [True, False])
@pytest.mark.parametrize("at_once", [1, 60, 1 << 18])
def test_tables_held_as_one_are_read_as_each_alone(by_margins, at_once):
    """Each of 20 tables of 12 cells, held alone, five together, or all: the same to the last digit."""
    ordered = TABLE.with_ground(order=np.array([2, 0, 1]))
    with (
        patch.object(shuffling, "dealt_by_margins", return_value=by_margins),
        patch.object(shuffled_tables, "AT_ONCE", at_once),
    ):
        drawn = list(shuffles(ordered, 20, seed=1))
    compared = 0
    for one in drawn:
        alone = replace(JointCounts.of_table(one.matrix(), ["x", "y", "z"]), ground=ordered.ground)
        for measure in MEASURES.values():
            for variant in measure.variants:
                if measure.applies(alone, variant):
                    assert measure.compute(one, variant) == measure.compute(alone, variant)
                    compared += 1
    assert compared > 20 * 20


def test_how_probable_certainty_is_does_not_depend_on_how_many_sizes_are_looked_at_together():
    found = certain_by_chance(TABLE)
    with patch.object(null_readings, "AT_ONCE", 1):
        assert certain_by_chance(TABLE) == found
    # By hand: classes of 10, 10, 10 and 4 of 34; x, y and z are 13, 9 and 12 of them.
    ways = 3 * sum(math.comb(n, 10) for n in (13, 9, 12)) / math.comb(34, 10)
    ways += sum(math.comb(n, 4) for n in (13, 9, 12)) / math.comb(34, 4)
    assert found == pytest.approx(1 - math.exp(-ways), rel=1e-9)


@pytest.mark.parametrize("by_margins", [True, False])
def test_a_cell_holds_on_average_what_the_hypergeometric_says(by_margins):
    with patch.object(shuffling, "dealt_by_margins", return_value=by_margins):
        first = np.array([counts.matrix()[0, 0] for counts in shuffles(TABLE, 2000, seed=2)])
    law = stats.hypergeom(34, 13, 10)
    assert abs(first.mean() - law.mean()) < 5 * law.std() / math.sqrt(2000)
    assert first.var() == pytest.approx(law.var(), rel=0.2)


@pytest.mark.parametrize("by_margins", [True, False])
def test_the_mean_over_shuffles_comes_near_the_exact_one(by_margins):
    with (
        patch.object(shuffling, "dealt_by_margins", return_value=by_margins),
        patch.object(chances, "AFFORDABLE", 0),
    ):
        [found] = chance(TABLE, [(get("mutual_information"), {})], permutations=400, seed=3)
    assert found.method == "400 shuffles"
    assert abs(found.expected - expected_mutual_information(TABLE)) < 5 * found.error


def test_the_mean_over_shuffles_of_a_worst_case_comes_near_that_over_all_arrangements():
    keys, targets = "aaabbcc", "xxxxyyz"
    counts = JointCounts.of(list(zip(keys, targets, strict=True)))
    for name in ("worst_posterior", "t_closeness", "itpr", "maximum_information_leakage"):
        [found] = chance(counts, [(get(name), {})], permutations=400, seed=4)
        assert abs(found.expected - of_every_arrangement(keys, targets, name)) < 5 * found.error + 1e-12, name


@pytest.mark.parametrize("name", sorted(null_readings.CERTAIN))
def test_where_someone_is_alone_a_worst_case_is_certain_and_nothing_is_shuffled(name):
    keys, targets = "aaabbc", "xxyyzz"
    counts = JointCounts.of(list(zip(keys, targets, strict=True)))
    with patch.object(chances, "shuffles", side_effect=AssertionError("shuffled")):
        [found] = chance(counts, [(get(name), {})])
    assert found.expected == pytest.approx(of_every_arrangement(keys, targets, name), abs=1e-12)
    assert (found.error, found.method) == (0.0, "exact")
    dealt = [get(name).compute(one, {}) for one in shuffles(counts, 20, 1)]
    assert dealt == [found.expected] * 20
    with patch.object(chances, "EXCHANGEABLE", 0):
        [found] = chance(counts, [(get(name), {})])
    assert (found.null.spread, found.null.reach(0.01), found.null.p_value(1.0)) == (0.0, found.expected, 1.0)


def test_the_same_seed_deals_the_same_cards():
    table = {"k": list("aaabbbcccddd"), "x": list("xyzxyzxxyyzz")}

    def drawn(**given):
        return dv.measure(table, "itpr", keys="k", target="x", **given).chance

    assert drawn() == drawn()
    assert drawn(seed=1) == drawn(seed=1) != drawn(seed=2)
    assert drawn(permutations=5) != drawn()


def test_readings_share_their_shuffles():
    several = chance(TABLE, [(get("itpr"), {}), (get("t_closeness"), {})], permutations=5)
    assert several == [
        chance(TABLE, [(get(name), {})], permutations=5)[0] for name in ("itpr", "t_closeness")
    ]


def test_an_infinite_reading_in_some_shuffle_makes_chance_infinite():
    [found] = chance(TABLE, [(get("delta_disclosure"), {})], permutations=30)
    assert (found.expected, found.error) == (math.inf, None)


@pytest.mark.parametrize(("often", "reason"), [(1, "the measure is undefined on these counts"), (7, None)])
def test_a_reading_that_is_undefined_in_some_shuffle_has_no_chance_level(often, reason):
    calls = count(1)

    def now_and_then(counts):
        if next(calls) == often:
            raise Undefined("not here")
        return 1.0

    measure = replace(get("itpr"), function=now_and_then)
    [found] = chance(TABLE, [(measure, {})], permutations=5)
    assert (found.expected, found.reason) == (None if reason else 1.0, reason)


def test_the_standard_error_of_a_mean_over_shuffles_is_their_deviation_by_the_root_of_their_number():
    [found] = chance(TABLE, [(get("itpr"), {})], permutations=25, seed=7)
    drawn = [get("itpr").compute(one) for one in shuffles(TABLE, 25, seed=7)]
    assert found.expected == pytest.approx(sum(drawn) / 25)
    # The deviation of a sample, with 24 in the denominator; the root of 25 is 5.
    squares = sum((one - found.expected) ** 2 for one in drawn)
    assert squares > 0
    assert found.error == pytest.approx(math.sqrt(squares / 24) / 5)
    reading = dv.measure({"k": list("aaabbbcc"), "x": list("xyxyyxxx")}, "itpr", keys="k", target="x")
    assert reading.to_dict()["chance_error"] == reading.at_chance.error > 0


def test_one_shuffle_has_no_standard_error_and_none_no_chance():
    [one] = chance(TABLE, [(get("itpr"), {})], permutations=1)
    assert one.error is None
    [none] = chance(TABLE, [(get("itpr"), {})], permutations=0)
    assert none.reason == "no shuffles were requested"


def test_shuffling_that_would_take_long_is_left_until_asked_for():
    with patch.object(chances, "_seconds", return_value=60.0):
        [found] = chance(TABLE, [(get("itpr"), {})])
        assert found.expected is None
        assert "10 shuffles would take about 600 s" in found.reason
        assert chance(TABLE, [(get("itpr"), {})], permutations=2)[0].expected is not None


# -- adjusted ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected", "ceiling", "adjusted"),
    [
        (0.2, 0.2, 1, 0),
        (1, 0.2, 1, 1),
        (0.6, 0.2, 1, 0.5),
        (0.1, 0.2, 1, -0.125),
        (0.5, 0.5, 0.5, None),
        (0.5, 0.2, None, None),
    ],
)
def test_adjusted_is_zero_at_chance_and_one_at_the_ceiling(value, expected, ceiling, adjusted):
    found = Chance(expected).adjusted(value, ceiling)
    assert found == (None if adjusted is None else pytest.approx(adjusted))


def test_an_adjusted_conditional_entropy_is_one_when_nothing_is_left_unknown():
    table = {"k": [1, 1, 2, 2], "x": ["s", "s", "t", "t"]}
    for name in (
        "conditional_entropy",
        "discrimination_rate",
        "mutual_information",
        "conditional_privacy",
        "itpr",
    ):
        assert dv.measure(table, name, keys="k", target="x").adjusted == pytest.approx(1), name


@pytest.mark.parametrize("name", [m.name for m in MEASURES.values() if m.ceiling is None])
def test_without_a_riskiest_possible_value_nothing_is_adjusted(name):
    assert dv.measure({"k": [1, 1, 2], "x": ["s", "t", "t"]}, name, keys="k", target="x").adjusted is None


# -- where chance has no say -------------------------------------------------------------------------


def test_reasons_why_there_is_no_chance_level():
    assert no_chance(TABLE) is None
    assert "@record" in no_chance(dv.ask({"k": [1, 2]}, keys="k").counts)
    weighted = dv.read({"k": [1, 2], "x": [1, 2], "w": [1, 2]}, weights="w")
    assert "weighted" in no_chance(dv.ask(weighted, keys="k", target="x").counts)
    wildcard = dv.read({"k": [1, None], "x": [1, 2]}, missing="wildcard")
    assert "overlap" in no_chance(dv.ask(wildcard, keys="k", target="x").counts)
    assert association(dv.ask(wildcard, keys="k", target="x").counts) is None


def test_measures_of_class_sizes_do_not_depend_on_the_targets():
    for name in ("k_anonymity", "class_count", "uniqueness", "entropy"):
        [found] = chance(TABLE, [(get(name), {})])
        assert found.reason == "it does not depend on which target values are in which group"


def test_an_undefined_reading_has_no_chance_level():
    reading = dv.measure({"k": [1, 2], "x": ["s", "s"]}, "discrimination_rate", keys="k", target="x")
    assert reading.chance is None
    assert reading.at_chance.reason == "the reading itself is undefined"


# -- association -------------------------------------------------------------------------------------


def test_the_p_value_is_near_the_chi_square_one_where_cells_are_well_filled():
    rng = np.random.default_rng(4)
    for classes, values in ((2, 2), (3, 4), (6, 2)):
        table = rng.multinomial(4000, np.full(classes * values, 1 / (classes * values)))
        table = table.reshape(classes, values)
        found = association(JointCounts.of_table(table))
        expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert found.information * 2 * 4000 * math.log(2) == pytest.approx(expected.statistic, rel=1e-9)
        assert found.p_value == pytest.approx(expected.pvalue, rel=0.1)


def test_one_class_or_one_value_cannot_be_related():
    for table in ([[40, 20]], [[10], [20]]):
        assert association(JointCounts.of_table(table)) is None


def test_the_same_seed_deals_the_same_whatever_the_order_of_records():
    rows = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "3"), ("b", "3"), ("c", "2"), ("c", "2")] * 3
    there, back = JointCounts.of(rows), JointCounts.of(rows[::-1])
    assert there.target_values != back.target_values
    reading = [(MEASURES["itpr"], {})]
    assert chance(there, reading, seed=5)[0].expected == pytest.approx(
        chance(back, reading, seed=5)[0].expected, rel=1e-12
    )


@pytest.mark.parametrize("keys", [3, 40])
def test_people_are_dealt_alike_whatever_the_order_of_records_where_numbers_are_texts(keys):
    rng = np.random.default_rng(5)
    zip_code, owner = rng.integers(keys, size=300), rng.integers(120, size=300)
    incomes = [f"{income}{'.0' * int(rng.integers(2))}" for income in rng.integers(1000, 9000, 300)]
    rows = [(f"z{z}", income, int(who)) for z, income, who in zip(zip_code, incomes, owner, strict=True)]

    def read(rows):
        table = dict(zip(("z", "income", "pid"), map(list, zip(*rows, strict=True)), strict=True))
        asked = {"keys": ["z"], "target": "income", "identifiers": ["pid"], "permutations": 20}
        found = dv.measure(table, "t_closeness", ground="ordered", **asked)
        return found.chance, found.p_value

    expected = pytest.approx(read(rows), rel=1e-12)
    assert read(rows[::-1]) == expected
    assert read([rows[place] for place in rng.permutation(300)]) == expected


def test_where_few_records_share_a_class_there_is_no_p_value_and_a_reason():
    found = association(JointCounts.of_table([[5, 10, 3], [0, 2, 1]]))
    assert (found.p_value, found.unsure) == (
        None,
        "fewer than 30 records share their key values with another",
    )
    assert association(JointCounts.of_table([[10, 12], [9, 30]])).p_value == pytest.approx(0.07, abs=0.02)
