"""What is learned: values that keys make certain or likely, beyond guessing, beyond chance or within it."""

import sqlite3

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.learned import learned
from divulge.assessment.inference.asked.sensitive_questions import (
    SensitiveAnswers,
    asked_values,
    many_asked,
    no_answer,
    outliers,
)
from divulge.assessment.inference.revealing_groups import Bar, telling
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.people.sample import SampleShare
from divulge.assessment.scope import Scope
from divulge.policy import USUAL, Learning, Population
from divulge.table.codes import Codes
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition

CERTAIN = Bar(0.9, 1 / 3)


def check(
    columns, *, keys="age", sensitive="ill", levels=USUAL.learned, population=None, partitions=None, **more
):
    data = dv.read(columns, quasi_identifiers=keys, sensitive=sensitive, **more)
    return learned(levels, Scope(data, partitions or {}, population=population))[0]


def sets(*cells):
    """A table of sets, each told by how many of it have which value."""
    rows = [(place, value) for place, cell in enumerate(cells) for value, n in cell.items() for _ in range(n)]
    return {"age": [place for place, _ in rows], "ill": [value for _, value in rows]}


# A table in which a third each have a, b and c, and sets mirror that.
PLAIN = [{"a": 10, "b": 10, "c": 10}] * 30


def test_a_set_that_all_has_one_value_is_learned():
    found = check(sets(*PLAIN, {"a": 20}))
    assert (found.outcome, found.concerned) == ("fail", 20)
    assert found.answer.sentence.startswith("age reveals ill of 20 people (2.2%) with 90% certainty or more.")
    # 320 of 920 have it.
    assert found.answer.sentence.endswith(" 34.8% of all people have this value.")
    assert found.why.endswith("A value that 66.7% or more of all people have does not count.")


def test_several_values_that_are_learned_are_held_by_a_mean_share():
    found = check(sets(*PLAIN, {"a": 20}, {"b": 20}))
    assert found.answer.sentence.endswith(" On average 34% of all people have such a value.")  # 320 of 940


def test_nine_in_ten_are_enough_and_only_those_who_have_it_are_concerned():
    found = check(sets(*PLAIN, {"a": 27, "b": 3}))
    assert (found.outcome, found.concerned) == ("fail", 27)
    assert check(sets(*PLAIN, {"a": 26, "b": 4})).outcome == "warn"  # likely


def test_a_value_that_two_thirds_have_is_never_news():
    common = [{"no": 16, "yes": 8}] * 30
    assert check(sets(*common, {"no": 24})).outcome == "pass"


def suppressed_beside_a_group(hidden):
    """297 of 300 in A have flu, as 64 % of all; of those elsewhere some who have no flu show nothing."""
    rows = [("A", "flu")] * 297 + [("A", "cold")] * 3 + [("B", "flu")] * 343
    rows += [("*" if n < hidden else "B", "cold" if n % 2 else "burn") for n in range(357)]
    return {"age": [place for place, _ in rows], "ill": [ill for _, ill in rows]}


WAYS = ["of records", "by people", "by weight", "by people with weights", "in a database"]


@pytest.mark.parametrize("way", WAYS)
def test_suppressing_others_does_not_make_a_value_common(way, tmp_path):
    columns, more = suppressed_beside_a_group(50), {}
    if "people" in way:
        columns, more = {**columns, "who": [f"p{n}" for n in range(1000)]}, {"identifiers": "who"}
        columns = {name: [*values, values[0]] for name, values in columns.items()}
    if "weight" in way:
        columns, more = {**columns, "w": [1.0, *[1.1] * (len(columns["age"]) - 1)]}, {**more, "weights": "w"}
    if way == "in a database":
        with sqlite3.connect(tmp_path / "all.db") as there:
            there.execute("CREATE TABLE people (age TEXT, ill TEXT)")
            there.executemany("INSERT INTO people VALUES (?, ?)", zip(*columns.values(), strict=True))
        columns, more = f"sqlite:///{tmp_path / 'all.db'}", {"table": "people"}
    found = check(columns, **more)
    assert (found.outcome, found.concerned) == ("fail", 297)
    assert found.answer.sentence.endswith(" 64% of all people have this value.")


