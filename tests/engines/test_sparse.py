"""The compiled kernels find a dictionary's classes, whatever the words, partitions and threads."""

from collections import Counter, defaultdict
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.engines.memory import counting as local
from divulge.engines.memory import sparse
from divulge.table.codes import Codes, narrow


def codes(numbers, bits):
    """Codes of an attribute that takes so many bits, however few of its values occur."""
    return Codes(narrow(np.asarray(numbers, np.int64), (1 << bits) - 1), range((1 << bits) - 1))


def looks(columns, target):
    """How many classes look like what: their cells, or their size where records are the target."""
    classes = defaultdict(Counter)
    for row, y in enumerate(zip(*(c.codes.tolist() for c in columns), strict=True)):
        classes[y][0 if target is None else int(target.codes[row])] += 1
    return Counter(frozenset(cells.items()) for cells in classes.values())


def tallied(columns, target, threads, latest=None):
    """The same, from the tally."""
    names = [str(place) for place in range(len(columns))]
    records = len(columns[0].codes)
    tally = sparse.tally(
        dict(zip(names, columns, strict=True)).__getitem__,
        *(names, target, records),
        threads=threads,
        latest=latest,
    )
    found = Counter()
    assert len(tally.used) == len(set(tally.target.tolist())), "a target that does not occur is listed"
    assert tally.having.sum() == records
    ends = tally.start[1:]
    for size, times, first, last in zip(tally.size, tally.often, tally.start, ends, strict=False):
        targets = tally.used[tally.target[first:last]].tolist()
        cells = dict(zip(targets, tally.count[first:last].tolist(), strict=True))
        assert len(cells) == last - first, "a target stands twice in one class"
        assert sum(cells.values()) == size
        found[frozenset(cells.items())] += times
    return found


@st.composite
def tables(draw):
    """Keys of a few bits or many, so that one word holds them or not, and a target or none."""
    n = draw(st.integers(1, 150))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    bits = draw(st.lists(st.sampled_from([1, 2, 7, 20, 31]), min_size=1, max_size=6))
    few = draw(st.sampled_from([1, 2, 5, 10**6]))  # how many values of each key occur
    columns = [codes(rng.integers(0, min(few, 1 << b), n), b) for b in bits]
    if draw(st.booleans()):  # true duplicates, which no further key splits
        columns = [Codes(np.repeat(c.codes, 3), c.values) for c in columns]
    size = len(columns[0].codes)
    width = draw(st.sampled_from([None, 0, 1, 3, 20, 21]))
    return columns, None if width is None else codes(rng.integers(0, 1 << min(width, 3), size), width)


@pytest.mark.parametrize("threads", [1, 3])
@settings(max_examples=20)
@given(
    table=tables(),
    partition=st.sampled_from([1, 3, 16, 2048]),
    block=st.sampled_from([1, 7, 50, 1 << 18]),
    tallied_bits=st.sampled_from([0, 6, 18]),
)
def test_tallies_agree_with_a_dictionary(threads, table, partition, block, tallied_bits):
    columns, target = table
    with patch.multiple(sparse, PARTITION=partition, BLOCK=block, TALLIED_BITS=tallied_bits):
        assert tallied(columns, target, threads) == looks(columns, target)


@given(table=tables())
def test_the_next_target_begins_with_who_still_shares_a_class(table):
    columns, target = table
    latest = {}
    assert tallied(columns, None, 2, latest) == looks(columns, None)
    assert tallied(columns, target, 2, latest) == looks(columns, target)
    other = codes(np.arange(len(columns[0].codes)) % 5, 3)
    assert tallied(columns, other, 2, latest) == looks(columns, other)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("bits", [[4], [31, 31, 31]], ids=["one word", "several words"])
@pytest.mark.parametrize("records", [41, 100, 5000])
def test_a_class_of_many_equal_words_with_different_targets(bits, records, threads):
    target = codes(np.arange(records) % 3, 2)
    columns = [codes(np.full(records, 1), b) for b in bits]
    assert tallied(columns, target, threads) == looks(columns, target)
    assert tallied(columns, None, threads) == {frozenset({0: records}.items()): 1}


