"""What regulators ask, profiles, methods and provenance are drawn from a document alone."""

import pytest

import divulge as dv
from divulge._support.wording import flattened
from divulge.report.audit.markdown import markdown
from divulge.report.audit.text import text
from divulge.report.shared import regulators
from divulge.report.shared.bars import bar_labels, bars
from divulge.report.shared.provenance import made_with
from divulge.report.shared.template import render
from report.outline import Outline

PEOPLE = {
    "zip": [f"1305{n % 5}" for n in range(200)],
    "age": [20 + n % 50 for n in range(200)],
    "note<b>": [f"came in with a cough on day {n}" for n in range(200)],
    "ill": ["flu", "cold"] * 100,
}


@pytest.fixture(scope="module")
def document():
    found = dv.audit(dv.read(PEOPLE, quasi_identifiers=["zip", "age"], sensitive="ill"), search=False)
    return flattened(found.to_dict())


def drawn(name, document, **more):
    return Outline(render(name, document=document, kind="audit", most=200, facts=made_with(document), **more))


def test_each_risk_has_a_row_and_each_identifier_a_line(document):
    said = drawn("regulators.html.j2", document).text
    for words in (
        "Singling out",
        "Linkability",
        "Inference",
        "not a legal assessment",
        "found in zip (its name)",
    ):
        assert words in said
    for one in document["regulators"]["identifiers"]:
        assert one["identifier"] in said
    for word in ("safe", "anonymous", "compliant"):
        assert word not in said.lower()


def test_a_comparison_has_them_for_each_release(document):
    releases = [{**document["regulators"], "release": name} for name in ("k5.csv", "<i>noise.csv")]
    made = drawn("regulators.html.j2", {**document, "regulators": releases})
    assert made.text.count("Singling out") == 2
    assert "<i>noise.csv" in made.text
    assert not made.all("i")


def test_lines_of_text_have_readings_and_what_was_found(document):
    found = document["regulators"]
    assert [risk for risk, _ in regulators.risks(found)] == ["singling out", "linkability", "inference"]
    said = regulators.listed(found)
    assert "geographic units smaller than a state, ZIP codes beyond three digits (zip)" in said
    assert said.endswith("not a legal assessment.")
    nothing = {**found, "identifiers": [{**one, "found": []} for one in found["identifiers"]]}
    assert regulators.listed(nothing).startswith("0 of 18 identifiers listed in 45 CFR 164.514(b)(2) found. ")


def test_text_and_markdown_end_with_what_regulators_ask(document):
    lines = text(document).splitlines()
    assert "What regulators ask" in lines
    assert all(len(line) <= 80 for line in lines)
    comment = markdown(document)
    assert "| What regulators ask |" in comment
    assert len(comment.splitlines()) < 60


def test_a_profile_has_a_row_for_each_attribute_and_bars_or_a_reason(document):
    made = drawn("profile.html.j2", document)
    assert len(made.all("svg")) == 3
    assert "its values are texts" in made.text
    assert "note<b>" in made.text
    assert not made.all("b")
    many = drawn("profile.html.j2", {**document, "profile": document["profile"] * 20})
    assert "20 more attributes are left out here" in many.text


def test_bars_say_their_shares_and_their_labels_only_where_they_have_some():
    found = {"bars": [{"label": None, "share": 0.75}, {"label": None, "share": "<0.05"}]}
    assert "Distribution of age: 75%, &lt;5%" in bars(found, "age")
    assert bar_labels(found) == ""
    named = {"bars": [{"label": "<script>", "share": 0.5}, {"label": "b", "share": 0.5}]}
    assert "<script>" not in bars(named, "x")
    assert bar_labels(named) == "<script> 50%, b 50%"


def test_methods_can_be_copied(document):
    made = drawn("methods.html.j2", document)
    assert document["methods"]["text"] in made.text
    (button,) = made.all("button")
    assert button["data-copy"] in {a.get("id") for _, a in made.elements}


def test_provenance_has_digest_or_reason_policy_and_date(document):
    made = {**document["provenance"], "policy_text": ["[thresholds]", "k_anonymity = { min = 5 }"]}
    said = drawn("provenance.html.j2", {**document, "provenance": made}).text
    assert "a dictionary of columns 200 none: it was given in memory, not as a file" in said
    assert "[thresholds] k_anonymity = { min = 5 }" in said
    assert "Date (UTC) 2020-01-01T12:00:00Z" in said
    assert "Command" not in said


def test_documents_without_these_parts_draw_none():
    for name in ("regulators", "profile", "methods"):
        assert (
            drawn(
                f"{name}.html.j2",
                {"policy": None, "shows_values": False, "seed": 1, "divulge": "0", "version": 1},
            ).text
            == ""
        )
