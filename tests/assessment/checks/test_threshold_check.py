"""Thresholds against readings: outcome, whom it concerns, and in which words."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.assessment.checks.all_checks import every_check
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.remedies.single_changes import with_fixes
from divulge.policy import Policy
from scenes import PEOPLE, scope

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


def test_groups_that_are_exactly_at_a_maximum_are_not_beyond_it():
    # By zip and age, five groups; their worst posterior: 1 in all but the mixed pair of zip 2, age 40.
    at, beyond = (check({"worst_posterior": {"max": most, "keys": ["zip", "age"]}}) for most in (0.5, 0.49))
    assert (at.concerned, at.concerns) == (6, "6 records (75%) in groups above 0.5")
    assert beyond.concerned == 8
    least = check({"k_anonymity": {"min": 2, "keys": ["zip", "age"]}})
    assert least.concerned == 4  # the two pairs are exactly at the minimum


def test_what_was_asked_found_and_whom_it_concerns():
    found = check({"k_anonymity": {"min": 2}}).to_dict()
    assert found["asked"] == "at least 2 records"
    assert found["found_text"] == "1"
    assert (found["records"], found["share"]) == (6, 0.75)
    assert found["concerns"] == "6 records (75%) in groups smaller than 2"
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
    tenfold = scope({name: values * 10 for name, values in PEOPLE.items()})
    found = check({"discrimination_rate": {"max": 0.9, "adjusted": True, "keys": ["age"]}}, tenfold)
    reading = tenfold.reading("discrimination_rate", tenfold.question(["age"], "ill"))
    assert found.found == pytest.approx(reading.adjusted)
    assert found.outcome == "pass"
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


def test_the_default_checks_can_be_made_on_any_table():
    names = [one.measure_name for one in every_check(scope(), None)]
    assert names == ["identifiers", "singled_out", "learned", "measured"]
    assert [one.measure_name for one in every_check(scope(sensitive=()), None)] == [
        "identifiers",
        "singled_out",
        "measured",
    ]


# -- beyond chance, within the bound, or neither can be told -------------------------------------------


def postcodes(seed, *, records=200, related=0.0, codes=1000):
    """An audit's scope: a postcode that says the illness for some share of records, and sex and age."""
    rng = np.random.default_rng(seed)
    ill = rng.choice(5, records, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    code = rng.integers(0, codes, records)
    told = rng.random(records) < related
    code[told] = codes + ill[told] * 8 + rng.integers(0, 8, told.sum())
    table = {"postcode": code.tolist(), "sex": rng.integers(0, 2, records).tolist(), "ill": ill.tolist()}
    return scope(table, keys=("postcode", "sex"), sensitive="ill")


def adjusted(asked, most=0.2, **more):
    policy = {"attributes": {"postcode": "quasi-identifier", "ill": "sensitive"}}
    bound = {"max": most, "adjusted": True, "severity": "warn", "keys": ["postcode"], **more}
    [found] = evaluate(Policy.of({**policy, "thresholds": {"discrimination_rate": bound}}).thresholds, asked)
    return found


def test_unrelated_data_on_a_sparse_key_are_neither_warned_of_nor_passed():
    scopes = [postcodes(seed) for seed in range(25)]
    rates = [one.reading("discrimination_rate", one.question(["postcode"], "ill")).adjusted for one in scopes]
    assert max(rates) > 0.2  # by the bound alone some would be warned of
    found = [adjusted(one) for one in scopes]
    assert {one.outcome for one in found} == {"not evaluated"}
    assert {one.undefined.partition(" reach up to 0.")[0] for one in found} == {
        "cannot tell: unrelated data of this shape",
        "cannot tell: fewer than 30 records share their key values with another",
    }


def test_what_is_beyond_chance_and_above_the_bound_warns():
    found = adjusted(postcodes(1, related=0.8))
    assert (found.outcome, found.undefined) == ("warn", None)
    assert found.found > 0.2


def test_what_unrelated_data_cannot_reach_passes():
    found = adjusted(postcodes(1, records=2000, codes=30))
    assert found.outcome == "pass"
    assert found.found < 0.05


def test_above_the_bound_but_not_beyond_chance_is_not_passed():
    asked = postcodes(1)
    reading = asked.reading("discrimination_rate", asked.question(["postcode"], "ill"))
    assert 0 < reading.adjusted < reading.noise
    found = adjusted(asked, most=round(reading.adjusted / 2, 6))
    assert found.outcome == "not evaluated"


def test_a_check_that_cannot_tell_advises_what_would():
    [found] = with_fixes([adjusted(postcodes(2))], [])
    assert found.fix.startswith("Not enough data to decide: unrelated data of this shape reach up to 0.")
    assert found.fix.endswith(". Use more records, or attributes with fewer values.")


def test_too_few_records_to_tell_is_said():
    found = adjusted(postcodes(1, records=20, codes=15))
    assert found.outcome == "not evaluated"
    assert found.undefined == "cannot tell: fewer than 30 records share their key values with another"


def test_a_maximum_that_unrelated_data_reach_is_not_judged():
    asked = postcodes(1)
    policy = {"attributes": {"postcode": "quasi-identifier", "ill": "sensitive"}}
    bound = {"max": 0.5, "adjusted": True, "keys": ["sex"]}
    for name, outcome in (("itpr", "pass"), ("worst_posterior", "pass")):
        [found] = evaluate(Policy.of({**policy, "thresholds": {name: bound}}).thresholds, asked)
        assert found.outcome == outcome
    bound["keys"] = ["postcode"]
    [found] = evaluate(Policy.of({**policy, "thresholds": {"itpr": bound}}).thresholds, asked)
    assert (found.found, found.outcome) == (None, "not evaluated")


@pytest.mark.slow
def test_audits_of_unrelated_data_hardly_ever_warn():
    found = [adjusted(postcodes(seed)).outcome for seed in range(200)]
    assert found.count("warn") <= 4
    related = [adjusted(postcodes(seed, related=0.8)).outcome for seed in range(50)]
    assert related.count("warn") >= 45


def test_a_share_of_the_records_in_groups_says_how_many_these_are():
    table = {"age": ["20"] * 90 + ["30"] * 6 + ["*"] * 24}
    policy = {"attributes": {"age": "quasi-identifier"}, "thresholds": {"k_anonymity": {"min": 7}}}
    found = audit(dv.read(table, quasi_identifiers="age"), policy, search=False)
    [check] = [one for one in found.checks if one.name == "k-anonymity"]
    assert check.concerns == "6 of 96 records (6.2%) in groups smaller than 7"
