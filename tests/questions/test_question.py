"""Questions: which records are counted, what belongs together, and answers equal to the reference's."""

import datetime

import numpy as np
import pytest
from hypothesis import given, settings

import divulge as dv
from divulge.errors import EmptySource, SchemaError, UnknownAttribute
from random_tables import Case, assert_counts_agree, assert_readings_agree, cases, cells_by_key

TABLE = {
    "age": ["20s", "20s", "30s", "30s"],
    "zip": ["1", "2", "2", None],
    "ill": ["flu", "cold", "flu", "flu"],
}


def assert_answer_is_right(case: Case) -> None:
    table = case.joint
    if not table.cells:
        with pytest.raises(EmptySource):
            case.question.counts  # noqa: B018
        return
    question = case.question
    assert_counts_agree(question.classes, table)
    assert_readings_agree(question, table)


@settings(max_examples=max(75, settings.default.max_examples))
@given(cases())
def test_counts_and_every_measure_agree_with_the_reference(case):
    assert_answer_is_right(case)


@given(cases(pools=["constant"], partitions=False))
def test_one_class_agrees_with_the_reference(case):
    assert_answer_is_right(case)


@given(cases(pools=["apart"], partitions=False))
def test_classes_of_one_record_agree_with_the_reference(case):
    assert_answer_is_right(case)


@given(cases(targets=["constant"]))
def test_a_constant_target_agrees_with_the_reference(case):
    assert_answer_is_right(case)


@given(cases(targets=["leaves"], most=9, partitions=False))
def test_distances_on_a_tree_agree_with_transport_in_fractions(case):
    assert_answer_is_right(case)


@given(cases(targets=["@record"]))
def test_records_as_targets_agree_with_the_reference(case):
    assert_answer_is_right(case)


# -- several targets, partitions, suppression --------------------------------------------------------


def test_several_targets_together_are_one_target_of_their_combinations():
    counts = dv.ask(TABLE, keys="age", target=["ill", "zip"]).counts
    assert counts.target == "ill, zip"
    assert sorted(counts.target_values, key=str) == [("cold", "2"), ("flu", "1"), ("flu", "2"), ("flu", None)]
    assert counts.size.tolist() == [2, 2]


def test_a_partition_of_a_key_merges_classes_and_of_the_target_merges_values():
    question = dv.ask(TABLE, keys="age", target="ill", partitions={"age": {"all": ["20s", "30s"]}})
    assert cells_by_key(question.counts) == {("all",): {"flu": 3, "cold": 1}}
    question = dv.ask(TABLE, keys="age", target="ill", partitions={"ill": {"ill": ["flu", "cold"]}})
    assert cells_by_key(question.counts) == {("20s",): {"ill": 2}, ("30s",): {"ill": 2}}


def test_records_whose_keys_are_all_suppressed_form_no_class():
    data = dv.read({"a": ["*", "*", "1", "1"], "b": ["*", "2", "2", "2"], "x": [1, 2, 3, 4]})
    question = dv.ask(data, keys=["a", "b"], target="x")
    assert (question.suppressed_records, question.records) == (1, 3)
    assert cells_by_key(question.counts).keys() == {("*", "2"), ("1", "2")}
    everyone = dv.ask(dv.read({"a": ["*", "1"]}, suppressed=None), keys="a")
    assert (everyone.suppressed_records, everyone.counts.classes) == (0, 2)


def test_suppressed_records_leave_the_whole_table_too():
    data = dv.read({"a": ["*", "1", "1"], "x": ["rare", "p", "q"]})
    assert dv.measure(data, "delta_disclosure", keys="a", target="x").value == 0


def test_dropping_counts_records_with_a_missing_key_or_target():
    data = dv.read({"a": [None, 1, 1, "*"], "x": [1, None, 2, None]}, missing="drop")
    question = dv.ask(data, keys="a", target="x")
    assert (question.suppressed_records, question.dropped_records, question.records) == (1, 2, 1)
    assert dv.ask(data, keys="a").dropped_records == 1


def test_nothing_left_to_count_is_an_error_with_the_numbers():
    data = dv.read({"a": [None, "*", "*"]}, missing="drop")
    with pytest.raises(EmptySource, match="of 3, fewer than 5 are suppressed and fewer"):
        dv.measure(data, "k_anonymity", keys="a").value  # noqa: B018


# -- people ------------------------------------------------------------------------------------------


def test_a_person_with_several_records_is_one_subject():
    data = dv.read({"who": ["Ann", "Ann", "Bob"], "zip": ["1", "1", "1"]}, identifiers="who")
    question = dv.ask(data, keys="zip")
    assert question.counts.people.tolist() == [2]
    # H(X) is of two people with 2/3 and 1/3 of the records.
    assert dv.measure(data, "entropy", keys="zip").value == pytest.approx(0.9182958340544896)


def test_identifiers_that_stand_on_one_record_each_change_nothing():
    data = dv.read({"who": ["Ann", "Bob"], "zip": ["1", "1"]}, identifiers="who")
    assert dv.ask(data, keys="zip").counts.subjects is None


def test_people_stay_themselves_when_their_identifier_is_a_partitioned_key():
    data = dv.read({"zip": ["11", "12", "13", "11"]}, identifiers="zip")
    question = dv.ask(data, keys="zip", partitions={"zip": {"1*": ["11", "12", "13"]}})
    assert question.counts.people.tolist() == [3]


