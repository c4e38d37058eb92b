"""The page of a search, its text, Markdown and chart: what they say, and what they never let through."""

import re

import pytest

from divulge.report.anonymization.charts import axis, loss_risk
from divulge.report.anonymization.markdown import markdown
from divulge.report.anonymization.notebook import notebook
from divulge.report.anonymization.page import page
from divulge.report.anonymization.text import text
from divulge.report.anonymization.wording import PARTS
from report.anonymization_document import COMMAND, document, found, stopped
from report.example_document import renamed
from report.outline import Outline

HOSTILE = {
    "age": "<script>alert(1)</script>",
    "clinic.csv": "</title><script>alert(2)</script>.csv",
    "diagnosis": "a & b",
}


def section(html, name):
    return Outline(re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)[0]).text


def test_the_result_comes_first_and_only_what_there_is_has_a_part():
    without = [part for part in PARTS if part != "local"]
    assert [a["id"] for a in Outline(page(document())).all("section")] == without
    assert [a["id"] for a in Outline(page(document(local=True))).all("section")] == list(PARTS)
    unasked = document()
    unasked["provenance"]["command"] = None
    assert 'id="again"' not in page(unasked)


def test_the_first_part_has_loss_suppression_proof_checks_and_levels():
    said = section(page(document()), "result")
    assert (
        "Proved best; 1 check warns Loss 0.3663; fewer than 5 of 240 records suppressed 24 groups are left."
        in said
    )
    assert "Proved best: 30 of 30 transformations were evaluated." in said
    assert "k-anonymity at least 5 records 1 ✕ fails 9 records ✓ passes" in said
    assert "Distinct l-diversity of diagnosis at least 2 values 1 value ✕ fails 3 values ✓ passes" in said
    assert "age 61 values 13 intervals of 5 1 of 4" in said
    assert "sex 2 values as it is 0 of 1" in said


def test_a_search_that_was_stopped_says_so_everywhere():
    for said in (
        Outline(page(stopped())).text,
        markdown(stopped()),
        text(stopped()),
        Outline(notebook(stopped())).text,
    ):
        words = " ".join(said.split())
        assert "Best so far (stopped by Ctrl-C): 7 of 30 transformations were evaluated." in words
        assert "Proved best" not in words
    proof = section(page(stopped()), "proof")
    assert "Evaluated 7 Not looked at 23 Least loss that one of these could have 0.125" in proof


def test_what_local_recoding_buys_stands_beside_the_best_for_all_records():
    made = document(local=True)
    share = f"{made['local']['share']:.1%}"
    for said in (section(page(made), "result"), text(made), markdown(made), Outline(notebook(made)).text):
        assert f"Local recoding: the loss is {share} of that of the best" in " ".join(said.split())
    said = section(page(made), "local")
    assert "all records alike 0.35 <5 24" in said
    assert "local recoding 0.2069 0 35 0.1458" in said
    assert "age 61 values 13 intervals of 5, up to one group 1 to 4 of 4 (mean 2.42)" in section(
        page(made), "result"
    )


def test_the_command_can_be_copied_and_the_origin_is_said():
    html = page(document())
    assert COMMAND in section(html, "again")
    assert 'data-copy="command"' in html
    made = section(html, "made")
    assert "2026-01-02T03:04:05Z" in made
    assert "Seed" not in made  # the order of rows is not to be undone
    assert "none: with a release, its digest would confirm guesses" in made
    assert "A release of a table of 240 records was searched for with divulge" in section(html, "methods")


def test_no_name_becomes_markup_and_no_value_is_named():
    for drawn in (page(renamed(document(), HOSTILE)), notebook(renamed(document(), HOSTILE))):
        assert "<script>alert" not in drawn
    for said in (page(document()), markdown(document()), text(document()), notebook(document())):
        for value in ("asthma", "gout", "1300", "20-24", "13**"):
            assert value not in said


def test_the_front_has_the_chosen_point_and_without_one_the_page_says_why():
    spec = loss_risk(document())
    kinds = [layer["data"]["values"] for layer in spec["layer"]]
    assert len(kinds[0]) == len(document()["front"])
    [chosen] = kinds[2]
    assert (chosen["loss"], chosen["label"]) == (document()["best"]["loss"], "released")
    losses = [point["loss"] for point in kinds[0]]
    assert losses == sorted(losses)
    none = document() | {"front": None, "front_undefined": "the search was stopped before it"}
    assert loss_risk(none) is None
    assert "Risk against loss is not drawn: the search was stopped before it." in page(none)
    assert found().plot().spec == spec


@pytest.mark.parametrize(
    ("numbers", "values"),
    [
        ([0.0], [0.0, 0.2]),
        ([0.25, 0.25], [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]),
        ([3e7, 9.5e7], [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
        ([0.0003, 0.0101], [0.0, 0.005, 0.01, 0.015]),
    ],
)
def test_axes_have_round_numbers_around_all_points(numbers, values):
    found = axis(numbers)
    assert found.values == values
    assert found.values[0] * found.unit <= min(numbers)
    assert max(numbers) <= found.values[-1] * found.unit


@pytest.mark.parametrize("width", [80, 60])
def test_the_text_fits_a_terminal_whatever_checks_ask(width):
    found = document()
    found["checks"][0] |= {
        "title": "People who can be singled out by some of what others know of them",
        "asked": "fails: at most 0.1% of people in groups smaller than 3; warns: nobody in smaller than 5",
    }
    long = "13 intervals of 5, from the youngest person to the oldest one, and one more"
    found["hierarchies"]["age"]["forms"][1] = long
    said = text(found, width=width)
    assert max(map(len, said.splitlines())) <= width
    words = " ".join(said.split())
    assert found["checks"][0]["asked"] in words
    assert "before: " in words
    assert long in words


def test_no_references_are_announced_where_there_are_none():
    found = document()
    found["methods"] |= {"references": []}
    assert "References:" not in section(page(found), "methods")
    found["methods"] |= {"references": ["Sweeney. k-Anonymity. 2002."]}
    assert "References: [1] Sweeney." in section(page(found), "methods")
