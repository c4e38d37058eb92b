"""Codes for missing are noticed where they are, and ordinary values are left alone."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.inference.asked.sensitive_questions import no_answer
from divulge.roles.missing_codes import declarable, means_missing, missing_codes
from divulge.table.codes import Codes

AGES = [20 + n % 40 for n in range(200)]


def noticed(values, **more):
    table = {"x": values, **more}
    return [(one.attribute, one.text, one.records) for one in missing_codes(dv.read(table), list(table))]


@pytest.mark.parametrize("text", ["?", "NA", "n/a", "Unknown", "refused", "DK", "Don’t know", "k.A.", "-"])
def test_well_known_texts_mean_missing(text):
    assert means_missing(text)
    assert noticed(["cook", "nurse", text] * 4) == [("x", text, 4)]


@pytest.mark.parametrize("text", ["Weiß nicht", "skipped", "NOT PROVIDED", "ns nc", "DK / NR", "sconosciuta"])
def test_what_a_hint_takes_for_missing_is_never_news_either(text):
    codes = Codes.of(["cook", "nurse", text])
    assert means_missing(text)
    assert no_answer(codes, np.asarray([0, 4, 4, 4])).tolist() == [True, False, False, True]


@pytest.mark.parametrize("text", ["none", "other", "no", "0", "divers", "*", ""])
def test_texts_that_say_something_do_not(text):
    assert not means_missing(text)


def test_among_countries_of_two_letters_na_and_dk_are_countries():
    assert noticed(["NA", "DK", "DE", "FR", "ES", "IT", "SE"] * 5) == []
    assert noticed(["NA", "north", "south"] * 5) == [("x", "NA", 5)]


@pytest.mark.parametrize("code", [999, 9999, 99, -9, -1, -99, 998, 888])
def test_a_number_that_stands_far_out_on_several_records_is_a_code(code):
    assert noticed([*AGES, *[code] * 7]) == [("x", str(code), 7)]
    assert noticed([*map(str, AGES), *[str(code)] * 7]) == [("x", str(code), 7)]


def test_several_codes_do_not_hide_each_other():
    found = noticed([*AGES, *[-8, -9, 999] * 5, *["?"] * 5])
    assert {text: records for _, text, records in found} == {"-8": 5, "-9": 5, "999": 5, "?": 5}


def test_a_code_among_answers_from_one_to_five():
    answers = [1 + n % 5 for n in range(100)]
    assert noticed([*answers, *[9] * 6]) == [("x", "9", 6)]
    assert noticed([*answers, *[7] * 6]) == []


@pytest.mark.parametrize(
    "values",
    [
        [*AGES, 999],  # once: an outlier, not a code
        [*range(200), *[99] * 9],
        [-1, 0, 1] * 50,
        [96, 97, 98, 99] * 50,
        [n - 30 for n in AGES] + [-9] * 9,
    ],
    ids=["once", "inside", "signs", "years", "below zero"],
)
def test_ordinary_numbers_are_no_codes(values):
    assert noticed(values) == []


def test_what_is_ordinary_elsewhere_is_said_and_not_declared():
    table = {
        "age": [*AGES, *[99] * 7],
        "weight": [40 + n % 80 for n in range(207)],
        "job": ["a", "?", "b"] * 69,
    }
    found = missing_codes(dv.read(table), list(table))
    assert [(one.attribute, one.text, one.ordinary) for one in found] == [
        ("age", "99", ("weight",)),
        ("job", "?", ()),
    ]
    assert declarable(found) == ["?"]


def test_what_is_declared_is_no_longer_noticed():
    data = dv.read({"x": ["cook", "?", "nurse"] * 4}, missing_values=["?"])
    assert missing_codes(data, ["x"]) == []
