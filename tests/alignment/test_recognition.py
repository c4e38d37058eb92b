"""What a released value may stand for."""

import math

import pytest

from divulge.alignment.recognition import interval, recognise
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy

AGES = [9, 20, 29, 30, 39, 40, 63]
POSTCODES = ["35502", "35567", "35817", "3550", "90001"]


def fitting(text, originals, **given):
    """The originals behind one released value; None where it is not recognised."""
    original = Codes.of(originals)
    found = recognise(Codes.of([text]), original, **given)
    if found.anything:
        return "anything"
    return [original.values[code - 1] for code in found.codes[1]] if found.codes else None


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("2*", [20, 29]),
        ("[20, 30)", [20, 29]),
        ("[20, 30[", [20, 29]),
        ("[20; 30]", [20, 29, 30]),
        ("(20, 39]", [29, 30, 39]),
        ("]20, 39]", [29, 30, 39]),
        ("[40, inf)", [40, 63]),
        ("(-inf, 20)", [9]),
        ("20-29", [20, 29]),
        ("20 – 29", [20, 29]),
        ("20 to 29", [20, 29]),
        (">= 40", [40, 63]),
        ("≥ 40", [40, 63]),
        ("> 40", [63]),
        ("40+", [40, 63]),
        ("≤ 20", [9, 20]),
        ("<= 20", [9, 20]),
        ("< 20", [9]),
        ("30", [30]),
        ("30.0", [30]),
        ("twenties", None),
        ("70-79", None),
        ("29-20", None),
    ],
)
def test_ages_behind_a_released_value(text, ages):
    assert fitting(text, AGES) == ages


@pytest.mark.parametrize(
    ("text", "postcodes"),
    [
        ("355**", ["35502", "35567"]),
        ("3550*", ["35502"]),
        ("35***", ["35502", "35567", "35817"]),
        ("355*", ["3550"]),
        ("9*", ["90001"]),  # none has two places, so the star stands for the rest
        ("36***", None),
        ("35502", ["35502"]),
        ("*****", "anything"),
        ("*", "anything"),
    ],
)
def test_postcodes_behind_a_released_value(text, postcodes):
    assert fitting(text, POSTCODES) == postcodes


def test_a_value_that_the_original_has_is_not_read_as_an_interval():
    assert fitting("20-29", ["20-29", "25"]) == ["20-29"]


def test_a_group_of_a_hierarchy_stands_for_its_values_at_any_level():
    rows = [("lung", "cancer", "illness"), ("colon", "cancer", "illness"), ("flu", "other", "illness")]
    tree = Hierarchy.of(rows, attribute="disease")
    originals = ["flu", "lung", "colon"]
    assert fitting("cancer", originals, hierarchies=[tree]) == ["lung", "colon"]
    assert fitting("illness", originals, hierarchies=[tree]) == originals
    assert fitting("lung", originals, hierarchies=[tree]) == ["lung"]


@pytest.mark.parametrize(
    ("released", "originals", "behind"),
    [
        (["(other)", "Local", "*"], ["State", "Local"], {"State", "Federal"}),
        (["(other)", "Private"], ["State", "Local"], {"State", "Federal", "Local"}),
        (["(other)"], ["State", "Local"], {"State", "Federal", "Local"}),  # where Local has to be as well
        (["(other)"], ["State", "Private"], {"State", "Federal"}),
        (
            ["(other)", "State", "Local"],
            ["State", "Local"],
            {"State", "Federal", "Local"},
        ),  # of several levels
    ],
)
def test_a_name_of_several_levels_is_meant_at_that_of_the_release(released, originals, behind):
    rows = [
        ("State", "(other)", "(other)", "*"),
        ("Federal", "(other)", "(other)", "*"),
        ("Local", "Local", "(other)", "*"),
        ("Private", "Private", "Private", "*"),
    ]
    tree, original = Hierarchy.of(rows, attribute="work"), Codes.of([*originals, "Federal"])
    codes = Codes.of(released)
    found = recognise(codes, original, hierarchies=[tree]).codes[codes.values.index("(other)") + 1]
    assert {original.values[code - 1] for code in found} == behind & {*originals, "Federal"}


def test_a_mapping_says_what_a_spelling_does_not():
    assert fitting("young", AGES, groups={"young": [9, "20"], "old": [63]}) == [9, 20]


def test_the_suppression_mark_may_be_anything():
    assert fitting("hidden", AGES, suppressed=1) == "anything"


def test_missing_may_be_anything_unless_originals_are_missing_too():
    assert fitting(None, AGES) == "anything"
    found = recognise(Codes.of([None, 20]), Codes.of([None, 20, 30]))
    assert {code: codes.tolist() for code, codes in found.codes.items()} == {0: [0], 1: [1]}


def test_values_that_are_not_recognised_are_kept_apart():
    found = recognise(Codes.of(["2*", "?", "*", "2*"]), Codes.of(AGES))
    assert (sorted(found.codes), found.unknown, found.anything) == ([1], {2}, {3})


def test_ends_that_are_left_out_are_just_inside():
    low, high = interval("(1.5, 2.5)")
    assert low == math.nextafter(1.5, 2)
    assert high == math.nextafter(2.5, 2)
    assert interval("-5 - -1") == (-5.0, -1.0)
