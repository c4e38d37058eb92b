"""Charts of a comparison are read as specifications: which points, which names, which region."""

import itertools
import json
import re

import pytest

from divulge.report.charts.draw import draw
from divulge.report.charts.theme import PALETTE
from divulge.report.comparison.charts import COMPARISON_CHARTS, comparison_charts
from divulge.report.comparison.risk_utility import LINE
from report.comparison_document import (
    ATTACKS,
    RELEASES,
    document,
    many_releases,
    nearly_empty,
    renamed_releases,
)

BY_NAME = {chart.name: chart for chart in COMPARISON_CHARTS}


def spec(name, found=None):
    return BY_NAME[name].spec(found or document())


def points(found=None):
    """The points of the chart of risk and utility, by their names."""
    layers = spec("risk_utility", found)["layer"]
    marks = [layer for layer in layers if layer["mark"]["type"] == "point"]
    return {point["name"]: point for layer in marks for point in layer["data"]["values"]}


@pytest.mark.parametrize("chart", COMPARISON_CHARTS, ids=lambda chart: chart.name)
def test_every_chart_is_plain_json_in_colours_of_the_palette(chart):
    found = chart.spec(document())
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text) == found
    assert {part for part in text.split('"') if part.startswith("#")} <= set(PALETTE.values())


@pytest.mark.parametrize("chart", COMPARISON_CHARTS, ids=lambda chart: chart.name)
def test_every_chart_says_how_to_read_it_and_has_a_table_of_its_numbers(chart):
    assert chart.reading.endswith(".")
    head, rows = chart.table(document())
    assert rows
    assert all(len(row) == len(head) for row in rows)


@pytest.mark.parametrize("chart", COMPARISON_CHARTS, ids=lambda chart: chart.name)
def test_where_there_is_nothing_to_draw_there_is_no_chart(chart):
    assert chart.spec(nearly_empty()) is None


def test_the_original_and_every_release_are_points_with_names():
    found = points()
    assert list(found) == [
        "original",
        "clinic_bands.csv",
        "clinic_synthetic.csv",
        "clinic_coarse.csv, recommended",
    ]
    assert (found["original"]["risk"], found["original"]["utility"]) == (0.5795, 1.0)
    assert (found["clinic_bands.csv"]["risk"], found["clinic_bands.csv"]["utility"]) == (0.241, 0.86)


def test_a_release_without_a_score_is_left_out():
    found = document()
    found["releases"][0]["score"]["utility"] = None
    assert "clinic_bands.csv" not in points(found)


def test_names_of_near_points_do_not_cover_each_other():
    found = [point for point in points(many_releases(14)).values() if point["label"]]
    heights = sorted(point["named_at"] for point in found)
    assert all(above - below > 0.99 * LINE for below, above in itertools.pairwise(heights))
    assert heights[0] >= 0


def test_releases_at_one_place_share_a_name_that_counts_them():
    labels = [point["label"] for point in points(many_releases(14)).values() if point["label"]]
    assert labels == [
        "original",
        "clinic_level_0.csv (+4)",
        "clinic_level_2.csv (+3)",
        "clinic_level_13.csv, recommended (+4)",
    ]


def test_a_name_covers_neither_the_point_nor_the_name_of_another_release():
    found = renamed_releases("a.csv", "b.csv", "independent.csv")
    for release, risk, utility in zip(found["releases"], (0.006, 0.011, 0.0), (0.49, 0.52, 0.0), strict=True):
        release["score"] |= {"risk": risk, "utility": utility}
    heights = [points(found)[name]["named_at"] for name in ("independent.csv", "a.csv", "b.csv")]
    assert heights[0] == 0  # its name goes right, where those of the others reach
    assert heights[2] - heights[1] > 0.7 * LINE  # above a.csv's name, and not across its point


def test_what_thresholds_allow_is_a_region_with_its_bound_in_words():
    said = [
        point["said"]
        for layer in spec("risk_utility")["layer"]
        for point in layer["data"]["values"]
        if "said" in point
    ]
    assert set(said) == {"allowed by the policy: at most 10%"}
    usual = document() | {"policy": None}
    assert "allowed by the default checks: at most 10%" in json.dumps(spec("risk_utility", usual))
    anything = document() | {"allowed": None}
    assert "allowed" not in json.dumps(spec("risk_utility", anything))


def test_every_attack_that_was_measured_is_a_panel_with_a_bar_for_each_release():
    panels = spec("attack_risk")["concat"]
    assert [panel["title"] for panel in panels] == [
        title for title, _, risks, _ in ATTACKS.values() if any(risk is not None for risk in risks)
    ]
    white_box = panels[0]["data"]["values"]
    assert [point["release"] for point in white_box] == list(RELEASES)
    assert [point["said"] for point in white_box] == ["0.581", "0.342", "not measured"]


def test_needs_are_drawn_beside_the_utility_of_the_original():
    first, second = spec("need_utility")["concat"]
    assert first["layer"][1]["data"]["values"][0] == {"release": "clinic_bands.csv", "value": 0.531}
    assert [point["said"] for point in second["data"]["values"]] == ["0.139", "0.102", "not measured"]


def test_many_releases_are_drawn_as_far_as_there_is_room_and_the_table_has_them_all():
    found = many_releases(20)
    assert len(spec("attack_risk", found)["concat"][0]["data"]["values"]) == 12
    assert len(BY_NAME["risk_utility"].table(found).rows) == 21


@pytest.mark.parametrize("chart", COMPARISON_CHARTS, ids=lambda chart: chart.name)
def test_a_drawing_takes_every_colour_from_the_page(chart):
    drawn = draw(chart.spec(document()), chart.title)
    assert 'class="mark"' in drawn
    used = set(re.findall(r'\b(?:fill|stroke)="([^"]*)"', drawn))
    assert all(colour == "none" or colour.startswith("var(--dv-") for colour in used), used


def test_a_band_is_spoken_of_only_where_one_is_drawn():
    with_band, without = (
        comparison_charts(one)[0].reading for one in (document(), document() | {"allowed": None})
    )
    assert "The shaded band is what the checks allow." in with_band
    assert "band" not in without
    assert "band" not in COMPARISON_CHARTS[0].reading
