"""Where records lie: the order of values, the cell of a record, and what makes no dependency."""

import math

import numpy as np
import pytest

import divulge as dv
from divulge.errors import DivulgeError, EmptySource, ParameterError, SchemaError, UnknownAttribute
from divulge.safe_release import Cell, Domain, occurrences, table_of, tabulate
from divulge.safe_release.domain import label
from divulge.table.partition import Partition

NOWHERE = -1


def table(x, y=None, *, partition=None, **conventions):
    """A table of one attribute x, whose records are of two targets in turn unless they are given."""
    y = y or ["u", "v"] * (len(x) // 2) + ["u"] * (len(x) % 2)
    data = dv.read({"x": x, "y": y}, **conventions)
    return tabulate(data, ["x"], ["y"], {"x": partition} if partition else None)


# -- the order of values, in which neighbours may be merged ------------------------------------------


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        ([30, 4, 200], (4, 30, 200)),
        (["30", "4", "200"], ("4", "30", "200")),
        ([2.5, -1, 0.0], (-1, 0.0, 2.5)),
        ([">=55", "18-19", "<18", "20-24"], ("<18", "18-19", "20-24", ">=55")),
        (["100-199", "20-99", "> 199", "<= 19"], ("<= 19", "20-99", "100-199", "> 199")),
        (["[5, 10)", "[0, 5)", "10+"], ("[0, 5)", "[5, 10)", "10+")),
        (["red", "blue", "green"], ("blue", "green", "red")),
        (["30", "4", "many"], ("30", "4", "many")),
    ],
)
def test_values_stand_in_the_order_of_numbers_ranges_or_text(given, ordered):
    found = table(given * 2)
    assert found.domain.values == ordered
    assert found.counts.sum(axis=1).tolist() == [2] * len(ordered)


def test_a_declared_order_goes_before_any_other():
    found = table(["low", "high", "middle"], orders={"x": ["low", "middle", "high"]})
    assert found.domain.values == ("low", "middle", "high")


def test_the_domains_of_a_partition_keep_their_order():
    partition = Partition.of({"old": ["60", "70"], "young": ["20"]}, attribute="x")
    assert table(["20", "70", "60"], partition=partition).domain.values == ("old", "young")


def test_bins_cut_numbers_into_ranges_from_the_lowest_to_the_highest():
    partition = Partition.bins([18, 30, 60], attribute="x")
    found = table(["17", "59", "30", "60", "17"], partition=partition)
    assert found.domain.values == ("< 18", "[30, 60)", "[60, inf)")
    assert found.counts.tolist() == [[2, 0], [1, 1], [0, 1]]


# -- counts ------------------------------------------------------------------------------------------


def test_records_are_counted_by_value_and_target():
    found = table(["b", "a", "b", "b"], ["v", "u", "v", "u"])
    assert found.domain.shape == (2, 2)
    assert found.counts.tolist() == [[1, 0], [1, 2]]
    assert (found.rows.tolist(), found.columns.tolist()) == ([1, 0, 1, 1], [1, 0, 1, 0])
    assert found.records == 4


def test_several_attributes_on_either_side_make_one_value_together():
    data = dv.read(
        {
            "age": ["9", "10", "9", "9"],
            "sex": ["f", "f", "m", "f"],
            "unit": ["A", "A", "B", "A"],
            "post": ["1", "2", "1", "1"],
        }
    )
    found = tabulate(data, ["age", "sex"], ["unit", "post"])
    assert found.domain.values == (("9", "f"), ("9", "m"), ("10", "f"))  # the first attribute leads
    assert found.domain.targets == (("A", "1"), ("A", "2"), ("B", "1"))
    assert found.counts.tolist() == [[2, 0, 0], [0, 0, 1], [0, 1, 0]]
    record = {"age": "9", "sex": "m", "unit": "B", "post": "1", "name": "anyone"}
    assert found.domain.cell(record) == Cell(1, 2)
    assert found.domain.cell(record | {"sex": "x"}) == Cell(NOWHERE, 2)
    assert found.domain.cell(record | {"post": "2"}) == Cell(1, NOWHERE)