# -- how target values lie to each other -------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "ranked"),
    [
        ([30, 4, 100], [4, 30, 100]),
        (["30", "4", "100"], ["4", "30", "100"]),
        (["4.5", "4", "-1"], ["-1", "4", "4.5"]),
        (
            [datetime.date(2024, 2, 1), datetime.date(2023, 12, 1)],
            [datetime.date(2023, 12, 1), datetime.date(2024, 2, 1)],
        ),
        (["low", "high"], None),
        ([1, None], None),
        ([7, "07"], [7, "07"]),  # the same number, so the same rank
        (["2024-02-01", "2023-12-01"], ["2023-12-01", "2024-02-01"]),
        ([True, False], None),
    ],
)
def test_numbers_and_dates_have_an_order_and_others_do_not(values, ranked):
    counts = dv.ask({"k": [0] * len(values), "x": values}, keys="k", target="x").counts
    order = counts.ground.get("order")
    assert (None if order is None else [counts.target_values[i] for i in order]) == ranked


def test_a_declared_order_is_used_and_must_name_every_value():
    table = {"k": [1, 1, 2], "x": ["low", "high", "mid"]}
    question = dv.ask(dv.read(table, orders={"x": ["low", "mid", "high"]}), keys="k", target="x")
    assert [question.counts.target_values[i] for i in question.counts.ground["order"]] == [
        "low",
        "mid",
        "high",
    ]
    with pytest.raises(SchemaError, match="leaves out 1 of its 3 values") as error:
        dv.ask(dv.read(table, orders={"x": ["low", "high"]}), keys="k", target="x").counts  # noqa: B018
    assert "mid" not in str(error.value)


def test_bins_of_the_target_are_ordered_from_the_lowest():
    question = dv.ask(
        {"k": [1, 1, 1], "x": [50, 5, 15]}, keys="k", target="x", partitions={"x": {"bins": [10, 20]}}
    )
    names = [question.counts.target_values[i] for i in question.counts.ground["order"]]
    assert names == ["< 10", "[10, 20)", "[20, inf)"]


TREE = dv.Hierarchy.of(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], attribute="x"
)


def test_distances_on_a_tree_use_its_own_height_whichever_values_occur():
    # a and b meet at level 1 of 2, so each class is half of half away from the table.
    data = dv.read({"k": [1, 2], "x": ["a", "b"]}, hierarchies={"x": TREE})
    assert dv.measure(data, "t_closeness", keys="k", target="x", ground="hierarchical").value == 0.25


def test_missing_hangs_from_the_root_of_the_tree_and_stretches_nothing():
    # Half of each class must move: class 1 from c to missing, by 1; class 2 the other way round.
    data = dv.read({"k": [1, 2], "x": ["c", None]}, hierarchies={"x": TREE})
    assert dv.measure(data, "t_closeness", keys="k", target="x", ground="hierarchical").value == 0.5
    # Of four equal shares, a class of a and b moves a quarter each to c and to missing, by 1.
    table = {"k": [1, 1, 2, 2], "x": ["a", "b", "c", None]}
    data = dv.read(table, hierarchies={"x": TREE})
    assert dv.measure(data, "t_closeness", keys="k", target="x", ground="hierarchical").value == 0.5


def test_missing_stands_where_the_hierarchy_puts_it():
    tree = dv.Hierarchy.of([("a", "g", "*"), ("", "g", "*"), ("c", "h", "*")], attribute="x")
    data = dv.read({"k": [1, 2], "x": ["a", None]}, hierarchies={"x": tree})
    assert dv.measure(data, "t_closeness", keys="k", target="x", ground="hierarchical").value == 0.25


def test_a_target_that_is_missing_everywhere_has_a_tree_all_the_same():
    data = dv.read({"k": [1, 2], "x": [None, None]}, hierarchies={"x": TREE})
    assert dv.measure(data, "t_closeness", keys="k", target="x", ground="hierarchical").value == 0


def test_a_partitioned_target_has_no_tree():
    data = dv.read({"k": [1, 2], "x": ["a", "b"]}, hierarchies={"x": TREE})
    question = dv.ask(data, keys="k", target="x", partitions={"x": {"all": ["a", "b"]}})
    assert "levels" not in question.counts.ground


# -- what cannot be asked ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"keys": [], "target": "ill"}, "No keys given"),
        ({"keys": ["age", "age"], "target": "ill"}, "age is repeated in the keys"),
        ({"keys": "age", "target": ["ill", "ill"]}, "ill is repeated in the targets"),
        ({"keys": ["age", "ill"], "target": "ill"}, "ill is both a key and the target"),
        ({"keys": "age", "partitions": {"ill": {"all": ["flu", "cold"]}}}, "neither a key nor the target"),
    ],
)
def test_questions_that_contradict_themselves_are_refused(asked, said):
    with pytest.raises(SchemaError, match=said):
        dv.ask(TABLE, **asked)


def test_an_unknown_attribute_comes_with_a_suggestion():
    with pytest.raises(UnknownAttribute, match="Did you mean 'age'"):
        dv.ask(TABLE, keys="Age", target="ill")


def test_the_attribute_with_the_weights_is_neither_key_nor_target():
    data = dv.read({"a": [1, 2], "w": [1, 2]}, weights="w")
    with pytest.raises(SchemaError, match="holds the weights"):
        dv.ask(data, keys="w")


def test_every_class_can_be_named_also_where_the_quick_counts_cannot():
    question = dv.ask(TABLE, keys=["age", "zip"], target="ill")
    assert question.classes.decode(np.arange(4)) == [
        {"age": "20s", "zip": "1"},
        {"age": "20s", "zip": "2"},
        {"age": "30s", "zip": None},
        {"age": "30s", "zip": "2"},
    ]
