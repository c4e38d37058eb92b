"""The page is tested by what it says, in which order, and by what it must never let through."""

import base64
import hashlib
import itertools
import re

import pytest

import divulge as dv
from divulge._support.references import REFERENCES
from divulge.measures import MEASURES
from divulge.report.audit.charts import CHARTS
from divulge.report.audit.page import page
from divulge.report.shared.frame import LIMIT
from divulge.report.shared.template import beside
from report.example_document import document, renamed, wide_document
from report.outline import Outline

HOSTILE = {
    "age": "<script>alert(1)</script>",
    "postcode": '"><img src=x onerror=alert(1)>',
    "diagnosis": "a & b",
    "clinic.csv": "</title><script>alert(2)</script>.csv",
    "value 1": "'--><svg onload=alert(3)>",
}


@pytest.fixture(scope="module")
def html():
    return page(document())


@pytest.fixture(scope="module")
def outline(html):
    return Outline(html)


def nearly_empty():
    """What an audit of a table without roles, readings or findings could leave."""
    found = document()
    for name in ("checks", "numbers", "targets", "class_sizes", "record_risk", "homogeneous", "values"):
        found[name] = []
    for name in ("classes", "drivers", "helps", "warnings", "hints"):
        found[name] = []
    found["combinations"] = found["policy"] = None
    found["people_beyond_table"] = {"declared": None, "undefined": "there are no records"}
    found["verdict"] |= {"outcome": "not evaluated", "headline": "Nothing was checked", "sentences": []}
    found["roles"] |= {"proposed": False, "attributes": []}
    return found


def test_the_verdict_comes_first_and_the_rest_in_order(outline):
    ids = [a["id"] for a in outline.all("section")]
    assert ids == [
        *("verdict", "checks", "helps", "attributes", "combinations", "classes"),
        *("people_beyond_table", "warnings", "readings", "glossary", "made", "roles-command"),
    ]
    text = outline.text
    assert text.index("4 of 5 checks do not pass") < text.index("Smallest group") < text.index("Glossary and")


def test_suggested_roles_are_said_at_the_top_and_the_command_that_gives_them_at_the_end(html, outline):
    assert html.index("No roles given; using") < html.index('id="checks"')
    assert html.index('id="made"') < html.index(document()["roles"]["explicit"])
    assert outline.text.count("suggested") >= 9
    found = document()
    found["roles"]["proposed"] = False
    given = page(found)
    assert "No roles given" not in given
    assert "suggested" not in given.replace(beside("page.css"), "")
    assert document()["roles"]["explicit"] not in given


@pytest.mark.parametrize("check", document()["checks"], ids=lambda check: check["title"])
def test_every_check_says_asked_found_concerned_why_and_what_would_fix_it(outline, check):
    text = outline.text
    for field in ("title", "asked", "concerns", "why", "fix"):
        assert check[field] in text, field
    assert (check["undefined"] or check["found_text"]) in text


def test_an_outcome_is_said_in_words_and_by_a_sign(outline):
    for said in ("✕ Fails", "! Warns", "✓ Passes", "? Not evaluated"):
        assert said in outline.text


def test_failing_checks_come_before_those_that_pass(outline):
    text = outline.text
    assert text.index("✕ Fails Uniqueness") < text.index("! Warns") < text.index("✓ Passes")


def test_every_chart_is_drawn_and_has_its_table_under_it():
    html = page({**document(), "shows_values": True})
    for chart in CHARTS:
        figure = re.search(rf'<figure id="chart-{chart.name}">.*?</figure>', html, re.DOTALL)[0]
        assert "<svg" in figure
        table = figure[figure.index("<details") :]
        assert table.count("<tr>") == 1 + len(chart.table(document()).rows)


def test_tables_have_heads_with_scope_and_captions(outline, html):
    assert all("scope" in head for head in outline.all("th"))
    assert html.count("<caption") == html.count("<table")


def test_headings_go_down_one_level_at_a_time(outline):
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_links_lead_to_places_on_the_page(outline):
    ids = [a["id"] for _, a in outline.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"].removeprefix("#") for a in outline.all("a")} <= set(ids)


def test_the_policy_allows_one_style_and_one_script_by_their_digests(html, outline):
    policy = next(a["content"] for a in outline.all("meta") if "http-equiv" in a)
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    for rule in ("default-src 'none'", "base-uri 'none'", "form-action 'none'"):
        assert rule in policy
    assert "unsafe" not in policy


def test_nothing_is_styled_or_scripted_inline_and_nothing_is_fetched(outline):
    for tag, attributes in outline.elements:
        assert not {name for name in attributes if name == "style" or name.startswith("on")}, tag
        assert not attributes.keys() & {"src", "srcset", "action", "data"}, tag
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "img"}


def test_hostile_names_stay_text():
    found = renamed({**document(), "shows_values": True}, HOSTILE)
    outline = Outline(page(found))
    assert len(outline.all("script")) == 1
    assert not outline.all("img")
    assert not [attributes for _, attributes in outline.elements if "onerror" in attributes]
    for name in HOSTILE.values():
        assert " ".join(name.split()) in outline.text
    assert "a &amp; b" in page(found)


def test_sixty_attributes_stay_under_a_megabyte():
    assert len(page(wide_document(60)).encode()) < LIMIT


def test_a_table_too_large_for_the_page_says_how_many_rows_are_left_out():
    found = wide_document(3000)
    for attribute in found["roles"]["attributes"]:
        attribute["reasons"] = ["because " * 200]
    made = page(found)
    assert len(made.encode()) < LIMIT
    assert re.search(r"2,\d{3} more rows are left out here", made)


def test_the_same_document_gives_the_same_page(html):
    assert page(document()) == html


