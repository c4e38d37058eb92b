"""Suppressed records are a group of their own: what they have in common is learned about all of them."""

import pytest

import divulge as dv
from divulge.assessment import audit

KEYS = ["20"] * 10 + ["30"] * 10
ILL = ["flu", "cold"] * 10
ROLES = {"quasi_identifiers": "age", "sensitive": "ill"}
DIVERSE = {"distinct_l_diversity": {"min": 2}}


def check(suppressed, thresholds=None, **columns):
    """The check of suppressed records beside two groups of ten that are well mixed; None without one."""
    table = {"age": KEYS + ["*"] * len(suppressed), "ill": ILL + list(suppressed), **columns}
    policy = {
        "attributes": {"age": "quasi-identifier", "ill": "sensitive"},
        "thresholds": thresholds or DIVERSE,
    }
    found = audit(dv.read(table, **ROLES), policy, search=False)
    return next((one for one in found.checks if getattr(one, "measure_name", "") == "suppressed"), None)


def test_six_suppressed_records_that_all_have_hiv_warn():
    found = check(["hiv"] * 6)
    assert found.outcome == "warn"
    assert found.sentence == (
        "6 records show nothing of age. As a group they do not meet the policy: Distinct l-diversity of ill "
        "is 1 value (required: at least 2 values)."
    )
    assert "Leave these records out" in found.answer.fix


def test_suppressed_records_with_two_values_are_like_other_groups():
    assert check(["hiv"] * 3 + ["flu"] * 3).outcome == "pass"


def test_records_that_show_nothing_say_nothing():
    assert check(["*"] * 6).outcome == "pass"


def test_without_suppressed_records_or_bounds_on_groups_there_is_no_such_check():
    assert check([]) is None
    assert check(["hiv"] * 6, {"discrimination_rate": {"max": 0.99}}) is None


def test_fewer_suppressed_records_than_a_group_has_to_have_are_not_counted_out():
    found = check(["hiv", "flu", "cold"], {"k_anonymity": {"min": 5}})
    assert found.outcome == "warn"
    assert found.sentence.startswith("Fewer than 5 records show")
    assert "3" not in found.sentence
    assert check(["hiv", "flu", "cold", "flu", "cold"], {"k_anonymity": {"min": 5}}).outcome == "pass"


def test_they_are_compared_with_all_records():
    # Of 26 records 10 have the flu and 10 a cold, the 6 suppressed ones neither: 20/26 is between them.
    found = check(["hiv"] * 6, {"t_closeness": {"max": 0.5}})
    assert "t-closeness of ill is 0.7692 (required: at most 0.5)" in found.sentence


@pytest.mark.parametrize(("suppressed", "outcome"), [(["hiv"] * 10, "warn"), (["hiv", "flu"] * 5, "pass")])
def test_what_is_learned_is_learned_about_them_too(suppressed, outcome):
    assert check(suppressed, {"learned": {"max": 0, "certain": 0.9}}).outcome == outcome


def test_leaving_them_out_is_what_helps():
    table = {"age": KEYS * 6 + ["*"] * 6, "ill": ILL * 6 + ["hiv"] * 6}
    policy = {"attributes": {"age": "quasi-identifier", "ill": "sensitive"}, "thresholds": DIVERSE}
    [first, *_] = audit(dv.read(table, **ROLES), policy).remedies
    assert first.sentence == "Leaving out 6 records (4.8%) makes all checks pass."
