"""The whole audit: planted problems are found, the document keeps its promises, nothing leaks."""

import json

import pytest

import divulge as dv
from divulge._support import threads
from divulge.assessment import audit, scope
from divulge.demo import PLANTED, clinic
from divulge.errors import SchemaError
from divulge.report.audit.junit import junit
from divulge.report.audit.markdown import markdown
from divulge.report.audit.notebook import notebook
from divulge.report.audit.page import page
from divulge.report.audit.text import text
from scenes import PEOPLE

ROLES = {
    "identifiers": ["patient"],
    "quasi_identifiers": ["sex", "age", "postcode", "occupation"],
    "sensitive": ["diagnosis"],
}


@pytest.fixture(scope="module")
def proposed():
    """The clinic audited with no roles given."""
    return audit(clinic()).to_dict()


MENTIONED = {"patient", "sex", "age", "postcode", "diagnosis"}


def in_turn(self, job, *given):
    """What an aside is asked for, done only when its result is."""
    return lambda: job(*given)


@pytest.mark.parametrize(
    "given",
    [
        {"quasi_identifiers": ["sex", "age", "postcode"], "sensitive": ["diagnosis"]},
        {"quasi_identifiers": ["sex", "age"], "sensitive": ["diagnosis"], "weights": "weight"},
    ],
)
def test_what_runs_side_by_side_finds_what_it_finds_in_turn(given, monkeypatch):
    table = {name: values[:90] for name, values in clinic().items() if name in MENTIONED}
    table["weight"] = [1 + place % 3 for place in range(90)]
    monkeypatch.setattr(scope, "THREADS_PAY", 0)
    at_once = audit(table, **given).to_dict()
    monkeypatch.setattr(threads, "cores", lambda: 1)
    monkeypatch.setattr(threads.Aside, "begin", in_turn)
    one_by_one = audit(table, **given).to_dict()
    at_once.pop("provenance")
    one_by_one.pop("provenance")
    assert at_once == one_by_one


def warned(document, kind):
    return [set(one["attributes"]) for one in document["warnings"] if one["kind"] == kind]


# -- planted problems ----------------------------------------------------------------------------


def test_the_identifier_left_in_is_found(proposed):
    first = proposed["checks"][0]
    assert first["measure"] == "identifiers"
    assert first["outcome"] == "fail"
    assert PLANTED["identifier left in"] in first["keys"]
    assert f"'{PLANTED['identifier left in']}' names people" in proposed["verdict"]["sentences"][0]


def test_the_duplicate_column_is_found(proposed):
    assert set(PLANTED["duplicate"]) in warned(proposed, "duplicate")


def test_the_proxy_of_the_diagnosis_is_found(proposed):
    assert set(PLANTED["proxy"]) in warned(proposed, "proxy")
    assert any(
        one["kind"] == "proxy" and one["keys"] == (PLANTED["proxy"][0],) for one in proposed["drivers"]
    )


def test_the_constant_column_is_found(proposed):
    assert {PLANTED["constant"]} in warned(proposed, "constant")


def test_the_pair_that_identifies_only_together_is_found(proposed):
    pair = set(PLANTED["identifying together"])
    half = next(one for one in proposed["combinations"]["identifying"] if one["level"] == "half")
    assert pair in [set(keys) for keys in half["sets"]]
    assert pair == set(proposed["drivers"][0]["keys"])


def test_the_lone_value_and_the_typing_error_are_found(proposed):
    hints = {(one["kind"], one["attribute"]) for one in proposed["hints"]}
    assert {("lone value", attribute) for attribute in PLANTED["lone values"]} <= hints
    assert {("spelling", attribute) for attribute in PLANTED["misspelt"]} <= hints
    assert ("outlier", "age") in hints


# -- the document --------------------------------------------------------------------------------


def test_the_document_is_plain_json_and_the_same_every_time():
    one, other = (json.dumps(audit(clinic(300), **ROLES).to_dict(), allow_nan=False) for _ in range(2))
    assert one == other


def test_roles_that_were_proposed_are_said_with_reasons_and_the_command_that_gives_them(proposed):
    roles = proposed["roles"]
    assert roles["proposed"]
    assert roles["explicit"].startswith("dv.audit(data, identifiers=")
    assert all(one["reasons"] for one in roles["attributes"] if one["role"] != "other")


def test_five_numbers_and_a_verdict_in_words(proposed):
    assert len(proposed["numbers"]) == 5
    assert proposed["verdict"]["outcome"] == "fail"
    assert proposed["verdict"]["headline"].startswith("Do not release: ")
    assert 2 <= len(proposed["verdict"]["sentences"]) <= 6


