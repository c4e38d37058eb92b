"""Classes counted in people: k and its family, worked by hand."""

import numpy as np
import pytest

import divulge as dv
from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError
from divulge.measures import average_class_size, class_count, k_anonymity, reidentification_risk, uniqueness

COUNTS = JointCounts(np.array([1, 1, 2, 4]), None)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (k_anonymity, 1),
        (class_count, 4),
        (average_class_size, 2),
        (uniqueness, 2 / 8),
        (reidentification_risk, 1),
        (lambda counts: reidentification_risk(counts, kind="average"), 4 / 8),
    ],
)
def test_on_classes_of_one_one_two_and_four(measure, value):
    assert measure(COUNTS) == value


def test_whole_numbers_are_read_as_whole_numbers():
    assert isinstance(k_anonymity(COUNTS), int)
    assert isinstance(class_count(COUNTS), int)


def test_the_average_risk_is_over_records_and_not_over_classes():
    # Over classes it would be (1/1 + 1/9) / 2.
    assert reidentification_risk(JointCounts(np.array([1, 9]), None), kind="average") == 2 / 10


def test_the_average_risk_has_no_other_kinds():
    with pytest.raises(
        ParameterError, match=r"'median' is not a kind of reidentification_risk. Choose highest or average"
    ):
        reidentification_risk(COUNTS, kind="median")


def test_classes_held_once_count_as_often_as_they_stand():
    counts = JointCounts(np.array([1, 4]), None, multiplicity=np.array([6, 1]))
    assert (k_anonymity(counts), class_count(counts)) == (1, 7)
    assert uniqueness(counts) == 6 / 10
    assert reidentification_risk(counts, kind="average") == 7 / 10


def test_a_person_with_several_records_counts_once_in_a_class():
    data = dv.read({"who": ["Ann", "Ann", "Bob", "Cid"], "zip": [1, 1, 1, 2]}, identifiers="who")
    reading = dv.measure(data, "k_anonymity", keys="zip")
    assert {v.key["zip"]: (v.records, v.value) for v in reading.by_value} == {1: (3, 2), 2: (1, 1)}
    alone = dv.read({"who": ["Ann", "Ann", "Bob", "Bob"], "zip": [1, 1, 2, 2]}, identifiers="who")
    assert dv.measure(alone, "uniqueness", keys="zip").value == 1


def test_weights_play_no_part():
    data = dv.read({"zip": [1, 1, 2], "w": [10, 10, 0.5]}, weights="w")
    assert dv.measure(data, "k_anonymity", keys="zip").value == 1
    assert dv.measure(data, "uniqueness", keys="zip").value == 1 / 3
