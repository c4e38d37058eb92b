"""What a value of the keys tells beside what as many records drawn at random would."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import divulge as dv
from divulge.counting.counts import JointCounts
from divulge.utility import Need, utility
from divulge.utility.value_chance import ValueChance

NEED = Need("n", ("a",), "t")


def entropy(values):
    return -sum(
        values.count(one) / len(values) * math.log2(values.count(one) / len(values)) for one in set(values)
    )


@given(st.lists(st.sampled_from("pqr"), min_size=2, max_size=8), st.data())
def test_the_chance_of_a_value_is_the_mean_over_all_ways_to_draw_its_records(targets, data):
    size = data.draw(st.integers(1, len(targets)))
    chance = ValueChance(JointCounts.of_table([[targets.count(one) for one in sorted(set(targets))]]))
    draws = [[targets[place] for place in chosen] for chosen in combinations(range(len(targets)), size)]
    unknown = sum(size * entropy(draw) for draw in draws) / len(draws)
    if entropy(targets) == 0:
        assert chance.of(size) is None
    else:
        assert chance.of(size) == pytest.approx(1 - unknown / (len(targets) * entropy(targets)))


def test_a_rare_value_that_tells_less_than_the_table_is_seen_to():
    # Ten records of x, five of each target; of the other 190, 90 % are q.
    targets = ["p", "q"] * 5 + ["q"] * 171 + ["p"] * 19
    found = utility(dv.read({"a": ["x"] * 10 + ["y"] * 190, "t": targets}), NEED, show_values=True)
    line = next(line for line in found.lines if line.label == "x")
    assert line.utility > 0.9
    assert line.chance > line.utility
    assert line.adjusted < -0.5


def test_a_value_that_decides_the_target_is_worth_all_beyond_chance():
    found = utility(dv.read({"a": ["x"] * 5 + ["y"] * 5, "t": ["p"] * 5 + ["q"] * 5}), NEED)
    assert [(line.utility, line.adjusted) for line in found.lines] == [(1, 1), (1, 1)]
    assert all(line.chance < 1 for line in found.lines)


def test_a_value_of_few_records_has_no_chance_that_would_tell_how_many():
    found = utility(dv.read({"a": ["x"] * 4 + ["y"] * 6 + ["z"] * 8, "t": ["p", "q"] * 9}), NEED)
    said = {(line.records, line.chance is None, line.adjusted is None) for line in found.lines}
    assert said == {(8, False, False), ("~10", True, True), ("<5", True, True)}


def test_weighted_records_have_no_chance_level():
    table = dv.read({"a": ["x"] * 6 + ["y"] * 6, "t": ["p", "q"] * 6, "w": [1, 2, 3] * 4}, weights="w")
    assert {(line.chance, line.adjusted) for line in utility(table, NEED).lines} == {(None, None)}