def test_a_missing_value_is_a_value_of_its_own_and_comes_first():
    found = table(["2", None, "1", None], ["u", "v", None, "u"])
    assert found.domain.values == (None, "1", "2")
    assert found.domain.targets == (None, "u", "v")
    assert found.counts.tolist() == [[0, 1, 1], [1, 0, 0], [0, 1, 0]]
    assert found.domain.cell({"x": None, "y": None}) == Cell(0, 0)
    assert found.domain.cell({"x": math.nan, "y": np.nan}) == Cell(0, 0)


def test_records_with_missing_values_can_be_dropped():
    found = table(["2", None, "1", "1"], ["u", "v", None, "u"], missing="drop")
    assert found.records == 2
    assert found.domain.values == ("1", "2")
    assert found.counts[:, found.domain.targets.index("u")].tolist() == [1, 1]
    assert ((found.rows < 0) | (found.columns < 0)).tolist() == [False, True, True, False]
    assert found.domain.cell({"x": None, "y": "u"}) == Cell(NOWHERE, 0)
    assert found.domain.cell({"x": "1", "y": None}) == Cell(0, NOWHERE)


def test_one_missing_part_drops_a_combination():
    data = dv.read({"a": ["1", None, "2"], "b": ["p", "q", "q"], "y": ["u", "v", "v"]}, missing="drop")
    found = tabulate(data, ["a", "b"], ["y"])
    assert found.domain.values == (("1", "p"), ("2", "q"))
    assert found.domain.cell({"a": None, "b": "q", "y": "v"}) == Cell(NOWHERE, 1)


def test_how_often_each_value_occurs_needs_no_target():
    data = dv.read({"age": ["<18", ">=55", "18-19", "<18"]})
    assert list(occurrences(data, ["age"]).items()) == [("<18", 2), ("18-19", 1), (">=55", 1)]


@pytest.mark.parametrize(
    ("value", "told"), [("L1", "L1"), (3, "3"), (None, "(missing)"), (("A", None, 2), "A, (missing), 2")]
)
def test_a_value_is_named_in_words(value, told):
    assert label(value) == told


# -- the cell of a record ----------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float64(3)])
def test_a_number_is_found_however_it_is_held(value):
    assert table([1, 3, -0.0]).domain.cell({"x": value, "y": "u"}) == Cell(2, 0)
    assert table([1, 3, -0.0]).domain.cell({"x": 0, "y": "u"}) == Cell(0, 0)


@pytest.mark.parametrize(
    "value", ["3", "03", " 3", 2, True, "", None, math.nan, (3,), [3], {"x": 3}, object()]
)
def test_what_the_domain_does_not_have_is_nowhere(value):
    assert table([1, 3]).domain.cell({"x": value, "y": "u"}) == Cell(NOWHERE, 0)
    assert table(["u", "v"], [1, 3]).domain.cell({"x": "u", "y": value}) == Cell(0, NOWHERE)


def test_true_is_not_one():
    found = table([1, True, 0, False, 1])
    assert len(found.domain.values) == 4
    cells = [found.domain.cell({"x": value, "y": "u"}).x for value in (1, True, 0, False)]
    assert len(set(cells)) == 4
    assert found.counts.sum(axis=1)[cells].tolist() == [2, 1, 1, 1]


def test_a_partition_turns_a_records_value_into_the_domains():
    partition = Partition.of({"young": ["20", "30"], "old": ["60"], "ancient": ["99"]}, attribute="x")
    domain = table(["20", "60", None], partition=partition).domain
    places = {value: domain.cell({"x": value, "y": "u"}).x for value in ("30", 20, "60", None, "99", "44")}
    assert domain.values == (None, "young", "old")
    assert places == {"30": 1, 20: 1, "60": 2, None: 0, "99": NOWHERE, "44": NOWHERE}


@pytest.mark.parametrize(
    ("value", "place"),
    [("17", 0), (17.9, 0), ("18", 1), (29, 1), ("45", NOWHERE), ("old", NOWHERE), ([1], NOWHERE)],
)
def test_bins_turn_a_records_number_into_its_range(value, place):
    domain = table(["17", "20"], partition=Partition.bins([18, 30], attribute="x")).domain
    assert domain.cell({"x": value, "y": "u"}).x == place


@pytest.mark.parametrize("lacking", ["age", "place"])
def test_a_record_without_an_attribute_is_refused_and_its_values_are_not_told(lacking):
    data = dv.read({"age": ["1", "2"], "place": ["u", "v"]})
    record = {"age": "secret", "place": "hidden", "agee": "private"}
    del record[lacking]
    with pytest.raises(UnknownAttribute, match=f"No attribute '{lacking}' in the record") as refused:
        tabulate(data, ["age"], ["place"]).domain.cell(record)
    assert not any(value in str(refused.value) for value in ("secret", "hidden", "private"))


