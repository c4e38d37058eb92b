"""Identity disclosure, counted by hand."""

import json

import pytest

import divulge as dv
from divulge import attacks
from divulge._support.small_counts import exact_counts
from divulge.alignment.tables import align
from divulge.attacks.changed_values.originals import by_record
from divulge.errors import SchemaError

AGES = ["22", "23", "35", "35", "47", "63"]
BANDS = ["2*", "2*", "3*", "3*", ">= 40", ">= 40"]
SEXES = ["f", "m", "f", "f", "m", "f"]


def original(**more):
    table = {"age": AGES, "sex": SEXES, **more}
    return dv.read(table, quasi_identifiers=["age", "sex"])


def white_box(released, source=None, **given):
    return attacks.identity_white_box(align(source or original(), dv.read(released)), **given)


def test_the_white_box_reads_each_generalized_attribute_over_its_original():
    found = white_box({"age*": BANDS, "sex": SEXES})
    age, sex = found.readings
    assert (age.keys, age.target, sex.keys) == (("age*",), "age", ("sex",))
    # H(age) = 4/6 log2 6 + 2/6 log2 3 = 2.2516; the bands 2* and >= 40 leave one bit each for 2 of 6.
    assert age.discrimination_rate == pytest.approx(1 - (2 / 3) / 2.251629167, abs=1e-9)
    assert sex.discrimination_rate == 1
    assert found.risk == pytest.approx((age.discrimination_rate + 1) / 2)
    assert found.details["how"] == "as sets"
    assert found.details["fits_its_original"] == 1


def test_people_are_records_that_fit_one_original_on_all_quasi_identifiers():
    # 2* f and 2* m, and >= 40 m and >= 40 f, are one original each; 3* f is two.
    found = white_box({"age*": BANDS, "sex": SEXES})
    assert (found.people, found.of) == (4, 6)
    assert "fewer than 5 records (<83.3%) can be traced to a single original record" in found.sentence


def test_without_the_correspondence_overlapping_bands_tell_less():
    # 35 fits both bands, and the attacker cannot tell which of the two it was put in.
    released = {"age": ["<= 35"] * 3 + [">= 35"] * 3, "sex": SEXES}
    found = white_box(released)
    (sets, _) = found.details["as_sets"]
    assert sets["recognised_records"] == 6
    assert sets["discrimination_rate"] == found.readings[0].discrimination_rate
    rows = by_record(align(original(), dv.read(released)), "age", show_values=False)
    assert sets["discrimination_rate"] < rows.discrimination_rate


def test_rows_that_cannot_be_aligned_are_read_as_sets():
    found = white_box({"age": BANDS[:5], "sex": SEXES[:5]})
    assert found.details["how"] == "as sets"
    assert found.details["fits_its_original"] is None
    # p(2*) = p(3*) = 2/5 and p(>= 40) = 1/5; 2* and >= 40 leave a bit, 3* leaves none.
    left = 2 / 5 + 1 / 5
    marginal = [1 / 5, 1 / 5, 2 / 5, 1 / 10, 1 / 10]
    entropy = dv.JointCounts.of_table([[10 * p for p in marginal]]).entropy
    assert found.readings[0].discrimination_rate == pytest.approx(1 - left / entropy)
    assert [line.records for line in found.readings[0].values] == ["<5"] * 3


def test_values_that_cannot_be_recognised_are_said():
    found = white_box({"age": ["young", "young", "3*", "3*", "old", "old"], "sex": SEXES})
    assert found.readings[0].discrimination_rate is not None  # record by record needs no recognition
    (sets, _) = found.details["as_sets"]
    assert (sets["unrecognised_values"], sets["unrecognised_records"]) == (2, 4)
    assert found.details["unrecognised"] == 4


def test_a_mapping_or_a_hierarchy_makes_them_recognised():
    young = {"young": ["22", "23"], "old": ["47", "63"]}
    released = {"age": ["young", "young", "3*", "3*", "old", "old"], "sex": SEXES}
    by_mapping = white_box(released, groups={"age": young})
    rows = [(age, name) for name, ages in young.items() for age in ages]
    tree = dv.Hierarchy.of([*rows, ("35", "3*")], attribute="age")
    with_tree = dv.read(
        {"age": AGES, "sex": SEXES}, quasi_identifiers=["age", "sex"], hierarchies={"age": tree}
    )
    for found in (by_mapping, white_box(released, with_tree)):
        assert found.details["unrecognised"] == 0
        assert found.people == 4


def test_rows_in_another_order_are_read_as_sets_and_tell_as_much():
    found = white_box({"age": BANDS[::-1], "sex": SEXES[::-1]})
    assert found.details["fits_its_original"] is None
    assert found.risk == pytest.approx(white_box({"age": BANDS, "sex": SEXES}).risk)
    assert (found.people, found.of) == (4, 6)


def test_an_attribute_without_counterpart_has_no_rate_and_tells_nothing():
    found = white_box({"sex": SEXES})
    assert [(one.target, one.undefined) for one in found.readings] == [
        ("sex", None),
        ("age", "it has no counterpart in the release"),
    ]
    assert found.risk == 0.5


def test_a_suppressed_attribute_tells_nothing_and_is_named():
    found = white_box({"age": ["*"] * 6, "sex": SEXES})
    assert found.risk == 0.5
    assert found.readings[0].undefined == "all its released values are suppressed or missing"
    assert found.details["hidden_keys"] == ["age"]
    assert found.details["risk_of_other_keys"] == 1


