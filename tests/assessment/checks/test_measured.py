"""What was not measured: it warns where a verdict rests on little, and says what it never covers."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment import audit

RNG = np.random.default_rng(3)


def last(columns=None, policy=None, **more):
    plain = {"age": np.repeat(np.arange(6), 40).tolist(), "ill": RNG.choice(list("abc"), 240).tolist()}
    given = {"quasi_identifiers": "age", "sensitive": "ill"} | more
    found = audit(dv.read(plain | (columns or {}), **given), policy, search=False)
    assert found.checks[-1].measure_name == "measured"
    return found.checks[-1]


def test_a_table_of_which_all_was_measured_passes_and_says_what_never_is():
    found = last()
    assert found.outcome == "pass"
    assert found.sentence == (
        "No gap weakens this result: a sensitive attribute is given, there are at least 100 records, and at "
        "most 5% of them were left out."
    )
    assert found.answer.note == (
        "Not measured: whether someone is in the table, what other releases reveal, whether a person has "
        "several records and whether the table is a sample."
    )


@pytest.mark.parametrize(
    ("columns", "given", "said"),
    [
        ({}, {"sensitive": None}, "No sensitive attribute is given"),
        ({"age": [1] * 20 + [None] * 220}, {"missing": "drop"}, "220 records (91.7%) were left out"),
        ({"age": ["*"] * 13 + ["x"] * 227}, {}, "13 records (5.4%) were left out"),
    ],
)
def test_what_makes_a_verdict_weak_warns(columns, given, said):
    found = last(columns, **given)
    assert found.outcome == "warn"
    assert said in found.sentence


def test_records_without_a_sensitive_value_are_left_out_for_it():
    columns = {"x": [None, "u", "v", "w"] * 60, "y": [1, 2] * 119 + [None, 2]}  # one y of 240 is missing
    found = last(columns, missing="drop", sensitive=["x", "y"])
    assert found.outcome == "warn"
    assert "60 records (25%) were left out of the counts on x." in found.sentence
    assert "where y" not in found.sentence
    assert last(columns, sensitive=["x", "y"]).outcome == "pass"


def test_a_sensitive_text_that_nobody_shares_could_not_be_asked_about():
    found = last({"ill": [f"case {chr(97 + n % 26)}{n}" for n in range(240)]})
    assert found.outcome == "warn"
    assert "Nearly every record has a different value of ill, so" in found.sentence
    amounts = last({"ill": [f"{n + 1},{n % 10}00 EUR" for n in range(240)]})  # are asked about in bands
    assert amounts.outcome == "pass"


def test_weights_that_could_not_be_used_are_said():
    columns, given = {"w": [1.0, 2.0] * 120}, {"weights": "w"}
    assert last(columns, **given).outcome == "pass"
    found = last(columns, missing="wildcard", **given)
    assert found.outcome == "warn"
    assert "What is learned was counted without weights." in found.sentence


def test_fewer_than_a_hundred_records_warn_and_a_hundred_do_not():
    for records, outcome in ((99, "warn"), (100, "pass")):
        columns = {"age": [1] * records, "ill": ["a", "b"] * 50}
        columns["ill"] = columns["ill"][:records]
        found = audit(dv.read(columns, quasi_identifiers="age", sensitive="ill"), search=False)
        assert found.checks[-1].outcome == outcome


def test_copies_are_noticed_and_counted_once():
    lab = RNG.normal(size=120).round(6).tolist()
    age = np.repeat(np.arange(40), 3).tolist()
    ill = RNG.choice(list("abc"), 120).tolist()
    twice = {"age": age * 2, "lab": lab * 2, "ill": ill * 2}
    found = audit(dv.read(twice, quasi_identifiers="age", sensitive="ill"), search=False)
    assert "120 records are copies of others" in found.checks[-1].sentence
    assert found.checks[1].counted == 120
    assert found.checks[1].outcome == "warn"  # sets of three, not of six


def test_people_who_are_alike_are_no_copies_where_nothing_tells_them_apart():
    assert "copies" not in last({"kind": ["x", "y"] * 120}).sentence


def test_attributes_without_a_role_free_text_and_suggested_roles_are_listed():
    texts = [f"patient came in with complaint {i}" for i in range(24)] * 10
    said = last({"remark": texts}).answer.note
    assert "attributes without a role (remark)" in said
    assert "free text (remark)" in said
    columns = {"age": [30, 40] * 60, "disease": ["flu", "cold", "gout"] * 40}
    assert "whether the suggested roles are right" in str(audit(columns, search=False))


def test_a_policy_may_ignore_it():
    policy = {
        "attributes": {"age": "quasi-identifier"},
        "thresholds": {"k_anonymity": {"min": 2}, "measured": "ignore"},
    }
    found = audit({"age": [1, 1, 2, 2]}, policy, search=False)
    assert found.outcome == "pass"
    assert "The policy ignores this." in found.checks[-1].sentence


def test_records_that_were_not_counted_are_always_listed():
    nothing_of_groups = {
        "attributes": {"age": "quasi-identifier", "ill": "sensitive"},
        "thresholds": {"discrimination_rate": {"max": 0.99}},
    }
    found = last({"age": ["*"] * 6 + ["x"] * 234}, nothing_of_groups)
    assert found.outcome == "pass"
    assert "6 records that are suppressed or incomplete (and their ill)" in found.answer.note
    few = last({"age": ["*"] + ["x"] * 239}, nothing_of_groups)
    assert "fewer than 5 records that are suppressed" in few.answer.note
    dropped = last({"age": [None] * 6 + ["*"] * 6 + ["x"] * 228}, missing="drop")
    assert "6 records that are incomplete (and their ill)" in dropped.answer.note


def verdict(columns):
    return audit(dv.read(columns, quasi_identifiers="zip", sensitive="ill"), search=False).checks[-1]


def test_a_file_pasted_several_times_looks_copied():
    zips = [f"z{i}" for i in range(40)]
    ills = RNG.choice(list("abc"), 40).tolist()
    for ill in (["flu"] * 40, ills):
        found = verdict({"zip": zips * 5, "ill": ill * 5})
        assert found.outcome == "warn"
        assert "The 200 records look copied: only 40 are different." in found.sentence
    uneven = {"zip": zips * 5 + zips[:7], "ill": ills * 5 + ills[:7]}
    assert "look copied: only 40" in verdict(uneven).sentence


def test_a_pasted_file_with_records_alike_before_looks_copied():
    """Some of the records were alike before: each occurs a multiple of five times, and not equally often."""
    zips = [*(f"z{i}" for i in range(40)), "z0", "z1", "z1"]
    ills = ["abc"[int(zip[1:]) % 3] for zip in zips]
    found = verdict({"zip": zips * 5, "ill": ills * 5})
    assert found.outcome == "warn"
    assert (
        "The 215 records look copied: only 40 are different, and each occurs a multiple of 5 times, as if "
        "43 were pasted 5 times."
    ) in found.sentence
    one_more = verdict({"zip": [*zips * 5, "z2"], "ill": [*ills * 5, "c"]})
    assert one_more.outcome == "pass"  # five times, six, ten and fifteen
    few = verdict({"zip": [*zips[:19], "z0"] * 6, "ill": [*ills[:19], "a"] * 6})
    assert few.outcome == "pass"  # so few may do so by chance


def test_people_who_share_keys_do_not_look_copied():
    zips = np.repeat([f"z{i}" for i in range(40)], 5).tolist()
    varied = RNG.choice(list("abc"), 200).tolist()
    assert "look copied" not in verdict({"zip": zips, "ill": varied}).sentence
    # Nearly all have one value, and sets differ in size: nothing says that records were copied.
    common = {"zip": [*zips, "z0", "z1", "z1"], "ill": ["flu"] * 203}
    assert "look copied" not in verdict(common).sentence


def fine(keys, fraction=None):
    """People of whom three keys reveal ``ill``, and whom a fourth, d, nearly tells apart."""
    rng = np.random.default_rng(11)
    coarse = {name: rng.integers(0, 3, 1200) for name in "abc"}
    same = (coarse["a"] == coarse["b"]) & (coarse["b"] == coarse["c"])
    ill = np.where(same, "hiv", rng.choice(["flu", "cold", "ok", "gout"], 1200))
    table = {name: column.tolist() for name, column in coarse.items()}
    table |= {"d": rng.integers(0, 1200, 1200).tolist(), "e": [1, 2] * 600, "ill": ill.tolist()}
    data = dv.read({name: table[name] for name in (*keys, "ill")}, quasi_identifiers=keys, sensitive="ill")
    return audit(data, fraction=fraction, search=False)


def test_what_three_of_many_keys_reveal_in_a_sample_was_not_looked_at():
    """A fourth, nearly unique quasi-identifier hides what three reveal: that is no pass."""
    sample = 0.001
    assert fine(["a", "b", "c"], sample).verdict.outcome == "fail"
    found = fine(["a", "b", "c", "d"], sample)
    assert found.verdict.outcome == "not evaluated"
    assert found.checks[-1].sentence.startswith(
        "1,200 of 1,200 people are in groups smaller than 3 of this sample on a, b, c and d, and of fewer "
        "quasi-identifiers only each one and each pair were looked at: what three or more reveal was not "
        "measured. Look at fewer quasi-identifiers at a time, or at wider groups of their values."
    )
    aside = "what sets of three or more quasi-identifiers reveal, all together aside"
    assert aside in found.checks[-1].answer.note
    # Groups of four that are large enough show what three reveal; groups of three that are too small do not.
    assert fine(["a", "b", "c", "e"], sample).checks[-1].outcome == "pass"
    three = fine(["a", "b", "d"], sample).checks[-1]
    assert "what all three reveal together was not measured" in three.sentence
    assert fine(["a", "d"], sample).checks[-1].outcome == "pass"
    # In a table of everyone it is no gap of this check: what is learned is not evaluated.
    everyone = fine(["a", "b", "c", "d"])
    assert [one.outcome for one in everyone.checks[-2:]] == ["not evaluated", "pass"]
    assert aside not in everyone.checks[-1].answer.note


@pytest.mark.parametrize("role", ["identifier", None])
def test_records_of_one_person_that_an_allowed_identifier_links_were_not_looked_at_together(role):
    policy = {
        "attributes": {"age": "quasi-identifier", "ill": "sensitive"} | ({"pseudonym": role} if role else {}),
        "allow": {"identifiers": ["pseudonym"]},
        "thresholds": {"k_anonymity": {"min": 2}},
    }
    visits = {"pseudonym": [f"p{n // 3:04d}" for n in range(240)]}
    whose = "80 people" if role else "80 of its values"
    found = last(visits, policy, quasi_identifiers=None, sensitive=None)
    assert found.outcome == "warn"
    assert found.sentence.startswith(
        f"'pseudonym', which the policy allows, links several records for each of {whose}: what these reveal "
        "together was not measured."
    )
    once = {"pseudonym": [f"p{n:04d}" for n in range(240)]}
    assert last(once, policy, quasi_identifiers=None, sensitive=None).outcome == "pass"
    few = {"pseudonym": ["p0000", "p0000", *once["pseudonym"][2:]]}
    said = last(few, policy, quasi_identifiers=None, sensitive=None).sentence
    assert "fewer than 5" in said


@pytest.mark.parametrize(("alike", "outcome"), [(2750, "warn"), (3500, "pass")])
def test_a_third_of_the_people_in_small_groups_is_enough_to_hide_what_three_reveal(alike, outcome):
    rng = np.random.default_rng(1)
    keys = {name: rng.integers(1, 5, 5000) for name in "abc"}
    ill = np.where(
        np.arange(5000) < alike,
        rng.choice(list("xyzw"), 5000),
        np.array(list("xyzw"))[sum(keys.values()) % 4],
    )
    table = {name: np.where(np.arange(5000) < alike, 0, column).tolist() for name, column in keys.items()}
    table["d"] = np.where(np.arange(5000) < alike, 0, rng.integers(0, 200, 5000)).tolist()
    data = dv.read(table | {"ill": ill.tolist()}, quasi_identifiers=list("abcd"), sensitive="ill")
    found = audit(data, population=5_000_000, search=False)
    assert found.checks[-1].outcome == outcome
    assert found.verdict.outcome == "not evaluated"
