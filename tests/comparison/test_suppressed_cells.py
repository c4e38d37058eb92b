"""Releases with suppressed cells: a star fits any value, in readings and checks as in the attacks."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment.scope import Scope
from divulge.assessment.singled_out import risks
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
    for release in compared(original, original, some, whole).releases:
        assert release.readings["average_risk"] == pytest.approx(outcome(release, "marketer").risk)
        assert release.candidate.risk == pytest.approx(outcome(release, "marketer").risk)
        assert 1 / release.readings["k"] == pytest.approx(outcome(release, "prosecutor").risk)


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


def test_nobody_is_looked_up_by_a_key_that_the_record_does_not_show():
    # Everyone with region a has x. Where the region is suppressed, nobody learns it.
    rows = 200
    region = np.where(np.arange(rows) < 40, "a", "b").astype(object)
    dx = np.where(region == "a", "x", np.where(np.arange(rows) % 2, "y", "z")).astype(object)
    original = {"region": region, "dx": dx}
    hidden = original | {"region": np.where(np.arange(rows) < 20, "*", region)}
    plain = dv.read(original, quasi_identifiers=["region"], sensitive=["dx"])
    both = compare(plain, original, hidden).releases
    learned = [next(c for c in one.checks if c.measure_name == "learned") for one in both]
    assert [check.concerned for check in learned] == [40, 20]


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


def test_an_audit_says_that_a_star_counts_as_a_value():
    original = {"region": list("aabbbb"), "sex": list("ffmmmm"), "dx": list("xyxyxy")}
    released = original | {"region": list("aab*bb")}
    said = [
        next(check for check in dv.audit(table).checks if check.measure_name == "singled_out").sentence
        for table in (dv.read(one, quasi_identifiers=["region", "sex"]) for one in (original, released))
    ]
    assert "can only overstate" not in said[0]
    assert "Suppressed cells count as a value of their own here, which can only overstate the risk" in said[1]
