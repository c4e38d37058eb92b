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


def test_without_suppressed_records_the_table_is_what_is_counted():
    table = {"age": ["30s", "30s", "40s", "40s"], "ill": ["flu", "cold", "flu", "flu"]}
    assert found(table, {"t_closeness": {"max": 0.2}})["t_closeness"].found == pytest.approx(0.25)


def test_a_release_that_is_generalized_already_can_be_audited_under_its_hierarchies():
    attributes = {"age": {"role": "quasi-identifier", "hierarchy": TREE}, "ill": "sensitive"}
    policy = dv.Policy.of({"attributes": attributes, "thresholds": {"k_anonymity": {"min": 5}}})
    table = {"age": ["30s", "30s", "40s"], "ill": ["flu", "cold", "flu"]}
    assert dv.audit(table, policy, search=False).outcome == "fail"
