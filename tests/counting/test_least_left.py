"""Of shuffled tables that are read for the class that leaves least unknown, larger classes are not drawn."""

import numpy as np
import pytest

from divulge.counting.counts import JointCounts
from divulge.counting.least_left import alike_counted, may_leave_least
from divulge.measures import MEASURES, get
from divulge.readings.chance import reads_least_left, shuffles

EVEN = np.array([5000] * 4)


def table(sizes, targets, seed=3):
    """Classes and targets of about these sizes that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    shares = np.outer(sizes, targets) / np.sum(targets)
    return JointCounts.of_table(rng.poisson(shares))


def test_two_measures_read_the_class_that_leaves_least():
    found = {name for name, measure in MEASURES.items() if reads_least_left(measure)}
    assert found == {"itpr", "maximum_information_leakage"}


def test_classes_much_larger_than_the_smallest_cannot_leave_least():
    assert may_leave_least(np.array([9000, 1000, 1001, 9000]), EVEN, 199).tolist() == [
        False,
        True,
        True,
        False,
    ]


def test_of_few_records_any_class_may():
    assert may_leave_least(np.array([4, 6, 10]), np.array([10, 10]), 199).all()


def test_of_a_target_that_mostly_has_one_value_more_classes_may():
    """The smallest class leaves 1000 bits at most: more than 1500 or 3000 records leave of 0.08 bits each."""
    sizes = np.array([1000, 1500, 3000, 94500])
    assert may_leave_least(sizes, np.array([1000, 99000]), 199).tolist() == [True, True, True, False]
    assert may_leave_least(sizes, np.array([50000, 50000]), 199).tolist() == [True, False, False, False]


def test_a_target_of_one_value_leaves_nothing_anywhere():
    assert may_leave_least(np.array([10, 10_000]), np.array([10_010]), 10).all()


def test_cells_that_may_be_empty_or_not_make_it_unsure_how_tables_are_read():
    assert alike_counted(np.full(30, 10_000), np.full(30, 10_000), 199)
    assert alike_counted(np.full(10, 50), np.full(10, 50), 199)  # too few cells for a compiled pass
    assert not alike_counted(np.full(30, 20), np.full(30, 20), 199)


@pytest.mark.parametrize("values", [2, 9, 30])
@pytest.mark.parametrize("classes", [3, 20, 40])
@pytest.mark.parametrize("records", [20_000, 2_000_000])
def test_the_class_that_leaves_least_is_among_those_drawn(values, classes, records):
    rng = np.random.default_rng(values * classes)
    sizes, targets = (rng.dirichlet(np.ones(many)) * records + 50 for many in (classes, values))
    counts = table(sizes, targets)
    whole, some = (list(shuffles(counts, 40, 1, least_left=least)) for least in (False, True))
    if records > 10**6:
        assert sum(len(one.size) for one in some) < sum(len(one.size) for one in whole)
    for name in ("itpr", "maximum_information_leakage"):
        read = [[get(name).compute(one, {}) for one in drawn] for drawn in (whole, some)]
        assert read[0] == read[1]
