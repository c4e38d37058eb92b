"""Records left out for a missing value are in the file: no verdict passes without them."""

import sqlite3

import pytest

import divulge as dv
from divulge.assessment import audit

ROLES = {"quasi_identifiers": ["zip", "band"], "sensitive": "ill"}
GROUPS = [(f"a{n % 4}", "x", ("flu", "cold")[n // 4 % 2]) for n in range(180)]


def table(more):
    rows = [*GROUPS, *more]
    return dict(zip(("zip", "band", "ill"), map(list, zip(*rows, strict=True)), strict=True))


def outcome(data, thresholds=None, missing="drop"):
    """The audit, and its check of the records that are left out."""
    policy = None
    if thresholds is not None:
        roles = {"zip": "quasi-identifier", "band": "quasi-identifier", "ill": "sensitive"}
        policy = {"data": {"missing": missing}, "attributes": roles, "thresholds": thresholds}
    found = audit(data, policy, search=False)
    own = [one for one in found.checks if getattr(one, "measure_name", "") == "incomplete"]
    return found.outcome, own[0] if own else None


ALONE = [
    (f"z{n}", None, "flu") for n in range(8)
]  # 8 of 188 people (4.3%), each with a postcode of their own


@pytest.mark.parametrize("thresholds", [None, {"k_anonymity": {"min": 5}}], ids=["usual", "policy"])
def test_people_unique_by_a_value_they_have_do_not_pass_for_one_they_lack(thresholds):
    whole, check = outcome(dv.read(table(ALONE), missing="drop", **ROLES), thresholds)
    assert (whole, check.outcome) == ("fail", "fail")
    assert check.sentence.startswith("8 records (4.3%) lack a value, and the other checks leave them out.")
    assert check.concerned == 8


def test_too_many_groups_to_be_fitted_to_each_other_have_no_verdict(monkeypatch):
    monkeypatch.setattr("divulge.assessment.checks.incomplete_records.MOST_PAIRS", 8 * 11)
    data = dv.read(table(ALONE), missing="drop", **ROLES)
    assert outcome(data)[1].outcome == "not evaluated"  # eight records beside twelve groups


def test_the_same_in_a_database(tmp_path):
    path = tmp_path / "people.sqlite"
    with sqlite3.connect(path) as there:
        there.execute("CREATE TABLE people (zip TEXT, band TEXT, ill TEXT)")
        there.executemany("INSERT INTO people VALUES (?, ?, ?)", [*GROUPS, *ALONE])
    there.close()
    data = dv.read(f"sqlite:///{path}", table="people", missing="drop", **ROLES)
    assert outcome(data)[1].outcome == "fail"


@pytest.mark.parametrize(("many", "expected"), [(2, "not evaluated"), (3, "warn")])
def test_people_who_may_be_others_do_not_pass_unseen(many, expected):
    # Without a band each fits the 45 people of a0; by the missing value they would be a group of their own.
    whole, check = outcome(dv.read(table([("a0", None, "flu")] * many), missing="drop", **ROLES))
    assert (whole, check.outcome) == (expected, expected)
    assert check.sentence.startswith("Fewer than 5 records")
    assert "can overstate the risk" in check.sentence


def test_people_alike_in_what_they_have_and_lack_pass():
    more = [("a0", None, "flu"), ("a0", None, "cold")] * 4
    whole, check = outcome(dv.read(table(more), missing="drop", **ROLES))
    assert (whole, check.outcome) == ("pass", "pass")
    assert "8 records (4.3%) lack a value" in check.sentence


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_without_records_left_out_there_is_no_such_check(missing):
    more = ALONE if missing == "value" else []
    assert outcome(dv.read(table(more), missing=missing, **ROLES))[1] is None


def test_a_few_blank_records_that_fit_everyone_hide_nobody():
    rows = [*((f"z{n}", f"b{n % 9}", ("flu", "cold")[n % 2]) for n in range(120)), *[(None, None, "flu")] * 4]
    columns = dict(zip(("zip", "band", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    whole, check = outcome(dv.read(columns, missing="wildcard", **ROLES))
    assert (whole, check.outcome) == ("fail", "fail")
    assert "The complete records do not pass" in check.sentence
    assert outcome(columns, {"k_anonymity": {"min": 5}}, "wildcard")[1].outcome == "fail"


def test_blank_records_that_dilute_what_a_group_reveals_leave_it_open():
    shared = [(zip, band, "gout" if zip == "a0" else ill) for zip, band, ill in GROUPS]
    blank = [(None, None, ("flu", "cold")[n % 2]) for n in range(60)]
    rows = [*shared, *blank]
    columns = dict(zip(("zip", "band", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    check = outcome(dv.read(columns, missing="wildcard", **ROLES))[1]
    assert check.outcome == "not evaluated"
    assert "can overstate the risk" in check.sentence


def test_blank_records_beside_large_groups_pass():
    found = outcome(
        dv.read(table([("a0", None, "flu"), ("a0", None, "cold")] * 4), missing="wildcard", **ROLES)
    )
    assert (found[0], found[1].outcome) == ("pass", "pass")
