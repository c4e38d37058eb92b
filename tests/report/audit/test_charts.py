"""Charts are read as specifications: what they draw, from which numbers, and when there is nothing."""

import json

import pytest

from divulge.report.audit.charts import CHARTS
from divulge.report.audit.tables import quasi_identifiers
from divulge.report.shared.theme import PALETTE, labels
from report.example_document import QUASI, document, wide_document

BY_NAME = {chart.name: chart for chart in CHARTS}
EMPTY = {
    "targets": [],
    "values": [],
    "combinations": None,
    "class_sizes": [],
    "record_risk": [],
}


def spec(name, found=None):
    return BY_NAME[name].spec(found or document())


def values(specification):
    return specification["data"]["values"]


def colours(specification):
    found = json.dumps(specification)
    return {part[:7] for part in found.split('"') if part.startswith("#")}


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_every_chart_is_plain_json_in_colours_of_the_palette_without_a_title_inside(chart):
    found = chart.spec(document())
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert "title" not in found
    assert colours(found) <= set(PALETTE.values())


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_every_chart_says_how_to_read_it_and_has_a_table_of_its_numbers(chart):
    assert chart.title
    assert chart.reading.endswith(".")
    head, rows = chart.table(document())
    assert rows
    assert all(len(row) == len(head) for row in rows)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_where_there_is_nothing_to_draw_there_is_no_chart(chart):
    assert chart.spec({**document(), **EMPTY}) is None
    assert chart.table({**document(), **EMPTY}).rows == []


def test_attributes_are_drawn_for_every_target_with_chance_where_it_has_a_say():
    points = values(spec("attributes"))
    assert {point["target"] for point in points} == {
        "re-identification",
        "inference of diagnosis",
        "inference of therapy",
    }
    assert {point["attribute"] for point in points} == set(QUASI)
    assert all((point["chance"] is None) == (point["target"] == "re-identification") for point in points)
    age = next(point for point in points if point["attribute"] == "age")
    assert age["rate"] == pytest.approx(0.5098)


def test_the_riskiest_attribute_comes_first():
    assert quasi_identifiers(document())[:3] == ["age", "postcode", "occupation"]
    assert spec("attributes")["spec"]["encoding"]["y"]["sort"][:3] == ["age", "postcode", "occupation"]


def test_an_undefined_rate_is_left_out_of_the_chart_and_a_gap_in_the_table():
    found = document()
    rate = found["targets"][0]["keys"][0]["discrimination_rate"]
    rate |= {"value": None, "undefined": "the target has one value"}
    points = values(spec("attributes", found))
    assert len(points) == len(values(spec("attributes"))) - 1
    assert BY_NAME["attributes"].table(found).rows[-1][:2] == ["age", None]


def test_combinations_are_points_by_size_over_medians_and_extremes():
    left, right = spec("combinations")["hconcat"]
    assert len(left["layer"][0]["data"]["values"]) == len(right["layer"][0]["data"]["values"]) == 255
    assert left["layer"][1]["data"]["values"][0] == {
        "size": 1,
        "least": 0.0836,
        "median": 0.2925,
        "most": 0.5098,
    }


def test_sizes_without_a_map_are_still_drawn():
    found = document()
    found["combinations"]["map"] = []
    assert spec("combinations", found) is not None


def test_classes_are_counted_by_size_and_records_by_risk():
    assert [(point["size"], point["classes"]) for point in values(spec("class_sizes"))][:2] == [
        ("1", 1604),
        ("2", 392),
    ]
    risks = values(spec("record_risk"))
    assert risks[0]["share"] == pytest.approx(0.401)
    assert [point["so_far"] for point in risks][-1] == 1
    assert risks[0]["said"] == "1,604 records"


def test_sizes_beyond_the_largest_class_are_left_to_the_table():
    for name in ("class_sizes", "record_risk"):
        assert len(values(spec(name))) == len(document()[name]) - 1
        assert len(BY_NAME[name].table(document()).rows) == len(document()[name])


def test_a_rate_just_below_one_is_not_drawn_as_one():
    found = document()
    found["targets"][0]["together"]["readings"][0]["value"] = 0.998
    cells = {(cell["attribute"], cell["target"]): cell["said"] for cell in values(spec("targets", found))}
    assert cells["all quasi-identifiers", "re-identification"] == ">0.99"
    assert cells["postcode", "diagnosis"] == "<0.01"


def test_values_are_drawn_one_panel_for_each_attribute():
    panels = spec("values")["concat"]
    assert [panel["title"] for panel in panels][::3] == [
        "age, re-identification",
        "insurer, inference of therapy",
    ]
    assert {point["measure"] for point in values(panels[0])} == {"discrimination rate", "ITPR"}
    assert "largest share of one target value" in {point["measure"] for point in values(panels[3])}


def test_the_heat_map_has_the_adjusted_rate_and_for_reidentification_the_rate_itself():
    cells = {(cell["attribute"], cell["target"]): cell for cell in values(spec("targets"))}
    assert cells["age", "re-identification"]["said"] == "0.51"
    assert cells["ward", "diagnosis"]["said"] == "0.41"
    assert cells["postcode", "therapy"]["said"] == "0.00"
    assert cells["diagnosis", "diagnosis"] == {
        "attribute": "diagnosis",
        "target": "diagnosis",
        "said": "–",
        "shade": None,
    }
    assert cells["all quasi-identifiers", "re-identification"]["shade"] == 5
    assert list(BY_NAME["targets"].table(document()).head[1]) == ["re-identification", "rate"]


def test_sixty_attributes_are_all_drawn_and_more_are_left_to_the_table():
    assert len(values(spec("attributes", wide_document(60)))) == 60 * 3
    assert len(values(spec("attributes", wide_document(90)))) == 60 * 3
    assert len(BY_NAME["attributes"].table(wide_document(90)).rows) == 90
    rows = {cell["attribute"] for cell in values(spec("targets", wide_document(90)))}
    assert len(rows) == 61
    assert "all quasi-identifiers" in rows


def test_labels_are_short_printable_and_different():
    long = [f"how often someone came to the clinic, year {year}" for year in range(3)]
    found = labels([*long, "a\x00b", ""])
    assert len(set(found.values())) == 5
    assert max(map(len, found.values())) <= 26
    assert found["a\x00b"] == "a\ufffdb"
    assert found[""] == "(no name)"
