"""What values lost as categories, worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import divulge as dv
from divulge.alignment.tables import align
from divulge.errors import ParameterError
from divulge.utility import categorical_loss, contingency_distances


def losses(original, released, **reading):
    return categorical_loss(align(dv.read(original, **reading), dv.read(released), same_order=True))


def loss_of(original, released, **reading):
    [found] = losses({"a": original}, {"a": released}, **reading)
    return found


def distances(original, released, **options):
    found = contingency_distances(align(dv.read(original), dv.read(released)), **options)
    return {one.attributes: one.distance for one in found}


# -- direct comparison -------------------------------------------------------------------------------


def test_of_nominal_values_the_share_that_changed_counts():
    found = loss_of(["x", "y", "z", None], ["x", "x", "*", None])
    assert (found.kind, found.changed) == ("nominal", 0.5)


def test_ordinal_values_count_by_steps_over_the_number_of_categories():
    # The printed equation counts a itself among the categories between a and a', so that d(a, a) would be
    # 1/4 and not 0. Steps are what is meant: 0, 1, 2 and 3 of four categories.
    order = {"orders": {"a": ["I", "II", "III", "IV"]}}
    for released, steps in (("I", 0), ("II", 1), ("III", 2), ("IV", 3)):
        found = loss_of(["I", "I"], [released, "I"], **order)
        assert (found.kind, found.changed) == ("ordinal", pytest.approx(steps / 4 / 2))


def test_numbers_are_ordinal_over_all_numbers_of_both_tables():
    found = loss_of([10, 20, 30], ["10", "30", "35"])
    # Of 10, 20, 30, 35: no step, one step, one step.
    assert (found.kind, found.changed) == ("ordinal", pytest.approx((0 + 1 + 1) / 4 / 3))


def test_an_ordinal_value_that_is_gone_counts_as_one():
    assert loss_of([1, 2, None, 4], ["*", "2", None, "4"]).changed == pytest.approx(1 / 4)


def test_generalized_values_have_no_place_in_the_order():
    found = loss_of([21, 25], ["20-29", "20-29"], orders={"a": [21, 25]})
    assert (found.kind, found.changed) == ("nominal", 1)


# -- entropy -----------------------------------------------------------------------------------------


def test_the_entropy_loss_is_what_groups_leave_unknown():
    found = loss_of(["21", "25", "34", "34"], ["2*", "2*", "3*", "3*"])
    # By hand: H = 1.5 bits; half of the records are in a group of two ages, 1 bit, and half in one of one.
    assert found.entropy_loss == pytest.approx(0.5)
    assert found.share_of_entropy == pytest.approx(1 / 3)


def test_renamed_values_lose_nothing():
    found = loss_of(["x", "y", "z", "x", "y"], ["1a", "2b", "3c", "1a", "2b"])
    assert (found.changed, found.entropy_loss, found.share_of_entropy) == (1, 0, 0)


def test_values_that_are_all_suppressed_or_constant_lose_everything():
    for released in (["*"] * 3, [None] * 3, ["same"] * 3):
        found = loss_of(["x", "y", "z"], released)
        assert found.entropy_loss == pytest.approx(math.log2(3))
        assert found.share_of_entropy == 1


def test_a_constant_attribute_had_nothing_to_lose():
    found = loss_of(["x"] * 3, ["x", "y", "x"])
    assert (found.changed, found.entropy_loss, found.share_of_entropy) == (pytest.approx(1 / 3), 0, None)
    assert "nothing to lose" in found.undefined


def test_many_values_are_counted_as_few_are():
    values = list(range(5000))
    coarse = [value // 2 for value in values]
    found = loss_of(values, [f"g{group}" for group in coarse])
    assert found.entropy_loss == pytest.approx(1)


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("pq")), min_size=1, max_size=30))
def test_the_loss_lies_between_nothing_and_the_entropy(rows):
    found = loss_of([one for one, _ in rows], [other for _, other in rows])
    assert 0 <= found.entropy_loss <= math.log2(3) + 1e-12
    assert found.share_of_entropy is None or 0 <= found.share_of_entropy <= 1


def test_without_aligned_records_the_reason_is_said_for_each_attribute():
    found = losses({"a": [1, 2, 3], "b": ["x", "y", "z"]}, {"a": [1, 2], "b": ["x", "y"]})
    assert [(one.attribute, one.kind, one.changed, one.undefined) for one in found] == [
        ("a", "ordinal", None, "records are not aligned"),
        ("b", "nominal", None, "records are not aligned"),
    ]


# -- contingency tables --------------------------------------------------------------------------------


def test_tables_are_compared_up_to_order_two():
    original = {"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"]}
    released = {"a": ["x", "x", "y", "y"], "b": ["p", "p", "q", "q"]}
    # Margins are kept; of the four cells of a quarter each, two hold a half now.
    assert distances(original, released) == {("a",): 0, ("b",): 0, ("a", "b"): 0.5}


def test_the_order_can_be_chosen():
    table = {name: ["x", "y"] for name in "abc"}
    assert len(distances(table, table, order=1)) == 3
    assert len(distances(table, table, order=3)) == 7
    with pytest.raises(ParameterError, match="must be 1 or more, not 0"):
        distances(table, table, order=0)


def test_attributes_with_values_that_nobody_can_read_are_left_out():
    original = {"age": ["21", "25"], "sex": ["f", "m"], "job": ["cook", "nurse"]}
    released = {"age": ["young", "old"], "sex": ["f", "f"], "job": ["cook", "*"]}
    assert distances(original, released) == {("sex",): 0.5, ("job",): 0.5, ("sex", "job"): 0.5}


def test_the_original_is_put_into_the_groups_of_the_release_first():
    original = {"age": ["21", "25", "34", "36"], "sex": ["f", "m", "f", "m"]}
    released = {"age": ["20-29", "20-29", "20-29", "3*"], "sex": ["f", "m", "f", "m"]}
    # Twenties: 2 of 4 became 3 of 4. With sex, an f moved from the thirties to the twenties.
    assert distances(original, released) == {("age",): 0.25, ("sex",): 0, ("age", "sex"): 0.25}


def test_a_group_of_all_values_is_no_better_than_suppression():
    assert distances({"a": ["21", "25"]}, {"a": ["2*", "2*"]}) == {("a",): 1}
    assert distances({"a": ["21", "25"]}, {"a": ["*", "*"]}) == {("a",): 1}


def test_tables_need_no_aligned_records():
    assert distances({"a": ["x", "x", "y"]}, {"a": ["x", "y"]}) == {("a",): pytest.approx(1 / 6)}


def test_a_table_that_would_be_too_large_is_left_out(monkeypatch):
    monkeypatch.setattr("divulge.utility.distributions.LARGEST_TABLE", 15)
    table = {"a": ["x", "y"], "b": ["x", "y"], "c": ["x", "x"]}
    # Cardinalities, with missing and suppressed: 4, 4 and 3.
    assert set(distances(table, table)) == {("a",), ("b",), ("c",), ("a", "c"), ("b", "c")}
