"""Free text that nobody looked at: a verdict does not pass over it in silence."""

import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.assessment.checks.table_check import TableCheck

AGES = [20 + 10 * (n // 80) for n in range(400)]
ILLS = [("flu", "cold", "gout")[n * 7 // 5 % 3] for n in range(400)]
PLAIN = "patient stable, follow up in two weeks"
NOTES = [PLAIN if n % 10 else f"spoke with Ida Berg about bed number {n // 20}" for n in range(400)]
ROLES = {"age": "quasi-identifier", "ill": "sensitive"}
SAID = (
    "'note' is free text: names of people in it are not looked for. Read it and allow it in a policy "
    "([allow] identifiers), or leave it out."
)


def checks(role=None, **tables):
    roles = ROLES | ({"note": role} if role else {})
    policy = {"attributes": roles, "thresholds": {"k_anonymity": {"min": 5}}} | tables
    found = audit({"age": AGES, "ill": ILLS, "note": NOTES}, policy, search=False)
    return {one.measure_name: one for one in found.checks if isinstance(one, TableCheck)}


@pytest.mark.parametrize("role", [None, "other", "sensitive", "quasi-identifier"])
def test_free_text_makes_the_gaps_warn_whatever_its_role(role):
    found = checks(role)["measured"]
    assert found.outcome == "warn"
    assert SAID in found.sentence


def test_it_warns_without_a_policy_too_and_not_once_it_is_left_out():
    data = dv.read({"age": AGES, "ill": ILLS, "note": NOTES}, quasi_identifiers="age", sensitive="ill")
    found = audit(data, search=False)
    assert found.checks[-1].sentence == SAID
    assert found.checks[-1].ask(found.scope.without("note")).outcome == "pass"


def test_a_text_that_names_people_is_left_out_by_its_own_check_only():
    firms = [f"{chr(65 + n // 10)}ville {'NS'[n % 2]} {n % 10} Power Light Co" for n in range(100)] * 10
    ages = [n % 5 for n in range(1000)]
    data = dv.read({"age": ages, "name": firms}, quasi_identifiers="age")
    found = {one.measure_name: one for one in audit(data, search=False).checks}
    assert "'name' names people" in found["identifiers"].sentence
    assert "free text" not in found["measured"].sentence
    assert "free text (name)" in found["measured"].answer.note


def test_a_policy_allows_a_text_that_was_read():
    found = checks("other", allow={"identifiers": ["note"]})
    assert found["measured"].outcome == "pass"
    assert found["identifiers"].outcome == "pass"
    assert "is not an identifier" not in found["identifiers"].answer.hint


def test_few_texts_and_short_ones_are_labels():
    labels = [f"patient stable, follow up in {n % 12} weeks" for n in range(400)]
    data = {"age": AGES, "ill": ILLS, "plan": labels, "kind": [f"kind {n % 40}" for n in range(400)]}
    found = audit(dv.read(data, quasi_identifiers="age", sensitive="ill"), search=False)
    assert found.checks[-1].outcome == "pass"
