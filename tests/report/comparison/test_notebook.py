"""A comparison in a notebook is small and still, and says the same in the same words."""

import re

import pytest

from divulge.report.comparison.notebook import notebook
from report.comparison_document import document, many_releases, nearly_empty
from report.example_document import renamed


@pytest.fixture(scope="module")
def html():
    return notebook(document())


def test_it_says_the_recommendation_the_readings_and_the_attacks(html):
    assert "<strong>clinic_coarse.csv is recommended</strong>" in html
    assert "↑ better" in html
    assert "Homogeneity: Risk" in html
    assert html.count("<svg") == 1


def test_it_has_no_script_and_fetches_nothing(html):
    assert not re.search(r"<script|<link|<img|<iframe|\bsrc=|@import|\bon\w+=", html)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)


def test_its_style_is_that_of_an_audit_and_touches_nothing_else(html):
    (css,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", css)
    assert all(one.strip().startswith(".divulge-report") for many in selectors for one in many.split(","))


def test_many_releases_stay_small():
    made = notebook(many_releases(40))
    assert len(made.encode()) < 60_000
    assert "34 more releases are in the report." in made
    assert "clinic_level_39.csv is recommended" in made


def test_hostile_names_stay_text_and_nothing_measured_has_no_chart():
    made = notebook(renamed(document(), {"diagnosis": "<script>alert(1)</script>", "age": '"><img src=x>'}))
    assert "<script" not in made
    assert "<img" not in made
    assert "<svg" not in notebook(nearly_empty())