def test_records_dropped_for_a_missing_key_do_not_make_a_value_common_either():
    columns = suppressed_beside_a_group(50)
    columns["age"] = [None if age == "*" else age for age in columns["age"]]
    found = check(columns, missing="drop")
    assert (found.outcome, found.concerned) == ("fail", 297)


def test_a_rare_value_is_news_when_it_becomes_likely():
    found = check(sets(*PLAIN, {"rare": 12, "a": 6, "b": 6}))
    assert (found.outcome, found.concerned) == ("warn", 12)
    assert found.answer.sentence.startswith("ill becomes likely for 12 people (1.3%), from age.")


def test_what_chance_makes_warns_and_fails_only_when_chance_is_no_excuse():
    # One set of four among thirty: P(all four have the same of three) is 1/27 for each.
    columns = sets(
        *[{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 1}, {"a": 1, "b": 1, "c": 2}] * 10, {"a": 4}
    )
    found = check(columns)
    assert (found.outcome, found.concerned) == ("warn", 4)
    assert "Chance alone explains this" in found.answer.sentence
    assert check(columns, levels=(Learning(0.0, 0.9, chance=False),)).outcome == "fail"
    assert check(columns, levels=(Learning(0.1, 0.9),)).outcome == "pass"  # 4 of 124 are allowed


def test_people_whom_a_policy_lets_be_revealed_are_counted_and_said_to_be_allowed():
    columns = sets(*PLAIN, {"a": 20})
    found = check(columns, levels=(Learning(0.05, 0.9),))
    assert (found.outcome, found.concerned) == ("pass", 20)
    assert found.found == 20 / 920
    said = "age reveals ill of 20 people (2.2%) with 90% certainty or more, which is allowed. 34.8% of"
    assert found.answer.sentence.startswith(said)
    assert check(columns, levels=(Learning(0.02, 0.9),)).outcome == "fail"
    # What passes is held against the strictest level only, so that it stays within the bound of the check.
    both = check(columns, levels=(Learning(0.0, 0.9, gain=0.9), Learning(0.05, 0.9)))
    assert (both.outcome, both.found) == ("pass", 0.0)
    assert both.holds(both.found)


def test_a_share_of_people_that_is_exactly_the_maximum_may_be_learned_about():
    columns = sets(*PLAIN, {"a": 20})
    at = check(columns, levels=(Learning(20 / 920, 0.9),))
    assert (at.outcome, at.holds(at.found)) == ("pass", True)
    beyond = check(columns, levels=(Learning(20 / 921, 0.9),))
    assert (beyond.outcome, beyond.holds(beyond.found)) == ("fail", False)


def test_sets_of_two_that_agree_by_chance_are_left_to_singling_out():
    pairs = [{"a": 1, "b": 1}, {"b": 1, "c": 1}, {"a": 1, "c": 1}] * 10
    assert check(sets(*PLAIN, *pairs, {"a": 2}, {"b": 2})).outcome == "pass"


def test_people_who_are_alone_count_where_chance_is_no_excuse():
    columns = {"age": list(range(120)), "ill": list("abc") * 40}
    found = check(columns, levels=(Learning(0.0, 0.9, chance=False),))
    assert (found.outcome, found.concerned) == ("fail", 120)
    assert found.answer.sentence.startswith(
        "age reveals ill of 120 people (100%) with 90% certainty or more."
    )


