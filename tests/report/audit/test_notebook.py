"""The view in a notebook is small, still, and says the verdict, four numbers and every check."""

import re

import pytest

from divulge.report.audit.notebook import notebook
from divulge.report.audit.summary import tiles, verdict_line
from report.example_document import document, renamed, wide_document


@pytest.fixture(scope="module")
def html():
    return notebook(document())


def test_it_says_the_verdict_the_numbers_and_the_checks(html):
    found = document()
    assert verdict_line(found) in html
    assert "no roles given, using suggestions" in html
    assert re.findall(r"<span>([^<]*)</span> <strong>([^<]*)<", html) == [tile[:2] for tile in tiles(found)]
    assert html.count('<th scope="row">') == len(found["checks"])
    assert html.count("<svg") == 1


def test_it_has_no_script_and_fetches_nothing(html):
    assert not re.search(r"<script|<link|<img|<iframe|\bsrc=|@import|\bon\w+=", html)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)


def test_it_takes_ink_from_the_notebook_and_paints_no_paper(html):
    assert "currentColor" in html
    assert not re.search(r"background(-color)?:(?! none)", html)


def test_its_style_touches_nothing_else(html):
    (css,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", css)
    assert all(one.strip().startswith(".divulge-report") for many in selectors for one in many.split(","))


def test_it_stays_small_for_wide_tables_and_many_checks():
    found = wide_document(60)
    found["checks"] = found["checks"] * 40
    made = notebook(found)
    assert len(made.encode()) < 50_000
    assert "180 more checks are in the report." in made


def test_hostile_names_stay_text():
    made = notebook(renamed(document(), {"diagnosis": "<script>alert(1)</script>", "age": '"><img src=x>'}))
    assert "<script" not in made
    assert "<img" not in made


def test_without_anything_to_draw_there_is_no_chart():
    assert "<svg" not in notebook(
        {**document(), "record_risk": [], "targets": [], "checks": [], "numbers": []}
    )
