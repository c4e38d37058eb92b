"""Joint counts: sizes, weights, margins, and counts made from counts."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.counting import counts as module
from divulge.counting.counts import Beside, Cells, Counts, JointCounts
from divulge.counting.statistics import ENTROPY, SIZE, Statistic
from divulge.table.codes import Codes
from merged_classes import merge_classes
from random_tables import shapes

ROWS = [("20s", "flu"), ("20s", "cold"), ("30s", "flu"), ("30s", "flu"), (None, "flu")]


def test_classes_come_in_the_order_in_which_keys_are_first_met_after_the_missing_one():
    counts = JointCounts.of(ROWS)
    assert counts.size.tolist() == [1, 2, 2]
    assert counts.decode(np.arange(3)) == [{"key": None}, {"key": "20s"}, {"key": "30s"}]
    assert counts.matrix().tolist() == [[1, 0], [1, 1], [2, 0]]
    assert list(counts.target_values) == ["flu", "cold"]


def test_records_classes_and_weight_of_plain_records_are_whole_numbers():
    counts = JointCounts.of(ROWS)
    assert (counts.records, counts.classes, counts.weight) == (5, 3, 5.0)
    assert not counts.weighted
    assert counts.class_weight.tolist() == [1, 2, 2]
    assert counts.target_weight.tolist() == [4, 1]


def test_weights_make_probabilities_and_leave_sizes_alone():
    counts = JointCounts.of(ROWS, weights=[0.5, 1.5, 2, 1, 3])
    assert counts.weighted
    assert counts.size.tolist() == [1, 2, 2]
    assert counts.class_weight.tolist() == [3, 2, 3]
    assert counts.target_weight.tolist() == [6.5, 1.5]
    assert counts.weight == 8


def test_a_statistic_is_summed_over_classes_over_records_and_over_weights():
    counts = JointCounts.of(ROWS, weights=[0.5, 1.5, 2, 1, 3])
    # Classes of 1, 2 and 2 records with weights 3, 2 and 3.
    assert counts.total(SIZE) == 1 + 2 + 2
    assert counts.over_records(SIZE) == 1 * 1 + 2 * 2 + 2 * 2
    assert counts.over_weight(SIZE) == 1 * 3 + 2 * 2 + 2 * 3


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint32, np.float64, bool])
@pytest.mark.parametrize("lengths", [[1], [3, 1, 1, 4], [5, 1]])
def test_several_threads_add_up_cells_as_one_does(monkeypatch, kind, lengths):
    start = np.concatenate([[0], np.cumsum(lengths)])
    of_cells = np.arange(start[-1]).astype(kind)
    cells = Cells(start, of_cells, of_cells, of_cells)
    expected = [of_cells[a:b].sum() for a, b in pairwise(start)]
    assert cells.per_class(of_cells).tolist() == expected
    monkeypatch.setattr(module, "THREADS_PAY", 0)
    found = cells.per_class(of_cells)
    assert found.tolist() == expected
    assert found.dtype == np.add.reduceat(of_cells, start[:-1]).dtype


def test_classes_do_not_overlap_unless_that_is_said():
    assert not Counts.overlapping
    assert not JointCounts.of(ROWS).overlapping


def test_missing_and_nan_are_one_value_of_the_target():
    counts = JointCounts.of([("a", None), ("a", float("nan")), ("a", "")])
    assert list(counts.target_values) == [None, ""]
    assert counts.target_weight.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("table", "bits"),
    [([[1, 1]], 1.0), ([[4]], 0.0), ([[2, 1], [0, 1]], 1.0), ([[1, 1], [1, 1]], 1.0), ([[2, 0, 2]], 1.0)],
)
def test_the_entropy_of_the_target_in_bits(table, bits):
    assert JointCounts.of_table(table).entropy == bits


def test_a_target_of_one_value_has_no_entropy_to_the_last_bit_even_when_weighted():
    counts = JointCounts.of([("a", "flu"), ("b", "flu"), ("c", "flu")], weights=[0.1, 0.2, 0.3])
    assert counts.entropy == 0


def test_of_record_the_entropy_is_the_logarithm_of_the_number_of_records():
    counts = JointCounts(np.array([3, 5]), None)
    assert counts.about_records
    assert counts.entropy == 3
    with pytest.raises(ValueError, match="no list of target values"):
        counts.target_weight  # noqa: B018
    with pytest.raises(ValueError, match="no list of target values"):
        counts.matrix()


def test_classes_held_once_count_as_often_as_they_stand():
    counts = JointCounts(np.array([1, 4]), None, multiplicity=np.array([6, 2]))
    assert (counts.records, counts.classes) == (14, 8)
    assert counts.total(SIZE) == 14
    assert (counts.least(SIZE), counts.most(SIZE)) == (1, 4)
    cells = JointCounts.of_table([[1, 0], [2, 3]]).cells
    held = JointCounts(np.array([1, 5]), cells, ["x", "y"], multiplicity=np.array([3, 2]), target="t")
    assert held.target_weight.tolist() == [3 * 1 + 2 * 2, 2 * 3]
    assert (held.weight, held.records) == (13, 13)


def test_a_statistic_is_computed_once():
    calls = []
    statistic = Statistic("calls", lambda counts: calls.append(1) or counts.size)
    counts = JointCounts.of(ROWS)
    counts.statistic(statistic)
    assert counts.total(statistic) == 5
    assert calls == [1]


def test_with_ground_forgets_statistics_and_keeps_the_counts():
    counts = JointCounts.of_table([[1, 1]])
    counts.statistic(ENTROPY)
    grounded = counts.with_ground(order=[1, 0])
    assert grounded.ground == {"order": [1, 0]}
    assert grounded._statistics == {}
    assert grounded.cells is counts.cells


def test_merging_two_classes_adds_their_cells():
    merged = merge_classes(JointCounts.of_table([[1, 0, 2], [5, 0, 0], [0, 3, 1]]), 0, 2)
    assert merged.matrix().tolist() == [[1, 3, 3], [5, 0, 0]]
    assert merged.size.tolist() == [7, 5]


def test_merging_keeps_the_sizes_of_weighted_classes_and_what_is_known_of_the_values():
    counts = JointCounts.of([("a", "x"), ("b", "x"), ("b", "y")], weights=[0.5, 0.25, 2]).with_ground(
        order=[1, 0]
    )
    merged = merge_classes(counts, 1, 0)
    assert merged.size.tolist() == [3]
    assert merged.matrix().tolist() == [[0.75, 2]]
    assert merged.ground == {"order": [1, 0]}


def test_merging_of_record_adds_sizes():
    assert merge_classes(JointCounts(np.array([3, 5, 1]), None), 0, 2).size.tolist() == [4, 5]


def test_a_matrix_of_whole_numbers_counts_records_and_any_other_has_weights():
    plain, weighted = JointCounts.of_table([[1.0, 2.0]]), JointCounts.of_table([[1.5, 2.0]])
    assert (plain.weighted, weighted.weighted) == (False, True)
    assert (plain.weight, weighted.weight) == (3, 3.5)


def test_a_row_without_records_is_no_class():
    counts = JointCounts.of_table([[1, 2], [0, 0], [0, 4]])
    assert (counts.classes, counts.size.tolist()) == (2, [3, 4])


@pytest.mark.parametrize("known", [{"multiplicity": [2, 1]}, {"subjects": [3, 4]}, {"overlapping": True}])
def test_classes_held_once_of_people_or_overlapping_are_not_merged(known):
    given = {name: value if value is True else np.array(value) for name, value in known.items()}
    with pytest.raises(ValueError, match="do not say what they are together"):
        merge_classes(JointCounts(np.array([3, 5]), None, **given), 0, 1)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=5))
def test_counts_of_a_matrix_have_its_cells(table):
    counts = JointCounts.of_table(table)
    assert counts.matrix().tolist() == table
    assert counts.size.tolist() == [sum(row) for row in table]
    assert counts.cells.owner.tolist() == [y for y, row in enumerate(table) for n in row if n]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", None, 1.5])), min_size=1, max_size=20)
)
def test_counts_of_pairs_do_not_depend_on_their_order(rows):
    assert shapes(JointCounts.of(rows)) == shapes(JointCounts.of(rows[::-1]))


def test_codes_that_no_record_has_are_not_target_values():
    from divulge.engines.memory.counting import count

    target = Codes(np.array([3, 3, 1], np.uint8), ["a", "never", "b"])
    counts = count({"k": Codes.of([1, 1, 2])}.__getitem__, ["k"], target, records=3)
    assert list(counts.target_values) == ["a", "b"]


def test_another_tables_values_stand_in_the_order_of_these_and_its_own_come_last():
    beside = Beside("the original", {"a": 2.0, None: 1.0, "z": 0.5, "never": 0.0})
    found = beside.aligned(["b", None, "a"])
    assert found.values == ["b", None, "a", "z"]
    assert found.weight.tolist() == [0, 1, 2, 0.5]
    assert (found.name, found.undefined, beside.ambiguous) == ("the original", None, False)
