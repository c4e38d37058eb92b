"""Counts of several checks that contain each other: a later one says a bound where it would leave a few."""

import json
import re

import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.assessment import audit

# Of 1,000: 6 people alone, a group of 2, one of 3 and one of 4; all others are in large groups.
AGES = [f"a{n}" for n in range(6)] + ["b"] * 2 + ["c"] * 3 + ["d"] * 4 + ["20", "30"] * 492 + ["20"]
TABLE = {"age": AGES, "ill": ["flu", "cold", "gout", "none"] * 250}
ROLES = {"age": "quasi-identifier", "ill": "sensitive"}


def found(thresholds):
    data = dv.read(TABLE, quasi_identifiers="age", sensitive="ill")
    return audit(data, {"attributes": ROLES, "thresholds": thresholds}, search=False)


def counts(thresholds):
    checks = found(thresholds).to_dict()["checks"]
    return [one["records"] for one in checks if one["measure"] not in ("identifiers", "measured", "learned")]


@pytest.mark.parametrize(
    ("thresholds", "said"),
    [
        ({"k_anonymity": {"min": 3}}, [8]),
        ({"k_anonymity": [{"min": 2}, {"min": 3}, {"min": 4}]}, [6, "<11", 11]),
        ({"k_anonymity": [{"min": 3}, {"min": 2}]}, [8, "<9"]),
        (
            {"singled_out": {"max": 0, "k": 3}, "uniqueness": {"max": 0}, "k_anonymity": {"min": 5}},
            [8, "<9", 15],
        ),
        ({"singled_out": {"max": 0, "k": 3}, "k_anonymity": {"min": 3}}, [8, 8]),
        ({"uniqueness": {"max": 0}, "distinct_l_diversity": {"min": 2}}, [6, 6]),
        ({"k_anonymity": [{"min": 2}, {"min": 5}]}, [6, 15]),
    ],
)
def test_counts_of_checks_leave_no_few(thresholds, said):
    assert counts(thresholds) == said
    with exact_counts():
        assert all(isinstance(one, int) for one in counts(thresholds))


def test_nothing_of_a_check_says_what_is_between():
    audited = found({"singled_out": {"max": 0, "k": 3}, "uniqueness": {"max": 0}})
    [check] = [one for one in audited.to_dict()["checks"] if one["measure"] == "uniqueness"]
    assert check["sentence"] == "Uniqueness: <0.009 (required: at most 0); fewer than 9 records unique."
    assert (check["found"], check["found_is_below"], check["share"]) == (0.009, True, None)
    assert not re.search(r"0\.006|\b6 ", json.dumps(check))


def test_a_question_about_fewer_attributes_is_part_of_one_about_more():
    thresholds = {"singled_out": [{"max": 0, "k": 3}, {"max": 0, "k": 2, "keys": ["age"]}]}
    checks = found(thresholds).to_dict()["checks"]
    [first, second] = [one for one in checks if one["measure"] == "singled_out"]
    assert (first["records"], second["records"]) == (8, "<9")
    assert second["sentence"].startswith("Fewer than 9 people are unique on age.")
    assert (second["found"], second["share"]) == (0.009, None)
    assert not re.search(r"0\.006|\b6 ", json.dumps(second))


def test_a_later_run_compares_what_was_found_and_not_the_bound():
    thresholds = {"k_anonymity": {"min": 3}, "uniqueness": {"max": 0}}
    earlier = found(thresholds).to_dict()
    data = dv.read(TABLE, quasi_identifiers="age", sensitive="ill")
    policy = {"attributes": ROLES, "thresholds": thresholds}
    again = audit(data, policy, search=False, baseline=earlier)
    assert not any((one.baseline or {}).get("worse") for one in again.checks)
