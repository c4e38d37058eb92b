"""Attributes that name people fail, keys of records warn, and what a policy allows is said."""

import random
import uuid

import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.errors import PolicyError

N = 120
FIRST = ["Ada", "Alan", "Grace", "Kurt", "Emmy", "Paul", "Rosa", "Carl", "Lise", "Max"]
LAST = [
    "Stone",
    "Miller",
    "Weber",
    "Rossi",
    "Klein",
    "Novak",
    "Silva",
    "Laurent",
    "Berg",
    "Haas",
    "Fox",
    "Ray",
]
MAILS = [f"p{i}@example.org" for i in range(N)]
NAMES = [f"{FIRST[i % 10]} {LAST[i // 10]}" for i in range(N)]
PLAIN = {"sex": ["m", "f"] * (N // 2), "diagnosis": ["flu", "cold", "gout"] * (N // 3)}
ROLES = {"sex": "quasi-identifier", "diagnosis": "sensitive"}


def first(columns, policy=None, **reading):
    data = dv.read(PLAIN | columns, **reading) if reading else PLAIN | columns
    found = audit(data, policy, search=False)
    check = found.checks[0]
    assert check.measure_name == "identifiers"
    return found, check


def test_names_and_contacts_fail_first_in_the_headline():
    found, check = first({"name": NAMES, "email": MAILS})
    assert check.outcome == found.outcome == "fail"
    assert found.verdict.headline.startswith("Do not release: 'name' and 'email' name people.")
    assert check.concerned == N
    assert check.to_dict()["fix"] == "Leave out 'name' and 'email'."


def test_what_to_do_about_identifiers_is_said_where_no_single_change_is_enough():
    columns = PLAIN | {"name": NAMES, "email": MAILS}
    data = dv.read(columns, quasi_identifiers=["sex", "email"], sensitive="diagnosis")
    check = audit(data, search=False).checks[0]
    assert check.outcome == "fail"
    assert check.to_dict()["fix"] == "Leave out 'name' and 'email'."


@pytest.mark.parametrize(
    "key",
    [
        {"record_id": list(range(1, N + 1))},
        {"uuid": [str(uuid.UUID(int=i**9, version=4)) for i in range(1, N + 1)]},
        {"token": [f"{random.Random(i).getrandbits(128):032x}" for i in range(N)]},
        {"patient_id": [f"P{i:05}" for i in range(N)]},
    ],
    ids=["number", "uuid", "hash", "patient"],
)
def test_keys_of_records_warn(key):
    found, check = first(key)
    (name,) = key
    assert check.outcome == "warn"
    assert f"'{name}' names nobody alone, but links releases" in check.sentence
    assert "fresh random number" in check.to_dict()["fix"]
    assert found.outcome == "warn"


def test_without_identifiers_the_check_passes():
    assert first({})[1].outcome == "pass"


def test_a_column_of_contacts_fails_though_it_has_no_role():
    roles = {"quasi_identifiers": "sex", "sensitive": "diagnosis"}
    assert first({"notes": MAILS}, **roles)[1].outcome == "fail"
    policy = {"attributes": ROLES, "thresholds": {"k_anonymity": {"min": 2}}}
    assert first({"notes": MAILS}, policy)[1].outcome == "fail"


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive", "other"])
def test_what_looks_like_an_identifier_is_at_least_a_warning_whatever_its_role(role):
    policy = {"attributes": ROLES | {"notes": role}, "thresholds": {"k_anonymity": {"min": 2}}}
    _, check = first({"notes": MAILS}, policy)
    assert check.outcome == ("fail" if role == "other" else "warn")
    assert "notes" in check.sentence


def test_an_identifier_fails_under_any_policy_and_may_be_allowed_by_name():
    policy = {
        "attributes": ROLES | {"name": "identifier", "email": "identifier"},
        "thresholds": {"k_anonymity": {"min": 2}},
    }
    assert first({"name": NAMES, "email": MAILS}, policy)[1].outcome == "fail"
    some = policy | {"allow": {"identifiers": ["name"]}}
    found, check = first({"name": NAMES, "email": MAILS}, some)
    assert check.outcome == "fail"
    assert check.sentence == "'email' names people. The policy allows 'name'."
    both = policy | {"allow": {"identifiers": ["name", "email"]}}
    found, check = first({"name": NAMES, "email": MAILS}, both)
    assert check.outcome == "pass"
    assert "The policy allows 'name' and 'email'." in found.verdict.sentences
    assert "The policy allows 'name' and 'email'." in str(found)


def test_all_identifiers_may_be_allowed():
    policy = {
        "attributes": ROLES | {"email": "identifier"},
        "thresholds": {"k_anonymity": {"min": 2}, "identifiers": "allow"},
    }
    found, check = first({"email": MAILS}, policy)
    assert check.outcome == "pass"
    assert "The policy allows 'email'." in str(found)


def test_an_allowed_attribute_must_be_there():
    policy = {
        "attributes": ROLES,
        "thresholds": {"k_anonymity": {"min": 2}},
        "allow": {"identifiers": ["nmae"]},
    }
    with pytest.raises(PolicyError, match="no attribute 'nmae'"):
        first({"name": NAMES}, policy)


def test_leaving_the_identifiers_out_makes_the_check_pass_and_keeps_people_apart():
    visits = {name: column * 2 for name, column in PLAIN.items()} | {"email": MAILS * 2}
    data = dv.read(visits, identifiers="email", quasi_identifiers="sex", sensitive="diagnosis")
    found = audit(data, search=False)
    changed = found.scope.without("email")
    assert found.checks[0].holds(found.checks[0].again(changed))
    assert changed.people == N


def test_every_report_puts_the_identifiers_first():
    from divulge.report.junit import junit
    from divulge.report.markdown import markdown
    from divulge.report.notebook import notebook
    from divulge.report.page import page

    document = first({"name": NAMES, "email": MAILS})[0].to_dict()
    assert markdown(document).startswith("### divulge: Do not release: 'name' and 'email' name people.")
    case = junit(document).split("<testcase")[1]
    assert 'name="identifiers"' in case
    assert "'name' and 'email' name people." in case
    for shown in (page(document), notebook(document)):
        assert shown.index("&#39;email&#39; name people") < shown.index("can be picked out")
