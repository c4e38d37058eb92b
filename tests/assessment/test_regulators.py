"""The three risks are given the readings that speak to them, and what was not measured is said."""

import pytest

import divulge as dv
from divulge.assessment.regulators import NOTE, asked_of_release

PEOPLE = {
    "zip": [f"130{n % 10}" for n in range(120)],
    "sex": ["f", "m"] * 60,
    "ill": ["flu", "cold", "gout"] * 40,
}
ROLES = {"quasi_identifiers": ["zip", "sex"], "sensitive": "ill"}


@pytest.fixture(scope="module")
def audited():
    return dv.audit(dv.read(PEOPLE, **ROLES)).to_dict()["regulators"]


def by_risk(found):
    return {one["risk"]: one for one in found["risks"]}


def test_an_audit_gives_each_risk_its_readings(audited):
    risks = by_risk(audited)
    assert [*risks] == ["singling out", "linkability", "inference"]
    assert risks["singling out"]["readings"] == [
        {"what": "Unique records", "reads": "0%"},
        {"what": "Smallest group", "reads": "12 records"},  # ten values of zip, and sex goes by their number
        {"what": "Average re-identification risk", "reads": "8.3%"},
    ]
    assert [one["what"] for one in risks["linkability"]["readings"]] == ["Attributes that name people"]
    assert [one["what"] for one in risks["inference"]["readings"]] == ["What is learned about ill"]
    assert all(one["not_measured"] for one in risks.values())


def test_without_a_sensitive_attribute_inference_is_not_measured():
    found = dv.audit(dv.read(PEOPLE, quasi_identifiers=["zip", "sex"])).to_dict()["regulators"]
    inference = by_risk(found)["inference"]
    assert inference["readings"] == []
    assert inference["not_measured"][0] == "anything: no attribute is sensitive"


def test_every_listed_identifier_has_a_result_in_words(audited):
    result = {one["letter"]: one["result"] for one in audited["identifiers"]}
    assert result["B"] == "found in zip (its name)"
    assert result["D"] == "none found by name or pattern"
    assert result["P"] == result["Q"] == "cannot be recognised in a table"
    assert audited["note"] == NOTE == "A list checked by name and pattern; not a legal assessment."


def test_each_release_is_asked_with_its_attacks():
    coarse = {**PEOPLE, "zip": ["13*"] * 120}
    document = dv.compare(dv.read(PEOPLE, **ROLES), coarse, population=PEOPLE).to_dict()
    (found,) = document["regulators"]
    risks = by_risk(found)
    assert found["release"] == document["releases"][0]["name"]
    attacks = {one["attack"]: one for one in document["releases"][0]["attacks"]}
    linking = [one["what"] for one in risks["linkability"]["readings"]]
    assert attacks["journalist"]["title"] in linking
    assert "links to a table of an attacker (--outside)" in risks["linkability"]["not_measured"]
    assert attacks["homogeneity"]["title"] in [one["what"] for one in risks["inference"]["readings"]]
    assert risks["singling out"]["readings"][1] == {"what": "Smallest group", "reads": "60"}
    reads = {one["what"]: one["reads"] for one in risks["linkability"]["readings"]}
    assert reads["Identity disclosure, white box"] == (  # all of sex, nothing of zip
        "a quasi-identifier gives 50% of the information on average, and 0 of 120 records can be traced to a "
        "single original record"
    )


def test_a_release_that_nothing_can_be_read_on_says_why():
    released = {"ill": PEOPLE["ill"]}
    (found,) = dv.compare(dv.read(PEOPLE, **ROLES), released).to_dict()["regulators"]
    assert all(one["readings"] == [] for one in found["risks"])
    assert all(
        "none of the quasi-identifiers is in the release" in one["not_measured"][0] for one in found["risks"]
    )


def test_what_has_no_reading_is_called_as_elsewhere():
    release = {"name": "k5", "readings": {"undefined": {"itpr": "one value"}}, "lacking": None}
    found = asked_of_release({**release, "attacks": [], "checks": []}, dv.read(PEOPLE, **ROLES))
    assert "ITPR: one value" in by_risk(found)["singling out"]["not_measured"]


def test_what_is_learned_is_said_in_the_words_of_its_check():
    few = dv.audit({"age": [*range(60)], "ill": list("abc") * 20}, quasi_identifiers="age", sensitive="ill")
    said = few.to_dict()["regulators"]["risks"][2]["readings"][0]["reads"]
    assert said.startswith("not evaluated: 60 of 60 people are in groups smaller than 3 on age")
    large = dv.audit(
        {"age": [1, 2] * 60, "ill": list("aabbcc") * 20}, quasi_identifiers="age", sensitive="ill"
    )
    (check,) = [one for one in large.to_dict()["checks"] if one["measure"] == "learned"]
    said = large.to_dict()["regulators"]["risks"][2]["readings"][0]["reads"]
    assert check["outcome"] == "pass"
    assert f"{said}." == check["sentence"]


def test_an_allowed_identifier_that_links_records_is_not_no_identifier():
    policy = {
        "attributes": {"pseudonym": "identifier", "age": "quasi-identifier"},
        "allow": {"identifiers": ["pseudonym"]},
        "thresholds": {"k_anonymity": {"min": 2}},
    }
    table = {"pseudonym": [f"p{n // 2}" for n in range(40)], "age": [1, 2] * 20}
    risks = {one["risk"]: one for one in dv.audit(table, policy).to_dict()["regulators"]["risks"]}
    assert [one["reads"] for one in risks["linkability"]["readings"]] == [
        "none but 'pseudonym', which the policy allows"
    ]
    for risk in ("singling out", "linkability"):
        assert risks[risk]["not_measured"][0] == "what several records of one person reveal together"
