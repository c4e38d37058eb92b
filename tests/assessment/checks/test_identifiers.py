"""Attributes that name people fail, keys of records warn, and what a policy allows is said."""

import random
import uuid
from itertools import product

import numpy as np
import pytest

import divulge as dv
from divulge.assessment import audit
from divulge.errors import PolicyError
from divulge.report.audit.page import page
from divulge.report.audit.summary import verdict_line
from divulge.roles import observed

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
    assert found.verdict.headline == "Do not release: direct identifiers found ('name' and 'email')"
    assert found.verdict.sentences[0].startswith("'name' and 'email' name people.")
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
    assert f"'{name}' is a record or household number: it links releases" in check.sentence
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
def test_a_column_of_contacts_fails_whatever_its_role_unless_the_policy_allows_it(role):
    policy = {"attributes": ROLES | {"notes": role}, "thresholds": {"k_anonymity": {"min": 2}}}
    phones = [f"+49 30 {1234567 + person}" for person in range(N)]
    for contacts in (MAILS, phones, [f"write to {mail}" for mail in MAILS]):
        found, check = first({"notes": contacts}, policy)
        assert check.outcome == "fail"
        assert "notes" in check.sentence
        assert found.verdict.headline == "Do not release: direct identifiers found ('notes')"
        allowed = policy | {"allow": {"identifiers": ["notes"]}}
        assert first({"notes": contacts}, allowed)[1].outcome == "pass"


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_a_name_alone_says_too_little_against_a_role_and_is_not_denied(role):
    policy = {"attributes": ROLES | {"phone": role}, "thresholds": {"k_anonymity": {"min": 2}}}
    found, check = first({"phone": [f"model {n % 30}" for n in range(N)]}, policy)
    assert (check.outcome, check.found_text) == ("warn", "perhaps 'phone'")
    assert check.sentence == f"'phone' was given as {role}, but looks like an identifier."
    headlines = "'phone' may name people", "k-anonymity"
    assert found.verdict.headline.removeprefix("Do not release as it is: ").startswith(headlines)