def test_duplicates_that_no_key_splits_stay_together_through_every_word():
    columns = [codes([5, 5, 9, 5], 31) for _ in range(7)]
    target = codes([1, 2, 1, 1], 2)
    assert tallied(columns, target, 2) == {frozenset({1: 2, 2: 1}.items()): 1, frozenset({1: 1}.items()): 1}


def test_keys_are_not_looked_up_once_every_record_stands_alone():
    asked = []
    apart = codes([1, 2, 3], 31)

    def load(key):
        asked.append(key)
        return apart

    tally = sparse.tally(load, [str(i) for i in range(9)], None, 3, threads=1)
    assert (tally.size.tolist(), tally.often.tolist()) == ([1], [3])
    assert set(asked) <= {"0", "1", "2"}


def test_a_target_too_wide_for_the_last_word_gets_a_word_of_its_own():
    columns, target = [codes([1, 1, 2], 31), codes([4, 4, 4], 31)], codes([3, 70_000, 3], 20)
    assert tallied(columns, target, 1) == looks(columns, target)


def test_an_attribute_that_is_missing_everywhere_takes_no_bits():
    nothing = Codes(np.zeros(4, np.uint8), [])
    assert sparse.bits_of(nothing) == 0
    columns = [nothing, codes([1, 1, 2, 2], 2)]
    assert tallied(columns, nothing, 1) == looks(columns, nothing)


def test_threads_and_rooms_used_before_change_nothing():
    rng = np.random.default_rng(5)
    columns = {str(i): codes(rng.integers(0, 12, 5000), 4) for i in range(3)}
    target = codes(rng.integers(0, 30, 5000), 5)
    found = []
    for threads in (1, 2, 5, 2):
        with patch.multiple(sparse, PARTITION=16, BLOCK=300):
            one = sparse.tally(columns.__getitem__, list(columns), target, 5000, threads=threads)
        found.append([getattr(one, name).tolist() for name in ("size", "often", "start", "target", "count")])
    assert found[0] == found[1] == found[2] == found[3]


@pytest.mark.parametrize("keys", [["a", "b", "c"], ["a"]])
def test_what_is_known_of_targets_beside_the_cells_is_what_cells_give(keys):
    rng = np.random.default_rng(8)
    columns = {name: codes(rng.integers(0, 9, 4000), 4) for name in "abc"}
    target = codes(rng.integers(1, 6, 4000), 3)
    with patch.multiple(local, LOOPS_PAY=1, LARGEST_TABLE=1):
        counts = local.count(columns.__getitem__, keys, target, records=4000, compact=True)
    known = counts.with_ground(order=np.arange(5)).target_weight
    assert known.tolist() == np.bincount(target.codes)[1:].tolist()
    assert replace(counts, _statistics={}).target_weight.tolist() == known.tolist()


@pytest.mark.parametrize("bits", [64, 9])
@pytest.mark.parametrize("threads", [1, 3])
def test_records_that_share_a_class_are_those_alike_with_another(threads, bits):
    rng = np.random.default_rng(bits)
    columns = {name: codes(rng.integers(0, 8, 300), 3) for name in "abc"}
    with patch.multiple(sparse, WORD_BITS=bits + (8 if bits < 64 else 0), PARTITION=8, BLOCK=50):
        found = sparse.sharing(columns.__getitem__, "abc", 300, threads=threads)
    alike = defaultdict(list)
    for row, y in enumerate(zip(*(c.codes.tolist() for c in columns.values()), strict=True)):
        alike[y].append(row)
    shared = [rows for rows in alike.values() if len(rows) > 1]
    classes = defaultdict(list)
    for row, y in zip(found.rows.tolist(), found.classes.tolist(), strict=True):
        classes[y].append(row)
    assert sorted(map(sorted, classes.values())) == sorted(shared)
    assert sorted(classes) == list(range(len(shared)))
    assert found.count == len(shared)
    assert found.singles.tolist() == [300 - len(found.rows)]