def test_where_nearly_everyone_is_in_a_small_group_nothing_is_said_to_pass():
    found = check({"age": list(range(120)), "ill": list("abc") * 40})
    assert (found.outcome, found.found, found.concerned) == ("not evaluated", None, None)
    said = "120 of 120 people are in groups smaller than 3 on age, where singling someone out can reveal ill."
    assert found.sentence.startswith(said)
    assert found.found_text == "not evaluated"
    assert not found.holds(found.found)  # a change that leaves it so does not make it pass
    assert found.to_dict()["not_counted"] == 120
    assert "120 of 120 people are in groups smaller than 3 on age" in found.undefined


@pytest.mark.parametrize(("lone", "outcome"), [(900, "pass"), (901, "not evaluated")])
def test_more_than_half_in_small_groups_are_too_many(lone, outcome):
    columns = sets(*PLAIN)  # 900 people in groups of 30
    columns = {
        "age": columns["age"] + list(range(100, 100 + lone)),
        "ill": columns["ill"] + ["a", "b", "c"] * 300,
    }
    columns = {name: values[: 900 + lone] for name, values in columns.items()}
    if lone > 900:
        columns["ill"].append("a")
    found = check(columns)
    assert found.outcome == outcome
    if outcome == "pass":
        assert found.sentence.endswith(
            " Groups smaller than 3 are not counted here; 900 of 1,800 people are in them."
        )
        assert found.to_dict()["not_counted"] == 900


def test_a_value_that_is_revealed_beyond_chance_fails_whoever_is_not_counted():
    columns = sets({"a": 20}, {"b": 10, "c": 10})
    columns = {"age": columns["age"] + list(range(100, 200)), "ill": columns["ill"] + list("bcde") * 25}
    found = check(columns)
    assert (found.outcome, found.concerned) == ("fail", 20)
    assert "Groups smaller than 3 are not counted here; 100 of 140 people are in them." in found.sentence


