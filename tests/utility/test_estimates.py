"""Correlations and totals as each table gives them, by hand."""

import math

import pytest

import divulge as dv
from divulge.alignment.tables import align
from divulge.policy import Population
from divulge.utility import correlation_changes, total_changes

PAY = [10, 20, 30, 40, 50, 60]
BEFORE = {"age": [20, 30, 40, 50, 60, 70], "pay": PAY, "w": [1, 1, 2, 2, 3, 3], "zip": list("abcdef")}


def aligned(**other):
    return align(dv.read(BEFORE), dv.read({**BEFORE, **other}))


def by_name(changes):
    return {one.attribute: one for one in changes}


def test_a_correlation_is_that_of_the_records_each_table_has():
    found = correlation_changes(aligned(pay=[10, 20, 30, 40, 60, 50], w=[2] * 6))
    [age_pay, age_w, _] = found
    # By hand: Spearman-like ranks 1..6 against 1 2 3 4 6 5: 1 - 6 * 2 / (6 * 35).
    assert (age_pay.original, age_pay.released) == pytest.approx((1.0, 1 - 12 / 210))
    assert age_pay.difference == pytest.approx(-12 / 210)
    assert age_w.released is None
    assert "constant" in age_w.undefined


def test_a_range_counts_as_the_mean_of_the_values_it_may_stand_for():
    found = aligned(age=["20-40"] * 3 + ["50-70"] * 3)
    # By hand: 30 three times and 60 three times, as much as before; beside pay 10 to 60.
    assert (by_name(total_changes(found))["age"].released, 270) == (270, sum(BEFORE["age"]))
    assert correlation_changes(found)[0].released == pytest.approx(1.5 / math.sqrt(17.5 / 6))


def test_what_is_not_recognised_has_no_correlation_and_no_total():
    found = aligned(age=["young"] * 3 + ["old"] * 3)
    assert correlation_changes(found)[0].undefined == "age is no number in the release"
    assert by_name(total_changes(found))["age"].released is None


def test_a_weighted_total_has_its_standard_error_and_the_error_of_the_release():
    found = by_name(total_changes(aligned(pay=[10, 20, 30, 40, 50, "*"]), Population(weight="w")))
    # By hand: 10 + 20 + 60 + 80 + 150 + 180 = 500; without the last, 320.
    parts = [10, 20, 60, 80, 150, 180]
    spread = sum((one - 500 / 6) ** 2 for one in parts) / 5
    pay = found["pay"]
    assert (pay.original, pay.released, pay.relative_error) == pytest.approx((500, 320, -0.36))
    assert pay.standard_error == pytest.approx(math.sqrt(6 * spread))
    assert (found[None].original, found[None].relative_error) == (12, 0)
    assert pay.moved == 1


def test_a_table_that_is_all_there_is_has_no_sampling_error():
    assert by_name(total_changes(aligned()))["pay"].standard_error is None
    assert by_name(total_changes(aligned(), Population(fraction=1.0)))["pay"].standard_error == 0


def test_weights_that_are_not_released_leave_the_total_open():
    before = dv.read(BEFORE)
    after = dv.read({name: column for name, column in BEFORE.items() if name != "w"})
    found = by_name(total_changes(align(before, after), Population(weight="w")))
    assert found["pay"].undefined == "the weights are not released"
    assert "w" not in found


def test_a_comparison_hides_what_one_record_lost():
    last = {**BEFORE, "pay": [*PAY[:5], 61]}
    found = dv.compare(BEFORE, last, quasi_identifiers="age").to_dict()["releases"][0]["loss"]
    pay = next(one for one in found["totals"] if one["attribute"] == "pay")
    assert (pay["original"], pay["released"], pay["relative_error"]) == (210, None, None)
    assert {one["released"] for one in found["correlations"] if "pay" in one["attributes"]} == {None}
