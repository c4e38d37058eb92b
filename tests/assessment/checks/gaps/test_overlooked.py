"""Attributes without a role that may identify people: no verdict passes over them in silence."""

import numpy as np
import pandas as pd
import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.assessment.checks.gaps import overlooked

RNG = np.random.default_rng(11)
AGES = np.repeat(np.arange(5), 80).tolist()
ILLS = RNG.choice(list("abc"), 400).tolist()
DAYS = [f"{n // 28 % 90 + 10:02d}{n % 28 + 1:02d}" for n in (*range(20), *(RNG.integers(20, 40, 380)))]
ROLES = {"age": "quasi-identifier", "ill": "sensitive"}


def measured(columns, attributes=None, **tables):
    data = {"age": AGES, "ill": ILLS} | columns
    if attributes is None:
        found = audit(dv.read(data, quasi_identifiers="age", sensitive="ill"), search=False)
    else:
        policy = {"attributes": ROLES | attributes, "thresholds": {"k_anonymity": {"min": 5}}} | tables
        found = audit(data, policy, search=False)
    assert found.checks[-1].measure_name == "measured"
    return found.checks[-1]


@pytest.mark.parametrize("attributes", [None, {}, {"code": "other"}], ids=["no policy", "no role", "other"])
def test_an_attribute_by_which_one_in_twenty_is_unique_warns_whatever_it_is_called(attributes):
    found = measured({"code": DAYS}, attributes)
    assert found.outcome == "warn"
    how, role = ("with the role other", "another") if attributes else ("without a role", "a")
    assert found.sentence == (
        f"1 attribute {how} was not measured: 20 records (5%) are unique by 'code' alone. "
        f"Give it {role} role, or leave it out."
    )
    fewer = [DAYS[-1], *DAYS[1:]]  # 19 of 400
    assert measured({"code": fewer}, attributes).outcome == "pass"


def test_an_attribute_called_like_one_that_others_know_warns_unless_it_is_called_other():
    places = {"postcode": [f"10{n % 8}15" for n in range(400)]}
    found = measured(places, {})
    assert found.outcome == "warn"
    assert "'postcode' may identify people, since its name suggests a postcode." in found.sentence
    assert measured(places, {"postcode": "other"}).outcome == "pass"


def test_what_repeats_and_says_nothing_passes():
    assert measured({"kind": list("uv") * 200}, {}).outcome == "pass"


def test_an_attribute_that_the_policy_allows_or_that_another_check_names_is_not_said_twice():
    allowed = measured({"code": DAYS}, {"code": "other"}, allow={"identifiers": ["code"]})
    assert "unique" not in allowed.sentence
    every = {"lab": [f"x{n}" for n in range(400)]}  # differs in every record: the check of identifiers warns
    assert measured(every, {"lab": "other"}).outcome == "pass"


def test_a_change_that_leaves_it_out_closes_the_gap():
    data = dv.read({"age": AGES, "ill": ILLS, "code": DAYS}, quasi_identifiers="age", sensitive="ill")
    found = audit(data, search=False)
    assert found.checks[-1].ask(found.scope.without("code")).outcome == "pass"


# -- numbers of people who have several records ---------------------------------------------------


@pytest.mark.parametrize("attributes", [None, {"key": "other"}], ids=["no role", "other"])
@pytest.mark.parametrize("spelled", ["K{:04d}", "{}", "w{0}-{0}"])
def test_a_number_that_a_few_records_share_warns_whatever_it_is_called(spelled, attributes):
    keys = [spelled.format(n // 4) for n in range(400)]  # 100 people with 4 records each
    found = measured({"key": keys}, attributes)
    assert found.outcome == "warn"
    assert (
        "'key' may distinguish people who have several records, as an identifier does: 400 records (100%) "
        "share its value with at most 19 others."
    ) in found.sentence


def test_half_of_the_records_are_enough_and_fewer_are_not():
    keys = [f"K{n // 4}" if n < 200 else "none" for n in range(400)]  # 50 people
    assert measured({"key": keys}).outcome == "warn"
    assert measured({"key": ["none", *keys[1:]]}).outcome == "pass"


def test_measurements_dates_and_categories_number_nobody():
    lab = [round(n // 4 / 7, 2) for n in range(400)]
    days = [f"2024-{n // 4 // 28 + 1:02d}-{n // 4 % 28 + 1:02d}" for n in range(400)]
    assert "distinguish" not in measured({"lab": lab}).sentence
    assert "distinguish" not in measured({"lab": [1000 + n // 4 * 37 for n in range(400)]}).sentence
    assert "distinguish" not in measured({"seen": days}).sentence
    assert measured({"kind": [f"kind {n % 16}" for n in range(400)]}).outcome == "pass"


# -- attributes together --------------------------------------------------------------------------

GRID = {"x": RNG.integers(0, 40, 400).tolist(), "y": RNG.integers(0, 40, 400).tolist()}


def unique_together(*names):
    rows = list(zip(*(GRID[name] for name in names), strict=True))
    return sum(rows.count(row) == 1 for row in rows)


def test_attributes_without_a_role_by_which_one_in_twenty_is_unique_warn_together():
    found = measured(GRID)
    assert unique_together("x") < 20 > unique_together("y")
    unique = unique_together("x", "y")
    assert found.sentence == (
        f"2 attributes without a role were not measured: {unique} records ({unique / 4:g}%) are unique by "
        "them together. Give each a role, or leave it out."
    )
    assert measured(GRID, {}).outcome == "warn"


def test_attributes_with_the_role_other_are_not_asked_together():
    assert measured(GRID, {"x": "other"}).outcome == "pass"
    assert measured(GRID, {"x": "other", "y": "other"}).outcome == "pass"


def test_attributes_that_few_are_unique_by_together_pass():
    assert (
        measured({"x": [n % 4 for n in range(400)], "y": [n // 7 % 5 for n in range(400)]}).outcome == "pass"
    )


def test_the_answer_is_the_same_in_a_database():
    duckdb = pytest.importorskip("duckdb")
    for more in (GRID, {"key": [f"K{n // 4:03d}" for n in range(400)]}):
        frame = pd.DataFrame({"age": AGES, "ill": ILLS} | more)
        tables = (frame, duckdb.from_df(frame))
        here, there = (
            audit(dv.read(one, quasi_identifiers="age", sensitive="ill"), search=False).checks[-1]
            for one in tables
        )
        assert there.sentence == here.sentence
        assert there.outcome == "warn"


def test_a_card_of_many_records_may_number_people_and_a_value_of_far_more_may_not(monkeypatch):
    cards = [f"C{100_000 + 7919 * (place // 25)}" for place in range(5000)]
    clinics, days = RNG.integers(0, 30, 5000).tolist(), RNG.integers(0, 90, 5000).tolist()
    data = dv.read({"card": cards, "clinic": clinics, "day": days}, quasi_identifiers=["clinic", "day"])

    def said():
        return audit(data, search=False).checks[-1].to_dict()["sentence"]

    assert "'card' may distinguish people who have several records" in said()
    monkeypatch.setattr(overlooked, "LARGEST", 24)
    assert "'card'" not in said()
