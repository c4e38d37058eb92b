"""What groups are compared with: the whole table, with the values of records that are in no group."""

import pytest

import divulge as dv
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.scope import Scope

TREE = dv.Hierarchy.of([("31", "30s"), ("32", "30s"), ("41", "40s")], attribute="age")


def found(table, asked, **rules):
    attributes = {"age": {"role": "quasi-identifier", **rules}, "ill": "sensitive"}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": asked})
    checks = every_check(Scope(policy.open(table), policy.partitions), policy)
    return {check.measure.name: check for check in checks if hasattr(check, "measure")}


def test_records_whose_keys_are_suppressed_count_in_the_table_and_in_no_group():
    # By hand: flu is 3 of 4 in the table and 1 of 2 in the one group, which has 2 records.
    table = {"age": ["30s", "30s", "*", "*"], "ill": ["flu", "cold", "flu", "flu"]}
    checks = found(table, {"t_closeness": {"max": 0.2}, "k_anonymity": {"min": 2}})
    assert checks["t_closeness"].found == pytest.approx(0.25)
    assert checks["t_closeness"].outcome == "fail"
    assert checks["k_anonymity"].found == 2


@pytest.mark.parametrize(
    ("measure", "bound", "wanted"),
    [
        ("k_anonymity", {"min": 3}, 4),
        ("uniqueness", {"max": 0.1}, 0),
        ("distinct_l_diversity", {"min": 2}, 2),
        ("t_closeness", {"max": 0.1}, 0),
        ("k_map", {"min": 4}, 4),
    ],
)
def test_what_is_suppressed_for_everyone_makes_one_group_of_them(measure, bound, wanted):
    table = {"age": ["*"] * 4, "sex": [*"fmfm"], "ill": ["flu", "cold", "flu", "cold"]}
    attributes = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}
    asked = {measure: {**bound, "keys": ["age"]}}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": asked, "population": {"size": 4}})
    checks = dv.audit(table, policy=policy).to_dict()["checks"]
    check = next(one for one in checks if one.get("measure") == measure)
    assert (check["outcome"], check["found"]) == ("pass", wanted)


def test_a_change_that_leaves_only_what_is_suppressed_for_everyone_is_tried():
    table = {"age": ["*"] * 4, "sex": [*"fmmm"], "ill": ["flu", "cold", "flu", "cold"]}
    keys = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}
    asked = {"k_anonymity": {"min": 2, "keys": ["age", "sex"]}}
    found = dv.audit(table, policy=dv.Policy.of({"attributes": keys, "thresholds": asked}))
    checks = {one.get("measure"): one["outcome"] for one in found.to_dict()["checks"]}
    assert checks["k_anonymity"] == "fail"


@pytest.mark.parametrize("measure", ["t_closeness", "beta_likeness", "kl_closeness", "delta_disclosure"])
def test_suppressing_others_lets_no_group_pass_that_stays_as_it_was(measure):
    # By hand: the 30s have three a and a b, in a table of half a; were the 50s gone from it, of 6 in 8.
    ages, ill = [*["30s"] * 4, *["40s"] * 4, *["50s"] * 4], [*"aaab", *"aaab", *"bbbb"]
    starred = [*ages[:8], *["*"] * 4]
    (whole,), (rest,) = (
        found({"age": each, "ill": ill}, {measure: {"max": 0.1}}).values() for each in (ages, starred)
    )
    among = {"t_closeness": 0.25, "beta_likeness": 0.5, "kl_closeness": 0.18872, "delta_disclosure": 1.0}
    assert rest.found == pytest.approx(among[measure], abs=1e-5)
    assert (whole.outcome, rest.outcome) == ("fail", "fail")
    left = {"age": ages[:8], "ill": ill[:8]}
    assert (
        found(left, {measure: {"max": 0.1}})[measure].outcome == "pass"
    )  # no one else is there to compare with


def test_a_suppressed_sensitive_value_of_a_suppressed_record_only_overstates():
    # By hand: flu is 1 of 2 in the group and 1 of 4 in the table, half of which is the mark.
    table = {"age": ["30s", "30s", "*", "*"], "ill": ["flu", "cold", "*", "*"]}
    assert found(table, {"t_closeness": {"max": 0.2}})["t_closeness"].found == pytest.approx(0.5)


def test_without_suppressed_records_the_table_is_what_is_counted():
    table = {"age": ["30s", "30s", "40s", "40s"], "ill": ["flu", "cold", "flu", "flu"]}
    assert found(table, {"t_closeness": {"max": 0.2}})["t_closeness"].found == pytest.approx(0.25)


def test_a_release_that_is_generalized_already_can_be_audited_under_its_hierarchies():
    attributes = {"age": {"role": "quasi-identifier", "hierarchy": TREE}, "ill": "sensitive"}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": {"k_anonymity": {"min": 5}}})
    table = {"age": ["30s", "30s", "40s"], "ill": ["flu", "cold", "flu"]}
    assert dv.audit(table, policy, search=False).outcome == "fail"
