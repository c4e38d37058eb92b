"""The page of a comparison: what it says, in which order, and what it must never let through."""

import itertools
import re

import pytest

from divulge.report.audit.page import page as audit_page
from divulge.report.comparison.charts import page_charts
from divulge.report.comparison.page import page
from divulge.report.comparison.wording import PARTS
from divulge.report.shared.frame import LIMIT
from divulge.report.shared.wording import OPTIONAL_PARTS
from report.comparison_document import (
    ATTACKS,
    COARSE,
    NOT_ALIGNED,
    RELEASES,
    document,
    many_releases,
    nearly_empty,
)
from report.example_document import document as audit
from report.example_document import renamed
from report.outline import Outline

HOSTILE = {
    "age": "<script>alert(1)</script>",
    "clinic_bands.csv": '"><img src=x onerror=alert(1)>.csv',
    "diagnosis": "a & b",
    "clinic.csv": "</title><script>alert(2)</script>.csv",
    "value 1": "'--><svg onload=alert(3)>",
}


def saying_more():
    """The clinic's comparison, in which an attack says what none says today."""
    found = document()
    for release in found["releases"]:
        for attack in release["attacks"]:
            if attack["attack"] == "identity_black_box":
                attack["details"] |= {"shared": ["age", "sex"], "complete": True}
    return found


@pytest.fixture(scope="module")
def html():
    return page(saying_more())


@pytest.fixture(scope="module")
def outline(html):
    return Outline(html)


def section(html, name):
    return Outline(re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)[0]).text


def test_the_recommendation_comes_first_and_the_rest_in_order(outline):
    ids = [a["id"] for a in outline.all("section")]
    assert ids == [part for part in PARTS if part not in OPTIONAL_PARTS]
    assert ids[0] == "recommendation"


def test_the_recommendation_is_in_words(html):
    said = section(html, "recommendation")
    assert f"Of 3 releases, {COARSE} is recommended" in said
    for sentence in document()["recommendation"]["sentences"]:
        assert sentence in said
    assert "promises nothing beyond that" in said


def test_where_none_is_recommended_the_page_says_so():
    found = page(nearly_empty())
    assert "No release is recommended" in section(found, "recommendation")
    assert "no release is recommended (divulge comparison)" in found


def test_one_table_beside_the_chart_has_checks_people_and_utility(html):
    said = section(html, "recommendation")
    assert "Release Checks passed People truly linked Utility kept" in said
    assert "clinic_bands.csv 0 of 3 ✕ 1 fails, 2 warn 24.1% 964 people 86%" in said
    assert "clinic_coarse.csv recommended 3 of 3 ✓ all pass 6.2% 241 people 72%" in said
    assert "original – 58% 2,318 people 100%" in said


def test_what_the_table_could_not_measure_has_its_reason_under_it():
    found = document()
    found["releases"][2]["score"] |= {"risk": None, "risk_undefined": "rows are not matched"}
    said = section(page(found), "recommendation")
    assert "clinic_synthetic.csv 1 of 3 ✕ 1 fails, 1 warns – not measured 78%" in said
    assert "clinic_synthetic.csv not measured: rows are not matched." in said


def test_fewer_than_five_people_are_not_counted_in_the_table():
    found = document()
    found["releases"][1]["score"]["risk"] = 3 / 3888
    assert "<0.1% fewer than 5 people" in section(page(found), "recommendation")


def test_people_who_were_drawn_have_a_bound_in_the_table():
    found = document()
    marketer = next(one for one in found["releases"][0]["attacks"] if one["attack"] == "marketer")
    marketer |= {"people": None, "people_at_most": 1012}
    assert "24.1% at most 1,012" in section(page(found), "recommendation")


def test_a_note_is_given_once_with_the_releases_it_is_about(html):
    said = section(html, "notes")
    assert said.count("patient is still in the release.") == 1
    assert "clinic_bands.csv, clinic_coarse.csv patient is" in said
    assert 'id="notes"' not in page(document() | {"notices": []})


def test_readings_stand_side_by_side_with_arrows_and_words(html):
    said = section(html, "readings")
    assert "Smallest group k-anonymity; larger is better 1 1 = same 5 ↑ better 1 = same" in said
    assert "Unique people Uniqueness; smaller is better 40.1% 8.3% ↓ better 0.0% ↓ better" in said
    assert "t-closeness; smaller is better 0.920 0.710 ↓ better 0.310 ↓ better 0.960 ↑ worse" in said
    assert "0.502 0.338 ↓ better 0.097 ↓ better – no value" in said


def test_colour_is_never_alone_in_saying_something(html):
    for tone in ("pass", "fail", "warn"):
        for said in re.findall(rf'<span class="moved {tone}">(.*?)</span>\s*(?:<span|</td>)', html):
            assert re.search(r"[↓↑✓✕!]</span> \w", said), said