def test_what_one_key_reveals_is_counted_on_it_and_the_small_groups_are_of_all_keys():
    ill = ["a"] * 60 + list("bcd") * 20
    columns = {"age": [1] * 60 + [2] * 60, "zip": [i // 2 for i in range(120)], "ill": ill}
    found = dv.audit(dv.read(columns, quasi_identifiers=["age", "zip"], sensitive="ill"), search=False)
    said = next(one.sentence for one in found.checks if one.measure_name == "learned")
    assert "age reveals ill of 60 people (50%)" in said
    assert said.endswith(
        "On age and zip together, 120 of 120 people are in groups smaller than 3; what those reveal is not "
        "counted."
    )


def test_what_is_likely_does_not_hide_that_most_people_were_not_counted():
    columns = sets({"rare": 12, "a": 6, "b": 6}, *PLAIN[:10])
    many = {"age": list(range(100, 499)), "ill": list("abc") * 133}
    found = check({name: columns[name] + many[name] for name in columns})
    assert found.outcome == "not evaluated"
    assert "ill becomes likely for 12 people" in found.sentence


def test_how_many_are_in_small_groups_is_not_said_where_another_count_would_leave_few():
    # 20 people alone and 2 in pairs: beside the number who are unique, 22 would say that two are in pairs.
    columns = sets(*PLAIN, {"a": 1, "b": 1})
    columns = {"age": columns["age"] + list(range(100, 120)), "ill": columns["ill"] + list("abcd") * 5}
    found = check(columns)
    assert "about 20 of 922 people are in them." in found.sentence
    assert found.to_dict()["not_counted"] == "~20"


@pytest.mark.parametrize("chance", [True, False])
def test_small_groups_of_a_sample_say_nothing_and_are_no_pass(chance):
    columns = {"age": list(range(120)), "ill": list("abc") * 40}
    levels = (Learning(0.0, 0.9, chance=chance),)
    found = check(columns, population=Population(fraction=0.01), levels=levels)
    assert (found.outcome, found.found) == ("not evaluated", None)
    assert found.sentence.startswith(
        "120 of 120 people are in groups smaller than 3 on age, too few to say what all people alike have in "
        "ill. Only larger groups are counted here"
    )
    # Half of the people, and no more, are in such groups.
    half = {"age": list(range(60)) + [60 + n // 10 for n in range(60)], "ill": list("abc") * 40}
    assert check(half, population=Population(fraction=0.01), levels=levels).outcome == "pass"


def test_small_groups_of_nearly_everyone_are_left_to_singling_out():
    columns = {"age": list(range(120)), "ill": list("abc") * 40}
    found = check(columns, population=Population(fraction=0.99))
    assert found.outcome == "not evaluated"
    assert "where singling someone out can reveal ill" in found.sentence


def test_a_pass_says_what_groups_reach_and_why_it_does_not_count():
    plain = check(sets(*PLAIN)).sentence
    said = "reaches 50% or more in a group and at least 33 points more than among all people."
    assert plain == f"No value of ill {said}"
    # Of six people five have a value that a third have: likely, and no more than chance makes.
    found = check(sets(*PLAIN, {"a": 5, "b": 1}))
    assert found.outcome == "pass"
    assert found.sentence == (
        "At least 5 people (0.6%) are in groups where a large part of the people (50% or more, up to 83.3%) "
        "has the same ill. Groups of this size show that by chance alone, so the check passes."
    )
    assert found.found_text == "0% of people beyond chance"
    sample = check(sets(*PLAIN, {"a": 5}), population=Population(fraction=0.01))
    assert sample.sentence.startswith(
        "At least 5 people (0.6%) are in groups where a large part of the people"
    )
    assert "up to 100%) has the same ill. These groups are too small" in sample.sentence
    only = check(sets(*PLAIN, {"a": 20, "b": 10}), levels=(Learning(0.0, 0.9),)).sentence
    assert only.startswith("No value of ill reaches 90% or more in a group and")


def test_of_two_findings_the_certain_one_is_said_first_and_the_other_too():
    few = [{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 1}, {"a": 1, "b": 1, "c": 2}] * 10
    found = check(sets(*few, {"a": 4}, {"rare": 12, "a": 6, "b": 6}))
    assert (found.outcome, found.concerned) == ("warn", 12)
    assert found.sentence.startswith("Fewer than 5 people are in a small group on age where nearly everyone")
    assert "ill becomes likely for 12 people" in found.sentence
    assert found.to_dict()["fix"].startswith("Make the groups larger. Leave out age")


def test_keys_that_do_not_reveal_all_of_it_alone_are_said_to_reveal_some():
    rows = [("x", f"t{i % 12}", "rare" if i < 60 else "abcd"[i % 4]) for i in range(100)]
    rows += [("y", "t0", "rare" if i < 24 else "abcd"[i % 4]) for i in range(40)]
    rows += [("y", f"t{1 + i % 11}", "abcd"[i // 11 % 4]) for i in range(880)]
    columns = dict(zip(("age", "town", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    found = check(columns, keys=("age", "town"))
    assert found.outcome == "warn"
    assert found.concerned > 60  # those of x, and some of y
    assert "for some by age alone." in found.sentence


def test_everyone_told_about_counts_once_where_chance_is_no_excuse():
    # Of 100 in A 90 have x, which age tells of 90; sets of ten who all have x and fifty who are alone are
    # told about by both keys together. Together they are 140, though neither is more than 100.
    rare = [f"y{i}" for i in range(20)]
    rows = [("A", f"g{g}", x) for g in range(10) for x in ("x", "x", "x", "x", rare[g])]
    rows += [("A", f"h{g}", "x") for g in range(5) for _ in range(10)]
    rows += [("B", f"u{i}", rare[i % 20]) for i in range(50)]
    rows += [(f"C{i % 10}", "m", rare[i // 10 % 20]) for i in range(850)]
    columns = dict(zip(("age", "zip", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    found = check(columns, levels=(Learning(0.12, 0.9, chance=False),), keys=("age", "zip"))
    assert (found.outcome, found.concerned) == ("fail", 140)


def test_many_small_sets_that_agree_are_too_many_for_chance():
    # Each alone could be chance; forty sets of three that all agree are not.
    alike = [{"a": 3}, {"b": 3}, {"c": 3}, {"d": 3}] * 10
    assert check(sets(*alike)).outcome == "fail"


def test_missing_values_stay_in_the_set_and_are_never_news():
    for absent in (None, "DK", "refused to answer", "Not asked", "?", "n/a"):
        columns = sets(*PLAIN)
        more = {"age": [99] * 30, "ill": [absent] * 30}
        found = check({name: columns[name] + more[name] for name in columns})
        assert found.outcome == "pass", absent
    columns = sets(*PLAIN, {"a": 20})
    diluted = {"age": columns["age"] + [30] * 20, "ill": columns["ill"] + [None] * 20}
    found = check(diluted)  # half of the set is missing; the other half all have the same value
    assert (found.outcome, found.concerned) == ("fail", 20)
    assert "of all people with a known value have this value" in found.answer.sentence


@pytest.mark.parametrize(
    ("values", "absent"),
    [
        ([1, 2, 3, 999], []),
        (["+", "-", "?"], []),
        (["yes", "-"], ["-"]),
    ],
)
def test_signs_mean_missing_and_numbers_do_not(values, absent):
    codes = Codes.of(values)
    found = no_answer(codes, 5 * np.bincount(codes.codes, minlength=codes.cardinality))
    assert [value for value, lost in zip(values, found[1:], strict=True) if lost] == absent


@pytest.mark.parametrize(
    ("values", "far"),
    [
        ([1, 2, 3, 999], [999]),
        ([500, 900, 999], []),
        ([0, 1, -1], []),
        ([*range(20), -1], [-1]),
        ([0, 4, 8, -9], [-9]),
        ([-3, 4, 8, -9], []),
    ],
)
def test_numbers_far_from_all_others(values, far):
    codes = Codes.of(values)
    records = 5 * np.bincount(codes.codes, minlength=codes.cardinality)
    found = outliers(codes, records, no_answer(codes, records))
    assert [value for value, apart in zip(values, found[1:], strict=True) if apart] == far


@pytest.mark.parametrize("others", [[110, 250, 401, 486, 530, 715, 780], [*range(1000, 1200, 5)]])
def test_a_number_that_only_may_mean_missing_is_a_value_until_it_is_declared(others):
    values = [others[n % len(others)] for n in range(250)]
    columns = {"age": [n % 5 for n in range(250)] + [9] * 50, "ill": values + [9999] * 50}
    found = check(columns)
    assert (found.outcome, found.concerned) == ("fail", 50)
    assert check({**columns, "ill": [*values, *[None] * 50]}).outcome == "pass"


def test_minus_one_is_a_value_unless_it_is_far_from_many_others():
    places = [place for place in range(4) for _ in range(50)]
    found = check({"age": places, "ill": [-1] * 50 + [0, 1] * 75})
    assert (found.outcome, found.concerned) == ("fail", 50)


def test_many_numbers_are_asked_in_twenty_bands_two_by_two():
    codes = Codes.of(list(range(200)))
    (asked,) = asked_values(SensitiveAnswers(codes, np.bincount(codes.codes, minlength=201)), None, None, "x")
    assert asked.bands == 20
    assert np.bincount(asked.of_code[codes.codes]).tolist() == [10] * 20
    assert many_asked([asked]) == 19
    few = Codes.of(list(range(20)))
    assert (
        asked_values(SensitiveAnswers(few, np.bincount(few.codes, minlength=21)), None, None, "x")[0].bands
        == 0
    )


def test_two_neighbouring_bands_are_one_value():
    # 20 values of ten people each; one set of ten spans two neighbouring bands.
    rng = np.random.default_rng(5)
    income = np.repeat(np.arange(1000, 3000, 10), 5)
    age = rng.permutation(np.repeat(np.arange(50), 20))
    alike = {"age": [99] * 20, "ill": [1990, 2000] * 10}
    columns = {"age": age.tolist() + alike["age"], "ill": income.tolist() + alike["ill"]}
    found = check(columns)
    assert (found.outcome, found.concerned) == ("fail", 20)
    assert "wider bands" in found.to_dict()["fix"]


def test_groups_are_asked_as_well_as_values():
    names = {
        "lung": "cancer",
        "colon": "cancer",
        "skin": "cancer",
        "flu": "other",
        "cold": "other",
        "gout": "other",
    }
    plain = [dict.fromkeys(names, 5)] * 30
    columns = sets(*plain, {"lung": 8, "colon": 8, "skin": 8})
    assert check(columns).outcome == "pass"
    groups = Partition.of(
        {"cancer": ["lung", "colon", "skin"], "other": ["flu", "cold", "gout"]}, attribute="ill"
    )
    assert check(columns, partitions={"ill": groups}).outcome == "fail"
    tree = Hierarchy.of([(name, group, "ill") for name, group in names.items()], attribute="ill")
    found = check(columns, hierarchies={"ill": tree})
    assert (found.outcome, found.concerned) == ("fail", 24)


def test_a_leak_by_one_key_is_seen_where_all_keys_together_leave_everyone_alone():
    rng = np.random.default_rng(2)
    n = 600
    ill = rng.choice(list("abcd"), n)
    columns = {f"k{i}": rng.integers(0, 20, n).tolist() for i in range(4)}
    columns["town"] = np.where(ill == "a", "x", "y").tolist()
    found = check(columns | {"ill": ill.tolist()}, keys=[*columns])
    assert found.outcome == "fail"
    assert found.answer.sentence.startswith("town reveals ill of ")
    assert found.to_dict()["fix"] == "Leave out town, or release it more coarsely."
    assert found.concerned == int((ill == "a").sum())


def test_two_keys_that_tell_only_together_are_seen_among_many():
    rng = np.random.default_rng(4)
    n = 2000
    one, other = rng.integers(0, 2, n), rng.integers(0, 2, n)
    columns = {f"k{i}": rng.integers(0, 20, n).tolist() for i in range(4)}
    columns |= {"p": one.tolist(), "q": other.tolist()}
    found = check(columns | {"ill": np.where(one == other, "a", "b").tolist()}, keys=[*columns])
    assert found.outcome == "fail"
    assert found.answer.sentence.startswith("p and q reveal ill of 2,000 people")
    assert found.concerned == n


def test_in_a_sample_a_share_is_drawn_towards_its_lower_bound():
    # 3 of 3: the lower bound is 0.05 ** (1/3) = 0.368.
    count, size = np.asarray([3]), np.asarray([3])
    assert SampleShare(0.1).believed(count, size) == pytest.approx(0.1 + 0.9 * 0.05 ** (1 / 3))
    assert SampleShare().believed(count, size) == 1
    columns = sets(*PLAIN, {"rare": 3})
    assert check(columns).outcome == "fail"
    # Three of three do not say it of all people alike, and chance does not explain them: no verdict.
    assert check(columns, population=Population(fraction=0.01)).outcome == "not evaluated"


@pytest.mark.parametrize(("size", "fraction"), [(2, 0.2), (5, 0.01)])
def test_many_small_groups_of_a_sample_that_agree_are_no_pass(size, fraction):
    rng = np.random.default_rng(5)
    groups = rng.integers(0, 4, 400)
    columns = {"age": np.repeat(np.arange(400), size).tolist(), "ill": np.repeat(groups, size).tolist()}
    found = check(columns, population=Population(fraction=fraction))
    assert (found.outcome, found.found) == ("not evaluated", None)
    assert "which chance does not explain" in found.answer.sentence
    columns["ill"] = rng.permutation(columns["ill"]).tolist()
    by_chance = check(columns, population=Population(fraction=fraction))
    assert "which chance does not explain" not in by_chance.answer.sentence


def test_people_without_a_group_do_not_help_to_pass():
    """54 of 94 people are in pairs; more records that are in no group leave fewer who were counted."""
    rng = np.random.default_rng(2)
    keys = [*np.repeat(np.arange(27), 2).tolist(), *np.repeat(np.arange(50, 54), 10).tolist()]
    for left_out in (0, 14, 40):
        ill = rng.integers(0, 4, 94 + left_out).astype(str).tolist()
        columns = {"age": [*keys, *[None] * left_out], "ill": ill}
        assert check(columns, missing="drop").outcome == "not evaluated"


def test_people_are_counted_where_an_identifier_repeats():
    # Twenty records of one person say no more than one.
    columns = sets(*PLAIN, {"a": 20})
    people = [*range(900), *[900] * 20]
    assert check(columns | {"id": people}, identifiers="id").outcome == "pass"
    assert check(columns | {"id": list(range(920))}, identifiers="id").concerned == 20


def test_a_constant_attribute_is_told_by_being_in_the_table():
    found = check(sets({"hiv": 60}, {"hiv": 60}))
    assert (found.outcome, found.found, found.concerned) == ("warn", 1.0, 120)
    assert found.answer.sentence == "Everyone has the same ill: being in the table reveals it."
    nearly = check(sets({"hiv": 60}, {"hiv": 59, None: 1}))
    assert (nearly.outcome, nearly.concerned) == ("warn", 119)
    assert nearly.answer.sentence == "Everyone with a value has the same ill: being in the table reveals it."
    # Where every tenth or more has none, groups may say who has one.
    assert check(sets({"hiv": 60}, {"hiv": 40, None: 20})).outcome == "pass"


@pytest.mark.parametrize("decision", ["refused", "Declined", "undisclosed"])
def test_a_decision_is_learned_although_the_word_may_mean_that_there_is_no_answer(decision):
    columns = sets(*PLAIN, {decision: 20})
    assert (check(columns).outcome, check(columns).concerned) == ("fail", 20)
    assert check(columns, missing_values=[decision]).outcome == "pass"


@pytest.mark.parametrize("nothing", [None, "not asked"])
def test_an_attribute_that_no_record_has_a_value_of_is_not_evaluated(nothing):
    found = check(sets({nothing: 60}, {nothing: 60}))
    assert (found.outcome, found.found) == ("not evaluated", None)
    assert found.undefined == "no record has a value of ill"
    assert "being in the table" not in found.sentence


def test_an_audit_of_an_attribute_without_values_has_no_verdict_and_says_nothing_untrue():
    table = dv.read(sets({None: 60}, {None: 60}), quasi_identifiers="age", sensitive="ill")
    found = dv.audit(table, search=False)
    assert found.outcome == "not evaluated"
    assert "being in the table" not in str(found)
    assert "No record has a value of ill." in str(found)


def test_an_attribute_that_is_suppressed_for_everyone_reveals_nothing():
    found = check(sets({"*": 60}, {"*": 60}))
    assert (found.outcome, found.sentence) == ("pass", "ill is suppressed for everyone.")


def test_no_change_to_quasi_identifiers_is_sought_for_an_attribute_with_one_value():
    data = dv.read(sets({"hiv": 60}, {"hiv": 60}), quasi_identifiers="age", sensitive="ill")
    found = dv.audit(data)
    assert (found.outcome, found.plan) == ("warn", None)
    assert all(one.sentence.count("except the one on what is learned about ill") for one in found.remedies)
    policy = {"attributes": {"age": "quasi-identifier", "ill": "sensitive"}}
    policy |= {"thresholds": {"distinct_l_diversity": {"min": 2}, "learned": {"certain": 1.0}}}
    checks = dv.audit(data, policy, search=False).checks
    assert sorted(one.outcome for one in checks if one.target == ("ill",)) == ["fail", "warn"]


def test_the_probability_of_a_telling_set_is_binomial_and_of_many_poisson():
    # Two sets of three, one all x; x is half of six.
    table = PeopleTable(
        np.asarray([3, 3]),
        np.ones(2, int),
        np.asarray([0, 1]),
        np.asarray([1, 2]),
        np.asarray([3, 3]),
        np.asarray([0, 3, 3]),
        6,
    )
    codes = Codes.of(["x", "y"])
    asked = asked_values(SensitiveAnswers(codes, np.asarray([0, 3, 3])), None, None, "ill")[0]
    found = telling(table, asked, CERTAIN, SampleShare())
    assert found.by_chance == pytest.approx([1 / 8, 1 / 8])
    # Each value is expected 2 / 8 times and told once: 1 - exp(-1/4).
    assert found.as_many == pytest.approx([1 - np.exp(-1 / 4)] * 2)


def test_several_sensitive_attributes_are_a_check_each():
    columns = sets(*PLAIN, {"a": 20}) | {"pay": [1, 2] * 460}
    data = dv.read(columns, quasi_identifiers="age", sensitive=["ill", "pay"])
    found = learned(USUAL.learned, Scope(data))
    assert [(one.target, one.outcome) for one in found] == [(("ill",), "fail"), (("pay",), "pass")]


def test_full_certainty_about_a_sample_is_not_evaluated():
    found = check(sets(*PLAIN, {"a": 20}), levels=(Learning(0.0, 1.0),), population=Population(size=100_000))
    assert found.outcome == "not evaluated"
    assert "of a sample nothing is certain" in found.answer.sentence
    assert check(sets(*PLAIN, {"a": 20}), levels=(Learning(0.0, 1.0),)).outcome == "fail"


def test_each_level_says_whether_it_asks_beyond_chance_and_what_chance_explains():
    # Sets of three of two values: some have one value only, as often as chance makes that.
    rng = np.random.default_rng(4)
    columns = {"age": np.repeat(np.arange(200), 3).tolist(), "ill": rng.choice(["a", "b"], 600).tolist()}
    scope = Scope(dv.read(columns, quasi_identifiers="age", sensitive="ill"))
    certain, likely = learned(USUAL.learned, scope, apart=True)
    assert (certain.outcome, likely.outcome) == ("warn", "pass")
    assert certain.asked == "fails: nobody with 90% certainty beyond chance"
    assert likely.asked == "warns: nobody with 50% certainty beyond chance"
    assert certain.found_text.endswith("% of people, which chance explains")
    assert likely.found_text == "0% of people beyond chance"
    strict = learned([Learning(0.0, 0.9, chance=False)], scope)[0]
    assert (strict.outcome, strict.asked) == ("fail", "nobody with 90% certainty")
    assert strict.found_text == f"{certain.found_text.removesuffix(', which chance explains')}"


def test_a_number_asked_in_bands_is_revealed_as_a_range():
    dice = np.random.default_rng(2)
    spread = dice.uniform(0, 1000, 400)
    near = np.where(np.arange(400) < 6, 500 + dice.uniform(0, 1, 400), spread)
    towns = ["x"] * 6 + [f"t{n % 12}" for n in range(394)]
    found = check({"age": towns, "ill": near.tolist()})
    assert found.answer.sentence.startswith("age reveals the ill range of 6 people")
    assert "the same ill" not in found.answer.sentence


def test_of_few_numbers_a_pass_speaks_of_single_values_and_limits():
    columns = {"age": [n % 5 for n in range(950)], "ill": [1000 * (1 + n % 19) for n in range(950)]}
    said = check(columns).to_dict()["sentence"]
    assert said.startswith("No single value of ill reaches")
    assert said.endswith("or what is below or above a limit 99.8% or more.")
    columns["ill"] = ["abcd"[n % 4] for n in range(949)] + [None]
    assert check(columns).to_dict()["sentence"].startswith("No value of ill reaches")
