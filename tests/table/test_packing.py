"""Columns packed into one number tell rows apart, and order them, as the rows themselves do."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from divulge.table import packing
from divulge.table.codes import Codes
from divulge.table.packing import coded, combinations, distinct, numbered, of_matrix, packed, ranked

#: Cardinalities of columns: small ones, and some whose product needs more than 64 bits.
CARDINALITIES = st.lists(st.sampled_from([1, 2, 3, 250, 1 << 16, 1 << 31, (1 << 40) + 1]), max_size=6)


@st.composite
def tables(draw):
    cardinalities = draw(CARDINALITIES)
    records = draw(st.integers(0, 12))
    columns = []
    for cardinality in cardinalities:
        near = st.sampled_from(sorted({0, 1 % cardinality, cardinality // 2, cardinality - 1}))
        values = draw(st.lists(near, min_size=records, max_size=records))
        kind = draw(st.sampled_from([np.int64, np.uint64, np.min_scalar_type(cardinality)]))
        columns.append((np.array(values, kind), cardinality))
    return columns, records


NOBODY = [(np.zeros(0, np.int64), 1 << 31), (np.zeros(0, np.int64), (1 << 40) + 1)], 0


@given(tables())
@example(NOBODY)
def test_rows_are_told_apart_and_ordered_as_by_their_columns(table):
    columns, records = table
    rows = np.zeros((records, len(columns)), np.int64)
    for place, (codes, _) in enumerate(columns):
        rows[:, place] = codes
    if not columns:
        assert packed(columns, records).tolist() == [0] * records
        return
    expected, number = np.unique(rows, axis=0, return_inverse=True)
    found = combinations(columns, records)
    assert rows[found.first].tolist() == expected.tolist()
    assert found.number.tolist() == number.ravel().tolist()
    assert distinct(columns, records) == len(expected)
    assert distinct(of_matrix(rows), records) == len(expected)


def test_more_columns_than_64_bits_hold_are_told_apart():
    """Twenty columns of 2^10 values: 200 bits, and rows that differ in the first or the last only."""
    rows = np.full((4, 20), (1 << 10) - 1)
    rows[1, 0] = rows[2, -1] = 0
    columns = [(column, 1 << 10) for column in rows.T]
    words = packed(columns, 4)
    assert words[0] == words[3]
    assert words[1] < words[2] < words[0]
    assert distinct(columns, 4) == 3


@pytest.mark.parametrize(("cardinality", "kind"), [(1 << 16, np.uint32), ((1 << 16) + 1, np.int64)])
def test_numbers_are_as_narrow_as_they_can_be(cardinality, kind):
    last = np.array([0, cardinality - 1])
    words = packed([(last, cardinality)] * 2, 2)
    assert words.dtype == kind
    assert words.tolist() == [0, cardinality**2 - 1]


def test_what_is_packed_is_left_as_it_was():
    codes = np.array([1, 0], np.uint32)
    packed([(codes, 2), (codes, 2)], 2)
    assert codes.tolist() == [1, 0]


def test_missing_is_a_value_of_its_own():
    assert distinct(coded([Codes.of(["a", None, "a"]), Codes.of([None, 1, 1])]), 3) == 3


def test_ranks_have_no_gaps():
    numbers, bound = ranked(np.array([70, 3, 70]))
    assert (numbers.tolist(), bound) == ([1, 0, 1], 2)


@given(tables(), st.sampled_from([1, 4, 1 << 20]), st.sampled_from([2, 64, 1 << 22]))
def test_ranking_column_by_column_gives_the_ranks_of_all_together(table, most, longest):
    columns, records = table
    words = packed(columns, records)
    with patch.object(packing, "LONGEST", longest):
        found, bound = numbered(columns, records, most)
    if math.prod(cardinality for _, cardinality in columns) <= most:
        assert found.tolist() == words.tolist()
    else:
        assert found.tolist() == ranked(words)[0].tolist()
        assert bound == len(set(words.tolist()))


@given(st.lists(st.integers(0, 99), max_size=9))
def test_ranks_looked_up_in_a_list_are_those_of_sorting(numbers):
    found, plain = (ranked(np.array(numbers, np.int64), bound) for bound in (100, None))
    assert (found[0].tolist(), found[1]) == (plain[0].tolist(), plain[1])


def test_ranking_in_between_changes_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    columns = [(rng.integers(0, 5, 200), 5) for _ in range(4)]
    plain = combinations(columns, 200)
    monkeypatch.setattr(packing, "LARGEST_WORD", 30)
    found = combinations(columns, 200)
    assert found.first.tolist() == plain.first.tolist()
    assert found.number.tolist() == plain.number.tolist()