def test_attacks_say_what_the_attacker_knows_the_risk_and_whom_it_concerns(html):
    said = section(html, "attacks")
    for _, knows, risks, _ in ATTACKS.values():
        assert (f"The attacker knows: {knows}." in said) == any(risk is not None for risk in risks)
    assert "Identity disclosure, black box clinic_bands.csv 0.316 clinic_coarse.csv 0.187" in said
    assert "clinic_bands.csv 0.316 0.684 332 (8.3%)" in said
    assert "clinic_coarse.csv 0.187 ↓ lowest 0.813 0 (0%) ↓ fewest" in said
    assert "clinic_synthetic.csv 0.402 ↑ highest 0.598 1,310 (31.2%) ↑ most" in said
    assert document()["releases"][0]["attacks"][2]["sentence"] in said


def test_an_attack_that_could_not_be_tried_says_why(html):
    said = section(html, "attacks")
    assert "Journalist not measured: no table of the population was given." in said
    assert f"Not measured: {NOT_ALIGNED}." in said  # on one release


def test_every_attack_has_one_part_that_is_folded(html):
    headings = [part.strip() for part in re.findall(r"<h[23][^>]*>(.*?)</h[23]>", html)]
    for title, _, risks, _ in ATTACKS.values():
        assert headings.count(title) == any(risk is not None for risk in risks)
    parts = re.findall(r'<details class="attack"[^>]*>', html)
    assert len(parts) == len(ATTACKS) - 1
    assert not any(" open" in part for part in parts)


def test_what_changed_values_say_of_themselves_is_no_risk_to_compare():
    found = document()
    found["releases"][2]["changed"] = "all values were made up"
    said = section(page(found), "attacks")
    assert "clinic_synthetic.csv 0.402 not comparable – 1,310" in said
    assert "0.402 ↑ highest" not in said
    assert "0.316 ↑ highest" in said


def test_of_many_releases_an_attack_says_the_lowest_and_the_highest_risk():
    assert "Identity disclosure, black box risk 0.187 to 0.402" in section(page(many_releases(6)), "attacks")


def test_readings_by_attribute_and_by_value_are_folded_under_each_attack(html):
    folded = re.findall(r"<details[^>]*><summary>(.*?)</summary>", html)
    measured = sum(any(risk is not None for risk in risks) for _, _, risks, _ in ATTACKS.values())
    assert folded.count("By attribute") == measured
    assert folded.count("By value, riskiest first") == measured


def test_what_else_an_attack_says_is_shown_whatever_it_is(html):
    said = section(html, "attacks")
    assert "on age: age* age: age* age: age*" in said
    assert "complete yes yes yes" in said
    assert "Ruling out release target of values records share worst posterior" in said
    assert "clinic_bands.csv diagnosis 4,000 2 911 0.228 1" in said


def test_the_loss_to_attackers_is_given_by_attack_and_overall(html):
    said = section(html, "attacks")
    assert "clinic_bands.csv 0.581 ↑ highest 0.419" in said
    assert "clinic_bands.csv 0.241 – 1,180" in said  # a prosecutor's risk is a probability, and has none
    assert (
        "Still unknown to attackers, mean over identity disclosure, white box, and homogeneity: "
        "clinic_bands.csv 0.629, clinic_coarse.csv 0.807, clinic_synthetic.csv –." in said
    )


def test_the_loss_to_analysts_is_given_in_tables(html):
    said = section(html, "loss")
    assert "clinic_synthetic.csv Not measured: records of clinic_synthetic.csv cannot be matched" in said
    assert "Covariances clinic_bands.csv 1.05 0.55 0.06" in said
    assert "postcode nominal 44.0% 1.30 bits lost, 26.4%" in said
    assert "sex, diagnosis 0.040 0.080 0.120" in said
    assert "age 0.060 0.120 0.180" in said
    assert "age 57% 3.21 bits – not grouped – not grouped" in said


def test_a_share_that_has_no_meaning_is_not_given():
    found = document()
    found["releases"][0]["mining"][0]["kept"] = None
    assert "share kept not measured: the original is not above guessing" in section(page(found), "mining")


def test_groups_that_leave_nothing_to_compare_are_said_to():
    found = document()
    line = {"attributes": ["zip"], "total_variation": None, "jensen_shannon": None, "hellinger": None}
    line |= {"earth_mover": None, "recoding_loss": None, "recoding_share": None}
    found["releases"][0]["loss"]["distributions"].append({**line, "undefined": "the groups of zip overlap"})
    said = section(page(found), "loss")
    assert "Not measured: the groups of zip overlap." in said
    assert "zip – – –" in said