# -- what makes no dependency ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "error", "sentence"),
    [
        ([], ["y"], SchemaError, "A dependency needs X"),
        (["x"], [], SchemaError, "A dependency needs X"),
        (["x"], ["x"], SchemaError, "x is both"),
        (["x", "y"], ["y", "z"], SchemaError, "y is both"),
        (["x", "x"], ["y"], SchemaError, "x is repeated"),
        (["X"], ["y"], UnknownAttribute, "Did you mean 'x'"),
        (["x"], ["yy"], UnknownAttribute, "No attribute 'yy'"),
        (["x"], ["@record"], DivulgeError, "@record"),
    ],
)
def test_what_makes_no_dependency_is_refused(x, y, error, sentence):
    data = dv.read({"x": ["1", "2"], "y": ["u", "v"], "z": ["p", "q"]})
    with pytest.raises(error, match=sentence):
        tabulate(data, x, y)


def test_a_partition_of_another_attribute_is_refused():
    data = dv.read({"x": ["1", "2"], "y": ["u", "v"], "z": ["p", "q"]})
    with pytest.raises(SchemaError, match="A partition is given for z"):
        tabulate(data, ["x"], ["y"], {"z": Partition.of({"all": ["p", "q"]}, attribute="z")})


def test_a_partition_that_leaves_records_out_is_refused():
    with pytest.raises(DivulgeError, match="x"):
        table(["20", "60"], partition=Partition.of({"young": ["20"]}, attribute="x"))


def test_weighted_records_are_refused():
    data = dv.read({"x": ["1", "2"], "y": ["u", "v"], "w": [1, 2]}, weights="w")
    with pytest.raises(SchemaError, match="Weighted records cannot be released"):
        tabulate(data, ["x"], ["y"])


def test_a_missing_value_that_stands_for_all_is_refused():
    with pytest.raises(SchemaError, match="cannot match every value"):
        table(["1", None], missing="wildcard")


def test_a_table_from_which_every_record_is_dropped_is_refused():
    with pytest.raises(EmptySource, match="all 2 have missing values"):
        table(["1", None], [None, "u"], missing="drop")


# -- domains together, and tables by their counts ----------------------------------------------------


def test_a_domain_takes_in_what_it_lacks_after_its_own():
    ours = Domain(("x",), ("y",), ("a", "b"), ("u",))
    both = ours.including(Domain(("x",), ("y",), ("c", "b"), ("v", "u")))
    assert (both.values, both.targets) == (("a", "b", "c"), ("u", "v"))


def test_counts_move_to_where_a_domain_has_their_cells():
    ours = Domain(("x",), ("y",), ("c", "a", "b"), ("v", "u"))
    theirs = Domain(("x",), ("y",), ("a", "b"), ("u", "v"))
    assert ours.places(theirs) == ours.places_or_nowhere(theirs) == ([1, 2], [1, 0])
    assert theirs.places_or_nowhere(ours) == ([NOWHERE, 0, 1], [1, 0])
    assert ours.moved(np.array([[1, 2], [3, 4]]), theirs).tolist() == [[0, 0], [2, 1], [4, 3]]


def test_a_table_by_its_counts_numbers_what_has_no_name():
    found = table_of([[1, 2], [3, 4], [5, 6]])
    assert (found.domain.values, found.domain.targets, found.records) == ((0, 1, 2), (0, 1), 21)
    assert found.domain.cell({"x": 2, "y": 1}) == Cell(2, 1)


@pytest.mark.parametrize(
    "counts", [[], [[]], [1, 2], [[[1]]], [[1.5, 2]], [[-1, 2]], [[True, False]], [["1"]], 5]
)
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(ParameterError):
        table_of(counts)


@pytest.mark.parametrize(
    ("values", "targets"), [(["a"], None), (["a", "a"], None), (None, ["u", "v", "w"]), (None, ["u", "u"])]
)
def test_names_that_do_not_tell_the_counts_apart_are_refused(values, targets):
    with pytest.raises(ParameterError, match="2 values and 2 targets"):
        table_of([[1, 2], [3, 4]], values, targets)
