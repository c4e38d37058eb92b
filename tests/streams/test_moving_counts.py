"""Counts of records that come and go read at any moment what a count of the same records reads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge import api
from divulge.counting.counts import RECORD
from divulge.errors import Undefined
from divulge.measures import MEASURES
from divulge.questions.data import read
from divulge.streams.moving_counts import MovingCounts, WholeTableNeeded, follows
from divulge.streams.reduction_tree import ReductionTree

NAMES = ("a", "b", "x", "who")
RECORDS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 3), st.integers(0, 9)),
    min_size=1,
    max_size=40,
)
VARIANTS = [
    (name, variant) for name, one in MEASURES.items() for variant in one.variants if follows(one, variant)
]


def moved(counts, records, target, by_person, leaving):
    values = [one[2] if target == "x" else one[3] if by_person else None for one in records]
    counts.move([one[:2] for one in records], values, leaving=leaving)


def found(measure, counts, parameters):
    try:
        return measure.compute(counts, parameters)
    except WholeTableNeeded:
        raise
    except Undefined as undefined:
        return undefined.message


@pytest.mark.parametrize(("target", "by_person"), [(RECORD, False), (RECORD, True), ("x", False)])
@given(records=RECORDS, window=st.integers(1, 12), steps=st.integers(1, 7))
def test_at_any_moment_every_measure_reads_what_a_batch_reads(target, by_person, records, window, steps):
    moving, held, followed = MovingCounts(("a", "b"), target, by_person=by_person), [], 0
    for first in range(0, len(records), steps):
        arrived = records[first : first + steps]
        held += arrived
        left, held = held[:-window], held[-window:]
        moved(moving, arrived, target, by_person, len(left))
        columns = dict(zip(NAMES, map(list, zip(*held, strict=True)), strict=True))
        data = read(columns, identifiers="who" if by_person else None)
        counts = api.ask(data, keys=["a", "b"], target=target).counts
        for name, parameters in VARIANTS:
            try:
                now = found(MEASURES[name], moving.now, parameters)
            except WholeTableNeeded:
                continue
            followed += 1
            expected = found(MEASURES[name], counts, parameters)
            assert now == (
                expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-12, abs=1e-12)
            )
    assert followed


def test_what_is_followed_is_what_classes_tell_by_themselves():
    moving = MovingCounts(("a",), "x")
    moving.move([1, 1, 2], ["flu", "cold", "flu"])
    followed = set()
    for name, parameters in VARIANTS:
        try:
            found(MEASURES[name], moving.now, parameters)
            followed.add(name)
        except WholeTableNeeded:
            pass
    assert {"k_anonymity", "uniqueness", "discrimination_rate", "itpr", "entropy_l_diversity"} <= followed
    assert "t_closeness" not in followed


def test_what_left_is_forgotten():
    moving = MovingCounts(("a",), "x")
    for first in range(0, 100_000, 500):
        moving.move(list(range(first, first + 500)), ["flu", "cold"] * 250, leaving=500 if first else 0)
    assert moving.now.classes == 500
    assert len(moving._classes) <= 3_000
    assert MEASURES["k_anonymity"].compute(moving.now) == 1
    assert moving.now.entropy == 1


def test_a_class_that_leaves_and_comes_back_is_counted_from_the_start():
    moving = MovingCounts(("a",), RECORD)
    moving.move(["old"] * 3, [None] * 3)
    assert MEASURES["k_anonymity"].compute(moving.now) == 3
    moving.move(["new"], [None], leaving=3)
    moving.move(["old"] * 2, [None] * 2)
    assert (moving.now.records, moving.now.classes) == (3, 2)
    assert MEASURES["k_anonymity"].compute(moving.now) == 1


def test_a_record_that_is_not_counted_takes_its_place_in_the_window():
    moving = MovingCounts(("a",), RECORD)
    moving.move(["old", None, "new"], [None] * 3)
    assert moving.now.records == 2
    moving.move([], [], leaving=2)
    assert (moving.now.records, moving.now.classes) == (1, 1)


@given(st.lists(st.tuples(st.integers(0, 200), st.one_of(st.none(), st.floats(-100, 100))), max_size=40))
def test_a_tree_reduces_what_it_holds(changes):
    tree, held = ReductionTree(), {}
    for place, number in changes:
        if number is None:
            tree.take(np.array([place]))
            held.pop(place, None)
        else:
            tree.put(np.array([place]), np.array([number]), np.array([place + 1]))
            held[place] = number
    reduced = tree.reduced
    assert reduced.total == pytest.approx(sum(held.values()), abs=1e-9)
    assert reduced.weighted == pytest.approx(sum(one * (place + 1) for place, one in held.items()), abs=1e-6)
    assert reduced.least == min(held.values(), default=np.inf)
    assert reduced.most == max(held.values(), default=-np.inf)