def test_models_needs_and_checks_stand_beside_each_other(html):
    models = section(html, "mining")
    assert "guessing reaches 0.235 0.470 0.450 to 0.490 0.456 97% of 0.470 beyond guessing kept;" in models
    assert "unrelated attributes reach 0.500; the original drawn again reaches 0.714" in models
    needs = section(html, "needs")
    assert "diagnosis for therapy 0.531 0.531 = same 0.507 ↓ worse" in needs
    assert "clinic_synthetic.csv not measured: age has one value." in needs
    assert "value 1 900 0.531 0.012 0.525" in needs
    checks = section(html, "checks")
    assert "Each release against the thresholds of divulge.toml." in checks
    assert "at least 5 records 1 record ✕ Fails 5 records ✓ Passes 1 record ✕ Fails" in checks
    assert "Leaving out occupation would give 3." in checks


def test_what_a_need_asks_for_at_least_is_said():
    found = document()
    found["releases"][0]["needs"][0] |= {"at_least": 0.5, "enough": True}
    found["releases"][2]["needs"][0] |= {"at_least": 0.5, "enough": False}
    said = section(page(found), "needs")
    assert "diagnosis for therapy; at least 0.5 is enough 0.531 0.531 = same enough" in said
    assert "0.441 ↓ worse not enough" in said


def test_checks_of_renamed_or_lacking_attributes_are_still_the_same_checks():
    found = document()
    second = found["releases"][1]
    for check in second["checks"]:
        check["keys"] = ["age*", "sex", "postcode*"]
    second["alignment"]["columns"] = [
        {"original": name, "released": there}
        for name, there in (("age", "age*"), ("sex", "sex"), ("postcode", "postcode*"), ("diagnosis",) * 2)
    ]
    assert "at least 5 records 1 record ✕ Fails 5 records ✓ Passes" in section(page(found), "checks")


def test_alignment_says_what_was_found_again_and_what_was_not(outline, html):
    said = section(html, "alignment")
    assert "clinic_coarse.csv 3,888 3,888 by patient 7 age is age*, postcode is postcode*" in said
    assert "clinic_synthetic.csv length_of_stay is not in the release." in said
    assert "Not aligned record by record: clinic_synthetic.csv." in outline.text


def test_every_chart_is_drawn_and_has_its_numbers_beside_it(html):
    charts = page_charts(document())
    assert len(charts) == 5  # one of them the distributions of each release
    for chart in charts:
        figure = re.search(rf'<figure id="chart-{chart.name}">.*?</figure>', html, re.DOTALL)[0]
        assert "<svg" in figure
        if chart.name != "risk_utility":  # its numbers are the table that leads the page
            assert figure[figure.index("<details") :].count("<tr>") == 1 + len(chart.table(document()).rows)


def test_distributions_are_drawn_over_each_other_and_those_that_are_not_are_named():
    found = document()
    age, sex, _ = found["releases"][0]["loss"]["distributions"]
    age |= {"shares": [{"label": "suppressed", "original": 0.0, "released": 1.0}], "total_variation": 1.0}
    sex["total_variation"] = 0.0
    for release in found["releases"][1:]:
        release["loss"]["distributions"] = []
    assert "clinic_bands.csv: suppressed in every record: age; no change in sex." in section(
        page(found), "distributions"
    )
    sex["recoding_loss"] = 0.5  # values were put into groups, as many in each as before
    assert "age; grouped, shares unchanged: sex." in section(page(found), "distributions")
    found["releases"][0]["loss"]["distributions"] = []
    assert 'id="distributions"' not in page(found)
    said = section(page(many_releases(5)), "distributions")
    assert said.count("clinic_level_4.csv: not drawn here, but in the JSON document: age, sex.") == 1
    assert said.count("not drawn here") == 1


def test_tables_have_heads_with_scope_and_captions(outline, html):
    assert all("scope" in head for head in outline.all("th"))
    assert html.count("<caption") == html.count("<table")


def test_headings_go_down_one_level_at_a_time(outline):
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


@pytest.mark.parametrize(
    "found", [document(), nearly_empty(), many_releases(6)], ids=["three", "empty", "six"]
)
def test_links_lead_to_places_on_the_page(found):
    outline = Outline(page(found))
    ids = [a["id"] for _, a in outline.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"].removeprefix("#") for a in outline.all("a")} <= set(ids)


def test_it_has_the_style_the_script_and_the_policy_of_the_audit():
    undated = {name: part for name, part in document().items() if name != "provenance"}
    mine, other = page(undated), audit_page(audit())
    for pattern in (
        r"<style>.*?</style>",
        r"<script>.*?</script>",
        r'Content-Security-Policy" content="[^"]*"',
    ):
        assert re.search(pattern, mine, re.DOTALL)[0] == re.search(pattern, other, re.DOTALL)[0]


def test_nothing_is_styled_or_scripted_inline_and_nothing_is_fetched(outline):
    for tag, attributes in outline.elements:
        assert not {name for name in attributes if name == "style" or name.startswith("on")}, tag
        assert not attributes.keys() & {"src", "srcset", "action", "data"}, tag
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "img"}


