"""The figures of the ITPR paper at the places that were worked out by hand."""

import pytest

from divulge.reproduction.experiment import Conditions
from divulge.reproduction.papers import paper


def found(item, full=False):
    return paper("itpr")[item].run(Conditions(full=full))


def numbers(item):
    return {one.what: one.ours for one in found(item).numbers}


def test_two_groups():
    ours = numbers("figure-1")
    assert ours["ITPR at epsilon 9,800"] == pytest.approx(0.99, abs=0.0005)
    assert ours["ITPR at epsilon 8,000"] == pytest.approx(0.85, abs=0.0005)
    assert ours["ITPR at epsilon 5,000"] == pytest.approx(0.5753, abs=0.0001)
    assert ours["ITPR at epsilon 0"] == pytest.approx(0.0753, abs=0.0001)


def test_ten_groups():
    ours = numbers("figure-2")
    by_epsilon = {"1,110": 1, "1,000": 0.95, "556": 0.6626, "0": 0.25}
    assert {at: ours[f"ITPR at epsilon {at}"] for at in by_epsilon} == pytest.approx(by_epsilon, abs=0.0001)


def test_one_value_prevails():
    ours = numbers("figure-3")
    at_1000 = {"ITPR": 0.1793, "DR": 0.0175, "MI": 0.0515, "CP": 0.0351, "MIL": 2.464, "ELD": 0.187}
    at_2000 = {"ITPR": 1, "DR": 0.119, "MI": 0.248, "CP": 0.158, "MIL": 2.084, "ELD": 1}
    assert {name: ours[f"{name} at lambda 1,000"] for name in at_1000} == pytest.approx(at_1000, abs=0.0005)
    assert {name: ours[f"{name} at lambda 2,000"] for name in at_2000} == pytest.approx(at_2000, abs=0.0005)


def test_a_group_differs_and_itpr_does_not_rise_all_along_where_groups_are_unequal():
    ours = numbers("figure-4")
    assert ours["theta at the end"] == pytest.approx(0.42, abs=0.005)
    assert ours["MIL at the end"] == pytest.approx(0.096, abs=0.0005)
    assert ours["MI at the end"] == pytest.approx(0.019, abs=0.0005)
    assert ours["CP at the end"] == pytest.approx(0.013, abs=0.0005)
    assert ours["ELD, all along"] == pytest.approx(0.9494, abs=0.0001)
    assert {one.says: one.holds for one in found("figure-4").claims} == {
        "ELD is constant.": True,
        "ITPR rises with theta, equal groups.": True,
        "ITPR rises with theta.": False,
    }


def test_the_tables_give_the_printed_numbers_but_for_two_leakages():
    tables = ("table-1", "table-4", "table-5", "equation-9")
    wrong = [one.what for item in tables for one in found(item).numbers if not one.agrees]
    assert wrong == ["Age 5, Disease 2, MIL", "Age 5, Disease 3, MIL"]
    assert [claim.holds for claim in found("table-4").claims] == [True, False, True, True]


def test_what_six_measures_do_as_the_risk_grows():
    (table,) = found("six-measures").tables
    rows = {name: row for name, *row in table.rows}
    assert rows["ITPR"] == ["in order", "in order", "rises", "rises", "rises", "neither"]
    assert rows["ELD"] == ["in order", "in order", "rises", "rises", "rises", "constant"]
    assert rows["MIL"] == ["in order", "not in order", "rises", "rises", "falls", "rises"]
    assert rows["DR"] == rows["MI"] == rows["CP"] == ["not in order"] * 2 + ["falls"] * 2 + ["rises"] * 2


@pytest.mark.parametrize(
    "item",
    ["figure-1", "figure-2", "figure-3", "figure-5", "table-1", "table-5", "equation-9", "six-measures"],
)
def test_every_claim_holds(item):
    assert all(claim.holds for claim in found(item).claims)


def test_epsilon_goes_from_nothing_to_a_single_person_and_theta_nearly_to_everything():
    by_epsilon, by_theta = found("figure-5").figures
    assert {(curve.points[0][0], round(curve.points[-1][0])) for curve in by_epsilon.curves} == {(0, 1110)}
    assert all(curve.points[-1][0] > 0.9 for curve in by_theta.curves)
