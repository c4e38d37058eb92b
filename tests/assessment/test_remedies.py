"""What would help is tried, not guessed."""

import pytest

import divulge as dv
from divulge.assessment.checks import evaluate
from divulge.assessment.remedies import plan, remedies, with_fixes
from divulge.hierarchy import Hierarchy
from divulge.policy import Policy
from scenes import KEYS, PEOPLE, scope

AGES = Hierarchy.of([("20", "young", "*"), ("30", "old", "*"), ("40", "old", "*")], attribute="age")


def tried(thresholds, **reading):
    asked = scope(**reading)
    roles = {**dict.fromkeys(KEYS, "quasi-identifier"), "ill": "sensitive"}
    checks = evaluate(Policy.of({"attributes": roles, "thresholds": thresholds}).thresholds, asked)
    found = remedies(asked, checks, KEYS)
    return found, with_fixes(checks, found)


def test_suppressing_an_attribute_reads_as_asking_without_it_does():
    found, _ = tried({"k_anonymity": {"min": 2}})
    assert {one.attribute for one in found} == set(KEYS)
    for one in found:
        rest = [key for key in KEYS if key != one.attribute]
        about = dv.measure(PEOPLE, keys=rest)
        assert one.after["k"] == about["k_anonymity"].value
        assert one.after["uniqueness"] == about["uniqueness"].value
        assert one.after["discrimination_rate"] == pytest.approx(about["discrimination_rate"].value)
        rate = dv.measure(PEOPLE, "discrimination_rate", keys=rest, target="ill").value
        assert one.after["targets"]["ill"] == pytest.approx(rate)
        assert one.found == (about["k_anonymity"].value,)


def test_one_level_up_reads_as_asking_under_that_partition_does():
    found, _ = tried({"k_anonymity": {"min": 2}}, hierarchies={"age": AGES})
    up = next(one for one in found if one.action == "generalize")
    assert (up.attribute, up.level) == ("age", 1)
    about = dv.measure(PEOPLE, keys=KEYS, partitions={"age": (AGES, 1)})
    assert up.after["k"] == about["k_anonymity"].value
    assert up.after["uniqueness"] == about["uniqueness"].value
    # Ages 20, 30, 40 stand 3, 2, 3 times: 1.561 bits, of which young and old keep 0.954.
    assert up.bits_lost == pytest.approx(1.5612781 - 0.9544340)


def test_an_attribute_on_a_level_goes_up_from_there():
    found, _ = tried(
        {"k_anonymity": {"min": 2}}, hierarchies={"age": AGES}, partitions={"age": AGES.level(1)}
    )
    assert [one.level for one in found if one.action == "generalize"] == [2]


def test_at_the_top_of_its_hierarchy_an_attribute_can_only_be_left_out():
    found, _ = tried(
        {"k_anonymity": {"min": 2}}, hierarchies={"age": AGES}, partitions={"age": AGES.level(2)}
    )
    assert {one.action for one in found} == {"suppress"}


def test_the_only_key_cannot_be_left_out():
    assert remedies(scope(keys="zip"), [], ["zip"]) == []


def test_the_cheapest_change_that_mends_a_check_is_named():
    _, (check,) = tried({"uniqueness": {"max": 0.2}})
    # Without age or without zip the nurse alone is left, 1 of 8; zip has 1 bit and age 1.56.
    assert check.fix == "Leaving out zip would give 0.125."


def test_where_no_attribute_is_enough_leaving_records_out_may_be():
    _, (check,) = tried({"k_anonymity": {"min": 2}})
    assert check.fix == (
        "No change to a single attribute is enough. Leaving out the 6 records (75%) concerned would reach it."
    )
    kept = [i for i in range(8) if (PEOPLE["zip"][i], PEOPLE["age"][i]) == ("1", "20")]
    rest = {name: [column[i] for i in kept] for name, column in PEOPLE.items()}
    assert dv.measure(rest, "k_anonymity", keys=KEYS).value >= 2


def test_where_nothing_is_enough_the_nearest_is_named():
    _, (check,) = tried({"discrimination_rate": {"max": 0.01}})
    assert check.fix.startswith("No change to a single attribute is enough; nearest comes leaving out")


def test_best_first_by_checks_that_would_still_fail():
    found, _ = tried({"uniqueness": {"max": 0.2}})
    assert [one.failing for one in found] == [0, 0, 1]
    assert found[-1].attribute == "job"


def test_a_plan_takes_the_best_step_each_time_until_the_checks_hold():
    found, checks = tried({"k_anonymity": {"min": 4}})
    steps = plan(checks, found)
    keys = list(KEYS)
    for step in steps.steps:
        keys.remove(step.attribute)
        assert step.after["k"] == dv.measure(PEOPLE, "k_anonymity", keys=keys).value
    assert keys == ["zip"]  # four records each
    assert steps.sentence.endswith("would leave no check unmet.")


def test_one_step_that_is_enough_is_no_plan():
    found, checks = tried({"uniqueness": {"max": 0.2}})
    assert plan(checks, found) is None


def test_a_check_of_its_own_keys_is_mended_by_leaving_those_out():
    _, (check,) = tried({"discrimination_rate": {"max": 0.0, "keys": ["age"]}})
    assert check.fix == "Leaving out age would give 0."


def test_a_change_that_cannot_be_seen_is_told_apart():
    table = {"a": list("abcdefgh"), "b": ["x"] * 4 + ["y"] * 4, "ill": PEOPLE["ill"]}
    asked = scope(table, keys=("a", "b"))
    without = {one.attribute: one.matters for one in remedies(asked, [], ("a", "b"))}
    assert without == {"a": True, "b": False}
