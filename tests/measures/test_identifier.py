"""Classes of identifiers: the thesis's examples, and decisions on whole counts."""

import numpy as np
import pytest
from hypothesis import given, settings

import divulge as dv
import reference
from divulge.counting.counts import JointCounts
from divulge.errors import EmptySource, Undefined
from divulge.measures import IdentifierClass, identifier_class
from random_tables import cases

# Thesis, table 4.1 and section 4.3: nine subjects.
SUBJECTS = {
    "zip": ["35000"] * 9,
    "age": [22, 35, 63, 22, 22, 35, 45, 35, 40],
    "salary": ["4K", "5K", "3K", "13K", "8K", "15K", "9K", "7K", "11K"],
    "disease": [
        "cancer",
        "diabetes",
        "malaria",
        "cancer",
        "cancer",
        "malaria",
        "malaria",
        "diabetes",
        "diabetes",
    ],
}


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("zip", IdentifierClass.ZERO),
        ("salary", IdentifierClass.IDENTIFIER),
        ("disease", IdentifierClass.SKETCHY),
        ("age", IdentifierClass.PARTIAL),
    ],
)
def test_the_attributes_of_the_nine_subjects(key, kind):
    assert dv.identifier_class(SUBJECTS, keys=key) is kind


def test_another_subject_elsewhere_makes_the_zip_code_tell_something():
    # The thesis calls it sketchy; the new subject being alone there, it is the partial kind of sketchy.
    assert dv.identifier_class({"zip": ["35000"] * 9 + ["35001"]}, keys="zip") is IdentifierClass.PARTIAL
    assert dv.identifier_class({"zip": ["35000"] * 9 + ["35001"] * 2}, keys="zip") is IdentifierClass.SKETCHY


def test_zero_is_decided_on_whole_numbers_where_a_rate_would_round():
    alike = np.outer([1, 3, 7, 10**9], [1, 2, 49])
    assert identifier_class(JointCounts.of_table(alike)) is IdentifierClass.ZERO
    nearly = alike.copy()
    nearly[3] += [1, 0, -1]
    assert identifier_class(JointCounts.of_table(nearly)) is IdentifierClass.SKETCHY


def test_equal_shares_of_weights_are_equal_up_to_rounding():
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    assert identifier_class(JointCounts.of(rows, weights=[0.1, 0.2, 0.3, 0.6])) is IdentifierClass.ZERO


def test_nothing_to_identify_is_undefined():
    with pytest.raises(Undefined, match="nothing to identify"):
        identifier_class(JointCounts.of_table([[1], [2]]))
    with pytest.raises(Undefined, match="nothing to identify"):
        dv.identifier_class({"a": [1]}, keys="a")


def test_each_key_alone_and_all_together():
    readings = dv.measure(SUBJECTS, keys=["zip", "age", "disease"])
    assert readings.identifier_class is IdentifierClass.PARTIAL
    assert {key: str(kind) for key, kind in readings.identifier_classes.items()} == {
        "zip": "zero identifier",
        "age": "partial identifier",
        "disease": "sketchy identifier",
    }


@settings(max_examples=20)
@given(cases(weights=False))
def test_the_class_agrees_with_the_reference_in_fractions(case):
    try:
        counts = case.question.counts
    except EmptySource:
        return
    try:
        expected = reference.identifier_class(case.joint)
    except reference.NoValue:
        with pytest.raises(Undefined):
            identifier_class(counts)
    else:
        assert identifier_class(counts).value == expected


def test_classes_that_differ_from_the_table_by_a_hair_are_no_zero_identifier():
    n = 10**10
    table = JointCounts.of_table([[n, n + 1, 5], [n + 1, n, 5]])
    assert identifier_class(table) is IdentifierClass.SKETCHY
    weighted = dv.read({"k": [1, 1, 2, 2], "x": [*"abab"], "w": [n, n, n, n + 1]}, weights="w")
    assert identifier_class(dv.ask(weighted, keys="k", target="x").counts) is IdentifierClass.SKETCHY
