"""Releases with suppressed cells: a star fits any value, in readings and checks as in the attacks."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.checks.singled_out import risks
from divulge.assessment.checks.threshold_check import Check
from divulge.assessment.scope import Scope
from divulge.comparison.comparison import compare

KEYS = ["region", "sex", "band"]


def table(records=600, seed=4):
    rng = np.random.default_rng(seed)
    found = {
        "region": rng.choice(list("abcd"), records),
        "sex": rng.choice(list("fm"), records),
        "band": rng.choice(["0-29", "30-59", "60+"], records),
        "dx": rng.choice(["flu", "cold", "angina", "gout"], records),
    }
    return {name: column.astype(object) for name, column in found.items()}


def starred(original, share, seed=5):
    rng = np.random.default_rng(seed)
    records = len(original["dx"])
    return original | {key: np.where(rng.random(records) < share, "*", original[key]) for key in KEYS}


def compared(original, *released, **options):
    return compare(dv.read(original, quasi_identifiers=KEYS, sensitive=["dx"]), *released, **options)


def outcome(release, attack):
    return next(one for one in release.outcomes if one.attack == attack)


@pytest.mark.parametrize("share", [0.2, 0.85])
def test_suppressing_cells_raises_no_reading_and_fails_no_check(share):
    original = table()
    found = compared(original, starred(original, share))
    release, before = found.releases[0], found.document["original"]["readings"]
    after = release.readings
    assert after["k"] >= before["k"]
    for name in ("uniqueness", "average_risk", "discrimination_rate"):
        assert after[name] <= before[name], name
    mine, theirs = after["targets"]["dx"], before["targets"]["dx"]
    assert mine["discrimination_rate"] < theirs["discrimination_rate"]
    assert mine["t_closeness"] < theirs["t_closeness"]
    assert mine["distinct_l_diversity"] >= theirs["distinct_l_diversity"]
    assert all(line["risk"][0] != "higher" for line in found.document["changes"])
    assert {check.outcome for check in release.checks} == {"pass"}


def test_the_average_risk_is_the_marketers_and_the_smallest_class_the_prosecutors():
    original = table()
    some = starred(original, 0.5)
    whole = original | {key: np.where(np.arange(600) < 60, "*", original[key]) for key in KEYS}
    same, *starred_ones = compared(original, original, some, whole).releases
    assert same.readings["average_risk"] == pytest.approx(outcome(same, "marketer").risk)
    assert same.candidate.risk == pytest.approx(outcome(same, "marketer").risk)
    assert 1 / same.readings["k"] == pytest.approx(outcome(same, "prosecutor").risk)
    for release in starred_ones:  # by the original values it is not less, nor more than without suppression
        average = release.readings["average_risk"]
        assert average <= same.readings["average_risk"]
        assert release.candidate.risk == pytest.approx(average)
        assert release.readings["k"] >= same.readings["k"]
    partly = starred_ones[0]  # attacks put records without any key into no class
    assert outcome(partly, "marketer").risk <= partly.readings["average_risk"]
    assert partly.readings["k"] <= 1 / outcome(partly, "prosecutor").risk


def test_readings_of_six_records_by_hand():
    original = {"region": list("aabbbb"), "sex": list("ffmmmm"), "dx": list("xyxyxy")}
    released = {"region": list("aab*bb"), "sex": list("ffmmm*"), "dx": list("xyxyxy")}
    found = compare(dv.read(original, quasi_identifiers=["region", "sex"], sensitive=["dx"]), released)
    readings = found.releases[0].readings
    # a f fits 2, b m fits 4, * m fits b m, * m and b *: 4, b * the same 4
    assert readings["k"] == 2
    assert readings["average_risk"] == pytest.approx((2 / 2 + 4 / 4) / 6)
    told = 2 * np.log2(6 / 2) + 4 * np.log2(6 / 4)
    assert readings["discrimination_rate"] == pytest.approx(told / (6 * np.log2(6)))
    assert readings["targets"]["dx"]["discrimination_rate"] == pytest.approx(0)
    assert readings["targets"]["dx"]["t_closeness"] == pytest.approx(0, abs=1e-9)
    assert readings["itpr"] is None
    assert "overlap" in readings["undefined"]["itpr"]


def test_nobody_is_looked_up_by_a_key_that_the_record_does_not_show_unless_records_are_matched():
    # Everyone with region a has x. Where the region is suppressed, nobody learns it from the release alone.
    # Whoever knows that someone is from a finds those of a and those whose region is suppressed: all have x.
    rows = 200
    region = np.where(np.arange(rows) < 40, "a", "b").astype(object)
    dx = np.where(region == "a", "x", np.where(np.arange(rows) % 2, "y", "z")).astype(object)
    original = {"region": region, "dx": dx}
    hidden = original | {"region": np.where(np.arange(rows) < 20, "*", region)}
    more = {name: [*column, column[-1]] for name, column in original.items()}  # which one was removed?
    found = []
    for before, released in ((original, original), (more, hidden), (original, hidden)):
        plain = dv.read(before, quasi_identifiers=["region"], sensitive=["dx"])
        checks = compare(plain, released).releases[0].checks
        found.append(next(check.concerned for check in checks if check.measure_name == "learned"))
    assert found == [40, 20, 40]


def test_people_with_several_records_who_fit_are_counted_once():
    data = dv.read(
        {"id": list("aabcde"), "x": list("111*22"), "y": list("pq*pqq")},
        identifiers=["id"],
        quasi_identifiers=["x", "y"],
    )
    risk, often, counted = risks(Scope(data, stars_fit=True), ["x", "y"])
    # a: 1p fits 1p, 1*, *p (a, b, c), 1q fits 1q and 1* (a, b); b: 1* fits a, b, c; c: *p fits a, b, c
    assert counted == 5
    assert sorted(zip(np.round(1 / risk).tolist(), often.tolist(), strict=True)) == [
        (2, 1),
        (2, 1),
        (2, 1),
        (3, 1),
        (3, 1),
    ]


def asked(data, policy=None):
    """The checks of an audit, and those of a comparison of the table with itself."""
    keys = {"attributes": {"region": "quasi-identifier", "sex": "quasi-identifier", "dx": "sensitive"}}
    given = None if policy is None else {**keys, "thresholds": policy}
    data = dv.read(data, quasi_identifiers=["region", "sex"], sensitive=["dx"])
    return dv.audit(data, given).checks, compare(data, data, policy=given).releases[0].checks


ITPR = {"itpr": {"max": 0.5}}
SIX = {"region": list("aabbbb"), "sex": list("ffmmmm"), "dx": list("xyxyxy")}
STARRED = SIX | {"region": list("aab*bb"), "sex": list("ffmmm*")}


def test_a_mark_is_a_value_in_an_audit_and_fits_any_value_in_a_comparison():
    alone, beside = (
        next(check for check in checks if check.measure_name == "singled_out") for checks in asked(STARRED)
    )
    # Who knows the suppressed value rules out those who show another one: classes are of one or two.
    assert alone.answer.concerned == 6
    assert "count as a value of their own here, which can only overstate the risk" in alone.sentence
    assert beside.answer.concerned == 2  # a f are alone with each other, b m, * m and b * fit four
    assert "Suppressed cells fit any value here." in beside.sentence
    assert "Suppressed" not in asked(SIX)[0][1].sentence


def test_a_lone_person_whose_value_is_suppressed_does_not_pass_an_audit():
    people = {"a": ["1"] * 51 + ["2"] * 50, "b": ["*"] + ["y"] * 50 + ["x", "y"] * 25}
    roles = {"a": "quasi-identifier", "b": "quasi-identifier"}
    found = dv.audit(people, {"attributes": roles, "thresholds": {"k_anonymity": {"min": 2}}})
    check = next(one for one in found.checks if isinstance(one, Check))
    assert (check.found, check.outcome) == (1, "fail")


def test_where_too_many_fit_the_mark_is_a_value_and_only_a_pass_counts(monkeypatch):
    monkeypatch.setattr("divulge.questions.question.MOST_PAIRS", 1)
    monkeypatch.setattr("divulge.assessment.people.suppressed_fit.MOST", 1)
    twice = {name: column * 2 for name, column in STARRED.items()}  # * m and b * stand twice
    for least, outcome in ((2, "pass"), (3, "not evaluated")):
        found = next(
            one for one in asked(twice, {"k_anonymity": {"min": least}})[1] if isinstance(one, Check)
        )
        assert found.outcome == outcome
    first = next(check for check in asked(STARRED)[1] if check.measure_name == "singled_out")
    assert (first.outcome, first.answer.undefined is None) == ("not evaluated", False)


def test_thresholds_of_a_policy_count_everyone_who_fits():
    # By hand: a f is 2 of 2, with x and y; b m, * m and b * fit the same four, with x and y twice each.
    policy = {
        "k_anonymity": {"min": 2},
        "uniqueness": {"max": 0.01},
        "average_class_size": {"min": 2.9},
        "distinct_l_diversity": {"min": 2},
        "entropy_l_diversity": {"min": 1.9},
        "alpha_k_anonymity": {"max": 0.55},
        "recursive_cl_diversity": {"max": 1.1, "l": 2},
        "t_closeness": {"max": 0.01},
        "kl_closeness": {"max": 0.01},
        "discrimination_rate": {"max": 0.01},
    }
    wanted = [2, 0, 3, 2, 2, 0.5, 1, 0, 0, 0]
    held = [check for check in asked(STARRED, policy)[1] if isinstance(check, Check)]
    assert [check.found for check in held] == pytest.approx(wanted, abs=1e-7)
    assert {check.outcome for check in held} == {"pass"}
    assert [check.concerned for check in held if check.measure.case == "worst"] == [0] * 7


def test_a_measure_without_a_reading_takes_the_mark_for_a_value():
    found = [next(one for one in checks if isinstance(one, Check)) for checks in asked(STARRED, ITPR)]
    plain = dv.measure(STARRED, "itpr", keys=["region", "sex"], target="dx").value
    assert [check.found for check in found] == [plain, plain]


def test_thresholds_by_people_count_those_who_fit_once():
    data = dv.read(
        {"id": list("aabcde"), "x": list("111*22"), "y": list("pq*pqq")},
        identifiers=["id"],
        quasi_identifiers=["x", "y"],
    )
    # By hand, as above: 1 q fits a and b, 2 q fits d and e; nobody has fewer.
    rules = {"id": "identifier", "x": "quasi-identifier", "y": "quasi-identifier"}
    policy = {"attributes": rules, "thresholds": {"k_anonymity": {"min": 3}}}
    release = compare(data, data, policy=policy).releases[0]
    found = next(one for one in release.checks if isinstance(one, Check))
    assert (found.found, found.concerned) == (2, 3)


def test_average_class_size_is_in_records_where_people_have_several():
    # Four records of two people are one class, also where one of them is suppressed and fits the others.
    data = {"id": list("aabb"), "x": list("1111"), "y": list("pppp"), "dx": list("uvuv")}
    rules = {"id": "identifier", "x": "quasi-identifier", "y": "quasi-identifier"}
    sizes = {"average_class_size": {"min": 3}, "class_count": {"max": 2}}
    for released in (data, data | {"y": list("ppp*")}):
        both = dv.read(released, identifiers="id", quasi_identifiers=["x", "y"])
        release = compare(both, released, policy={"attributes": rules, "thresholds": sizes}).releases[0]
        assert [one.found for one in release.checks if isinstance(one, Check)] == [4, 1]


def notices(original, released, policy=None):
    data = dv.read(original, quasi_identifiers=["region", "sex"], sensitive=["dx"])
    roles = {"region": "quasi-identifier", "sex": "quasi-identifier", "dx": "sensitive"}
    given = None if policy is None else {"attributes": roles, "thresholds": policy}
    found = compare(data, released, policy=given).to_dict()["notices"]
    return [one["text"] for one in found if one["kind"] == "suppressed"]


def test_a_comparison_says_at_the_top_where_suppressed_values_may_be_known():
    seven = {name: [*column, column[-1]] for name, column in SIX.items()}
    assert notices(SIX, SIX) == []
    (matched,) = notices(SIX, STARRED)
    assert "truly linked are counted by the original values." in matched
    (unmatched,) = notices(seven, STARRED)
    assert "Audit the release as well" in unmatched
    assert "thresholds on sensitive values" in matched
    for said in (matched, unmatched):  # a check of the release alone has other totals
        assert said.endswith("and records without any shown quasi-identifier are left out.")