def test_a_document_with_nothing_in_it_still_makes_a_page():
    made = Outline(page(nearly_empty()))
    assert "Nothing was checked" in made.text
    assert not made.all("svg")
    assert not made.all("table")
    ids = {attributes.get("id") for _, attributes in made.elements}
    assert {link["href"].removeprefix("#") for link in made.all("a")} <= ids


def test_an_undefined_target_says_why():
    found = document()
    found["targets"][1] |= {
        "undefined": "diagnosis has one value",
        "entropy": None,
        "keys": [],
        "together": None,
    }
    assert "Rates are undefined: diagnosis has one value." in Outline(page(found)).text


def test_the_glossary_has_the_measures_that_were_used_and_their_papers_and_no_others(outline):
    text = outline.text
    for measure in (MEASURES["t_closeness"], MEASURES["k_anonymity"], MEASURES["delta_disclosure"]):
        assert " ".join(measure.summary.split()) in text
        assert " ".join(measure.formula.split()) in text
        assert REFERENCES[measure.reference] in text
    assert MEASURES["beta_likeness"].title not in text


def test_how_it_was_made_can_be_repeated(outline):
    for said in (
        "Seed 20170",
        "divulge 0.1.0",
        "Missing values a missing value counts as a value of its own",
    ):
        assert said in outline.text
    found = document()
    found["policy"] = {"name": "divulge.toml", "digest": "sha256:abc"}
    found["verdict"]["thresholds"] = "policy"
    text = Outline(page(found)).text
    assert "Digest of the policy sha256:abc" in text
    assert "Thresholds of divulge.toml." in text


def test_a_report_with_values_of_records_says_so():
    found = document()
    found["shows_values"] = True
    found["classes"] = [{"label": "class 1", "key": {"age": "93", "sex": None}, "records": "<5"}]
    text = Outline(page(found)).text
    assert "This report shows values of records." in text
    assert "93 – <5" in text
    assert "What single values reveal" in text


def test_without_values_there_is_no_chart_of_single_values_and_no_list_of_classes(html):
    assert "chart-values" not in html
    assert "The smallest groups" not in html


def test_parameters_are_said_once():
    found = document()
    found["checks"][0] |= {"title": "Re-identification risk (average)", "parameters": {"kind": "average"}}
    text = Outline(page(found)).text
    assert "t-closeness (ground ordered)" in text
    assert text.count("(average)") == text.count("Re-identification risk (average)")


def test_where_chance_has_no_say_there_is_no_column_for_it(html):
    tables = re.findall(r"<caption[^>]*>Each attribute alone, ([^<]*)</caption>\s*<thead>(.*?)</thead>", html)
    assert {title: "noise" in head for title, head in tables} == {
        "re-identification": False,
        "inference of diagnosis": True,
        "inference of therapy": True,
    }
    assert {title: "by chance" in head for title, head in tables} == {
        "re-identification": False,
        "inference of diagnosis": True,
        "inference of therapy": True,
    }


def test_a_reading_that_is_read_with_another_says_so(outline):
    assert "(alpha, k)-anonymity 1 – higher – – – with k-anonymity 1" in outline.text


def test_a_baseline_is_shown_beside_what_was_found():
    found = document()
    found["checks"][0]["baseline"] = {"found": 4, "worse": True}
    assert "Before 4; it is worse than in the baseline" in Outline(page(found)).text


def test_lone_values_are_in_one_table_and_other_hints_are_sentences():
    found = document()
    lone = {
        "kind": "lone value",
        "attribute": "age",
        "values": "<5",
        "records": "<5",
        "sentence": "Never said.",
    }
    found["hints"].append(lone)
    text = Outline(page(found)).text
    assert "age <5 83" in text
    assert "Never said." not in text
    assert found["hints"][0]["sentence"] in text


def test_a_date_is_in_the_margin_of_every_sheet_and_can_be_nothing_but_text():
    made = {"date": '2026"; }<', "files": [], "policy_text": None, "command": None}
    dated = page({**document(), "provenance": made})
    (style,) = re.findall(r"<style>(.*?)</style>", dated, re.DOTALL)
    assert "2026\\22 \\3b " in style
    assert style.endswith("} }\n")
    assert "2026" not in page(document()).split("</style>")[0]


def test_the_page_promises_nothing(outline):
    assert not re.search(r"\b(safe|anonymous|compliant)\b", outline.text, re.IGNORECASE)


def test_what_decides_among_changes_stands_right_after_them():
    shown = re.search(r'<table class="helps">(.*?)</table>', page(document()), re.DOTALL)
    assert shown is not None
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)<', shown[1])
    assert heads == ["Change", "Checks not passed", "Detail lost", "Smallest group", "Unique", "Average risk"]
    first = re.findall(r"<td[^>]*>([^<]*)</td>", shown[1])[:5]
    assert first == ["4", "0.0%", "1", "40.1%", "58.0%"]


def test_an_option_in_a_sentence_is_not_broken_at_its_hyphens():
    found = document()
    found["checks"][0] |= {
        "measure": "singled_out",
        "parameters": {"k": 5},
        "sentence": "<Give> it (--population).",
    }
    assert '&lt;Give&gt; it <span class="option">(--population)</span>.' in page(found)


def test_what_regulators_ask_has_whole_sentences():
    table = {"age": [20, 20, 30, 30] * 30, "ill": ["flu", "cold"] * 60}
    found = dv.audit(table, quasi_identifiers="age", sensitive="ill").to_dict()
    said = "A value is reached in groups " + "of people who are alike, " * 8 + "and in no other"
    found["regulators"]["risks"][2]["readings"][0]["reads"] = said
    assert said in page(found)
