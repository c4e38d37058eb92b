"""What would help is tried, not guessed, and what loses least comes first."""

import math

import pytest

import divulge as dv
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.remedies.changes import dropped
from divulge.assessment.remedies.single_changes import remedies, with_fixes
from divulge.assessment.remedies.trial import Remedy
from divulge.policy import Policy
from divulge.table.hierarchy import Hierarchy
from scenes import KEYS, PEOPLE, scope

AGES = Hierarchy.of([("20", "young", "*"), ("30", "old", "*"), ("40", "old", "*")], attribute="age")
K2 = {"k_anonymity": {"min": 2}}


def tried(thresholds, table=None, keys=KEYS, **reading):
    asked = scope(table, keys=keys, **reading)
    roles = {**dict.fromkeys(keys, "quasi-identifier"), "ill": "sensitive"}
    checks = evaluate(Policy.of({"attributes": roles, "thresholds": thresholds}).thresholds, asked)
    found = remedies(asked, checks, keys)
    return found, with_fixes(checks, found.remedies)


def crowd(rare=14, common=1000):
    """Two towns and two sexes, crowded, and a few people of ages that nobody else has."""
    table = {
        "age": [str(30 + n % 5) for n in range(common)] + [str(60 + n) for n in range(rare)],
        "sex": ["f", "m"] * ((common + rare) // 2),
        "ill": ["flu", "cold", "flu"] * ((common + rare) // 3) + ["flu"] * ((common + rare) % 3),
    }
    return table, ("age", "sex")


def of(found, action):
    return [one for one in found.remedies if one.change.action == action]


# -- each change reads as the table does after it ----------------------------------------------------


def test_suppressing_an_attribute_reads_as_asking_without_it_does():
    found = of(tried(K2)[0], "suppress")
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


def test_every_level_of_a_hierarchy_reads_as_asking_under_that_partition_does():
    rows = [(str(n), f"{n // 10}0s", "below 50" if n < 50 else "above", "*") for n in range(20, 80)]
    ages = Hierarchy.of(rows, attribute="age")
    table, keys = crowd()
    found = of(tried(K2, table, keys, hierarchies={"age": ages})[0], "generalize")
    assert sorted(one.change.level for one in found) == [1, 2]  # the third level says nothing
    for one in found:
        about = dv.measure(table, keys=keys, partitions={"age": (ages, one.change.level)})
        assert one.after["k"] == about["k_anonymity"].value
        assert one.after["uniqueness"] == about["uniqueness"].value


def test_an_attribute_on_a_level_goes_up_from_there():
    found, _ = tried(K2, hierarchies={"age": AGES}, partitions={"age": AGES.level(1)})
    assert of(found, "generalize") == []  # level 2 has one group, which is as good as leaving age out
    found, _ = tried(K2, hierarchies={"age": AGES})
    assert [one.change.level for one in of(found, "generalize")] == [1]


def test_leaving_records_out_reads_as_the_table_without_them_does():
    table, keys = crowd()
    found, _ = tried({"k_anonymity": {"min": 5}}, table, keys)
    (first,) = of(found, "records")
    rest = {name: column[:1000] for name, column in table.items()}
    assert first.after["k"] == dv.measure(rest, "k_anonymity", keys=keys).value == 100
    assert first.to_dict()["records_lost"] == 14


def test_suppressed_cells_read_as_the_table_with_stars_does():
    table, keys = crowd()
    found, _ = tried({"k_anonymity": {"min": 5}}, table, keys)
    starred = next(one for one in of(found, "cells") if one.attribute == "age")
    stars = {**table, "age": table["age"][:1000] + ["*"] * 14}
    (check,) = tried({"k_anonymity": {"min": 5}}, stars, keys)[1]
    # By hand: 14 stars, half of each sex.
    assert starred.after["k"] == check.found == 7
    assert starred.failing == 0


# -- ranking --------------------------------------------------------------------------------------


def test_a_few_cells_or_records_come_before_a_whole_attribute():
    table, keys = crowd()
    found, (check,) = tried({"k_anonymity": {"min": 5}}, table, keys)
    passing = [one for one in found.remedies if one.failing == 0]
    assert [one.loss for one in passing] == sorted(one.loss for one in passing)
    assert [one.change.words for one in passing[:2]] == [
        "suppressing age in 14 records (1.4%)",
        "leaving out 14 records (1.4%)",
    ]
    assert passing[-1].change.action == "suppress"
    assert found.remedies[0].sentence.startswith("Suppressing age in 14 records (1.4%) makes the check pass")
    assert check.fix.startswith("Suppressing age in 14 records (1.4%) makes it pass and loses")


def test_few_cells_come_first_then_few_records_then_the_least_loss_and_ties_go_by_name():
    # a and b are alike to the last bit; leaving out either is enough and loses the same.
    rare, common = 14, 1000
    table = {
        "b": ["x", "y"] * (common // 2) + [f"r{n}" for n in range(rare)],
        "a": ["x", "y"] * (common // 2) + [f"r{n}" for n in range(rare)],
        "ill": ["flu", "cold"] * ((common + rare) // 2),
    }
    found, _ = tried({"uniqueness": {"max": 0.0}}, {**table, "c": ["z"] * (common + rare)}, ("b", "a", "c"))
    assert [one.change.action for one in found.remedies if one.failing == 0] == ["records"]
    crowded, keys = crowd()
    passing = [
        one for one in tried({"k_anonymity": {"min": 5}}, crowded, keys)[0].remedies if not one.failing
    ]
    assert [one.change.cells for one in passing[:2]] == [14, 28]
    alike = [one for one in found.remedies if one.change.action == "suppress" and one.attribute in "ab"]
    assert alike[0].loss == alike[1].loss
    assert [one.attribute for one in alike] == ["a", "b"]


def test_few_records_come_before_groups_that_lose_less():
    """Leaving out a nearly constant attribute loses less than the few records whom it singles out."""
    table = {
        "flag": ["no"] * 1000 + ["yes"] * 10,
        "town": [f"t{n % 20}" for n in range(1010)],
        "ill": ["flu", "cold"] * 505,
    }
    found, _ = tried({"k_anonymity": {"min": 2}}, table, ("flag", "town"))
    passing = [one for one in found.remedies if one.failing == 0]
    actions = [one.change.action for one in passing]
    assert actions.index("records") < actions.index("suppress")
    assert [one.change.cells for one in passing if one.change.records] == [10, 20]


def test_fewer_than_five_records_are_not_counted_out():
    table, keys = crowd(rare=4)
    found, _ = tried({"k_anonymity": {"min": 5}}, table, keys)
    (one,) = of(found, "records")
    assert one.change.words == "leaving out fewer than 5 records (<0.5%)"
    assert one.to_dict()["records_lost"] == "<5"
    said = [one.to_dict()[name] for name in ("loss", "bits_lost")]
    assert said == [round(value, 2) for value in said]
    assert said[0] != one.loss


def test_records_are_left_out_only_as_far_as_the_checks_need():
    sizes = {"a": 30, "b": 6, "c": 7, "d": 9}
    table = {
        "town": [town for town, size in sizes.items() for _ in range(size)],
        "sex": ["f"] * 52,
        "ill": ["flu", "cold"] * 26,
    }
    (one,) = of(tried({"k_anonymity": {"min": 7}}, table, ("town", "sex"))[0], "records")
    assert one.change.records == 6  # town b alone; classes of 7 and 9 may stay


def test_records_whose_class_gives_a_value_away_can_be_left_out():
    # Everyone is among ten alike, and the ten of town c are all ill in the same way.
    table = {
        "town": [town for town in "abc" for _ in range(10)],
        "ill": ["flu", "cold"] * 10 + ["HIV"] * 10,
    }
    found, _ = tried({"distinct_l_diversity": {"min": 2}}, table, ("town",))
    (one,) = of(found, "records")
    assert (one.change.records, one.failing) == (10, 0)


def test_more_than_half_of_the_records_are_not_left_out():
    assert of(tried(K2)[0], "records") == []  # six of eight


def test_changes_that_let_no_check_pass_are_ranked_by_risk_for_loss():
    found, _ = tried({"k_anonymity": {"min": 100}})
    assert {one.failing for one in found.remedies} == {1}
    gains = [(one.before["average_risk"] - one.after["average_risk"]) / one.loss for one in found.remedies]
    assert gains == sorted(gains, reverse=True)


def test_what_costs_nothing_comes_before_a_few_records():
    table, keys = crowd()
    rare = {**table, "flag": ["no"] * 1012 + ["yes", "perhaps"]}
    found, _ = tried({"k_anonymity": {"min": 2, "keys": ["flag"]}}, rare, keys)
    passing = [one for one in found.remedies if not one.failing]
    assert [(one.change.words, bool(one.loss)) for one in passing] == [
        ("leaving out flag", False),
        ("leaving out fewer than 5 records (<0.5%)", True),
    ]


def test_of_two_that_lose_the_same_the_one_with_fewer_cells_comes_first():
    # All are of one sex, which says nothing: what a rare age says is all that either change loses.
    table, keys = crowd()
    found, _ = tried({"k_anonymity": {"min": 5}}, {**table, "sex": ["f"] * 1014}, keys)
    starred, left_out, *_ = found.remedies
    assert (starred.change.words, left_out.change.words) == (
        "suppressing age in 14 records (1.4%)",
        "leaving out 14 records (1.4%)",
    )
    assert starred.loss == left_out.loss


def test_what_loses_less_comes_first_and_equals_go_by_name():
    # Four towns say 2 bits and two streets 1 bit: leaving out either lets the check pass.
    towns = {"area": [*"ppqqrrss"], "street": ["1", "2"] * 4, "ill": PEOPLE["ill"]}
    found, _ = tried(K2, towns, ("area", "street"))
    assert [one.attribute for one in found.remedies] == ["street", "area"]
    halves = {"b": [*"xxxxyyyy"], "a": [*"xyxyxyxy"], "ill": PEOPLE["ill"]}
    found, _ = tried({"k_anonymity": {"min": 3}}, halves, ("b", "a"))
    assert [(one.attribute, one.failing, one.loss) for one in found.remedies] == [
        ("a", 0, 0.5),
        ("b", 0, 0.5),
    ]


def test_a_change_that_lets_more_checks_pass_comes_before_one_that_loses_less():
    # Four towns of two: a street or a house tells the two apart, and each has a check of its own.
    table = {
        "town": ["p", "p", "q", "q", "r", "r", "s", "s"],
        "street": ["1", "2"] * 4,
        "house": ["2", "1"] * 4,
        "ill": PEOPLE["ill"],
    }
    both = [{"min": 2, "keys": ["town", "street"]}, {"min": 2, "keys": ["town", "house"]}]
    found, _ = tried({"k_anonymity": both}, table, ("street", "house", "town"))
    assert [(one.attribute, one.failing) for one in found.remedies] == [
        ("town", 0),
        ("house", 1),
        ("street", 1),
    ]
    assert [one.loss for one in found.remedies] == pytest.approx([2 / 4, 1 / 4, 1 / 4])


def test_a_change_after_which_one_more_check_fails_comes_last_whatever_risk_it_takes_away():
    # Leaving out b raises the ITPR of a above its bound; the risk that it takes away is the only one.
    table = {"a": [*"xxyxxy"], "b": [*"vuwvuw"], "ill": ["cold", "flu", "flu", "flu", "cold", "cold"]}
    found, _ = tried({"k_anonymity": {"min": 5}, "itpr": {"max": 0.167}}, table, ("b", "a"))
    risks = [(one.attribute, one.failing, one.after["average_risk"]) for one in found.remedies]
    assert risks == [("a", 1, 1 / 2), ("b", 2, 1 / 3)]


# -- loss -----------------------------------------------------------------------------------------


def test_the_loss_is_the_share_of_bits_in_the_cells():
    found, _ = tried(K2, hierarchies={"age": AGES})
    # zip 4:4 says 1 bit, age 3:2:3 says 1.561, job 7:1 says 0.544.
    age = -2 * 3 / 8 * math.log2(3 / 8) - 2 / 8 * math.log2(2 / 8)
    job = -7 / 8 * math.log2(7 / 8) - 1 / 8 * math.log2(1 / 8)
    total = 1 + age + job
    without = {one.attribute: one for one in of(found, "suppress")}
    assert without["zip"].loss == pytest.approx(1 / total)
    assert without["age"].bits_lost == pytest.approx(age)
    (up,) = of(found, "generalize")
    young = -3 / 8 * math.log2(3 / 8) - 5 / 8 * math.log2(5 / 8)
    assert up.bits_lost == pytest.approx(age - young)


def test_a_record_left_out_loses_all_its_cells_and_a_starred_cell_its_own():
    table, keys = crowd(rare=10)
    found, _ = tried({"k_anonymity": {"min": 5}}, table, keys)
    n = 1010
    age, sex = -math.log2(1 / n), -math.log2(1 / 2)  # bits of a rare age, and of either sex
    total = sex * n + 10 * age + 1000 * -math.log2(200 / n)
    (records,), (starred, *_) = of(found, "records"), of(found, "cells")
    assert records.loss == pytest.approx(10 * (age + sex) / total)
    assert starred.loss == pytest.approx(10 * age / total)


# -- what else ------------------------------------------------------------------------------------


def test_the_only_key_cannot_be_left_out():
    assert remedies(scope(keys="zip"), [], ["zip"]).remedies == []


def test_where_nothing_is_enough_that_is_said():
    _, (check,) = tried({"discrimination_rate": {"max": 0.0}})
    assert check.fix == "No single change that was tried makes it pass."


def test_a_check_of_its_own_keys_is_fixed_by_leaving_those_out():
    _, (check,) = tried({"discrimination_rate": {"max": 0.0, "keys": ["age"]}})
    assert check.fix.startswith("Leaving out age makes it pass and loses 50.")


def test_attributes_that_no_key_is_are_left_out_at_once_and_cost_nothing():
    table = {**PEOPLE, "mail": [f"p{n}@x.org" for n in range(8)], "name": list("abcdefgh")}
    found, _ = tried({"uniqueness": {"max": 0.5, "keys": ["mail", "name"]}}, table)
    first = found.remedies[0]
    assert first.change.words == "leaving out mail and name"
    assert (first.failing, first.loss) == (0, 0)
    assert first.sentence == "Leaving out mail and name makes the check pass."


def test_an_identifier_left_out_still_tells_whose_records_there_are():
    twice = {name: [value for value in column for _ in range(2)] for name, column in PEOPLE.items()}
    asked = scope({**twice, "who": [n // 2 for n in range(16)]}, identifiers="who")
    assert asked.question(KEYS).counts.people.min() == 1
    assert asked.without("who").question(KEYS).counts.people.min() == 1
    assert asked.without("who").given_up == {"who"}


def test_a_change_that_cannot_be_seen_is_told_apart():
    table = {"a": list("abcdefgh"), "b": ["x"] * 4 + ["y"] * 4, "ill": PEOPLE["ill"]}
    asked = scope(table, keys=("a", "b"))
    without = {one.attribute: one.matters for one in remedies(asked, [], ("a", "b")).remedies}
    assert without == {"a": True, "b": False}


def test_where_missing_values_match_anything_records_are_not_tried():
    table, keys = crowd()
    found, _ = tried({"k_anonymity": {"min": 5}}, table, keys, missing="wildcard")
    assert of(found, "records") == of(found, "cells") == []
    assert found.not_tried == [
        "Leaving out records and suppressing cells were not tried: missing values match anything."
    ]


def test_of_very_many_changes_the_most_promising_are_tried_and_the_rest_is_said(monkeypatch):
    monkeypatch.setattr("divulge.assessment.remedies.single_changes.WORK", 2 * 8)
    monkeypatch.setattr("divulge.assessment.remedies.single_changes.FEWEST_TRIED", 1)
    found, _ = tried(K2)
    assert len(of(found, "suppress")) == 2
    assert found.not_tried == ["Of 3 changes to attributes, 2 were tried with all checks."]


def test_a_change_after_which_a_risk_is_higher_does_not_help():
    before = {"uniqueness": 0.2, "average_risk": 0.121, "k": 1, "people": 100}
    change = dropped("a")

    def matters(failing=2, **after):
        return Remedy(change, before, before | after, (), failing, 2, 0.1, 0.5).matters

    assert not matters(uniqueness=0.1, average_risk=0.503)
    assert not matters(failing=3, uniqueness=0.1)
    assert not matters()
    assert matters(uniqueness=0.1)
    assert matters(failing=1, average_risk=0.503)