def test_hostile_names_stay_text():
    outline = Outline(page(renamed(document(), HOSTILE)))
    assert len(outline.all("script")) == 1
    assert not outline.all("img")
    for name in HOSTILE.values():
        assert " ".join(name.split()) in outline.text


def test_many_releases_stay_under_a_megabyte_and_what_is_left_out_is_counted():
    made = page(many_releases(60))
    assert len(made.encode()) < LIMIT
    text = Outline(made).text
    assert "36 more releases are left out here" in text
    assert "Of 60 releases, clinic_level_59.csv is recommended" in text
    assert "clinic_level_59.csv recommended" in section(made, "readings")


def test_whatever_is_large_the_page_is_not():
    found = many_releases(30)
    for release in found["releases"]:
        release["name"] = f"{release['name']} {'x' * 2000}"
        release["alignment"]["notes"] = ["a note " * 500] * 300
        for attack in release["attacks"]:
            attack["sentence"] = "words " * 2000
            for reading in attack["readings"]:
                reading["values"] *= 7
            attack["readings"] *= 20
    made = page(found)
    assert len(made.encode()) < LIMIT
    assert re.search(r"more rows are left out here; the JSON document of the comparison has them", made)


def test_the_same_document_gives_the_same_page(html):
    assert page(saying_more()) == html


def test_a_release_on_which_nothing_could_be_measured_still_makes_a_page():
    made = Outline(page(nearly_empty()))
    assert "not measured: every record has all its quasi-identifiers suppressed." in made.text
    assert "No attack was carried out." in made.text
    assert "Nothing was checked." in made.text
    assert not {"needs", "mining", "notes"} & {section["id"] for section in made.all("section")}
    assert not made.all("svg")


def test_how_it_was_made_can_be_repeated(html):
    said = section(html, "made")
    for fact in ("Original clinic.csv", "Seed 20170", "Digest of the policy sha256:5c2e", "divulge 0.1.0"):
        assert fact in said
    assert "Original clinic.csv 4,000 9f86d081" in said
    assert "Release clinic_synthetic.csv 4,200 none: a table of a database has no file" in said
    assert "Command divulge compare clinic.csv clinic_synthetic.csv" in said
    assert "not record by record" in section(html, "alignment")
    assert "Policy none" in section(page(document() | {"policy": None}), "made")


def test_a_report_with_values_of_records_says_so():
    assert "This report shows values of records." in Outline(page(document() | {"shows_values": True})).text


def test_the_glossary_explains_the_words_of_attacks_and_of_losses(html):
    said = section(html, "glossary")
    for word in ("white box", "homogeneity", "prosecutor", "total variation", "quasi-identifier"):
        assert word in said


def test_the_page_promises_nothing(outline):
    assert not re.search(r"\b(safe|anonymous|compliant)\b", outline.text, re.IGNORECASE)


def test_every_release_is_named_in_full(outline):
    for name in RELEASES:
        assert outline.text.count(name) > 10


@pytest.mark.parametrize(
    ("kept", "interval", "said"),
    [
        (1.442, [0.82, 2.07], "kept as much as the original (0.470), within chance (82% to 207%)"),
        (0.9, [-0.1, 1.9], "from nothing to as much as the original (0.470), within chance (-10% to 190%)"),
        (-0.3, [-0.5, -0.1], "nothing kept beyond guessing (-50% to -10%)"),
        (0.5, [0.4, 0.6], "50% of 0.470 beyond guessing kept (40% to 60%)"),
    ],
)
def test_what_models_keep_is_said_with_its_interval(kept, interval, said):
    found = document()
    found["releases"][0]["mining"][0] |= {"kept": kept, "kept_interval": interval}
    assert said in section(page(found), "mining")


def test_a_recommended_release_of_which_a_check_warns_is_so_with_warnings():
    found = document()
    own = next(one for one in found["releases"] if one["name"] == found["recommendation"]["release"])
    own["checks"][0]["outcome"] = "warn"
    said = section(page(found), "recommendation")
    assert f"Of 3 releases, {COARSE} is recommended, with warnings" in said
    found["releases"] = [own]
    alone = page(found)
    assert "no check fails, with warnings" in alone
    assert ">recommended<" not in alone


def test_each_note_is_a_line_of_its_own_and_none_is_cut():
    texts = [f"Note {number} {'says much ' * 40}." for number in range(6)]
    found = document() | {
        "notices": [{"release": "clinic_coarse.csv", "kind": "role", "text": text} for text in texts]
    }
    notes = re.search(r'<section id="notes".*?</section>', page(found), re.DOTALL)[0]
    assert notes.count("<li>") == len(texts)
    assert all(text.strip() in " ".join(notes.split()) for text in texts)