def test_every_check_that_does_not_pass_has_its_four_sentences(proposed):
    for check in proposed["checks"]:
        assert check["asked"]
        assert check["found_text"]
        if check["outcome"] in ("fail", "warn"):
            assert check["concerns"]
            assert check["why"]
            assert check["fix"]


def test_rates_are_what_measuring_gives():
    table = clinic(1000)
    found = audit(dv.read(table, **ROLES)).to_dict()
    for target in found["targets"]:
        for key in target["keys"]:
            data = dv.read(table, identifiers="patient")
            asked = dv.measure(data, "discrimination_rate", keys=key["key"], target=target["target"])
            assert key["discrimination_rate"]["value"] == pytest.approx(asked.value)
            assert key["discrimination_rate"]["adjusted"] == pytest.approx(asked.adjusted)


def test_given_roles_are_kept_and_no_reasons_made_up():
    found = audit(dv.read(clinic(500), **ROLES)).to_dict()
    assert not found["roles"]["proposed"]
    roles = {one["name"]: one["role"] for one in found["roles"]["attributes"]}
    assert roles["patient"] == "identifier"
    assert roles["postcode"] == "quasi-identifier"
    assert roles["medication"] == "other"


def test_roles_without_a_quasi_identifier_are_refused():
    with pytest.raises(SchemaError, match="no quasi-identifier is among them"):
        audit(dv.read(PEOPLE, sensitive="ill"))


def test_a_table_of_nothing_but_measurements_is_audited_all_the_same():
    found = audit({"x1": [1.5, 2.5, 1.5, 2.5], "x2": [0.5, 0.5, 1.5, 1.5]}).to_dict()
    assert {one["role"] for one in found["roles"]["attributes"]} == {"quasi-identifier"}


@pytest.mark.parametrize(
    "table",
    [
        {"age": ["20"]},
        {"age": ["20", "20"], "ill": ["flu", "flu"]},
        {"age": [None, None, None]},
        {"age": ["20", None, "30", "*"], "ill": [None, "flu", "flu", "cold"]},
    ],
    ids=["one record", "everything constant", "everything missing", "gaps and suppressed cells"],
)
def test_odd_tables_are_audited(table):
    sensitive = "ill" if "ill" in table else None
    for missing in ("value", "wildcard"):
        data = dv.read(table, quasi_identifiers="age", sensitive=sensitive, missing=missing)
        document = audit(data).to_dict()
        json.dumps(document, allow_nan=False)
        assert text(document)
        assert page(document)


def test_weights_and_people_of_several_records_are_audited():
    table = PEOPLE | {"w": [1, 2, 1, 1, 1, 1, 1, 3], "who": list("iijklmno")}
    data = dv.read(table, quasi_identifiers=["zip", "age"], sensitive="ill", weights="w", identifiers="who")
    document = audit(data).to_dict()
    json.dumps(document, allow_nan=False)
    assert document["source"]["people"] == 7
    assert "w" not in [one["name"] for one in document["roles"]["attributes"]]


# -- leaks ---------------------------------------------------------------------------------------

MARKERS = {"patient": "PATIENTMARK", "postcode": "POSTMARK", "occupation": "JOBMARK", "diagnosis": "ILLMARK"}


def marked():
    table = clinic(500)
    for name, marker in MARKERS.items():
        table[name] = [f"{marker}{value}" for value in table[name]]
    return table


@pytest.mark.parametrize("given", [True, False])
def test_marked_values_appear_in_no_output(given):
    found = audit(dv.read(marked(), **(ROLES if given else {})))
    document = found.to_dict()
    outputs = [
        json.dumps(document),
        text(document),
        markdown(document),
        junit(document),
        notebook(document),
        page(document),
        repr(found),
        str(found),
        found._repr_html_(),
    ]
    for output in outputs:
        for marker in MARKERS.values():
            assert marker not in output


def test_values_appear_when_asked_for_but_never_those_of_identifiers():
    document = audit(dv.read(marked(), **ROLES), show_values=True).to_dict()
    shown = json.dumps(document) + page(document)
    assert MARKERS["postcode"] in shown
    assert MARKERS["patient"] not in shown
    assert all(
        line["records"] == "<5" or line["records"] >= 5 for one in document["values"] for line in one["lines"]
    )


def test_an_assessment_can_be_saved_in_every_form(tmp_path):
    found = audit(dv.read(PEOPLE, quasi_identifiers=["zip", "age"], sensitive="ill"))
    for name in ("a.html", "a.json", "a.md", "a.xml"):
        found.save(tmp_path / name)
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads(json.dumps(found.to_dict()))
    with pytest.raises(dv.DivulgeError, match="ending"):
        found.save(tmp_path / "a.docx")
