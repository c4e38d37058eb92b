"""Thresholds against readings: outcome, whom it concerns, and in which words."""

import pytest

from divulge.assessment.checks import evaluate
from divulge.policy import Policy, usual
from scenes import scope

ATTRIBUTES = {
    "zip": "quasi-identifier",
    "age": "quasi-identifier",
    "job": "quasi-identifier",
    "ill": "sensitive",
}


def check(threshold, asked=None, **more):
    policy = Policy.of({"attributes": ATTRIBUTES, "thresholds": threshold})
    found = evaluate(policy.thresholds, asked or scope(**more))
    return found[0] if len(found) == 1 else found


def test_a_bound_holds_at_equality():
    assert check({"k_anonymity": {"min": 2}}).outcome == "fail"
    assert check({"uniqueness": {"max": 0.75}}).outcome == "pass"
    assert check({"uniqueness": {"max": 0.7499}}).outcome == "fail"


def test_what_was_asked_found_and_whom_it_concerns():
    found = check({"k_anonymity": {"min": 2}}).to_dict()
    assert found["asked"] == "at least 2 records"
    assert found["found_text"] == "1"
    assert (found["records"], found["share"]) == (6, 0.75)
    assert found["concerns"] == "6 records (75%) in classes that read beyond it"
    assert "zip, age and job" in found["why"]


def test_a_warning_warns():
    assert check({"k_anonymity": {"min": 2, "severity": "warn"}}).outcome == "warn"


def test_a_threshold_without_target_is_about_each_sensitive_attribute():
    found = check({"discrimination_rate": {"max": 0.1}})
    assert found.target == ("ill",)
    assert found.name == "Discrimination rate of ill"


def test_keys_may_be_chosen():
    found = check({"k_anonymity": {"min": 3, "keys": ["zip"]}})
    assert (found.found, found.outcome) == (4, "pass")


def test_the_records_whose_target_is_certain_are_those_an_average_concerns():
    found = check({"discrimination_rate": {"max": 0.1, "keys": ["zip", "age"]}})
    # All but the mixed pair of zip 2, age 40.
    assert found.concerned == 6
    assert found.concerns == "ill is certain for 6 records (75%)"


def test_beyond_chance_is_what_is_held_against_the_bound():
    found = check({"discrimination_rate": {"max": 0.9, "adjusted": True, "keys": ["age"]}})
    reading = scope().reading("discrimination_rate", scope().question(["age"], "ill"))
    assert found.found == pytest.approx(reading.adjusted)
    assert found.asked == "at most 0.9 beyond chance"


def test_an_undefined_reading_is_not_evaluated_and_says_why():
    table = {"zip": ["1", "2"], "age": ["1", "1"], "job": ["a", "a"], "ill": ["flu", "flu"]}
    found = check({"discrimination_rate": {"max": 0.5}}, scope(table)).to_dict()
    assert found["outcome"] == "not evaluated"
    assert found["found"] is None
    assert "one value only" in found["undefined"]


def test_an_infinite_reading_fails_and_is_null_in_json():
    found = check({"delta_disclosure": {"max": 2}}).to_dict()
    assert found["outcome"] == "fail"
    assert found["found"] is None
    assert found["found_text"] == "inf bits"
    assert "infinite" in found["undefined"]


def test_the_usual_thresholds_can_be_read_on_any_table():
    found = evaluate(usual(), scope())
    assert [one.measure.name for one in found] == [
        "k_anonymity",
        "reidentification_risk",
        "distinct_l_diversity",
        "discrimination_rate",
    ]
    assert len(evaluate(usual(), scope(sensitive=()))) == 2
