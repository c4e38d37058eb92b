"""Attributes without a role that may identify people: no verdict passes over them in silence."""

import numpy as np
import pytest

import divulge as dv
from divulge.assessment import audit

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
