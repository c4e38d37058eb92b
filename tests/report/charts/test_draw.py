"""Drawn charts fit any page: colours as variables, nothing that a strict policy or a neighbour minds."""

import re
from xml.etree import ElementTree

import pytest

from divulge.report.audit.charts import CHARTS
from divulge.report.charts.draw import draw
from divulge.report.charts.theme import PALETTE
from divulge.report.shared.template import beside
from report.example_document import document, renamed


@pytest.fixture(scope="module")
def drawings():
    return {
        chart.name: draw(chart.spec({**document(), "shows_values": True}), chart.title) for chart in CHARTS
    }


@pytest.mark.parametrize("name", [chart.name for chart in CHARTS])
def test_a_drawing_has_marks_a_name_and_no_style_id_or_script(drawings, name):
    drawn = drawings[name]
    root = ElementTree.fromstring(drawn)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert root.get("viewBox")
    assert 'class="mark"' in drawn
    assert not re.search(r"\b(style|id|href|on\w+)=|<(script|style|image|foreignObject|use)\b|url\(", drawn)


@pytest.mark.parametrize("name", [chart.name for chart in CHARTS])
def test_every_colour_is_a_variable(drawings, name):
    used = set(re.findall(r'\b(?:fill|stroke)="([^"]*)"', drawings[name]))
    assert all(colour == "none" or colour.startswith("var(--dv-") for colour in used), used


def test_the_page_gives_every_colour_in_light_in_dark_and_on_paper():
    css = beside("page.css")
    for name in PALETTE:
        assert css.count(f"--dv-{name}:") == 3, name


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_numbers_in_the_heat_map_can_be_read_on_every_shade():
    schemes = [
        dict(re.findall(r"--dv-([\w-]+): (#\w{6})", part)) for part in beside("page.css").split("@media")
    ]
    schemes = [scheme for scheme in schemes if scheme]
    assert len(schemes) == 3
    for scheme in schemes:
        for step in range(6):
            ink = scheme["on-low" if step < 4 else "on-high"]
            assert contrast(ink, scheme[f"heat-{step}"]) >= 4.5, (step, scheme)
        assert contrast(scheme["accent"], scheme["paper"]) >= 3


def test_text_is_in_a_generic_font_and_drawing_again_gives_the_same(drawings):
    assert set(re.findall(r'font-family="([^"]*)"', "".join(drawings.values()))) == {"sans-serif"}
    chart = CHARTS[0]
    assert draw(chart.spec(document()), chart.title) == drawings[chart.name]


def test_hostile_names_are_text_in_a_drawing():
    found = renamed(document(), {"age": "<b>&'\"", "diagnosis": "]]><script>"})
    (chart,) = (chart for chart in CHARTS if chart.name == "attributes")
    drawn = draw(chart.spec(found), 'a "label" & <more>')
    texts = {text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")}
    assert {"<b>&'\"", "]]><script> beyond chance"} <= texts
    assert "<script" not in drawn
