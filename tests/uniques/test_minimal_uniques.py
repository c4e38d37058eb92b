"""Minimal sample uniques against all subsets one by one, and against the thesis."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.errors import ParameterError, TooMuch
from divulge.table.codes import Codes
from divulge.uniques import minimal_uniques as module
from divulge.uniques.minimal_uniques import minimal_uniques

GOLDEN = Path(__file__).parents[1] / "golden" / "tables"


def by_hand(columns):
    """The minimal sets of every record, by looking at every set of attributes."""
    table = np.array([column.codes for column in columns])
    found = []
    for record in range(table.shape[1]):
        own = []
        for size in range(1, len(columns) + 1):
            for chosen in map(list, combinations(range(len(columns)), size)):
                alike = (table[chosen] == table[chosen, record][:, None]).all(axis=0).sum()
                if alike == 1 and not any(set(one) <= set(chosen) for one in own):
                    own.append(tuple(chosen))
        found.append(own)
    return found


@st.composite
def tables(draw):
    records, attributes = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    values = [draw(st.integers(1, 6)) for _ in range(attributes)]
    return [
        Codes.of(draw(st.lists(st.integers(1, most), min_size=records, max_size=records))) for most in values
    ]


@given(columns=tables())
def test_minimal_sets_are_those_of_all_subsets_one_by_one(columns):
    found = minimal_uniques(columns)
    assert [found.of(record) for record in range(found.records)] == by_hand(columns)


@given(columns=tables(), largest=st.integers(1, 3))
def test_a_search_of_small_sets_finds_the_small_sets(columns, largest):
    found = minimal_uniques(columns, largest)
    small = [[one for one in own if len(one) <= largest] for own in by_hand(columns)]
    assert [found.of(record) for record in range(found.records)] == small


def test_more_attributes_than_bits_are_refused():
    with pytest.raises(ParameterError, match="65 attributes"):
        minimal_uniques([Codes.of([1, 2])] * 65)


def test_too_much_work_is_refused_with_what_fits(monkeypatch):
    monkeypatch.setattr(module, "MOST_WORK", 20)
    with pytest.raises(TooMuch) as refusal:
        minimal_uniques([Codes.of([1, 2, 3])] * 5)
    assert "up to 5 of 5 attributes" in str(refusal.value)
    assert "up to 1 attributes" in str(refusal.value.hint)


def test_the_special_uniques_of_the_thesis():
    """Table 3.5: unique on ZIP code, age and disease are records 2, 4, 5, 6 and 9, all of them special."""
    with (GOLDEN / "thesis_table3_5.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [Codes.of([row[name] for row in rows]) for name in ("ZIP Code", "Age", "Disease")]
    found = minimal_uniques(columns)
    zip_code, age, disease = range(3)
    assert {record + 1: found.of(record) for record in range(9) if found.of(record)} == {
        2: [(zip_code,), (age,)],
        4: [(age,), (zip_code, disease)],
        5: [(age,)],
        6: [(age,), (zip_code, disease)],
        9: [(age,)],
    }
