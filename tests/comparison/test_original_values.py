"""Checks of a release with suppressed cells, counted by the original values where records are matched."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import divulge as dv
from divulge._support.rounding import above
from divulge.assessment.checks.singled_out import risks
from divulge.assessment.checks.threshold_check import Check
from divulge.assessment.inference.revealing_groups import Bar
from divulge.assessment.inference.revealing_keys import Inference
from divulge.assessment.scope import Scope
from divulge.comparison.release import ComparisonPlan, Release
from divulge.policy import Demands, Learning, Policy, Population, SinglingOut

KEYS = ("a", "b")
VALUES = ("20", "21", "30"), ("7", "8"), ("f", "m"), tuple("abc")
MANY = ("age", "zip", "sex")
PAIRS = [(a, b) for a in "1234" for b in "xy"]


def beside(original, released, *, k=3, learned=(), keys=KEYS, **scope):
    """One release beside its original, matched by the order of rows or by an identifier."""
    roles = {"quasi_identifiers": keys, "sensitive": "s", **scope.pop("roles", {})}
    demands = Demands((SinglingOut(0.0, k),), learned or (Learning(0.0, 0.9),))
    policy, by = scope.pop("policy", {}), scope.pop("by", ())
    named = dict.fromkeys(keys, "quasi-identifier")
    thresholds = Policy.of({"attributes": named, "thresholds": policy}).thresholds if policy else ()
    plan = ComparisonPlan(Scope(dv.read(original, **roles), **scope), thresholds, demands, by)
    return Release.of(dv.read(released), plan)


def check(release, name):
    return next(one for one in release.checks if not isinstance(one, Check) and one.measure_name == name)


def found_too_surely(release, k=3):
    """How many people have a risk above 1/k, whatever the check makes of it."""
    scope = replace(release.scope, originals=release.originals)
    risk, often, _ = risks(scope, scope.keys)
    return int(often[above(risk, 1 / k)].sum())


def table(rows):
    return dict(zip(("a", "b", "s"), map(list, zip(*rows, strict=True)), strict=True))


def people(each, value):
    """So many people for each pair of keys, with the values that a function of pair and number gives."""
    return [(a, b, value(a + b, i)) for a, b in PAIRS for i in range(each)]


# -- by hand ------------------------------------------------------------------------------------


def test_a_lone_person_whose_value_is_suppressed_is_still_singled_out():
    rows = [one for one in people(50, lambda _, i: "pqrst"[i % 5]) if one[:2] != ("1", "x")]
    lone = table([*rows, ("1", "x", "p")])
    release = beside(lone, table([*rows, ("1", "*", "p")]), policy={"k_anonymity": {"min": 5}})
    found = check(release, "singled_out")
    assert (found.outcome, found.concerned, found.counted) == ("fail", 1, 351)
    assert "fit a person's original values" in found.sentence
    threshold = next(one for one in release.checks if isinstance(one, Check))
    assert (threshold.found, threshold.concerned, threshold.counted) == (1, 1, 351)


def test_a_group_of_one_value_is_revealed_though_its_key_is_suppressed():
    rows = people(
        50, lambda keys, i: "p" if keys == "1x" else "qrst"[i % 4] if keys == "1y" else "pqrst"[i % 5]
    )
    hidden = [(a, "*" if (a, b) == ("1", "x") else b, s) for a, b, s in rows]
    found = check(beside(table(rows), table(hidden)), "learned")
    assert (found.outcome, found.concerned) == ("fail", 50)


def test_a_group_within_a_band_of_numbers_is_revealed_though_its_key_is_suppressed():
    rows = people(50, lambda keys, i: str(1000 + i if keys == "1x" else 2000 + 37 * i + 10 * ord(keys[0])))
    hidden = [(a, "*" if (a, b) == ("1", "x") else b, s) for a, b, s in rows]
    found = check(beside(table(rows), table(hidden)), "learned")
    assert (found.outcome, found.concerned) == ("fail", 50)


def test_suppressed_records_stay_among_those_who_could_be_meant():
    # Half of (1, x) have q and are suppressed: whoever knows (1, x) still finds p and q, as many of each.
    rows = people(
        50, lambda keys, i: "pq"[i % 2] if keys == "1x" else "rst"[i % 3] if keys == "1y" else "pqrst"[i % 5]
    )
    hidden = [(a, "*" if (a, b, s) == ("1", "x", "q") else b, s) for a, b, s in rows]
    assert check(beside(table(rows), table(hidden)), "learned").outcome == "pass"


def test_records_without_any_key_stay_among_those_who_could_be_meant():
    lone = [("5", "z", one) for one in "pqrst"]
    rows = [*people(20, lambda _, i: "pqrst"[i % 5]), *lone]
    hidden = [*rows[:-4], *(("*", "*", s) for _, _, s in lone[1:])]
    release = beside(table(rows), table(hidden), k=5, policy={"k_anonymity": {"min": 5}})
    found = check(release, "singled_out")
    assert (found.outcome, found.concerned, found.counted) == ("pass", 0, 165)
    assert next(one for one in release.checks if isinstance(one, Check)).found == 5


def test_who_is_found_among_others_of_one_value_is_told_about():
    # p is alone with (1, x), and with b suppressed the fifty of (1, y) who have p could be meant too.
    rows = [
        one
        for one in people(100, lambda keys, i: "pq"[i % 2] if keys == "1y" else "pqrst"[i % 5])
        if one[:2] != ("1", "x")
    ]
    hidden = [(a, "*" if (a, b, s) == ("1", "y", "p") else b, s) for a, b, s in rows]
    release = beside(table([*rows, ("1", "x", "p")]), table([*hidden, ("1", "x", "p")]))
    # But the record that shows (1, x) can only be that person's.
    found = check(release, "singled_out")
    assert (found.outcome, found.concerned) == ("fail", 1)
    assert (check(release, "learned").outcome, check(release, "learned").concerned) == ("fail", 1)


def test_nobody_is_told_about_by_those_who_only_fit_where_people_alike_differ():
    # Of ten with (1, x) five have p. Ninety of (1, y) have it and are suppressed: 95 of 100 fit, but an
    # attacker who believes that is right about half of the ten, as before. The ninety are told about anyway.
    rows = [*(("1", "x", "pq"[i % 2]) for i in range(10)), *[("1", "y", "p")] * 90]
    rows += [("12"[i % 2], "z", "qrst"[i % 4]) for i in range(100)]
    hidden = [(a, "*" if (a, b) == ("1", "y") else b, s) for a, b, s in rows]
    before, after = (check(beside(table(rows), table(one)), "learned") for one in (rows, hidden))
    assert (before.concerned, after.concerned) == (90, 90)


def test_a_suppressed_sensitive_value_may_be_anything_and_is_no_value_to_learn():
    rows = people(20, lambda keys, i: "p" if keys == "1x" else "pqrst"[i % 5])
    # 17 of 20 show p: the other three may have anything, so that p is not certain at 90%.
    hidden = [(a, "*" if i == 0 else b, "*" if i in (1, 2, 3) else s) for i, (a, b, s) in enumerate(rows)]
    found = check(beside(table(rows), table(hidden)), "learned")
    assert (found.outcome, found.concerned) == ("pass", 0)
    # 19 of 20 do: it is, for all twenty.
    hidden = [(a, "*" if i == 0 else b, "*" if i == 1 else s) for i, (a, b, s) in enumerate(rows)]
    assert check(beside(table(rows), table(hidden)), "learned").concerned == 20
    marks = table([(a, b, "*" if (a, b) == ("1", "x") else s) for a, b, s in rows])
    audited = dv.audit(dv.read(marks, quasi_identifiers=KEYS, sensitive="s"))
    assert next(one for one in audited.checks if one.measure_name == "learned").outcome == "pass"


def test_generalized_values_fit_by_spelling_and_by_hierarchy():
    original = {"a": ["21", "22", "31", "31"], "b": ["red", "blue", "red", "blue"], "s": list("pqpq")}
    released = {"a": ["2*", "2*", "31", "*"], "b": ["warm", "*", "warm", "cold"], "s": list("pqpq")}
    hierarchy = dv.Hierarchy.of([("red", "warm"), ("blue", "cold")], attribute="b")
    release = beside(original, released, k=2, roles={"hierarchies": {"b": hierarchy}})
    # 21 red: 2* warm and 2* *, but 2* warm is nobody else's; 22 blue: 2* * and * cold, and 2* * may be that
    # of 21 red; 31 red: 31 warm; 31 blue: * cold.
    assert check(release, "singled_out").concerned == 3


def test_records_that_fit_everybody_are_no_company_for_people_whose_own_record_shows_who_they_are():
    # Everyone is alone on a and b. Four records without any key fit all of them, and are theirs hardly ever.
    rows = [(str(i), "x", "pqrst"[i % 5]) for i in range(200)]
    hidden = [("*", "*", s) if i < 4 else (a, b, s) for i, (a, b, s) in enumerate(rows)]
    release = beside(table(rows), table(hidden), k=3, policy={"k_anonymity": {"min": 5}})
    found = check(release, "singled_out")
    assert (found.outcome, found.concerned, found.counted) == ("fail", 196, 200)
    assert next(one for one in release.checks if isinstance(one, Check)).found == 1


def test_records_that_fit_everybody_do_not_hide_what_a_group_has_in_common():
    rows = people(10, lambda keys, i: "p" if keys == "1x" else "qrst"[i % 4])
    blank = [("*", "*", "q")] * 10
    asked = [*rows, *(("4", "z", "q") for _ in range(10))]
    found = check(beside(table(asked), table([*rows, *blank])), "learned")
    # Those of (1, x) by their own records; those of (4, z) since all whom they could be have q.
    assert (found.outcome, found.concerned) == ("fail", 20)


def test_people_with_several_records_are_counted_once():
    original = {"id": list("aabcde"), "a": list("111122"), "b": list("pqppqq"), "s": list("uvuvuv")}
    released = original | {"a": list("111*22"), "b": list("pq*pqq")}
    release = beside(original, released, k=3, roles={"identifiers": "id"})
    # 1p: a, b, c; 1q: a, b; 2q: d and e. A person is as well found as by the worst of the records.
    found = check(release, "singled_out")
    assert (found.concerned, found.counted) == (3, 5)


def test_where_the_original_is_not_known_suppressed_cells_fit_any_value():
    rows = [*[("1", "y", "p")] * 30, *[("2", "x", "q")] * 30, *[("2", "y", "p")] * 30, ("1", "x", "p")]
    hidden = [*rows[:-1], ("1", "*", "p")]
    matched = beside(table(rows), table(hidden))
    removed = beside(
        table([*rows, ("2", "x", "q")]), table(hidden)
    )  # nothing says which records are the same
    words = [("one", "uno", "eins")[i % 3] if a == "1" or i % 2 else a for i, (a, _, _) in enumerate(hidden)]
    unclear = beside(table(rows), table([(a, b, s) for a, (_, b, s) in zip(words, hidden, strict=True)]))
    assert [one.originals is not None for one in (matched, removed, unclear)] == [True, False, False]
    assert [check(one, "singled_out").concerned for one in (matched, removed, unclear)] == [1, 0, 0]


def test_starred_records_are_no_company_for_all_where_records_are_not_matched():
    rows = [(str(i), "x", "pqrst"[i % 5]) for i in range(200)]
    release = beside(table(rows), table([*rows, *[("*", "x", "p")] * 8]))
    assert release.originals is None
    assert check(release, "singled_out").outcome == "not evaluated"


@pytest.mark.parametrize("population", [Population(size=6000), Population(weight="w")])
def test_in_a_sample_suppressing_those_who_are_two_makes_nobody_who_is_alone_easier_to_find(population):
    names = [
        *(f"u{i}" for i in range(30)),
        *(f"p{i // 2}" for i in range(60)),
        *(f"q{i // 20}" for i in range(800)),
    ]
    original = {"a": names, "b": ["xy"[one[0] == "p"] for one in names], "s": ["p", "q"] * 445}
    original["w"] = ["7"] * len(names)
    hidden = original | {"a": ["*" if one[0] == "p" else one for one in names]}
    before, after = (
        found_too_surely(beside(original, one, population=population)) for one in (original, hidden)
    )
    assert after <= before


@pytest.mark.parametrize(
    ("shares", "sizes"),
    [
        pytest.param((0.1, 0.9), (2, 20), id="some"),
        pytest.param((0.1, 0.5, 0.9), (2, 5, 20, 100), id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("population", [Population(weight="w"), Population(size=300), Population(size=60)])
def test_in_a_sample_suppressing_makes_nobody_easier_to_find(population, shares, sizes):
    rng = np.random.default_rng(8)
    original = {key: rng.choice(one, 30).tolist() for key, one in zip((*MANY, "s"), VALUES, strict=True)}
    original |= {"w": rng.choice(["1", "3.5", "20", "200"], 30).tolist(), "record": [*map(str, range(30))]}

    def concerned(release, k):
        found = beside(original, release, k=k, keys=MANY, by=("record",), population=population)
        return found_too_surely(found, k)

    before = {k: concerned(original, k) for k in sizes}
    for share in shares:
        hidden = {key: np.where(rng.random(30) < share, "*", original[key]).tolist() for key in MANY}
        assert all(concerned(original | hidden, k) <= before[k] for k in sizes)


# -- any suppression ----------------------------------------------------------------------------

CASES = st.integers(3, 12).flatmap(
    lambda records: st.tuples(
        st.tuples(*(st.lists(st.sampled_from(one), min_size=records, max_size=records) for one in VALUES)),
        st.lists(st.tuples(*[st.booleans()] * 4), min_size=records, max_size=records),
        st.booleans(),
        st.lists(st.sampled_from("tuvw"), min_size=records, max_size=records),
    )
)


def case(drawn):
    """An original, a release, perhaps by coarser ages, and the same with any cells suppressed."""
    columns, hidden, coarse, who = drawn
    original = dict(zip((*MANY, "s"), columns, strict=True)) | {
        "record": [*map(str, range(len(who)))],
        "id": who,
    }
    release = original | {"age": [f"{one[0]}*" for one in original["age"]]} if coarse else original
    stars = np.asarray(hidden)
    assume(not stars[:, :3].all())
    suppressed = release | {
        key: ["*" if star else one for star, one in zip(stars[:, i], release[key], strict=True)]
        for i, key in enumerate((*MANY, "s"))
    }
    return original, release, suppressed


def fits(shown, known):
    return shown in ("*", known) or (shown.endswith("*") and known.startswith(shown[:-1]))


def company(original, released, of):
    """Of the records that fit a person's original values, and the people whom the own record fits, the fewer.

    Both are looked up one by one.
    """
    records = range(len(original["s"]))

    def fit(person, record):
        return all(fits(released[key][record], original[key][person]) for key in MANY)

    return [
        min(len({of[j] for j in records if fit(i, j)}), len({of[j] for j in records if fit(j, i)}))
        for i in records
    ]


def assert_counted_one_by_one(drawn):
    original, release, suppressed = case(drawn)
    for names in ({}, {"identifiers": "id"}):
        of, picked = original["id" if names else "record"], []
        for one in (release, suppressed):
            found = check(beside(original, one, keys=MANY, by=("record",), roles=names), "singled_out")
            few = {of[i] for i, size in enumerate(company(original, one, of)) if size < 3}
            assert (found.concerned, found.counted) == (len(few), len(set(of)))
            picked.append(len(few))
        assert picked[1] <= picked[0]


@settings(max_examples=6)
@given(CASES)
def test_who_is_singled_out_is_counted_as_one_by_one_and_never_rises_by_suppressing(drawn):
    assert_counted_one_by_one(drawn)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(CASES)
def test_who_is_singled_out_is_counted_as_one_by_one_over_many_tables(drawn):
    assert_counted_one_by_one(drawn)


def assert_nobody_more_is_told_about(drawn):
    original, _, suppressed = case(drawn)
    bar, told = Bar(0.6, 0.1), []
    for one in (original, suppressed):
        release = beside(original, one, keys=MANY, by=("record",))
        scope = Scope(release.scope.data, stars_fit=True, originals=release.originals)
        found = Inference(scope, "s", [MANY], 1, (bar,)).of_every_size(bar)
        told.append(0 if found is None else found.people)
    assert told[1] <= told[0]


@settings(max_examples=12)
@given(CASES)
def test_about_nobody_more_is_told_by_suppressing(drawn):
    assert_nobody_more_is_told_about(drawn)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(CASES)
def test_about_nobody_more_is_told_by_suppressing_over_many_tables(drawn):
    assert_nobody_more_is_told_about(drawn)


def test_suppressing_is_counted_alike_in_the_sizes_that_a_policy_bounds():
    rng = np.random.default_rng(3)
    original = {key: rng.choice(one, 60).tolist() for key, one in zip((*MANY, "s"), VALUES, strict=True)}
    original["id"] = np.repeat(np.arange(30), 2).astype(str).tolist()
    original["record"] = [*map(str, range(60))]
    policy = {
        "k_anonymity": {"min": 2},
        "uniqueness": {"max": 0.5},
        "class_count": {"max": 99},
        "average_class_size": {"min": 2},
        "reidentification_risk": {"max": 0.5, "kind": "average"},
    }
    found = []
    for share in (0, 0.02, 0.3, 0.9):
        hidden = {key: np.where(rng.random(60) < share, "*", original[key]).tolist() for key in MANY}
        release = beside(
            original, original | hidden, keys=MANY, by=("record",), policy=policy, roles={"identifiers": "id"}
        )
        found.append([one.found for one in release.checks if isinstance(one, Check)])
    for k, alone, classes, average, risk in np.asarray(found[1:]) - np.asarray(found[:1]):
        assert min(k, average) >= 0 >= max(alone, classes, risk)
