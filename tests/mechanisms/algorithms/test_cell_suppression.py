"""Cell suppression: every record has k matches, and no cell could be put back."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError, TooMuch
from divulge.mechanisms.algorithms.cell_suppression import suppressed_cells
from divulge.mechanisms.algorithms.suppressed_classes import SUPPRESSED, Classes
from peer_data import sdcmicro_table


def alike(one, other):
    return one == other


def fitting(one, other):
    return all(a == b or None in (a, b) for a, b in zip(one, other, strict=True))


def released(keys, cells):
    return [
        tuple(None if gone else code for code, gone in zip(row, lost, strict=True))
        for row, lost in zip(keys.tolist(), cells.tolist(), strict=True)
    ]


def reaches(rows, k, match):
    return all(sum(match(one, other) for other in rows) >= k for one in rows)


@st.composite
def tables(draw):
    """Up to 14 records of up to 4 keys, and a k there are records for."""
    width, values = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    row = st.tuples(*[st.integers(0, values)] * width)
    keys = np.array(draw(st.lists(row, min_size=1, max_size=14)))
    return keys, draw(st.integers(1, min(5, len(keys)))), draw(st.permutations(range(width)))


@pytest.mark.parametrize(("wildcard", "match"), [(False, alike), (True, fitting)])
@given(table=tables(), data=st.data())
def test_k_is_reached_and_no_cell_could_be_put_back(wildcard, match, table, data):
    keys, k, importance = table
    cells = suppressed_cells(keys, k, wildcard=wildcard, importance=importance)
    assert reaches(released(keys, cells), k, match)
    for place in zip(*np.nonzero(cells), strict=True):
        fewer = cells.copy()
        fewer[place] = False
        assert not reaches(released(keys, fewer), k, match)
    order = np.array(data.draw(st.permutations(range(len(keys)))))
    again = suppressed_cells(keys[order], k, wildcard=wildcard, importance=importance)
    before = zip(map(tuple, keys.tolist()), released(keys, cells), strict=True)
    after = zip(map(tuple, keys[order].tolist()), released(keys[order], again), strict=True)
    assert Counter(before) == Counter(after)


@given(table=tables())
def test_whole_records_do_not_depend_on_the_order_of_rows_where_ties_are_ordered(table):
    keys, k, _ = table
    other = np.arange(len(keys))
    for wildcard in (False, True):
        cells = suppressed_cells(keys, k, wildcard=wildcard, tie_order=other)
        again = suppressed_cells(keys[::-1], k, wildcard=wildcard, tie_order=other[::-1])
        assert again[::-1].tolist() == cells.tolist()


def test_classes_are_left_alone_where_they_have_k():
    keys = np.array([[0, 1], [0, 1], [2, 2], [2, 2]])
    assert not suppressed_cells(keys, 2).any()


def test_a_record_that_fits_no_class_takes_records_of_one_along():
    """By hand: the record 9 9 needs a partner; with k = 2 a class of four can spare one."""
    keys = np.array([[0, 0]] * 4 + [[9, 9]])
    assert suppressed_cells(keys, 2).tolist() == [[False, False]] * 3 + [[True, True]] * 2
    assert suppressed_cells(keys, 2, wildcard=True).tolist() == [[False, False]] * 4 + [[True, True]]


def test_a_single_record_goes_back_to_a_class_that_is_there_if_its_own_can_spare_it():
    classes = Classes(2, [[0, 0], [0, 1]])
    classes.add((0, 0), 0, 2)
    for kind, records in ((0, 1), (1, 2)):
        classes.add((0, SUPPRESSED), kind, records)
    classes.put_back(2)
    assert sorted(zip(*map(np.ndarray.tolist, classes.patterns()), strict=True)) == [(0, 0, 3), (1, 0, 2)]


def test_less_important_keys_are_suppressed_first():
    keys = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]])
    for importance, column in (([0, 1], 1), ([1, 0], 0)):
        cells = suppressed_cells(keys[[0, 1, 2, 3]], 2, wildcard=True, importance=importance)
        assert cells[:, 1 - column].sum() <= cells[:, column].sum()
    both = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert suppressed_cells(both, 2, importance=[0, 1]).sum(axis=0).tolist() == [0, 4]
    assert suppressed_cells(both, 2, importance=[1, 0]).sum(axis=0).tolist() == [4, 0]


def test_fewer_cells_than_by_sdcmicro():
    """Its local suppression of these keys at k = 2 takes 157 cells, a missing value matching anything."""
    table = sdcmicro_table("testdata", names=True)
    names = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
    keys = np.column_stack([np.unique(table[name], return_inverse=True)[1] for name in names])
    assert suppressed_cells(keys, 2, wildcard=True).sum() < 157


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ParameterError, match="k is 3"):
        suppressed_cells(np.zeros((2, 1), int), 3)
    with pytest.raises(ParameterError, match="every key once"):
        suppressed_cells(np.zeros((2, 2), int), 1, importance=[0, 0])
    with pytest.raises(TooMuch, match="at most 16 keys"):
        suppressed_cells(np.zeros((2, 17), int), 1)