def test_last_names_given_as_sensitive_fail():
    last = [
        f"{a}{b}son".title() for a in ("lo", "ma", "ri", "te") for b in ("ren", "bek", "ton", "das", "ku")
    ]
    policy = {"attributes": ROLES | {"last_name": "sensitive"}, "thresholds": {"k_anonymity": {"min": 2}}}
    _, check = first({"last_name": last * (N // 20)}, policy)
    assert check.outcome == "fail"
    assert check.sentence == "'last_name' was given as sensitive, but names people."


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


def test_a_record_number_that_the_policy_declares_fails_until_it_is_left_out_or_allowed():
    number = {"klant": [f"K{i:05}" for i in range(N)]}
    policy = {"attributes": ROLES | {"klant": "identifier"}, "thresholds": {"k_anonymity": {"min": 2}}}
    found, check = first(number, policy)
    assert check.outcome == found.outcome == "fail"
    assert found.verdict.headline == "Do not release: direct identifiers found ('klant')"
    assert check.sentence.startswith("'klant' is an identifier by the policy, and still in the table. ")
    fix = "Leave out 'klant', or allow it in the policy ([allow] identifiers)."
    assert check.to_dict()["fix"] == fix
    assert check.found_text == "1 attribute"
    assert first({}, policy)[1].outcome == "pass"
    assert first(number, policy | {"allow": {"identifiers": ["klant"]}})[1].outcome == "pass"
    # Suggested, and not declared by anyone, it is a warning.
    assert first(number)[1].outcome == "warn"


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
    from divulge.report.audit.junit import junit
    from divulge.report.audit.markdown import markdown
    from divulge.report.audit.notebook import notebook
    from divulge.report.audit.page import page

    document = first({"name": NAMES, "email": MAILS})[0].to_dict()
    assert markdown(document).startswith(
        "### divulge: Do not release: direct identifiers found ('name' and 'email')\n"
    )
    case = junit(document).split("<testcase")[1]
    assert 'name="identifiers"' in case
    assert "'name' and 'email' name people." in case
    for shown in (page(document), notebook(document)):
        assert shown.index("&#39;email&#39; name people") < shown.index("can be singled out")


FULL = [f"{first} {last}" for first in FIRST for last in LAST]
GIVEN = {"quasi_identifiers": "sex", "sensitive": "diagnosis"}


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_full_names_fail_under_any_other_role(role):
    policy = {"attributes": ROLES | {"q12": role}, "thresholds": {"k_anonymity": {"min": 2}}}
    _, check = first({"q12": FULL}, policy)
    assert check.outcome == "fail"
    assert check.sentence == f"'q12' was given as {role}, but names people."


def test_measurements_that_all_differ_may_be_sensitive():
    policy = {"attributes": ROLES | {"q12": "sensitive"}, "thresholds": {"k_anonymity": {"min": 2}}}
    assert first({"q12": [200_000 + 7 * i for i in range(N)]}, policy)[1].outcome == "pass"


@pytest.mark.parametrize("header", ["q12", "income", "weight", "town"])
def test_full_names_count_whatever_the_header_says_and_though_they_repeat(header):
    for names in (FULL, FULL[:40] * 3, [name.upper() for name in FULL]):
        assert first({header: names})[1].sentence == f"'{header}' names people."
        policy = {"attributes": ROLES, "thresholds": {"k_anonymity": {"min": 2}}}
        assert first({header: names}, policy)[1].outcome == "fail"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("write to p{i}@example.org", "e-mail addresses"),
        ("call +49 30 12345{i:03} or come", "telephone numbers"),
        ("call (555) 123-4{i:03}", "telephone numbers"),
        ("ssn 078-05-1{i:03}.", "social security numbers"),
        ("to DE89 3704 0044 0532 0130 00, part {i}", "bank account numbers (IBAN)"),
    ],
)
def test_contacts_inside_of_some_texts_fail_with_the_number_of_records(text, kind):
    notes = [text.format(i=i) if i % 10 == 0 else ("seen", "no show", "ok")[i % 3] for i in range(N)]
    for reading in ({}, GIVEN):
        _, check = first({"notes": notes}, **reading)
        assert check.outcome == "fail"
        assert check.sentence == f"'notes' contains {kind} in 12 records."
    few = [text.format(i=7), *notes[1:2] * (N - 1)]
    enough = kind == "e-mail addresses"  # nothing else is spelled so; of the others one may be chance
    assert first({"state": few}, **GIVEN)[1].outcome == ("fail" if enough else "pass")


@pytest.mark.parametrize("code", ["C{n:05}", "{n}"])
def test_one_address_among_many_codes_fails(code):
    codes = [code.format(n=n % 1500) for n in range(4000)]
    codes[1777] = "ann@example.org"
    age = [str(20 + n % 5) for n in range(4000)]
    found = dv.audit({"age": age, "code": codes}, quasi_identifiers="age")
    check = found.to_dict()["checks"][0]
    assert check["outcome"] == "fail"
    assert check["sentence"] == "'code' contains e-mail addresses in fewer than 5 records."


def test_values_that_were_not_looked_at_are_said(monkeypatch):
    monkeypatch.setattr(observed, "READ", 1200)
    table = {"age": [str(20 + n % 5) for n in range(4000)], "code": [f"C{n % 1500:05}" for n in range(4000)]}
    data = dv.read(table, quasi_identifiers="age")
    said = "e-mail addresses in values that were not looked at (code)"
    assert said not in str(dv.audit(data).to_dict())
    monkeypatch.setattr(type(data.engine), "all_values", lambda self, *asked: None)
    data.memo("observed").clear()
    assert said in str(dv.audit(data).to_dict())


def test_dates_doses_and_codes_inside_of_texts_are_no_contacts():
    notes = [f"seen 01-02-2019 at 10:{i % 60:02}, 1.5-2.0 mg, code 2019-{i:04}" for i in range(12)] * 10
    assert "contains" not in first({"notes": notes}, **GIVEN)[1].sentence


def test_first_and_last_names_in_two_attributes_without_a_role_warn():
    many = [f"{a}{b}".title() for a in ("lo", "ma", "ri", "te", "ku") for b in ("ren", "bek", "ton", "das")]
    columns = {"v1": many * 6, "v2": many[::-1] * 3 + many * 3}
    _, check = first(columns, **GIVEN)
    assert check.outcome == "warn"
    assert check.sentence == "'v1' and 'v2' look like names or places; give them roles."
    assert first({"v1": columns["v1"]}, **GIVEN)[1].outcome == "pass"  # one such, of 20 values
    sixty = [
        f"{a}{b}"
        for a in ("Lo", "Ma", "Ri", "Te", "Ku", "Na")
        for b in ["ren", "bek", "ton", "das", "mo", "li", "pa", "ju", "so", "fe"]
    ]
    said = first({"v1": sixty * 2}, **GIVEN)[1].sentence
    assert said == "'v1' looks like names or places; give it a role."
    common = [*FIRST, *["Anna", "Ben", "Clara", "David", "Emma", "Hugo", "Ida", "Noah", "Olga", "Vera"]]
    assert first({"v1": common * 6}, **GIVEN)[1].outcome == "warn"


def test_towns_jobs_and_products_are_a_warning_at_most():
    towns = [
        f"{a} {b}"
        for a in ("New", "San", "Port", "Lake")
        for b in ("Haven", "Pedro", "Alder", "Brook", "Cove", "Dale")
    ]
    jobs = [
        f"{a} {b}"
        for a in ("Senior", "Junior", "Chief", "Deputy")
        for b in ("Nurse", "Engineer", "Clerk", "Driver", "Analyst", "Baker")
    ]
    things = [
        f"{a} {b}"
        for a in ("Red", "Blue", "Large", "Mini")
        for b in ("Widget", "Lamp", "Chair", "Desk", "Mug", "Bag")
    ]
    for header, values in (("place2", towns), ("v7", jobs), ("v8", things)):
        assert first({header: values * 5}, **GIVEN)[1].outcome in ("pass", "warn")
    both = first({"v7": jobs * 5, "v8": things * 5}, **GIVEN)[1]
    assert both.outcome == "warn"


def test_an_allowed_attribute_that_is_no_identifier_is_pointed_out():
    policy = {
        "attributes": {"age": "quasi-identifier"},
        "thresholds": {"k_anonymity": {"min": 2}},
        "allow": {"identifiers": ["age"]},
    }
    found = dv.audit({"age": ["20", "20", "30", "30"], "ill": ["a", "b", "a", "b"]}, policy)
    check = next(one for one in found.checks if one.measure_name == "identifiers")
    assert check.outcome == "pass"
    assert check.sentence == "No attribute names people. [allow] names age, which is not an identifier."
    assert "[allow] names age, which is not an identifier." in str(found)


def test_people_of_a_household_are_people_and_its_number_is_a_key():
    table = {
        "hhid": [1 + i // 4 for i in range(200)],
        "age": [20 + i % 40 for i in range(200)],
        "disease": [("flu", "cold")[i // 7 % 2] for i in range(200)],
    }
    found = audit(dv.read(table))
    assert found.scope.people == 200
    assert found.checks[0].outcome == "warn"
    assert found.checks[0].sentence.startswith("'hhid' is a record or household number: it links releases")
    document = found.to_dict()
    assert verdict_line(document) == "No direct identifier found, but check 'hhid'"
    assert "None found; check:</span> &#39;hhid&#39; is a record or household number" in page(document)
    linkability = document["regulators"]["risks"][1]["readings"]
    assert [one["reads"] for one in linkability] == ["none, but check 'hhid'"]
    (last,) = [line for line in document["regulators"]["identifiers"] if line["letter"] == "R"]
    assert [one["attribute"] for one in last["found"]] == ["hhid"]


def test_people_counted_as_households_are_a_warning():
    table = {"hhid": [1 + i // 4 for i in range(200)], "age": [20 + i % 40 for i in range(200)]}
    found = audit(dv.read(table, identifiers="hhid", quasi_identifiers="age"))
    assert found.scope.people == 50
    assert [one.sentence for one in found.warnings if one.kind == "household"] == [
        "hhid looks like the number of a household. Records that share it are counted as one person. If they "
        "are several people, do not give it as an identifier."
    ]
    apart = {**table, "hhid": list(range(200))}
    found = audit(dv.read(apart, identifiers="hhid", quasi_identifiers="age"))
    assert [one.kind for one in found.warnings if one.kind == "household"] == []


def test_an_attribute_without_a_role_that_differs_in_every_record_warns_and_may_be_allowed():
    rng = np.random.default_rng(1)
    own = rng.choice(10**6, N, replace=False).tolist()
    policy = {"attributes": ROLES, "thresholds": {"k_anonymity": {"min": 2}}}
    for given in (policy, policy | {"attributes": ROLES | {"flow": "other"}}):
        _, check = first({"flow": own}, given)
        assert check.outcome == "warn"
        assert check.sentence == (
            "'flow' has no role and a different value in nearly every record: anyone who knows it finds the "
            "record."
        )
        assert check.to_dict()["fix"] == "Give 'flow' a role, or leave it out."
        allowed = given | {"allow": {"identifiers": ["flow"]}}
        assert first({"flow": own}, allowed)[1].outcome == "pass"
    assert first({"flow": [one % 50 for one in own]}, policy)[1].outcome == "pass"
    sensitive = policy | {"attributes": ROLES | {"flow": "sensitive"}}
    assert first({"flow": own}, sensitive)[1].outcome == "pass"


def test_a_release_says_that_an_attribute_without_a_role_differs_in_every_record():
    rng = np.random.default_rng(1)
    table = PLAIN | {"flow": rng.choice(10**6, N, replace=False).tolist()}
    found = dv.anonymize(table, k=2, quasi_identifiers="sex", sensitive="diagnosis")
    (check,) = [one for one in found.checks if one.name == "Attributes that name people"]
    assert check.outcome == "warn"
    assert "anyone who knows it finds the record" in found.to_dict()["notes"][0]


@pytest.mark.parametrize("role", [None, "quasi-identifier", "sensitive", "other"])
def test_a_few_first_names_fail_whatever_their_role_unless_the_policy_allows_them(role):
    few = {"Vorname": ["Ute", "Käthe", "Sören"] * (N // 3)}
    roles = ROLES | ({"Vorname": role} if role else {})
    policy = {"attributes": roles, "thresholds": {"k_anonymity": {"min": 2}}}
    found, check = first(few, policy)
    assert check.outcome == found.outcome == "fail"
    assert found.verdict.headline == "Do not release: direct identifiers found ('Vorname')"
    assert first(few, policy | {"allow": {"identifiers": ["Vorname"]}})[1].outcome == "pass"


def test_few_remarks_fail_and_are_called_free_text():
    notes = ["fine", "Peter Müller called", "see Frau Weber"] * (N // 3)
    found, check = first({"Notes": notes})
    assert found.verdict.headline == "Do not release: free text that may name people ('Notes')"
    assert check.sentence == "'Notes' is free text: it may name people."
    assert check.to_dict()["fix"] == "Leave out 'Notes', or read it and allow it ([allow] identifiers)."
    assert "names of people in it are not looked for" in found.checks[-1].sentence


def test_that_nothing_names_people_is_not_said_of_texts_that_were_not_read():
    texts = [f"made of wood and number {n % 30} of steel" for n in range(N)]
    _, check = first({"occupation": texts})
    assert (check.outcome, check.sentence) == (
        "pass",
        "No attribute names people, free text aside ('occupation').",
    )


def test_what_only_differs_for_nearly_everyone_is_not_called_a_direct_identifier():
    given = {"quasi_identifiers": "sex", "sensitive": "diagnosis"}
    births = [f"{1 + n % 28:02}.{1 + n % 12:02}.{1930 + n % 70}" for n in range(N)]
    found, check = first({"email": MAILS, "birth": births}, **given)
    assert found.verdict.headline == "Do not release: direct identifiers found ('email')"
    assert "'birth' has no role and a different value in nearly every record" in check.sentence


def test_a_health_insurance_number_names_people_in_an_audit_as_under_a_policy():
    found, check = first({"KVNR": [f"A{n * 7919 + 100_000_000}" for n in range(N)]})
    assert (found.outcome, check.sentence) == ("fail", "'KVNR' names people.")


@pytest.mark.parametrize("visits", [1, 5, 25])
@pytest.mark.parametrize("way", ["{first}. {last}", "{last}{first}", "{last} {day:02}.09.1961"])
def test_names_that_no_list_has_warn_whatever_their_role_and_however_many_records_each_has(way, visits):
    parts = [
        (a + b, i)
        for i, (a, b) in enumerate(
            product(("Lo", "Ma", "Ri", "Te", "Ku", "Na"), ("ren", "bek", "ton", "das"))
        )
    ]
    names = [way.format(first="ABCDEFGH"[i % 8], last=last, day=i + 1) for last, i in parts] * visits
    table = {"sex": ["f", "m"] * (len(names) // 2), "ill": ["flu", "cold", "gout", "flu"] * (len(names) // 4)}
    for role in ("other", "sensitive", "quasi_identifiers"):
        given = {"quasi_identifiers": ["sex"], "sensitive": ["ill"]}
        if role != "other":
            given[role] = [*given[role], "v1"]
        check = dv.audit({**table, "v1": names}, **given).checks
        [found] = [one for one in check if one.name == "Attributes that name people"]
        assert found.outcome == "warn" or (visits == 1 and found.outcome == "fail")
        assert "'v1'" in found.sentence


def test_a_few_values_on_many_records_each_may_be_of_wards_and_only_warn():
    mails = ["icu@hospital.org", "er@hospital.org", "info@hospital.org"] * 100
    phones = ["+1 202 555 0101", "+1 202 555 0102", "+1 202 555 0103"] * 100
    firms = [
        "Morgan Stanley",
        "Charles Schwab",
        "Eli Lilly",
        "John Deere",
        "Calvin Klein",
        "Philip Morris",
    ] * 50
    rest = {"sex": ["f", "m"] * 150, "diagnosis": ["flu", "cold", "gout"] * 100}
    for values in (mails, phones, firms):
        found = dv.audit({**rest, "v1": values}, **GIVEN).checks
        [check] = [one for one in found if one.name == "Attributes that name people"]
        assert check.outcome == "warn"
        assert check.sentence.startswith(
            "'v1' looks like names or contacts, but each value is on many records"
        )
        called = dv.audit({**rest, "patient name": values}, **GIVEN).checks
        [check] = [one for one in called if one.name == "Attributes that name people"]
        assert check.outcome == "fail"
    hospitals = [f"{name} Hospital" for name in ("James Paget", "Alexandra", "William Harvey", "Anna")] * 75
    assert dv.audit({**rest, "v1": hospitals}, **GIVEN).checks[0].outcome == "pass"