@pytest.mark.parametrize(
    ("released", "reason"),
    [
        ({"batch": [1] * 6}, "the release has none of the quasi-identifiers"),
        ({"age": ["*"] * 6, "sex": ["*"] * 6}, "all its released values are suppressed or missing"),
    ],
)
def test_a_white_box_that_cannot_be_tried_says_why(released, reason):
    found = white_box(released)
    assert (found.risk, found.people, found.undefined) == (None, None, reason)


def test_a_white_box_without_quasi_identifiers_says_so():
    found = attacks.identity_white_box(align(dv.read({"a": [1]}), dv.read({"a": [1]})))
    assert found.undefined == "no quasi-identifier of the release is known"


def test_a_constant_original_has_nothing_to_tell():
    source = dv.read({"age": ["30", "30"]}, quasi_identifiers="age")
    found = attacks.identity_white_box(align(source, dv.read({"age": ["3*", "3*"]})))
    assert found.undefined.startswith("the target has one value only")


def test_weights_of_the_original_weigh_the_aligned_records():
    table = {"age": ["20", "21", "30"], "w": [1, 1, 2]}
    source = dv.read(table, quasi_identifiers="age", weights="w")
    found = attacks.identity_white_box(align(source, dv.read({"age": ["2*", "2*", "3*"]})))
    # Shares 1/4, 1/4, 1/2: H = 1.5 bits; 2* leaves one bit with weight 1/2.
    assert found.readings[0].discrimination_rate == pytest.approx(1 - 0.5 / 1.5)


def test_the_black_box_reads_the_release_alone():
    released = dv.read({"age": BANDS, "sex": SEXES}, quasi_identifiers=["age", "sex"])
    found = attacks.identity_black_box(released)
    # Bands of two: one bit of log2 6 is left.
    assert found.readings[0].discrimination_rate == pytest.approx(1 - 1 / 2.584962501)
    assert [one.keys for one in found.readings] == [("age",), ("sex",), ("age", "sex")]
    assert (found.people, found.of) == (4, 6)
    assert found.details["k"] == 1
    assert found.details["uniqueness"] == pytest.approx(2 / 3)
    assert found.details["average_risk"] == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("released", "reason"),
    [
        (dv.read({"a": [1]}), "no quasi-identifier of the release is known"),
        (dv.read({"a": ["*", "*"]}, quasi_identifiers="a"), "No record is left to count"),
    ],
)
def test_a_black_box_that_cannot_be_tried_says_why(released, reason):
    assert attacks.identity_black_box(released).undefined.startswith(reason)


# -- grey box --------------------------------------------------------------------------------------

VOTERS = {"Age": ["22", "25", "36", "50", "51", "52"], "Sex": ["f", "m", "f", "m", "m", "f"]}


def test_the_grey_box_links_the_release_with_an_outside_table():
    released = dv.read({"age*": BANDS, "sex": SEXES}, quasi_identifiers=["age*", "sex"])
    found = attacks.identity_grey_box(released, dv.read(VOTERS))
    # 2* f, 2* m and >= 40 f fit one voter each; >= 40 m fits two; 3* f, twice released, fits one.
    assert found.details["on"] == {"Age": "age*", "Sex": "sex"}
    assert found.details["fits_at_most"] == [
        {"outside_records": 1, "records": 5},
        {"outside_records": 2, "records": 6},
        {"outside_records": 5, "records": 6},
        {"outside_records": 10, "records": 6},
    ]
    assert (found.people, found.of) == (3, 6)
    assert found.details["expected_correct_links"] == pytest.approx(3 + 1 / 2 + 2 / 2)
    assert found.risk == pytest.approx(4.5 / 6)


def test_the_grey_box_goes_by_the_attributes_that_are_named():
    released = dv.read({"band": BANDS, "sex": SEXES}, quasi_identifiers=["band", "sex"])
    by_age = attacks.identity_grey_box(released, dv.read(VOTERS), on={"Age": "band"})
    assert by_age.details["on"] == {"Age": "band"}
    # Two voters for 2*, one for 3*, three for >= 40.
    assert by_age.details["expected_correct_links"] == pytest.approx(2 / 2 + 2 / 2 + 2 / 3)
    by_sex = attacks.identity_grey_box(released, dv.read(VOTERS), on=["Sex"])
    assert by_sex.details["on"] == {"Sex": "sex"}
    with pytest.raises(SchemaError, match="Age of the outside table has no counterpart"):
        attacks.identity_grey_box(released, dv.read(VOTERS), on=["Age"])


def test_a_grey_box_that_cannot_be_tried_says_why():
    released = dv.read({"age": ["*"], "sex": ["?"]}, quasi_identifiers=["age"])
    assert (
        "none of the quasi-identifiers" in attacks.identity_grey_box(released, dv.read({"x": [1]})).undefined
    )
    assert "could be compared" in attacks.identity_grey_box(released, dv.read({"age": ["22"]})).undefined


# -- outputs ---------------------------------------------------------------------------------------


def test_values_are_named_only_when_they_may_be_shown():
    hidden = json.dumps(white_box({"age": BANDS, "sex": SEXES}).to_dict(), allow_nan=False)
    assert "2*" not in hidden
    assert "value 1" in hidden
    shown = white_box({"age": BANDS, "sex": SEXES}, show_values=True)
    # All are of few records, so they are by name, not by what they leave open.
    assert [line.label for line in shown.readings[0].values] == ["2*", "3*", ">= 40"]
    with exact_counts():
        shown = white_box({"age": BANDS, "sex": SEXES}, show_values=True)
    # 3* leaves nothing open; the others leave a bit for a third of the records.
    assert [line.label for line in shown.readings[0].values] == ["3*", "2*", ">= 40"]
