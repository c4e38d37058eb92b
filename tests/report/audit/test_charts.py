"""Charts are read as specifications: what they draw, from which numbers, and when there is nothing."""

import json

import pytest

from divulge.report.audit.charts import CHARTS
from divulge.report.audit.sections import together
from divulge.report.audit.tables import quasi_identifiers
from divulge.report.charts.theme import PALETTE, labels
from report.example_document import QUASI, document, wide_document

BY_NAME = {chart.name: chart for chart in CHARTS}
EMPTY = {
    "targets": [],
    "values": [],
    "combinations": None,
    "class_sizes": [],
    "record_risk": [],
    "people_beyond_table": {"declared": None, "undefined": "there are no records"},
}


def shown():
    """The document of an audit that was asked to show values."""
    return {**document(), "shows_values": True}


def spec(name, found=None):
    return BY_NAME[name].spec(found or shown())


def values(specification):
    return specification["data"]["values"]


def colours(specification):
    found = json.dumps(specification)
    return {part[:7] for part in found.split('"') if part.startswith("#")}


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_every_chart_is_plain_json_in_colours_of_the_palette_without_a_title_inside(chart):
    found = chart.spec(shown())
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


def cells(found=None):
    return {(cell["attribute"], cell["target"]): cell for cell in values(spec("attributes", found))}


def test_one_figure_has_every_attribute_against_every_target_and_says_which_rates_are_beyond_chance():
    found = cells()
    assert {target for _, target in found} == {
        "re-identification",
        "diagnosis beyond chance",
        "therapy beyond chance",
    }
    assert set(QUASI) <= {attribute for attribute, _ in found}
    assert found["age", "re-identification"]["said"] == "51%"
    assert found["ward", "diagnosis beyond chance"]["said"] == "41.2%"
    assert found["diagnosis", "diagnosis beyond chance"] == {
        "attribute": "diagnosis",
        "target": "diagnosis beyond chance",
        "said": "–",
        "shade": None,
    }
    assert found["all quasi-identifiers", "re-identification"]["shade"] == 5
    titles = [column.title for column in BY_NAME["attributes"].table(document()).head[1:]]
    assert titles == ["re-identification", "diagnosis beyond chance", "therapy beyond chance"]


def test_the_riskiest_attribute_comes_first_and_all_together_last():
    assert quasi_identifiers(document())[:3] == ["age", "postcode", "occupation"]
    rows = BY_NAME["attributes"].table(document()).rows
    rates = [max(rate or 0 for rate in row[1:]) for row in rows[:-1]]
    assert rates == sorted(rates, reverse=True)
    order = spec("attributes")["encoding"]["y"]["sort"]
    assert order[:3] == [row[0] for row in rows[:3]]
    assert order[-1] == rows[-1][0] == "all quasi-identifiers"


def test_attributes_that_give_little_away_are_left_to_the_table():
    found = document()
    everyone = {key["key"] for target in found["targets"] for key in target["keys"]}
    for target in found["targets"]:
        for key in target["keys"]:
            if key["key"] not in ("age", "postcode", "occupation", "sex", "ward"):
                key["discrimination_rate"] |= {"value": 0.001, "adjusted": 0.001}
    assert len(everyone) > 8
    assert len({attribute for attribute, _ in cells(found)}) == 6
    assert len(BY_NAME["attributes"].table(found).rows) == len(everyone) + 1


def test_an_undefined_rate_is_a_gap_in_the_chart_and_in_the_table():
    found = document()
    rate = found["targets"][0]["keys"][0]["discrimination_rate"]
    rate |= {"value": None, "undefined": "the target has one value"}
    assert cells(found)["age", "re-identification"]["said"] == "–"
    rows = {row[0]: row for row in BY_NAME["attributes"].table(found).rows}
    assert rows["age"][1] is None


def test_combinations_are_points_by_size_over_medians_and_extremes():
    left, right = spec("combinations")["concat"]
    assert len(left["layer"][0]["data"]["values"]) == len(right["layer"][0]["data"]["values"]) == 255
    assert left["data"]["values"][0] == {
        "size": 1,
        "least": 0.0836,
        "median": 0.2925,
        "most": 0.5098,
    }


def test_sizes_without_a_map_are_still_drawn():
    found = document()
    found["combinations"]["map"] = []
    assert spec("combinations", found) is not None


def test_records_are_counted_by_the_size_of_their_group():
    assert [(point["size"], point["said"]) for point in values(spec("class_sizes"))][:3] == [
        ("1", "1,604"),
        ("2", "784"),
        ("3 to 4", "745"),
    ]
    assert values(spec("class_sizes"))[1]["share"] == pytest.approx(784 / 4000)


def test_records_are_added_up_by_risk_and_the_threshold_is_drawn_between_the_bars():
    risks = values(spec("record_risk"))
    assert [(point["risk"], point["said"], point["above"]) for point in risks][:4] == [
        ("certain (unique)", "40.1%", True),
        ("1 in 2", "59.7%", True),  # (1604 + 784) / 4000
        ("1 in 3 to 4", "78.3%", True),
        ("1 in 5 to 9", "91.4%", False),
    ]
    assert risks[-1]["share"] == 1
    bar, _, line, label = spec("record_risk")["layer"]
    step = spec("record_risk")["height"]["step"]
    assert bar["mark"]["type"] == "bar"
    assert line["encoding"]["y"]["value"] == label["encoding"]["y"]["value"] == 3 * step
    assert label["data"]["values"][0]["said"] == "threshold: 1 in 5"


def test_no_threshold_is_drawn_where_none_is_set_or_a_bar_has_risks_on_both_sides():
    without = document()
    without["checks"] = [check for check in without["checks"] if check["measure"] != "k_anonymity"]
    assert len(spec("record_risk", without)["layer"]) == 2
    assert not any(point["above"] for point in values(spec("record_risk", without)))
    other = document()
    other["checks"][0]["min"] = 4  # inside of the bar of 1 in 3 to 4
    assert len(spec("record_risk", other)["layer"]) == 2


def test_rates_of_a_sample_have_whiskers_and_an_estimate_only_in_an_interval():
    [diagnosis, therapy] = spec("certainty")["concat"]
    assert (diagnosis["title"], therapy["title"]) == ("inference of diagnosis", "inference of therapy")
    rows = {row["attribute"]: row for row in diagnosis["data"]["values"]}
    together = rows["all quasi-identifiers"]
    assert (together["rate"], together["low"], together["estimate"]) == (0.611, 0.611 / 4, None)
    assert together["said"] == "[15.3%, 63.1%]"
    exact = next(row for row in rows.values() if row["estimate"] is not None)
    assert exact["low"] < exact["estimate"] < exact["high"]
    assert exact["said"].startswith(f"{100 * exact['estimate']:.1f}% [")
    assert [layer["mark"]["type"] for layer in diagnosis["layer"]] == [
        *("bar", "rule", "tick", "tick", "point", "text")
    ]


def test_without_a_sample_there_are_no_whiskers_and_no_such_column():
    found = document()
    for target in found["targets"]:
        for rate in [
            *target["together"]["readings"],
            *(key["discrimination_rate"] for key in target["keys"]),
        ]:
            rate.pop("in_population", None)
    assert spec("certainty", found) is None
    assert "in the population" in [column.title for column in together(document()["targets"][1]).head]
    assert "in the population" not in [column.title for column in together(found["targets"][1]).head]


def test_hidden_counts_stay_hidden_in_the_charts():
    found = document()
    for name in ("class_sizes", "record_risk"):
        found[name][0] |= {"records": ">1600", "share": 0.4}
    assert values(spec("class_sizes", found))[0]["said"] == ">1,600"
    assert "1604" not in json.dumps(spec("record_risk", found))


def test_sizes_beyond_the_largest_class_are_left_to_the_table():
    for name in ("class_sizes", "record_risk"):
        assert len(values(spec(name))) == len(document()[name]) - 1
        assert len(BY_NAME[name].table(document()).rows) == len(document()[name])


def test_a_rate_just_below_one_is_not_drawn_as_one():
    found = document()
    found["targets"][0]["together"]["readings"][0]["value"] = 0.9998
    assert cells(found)["all quasi-identifiers", "re-identification"]["said"] == ">99.9%"
    found["targets"][1]["keys"][1]["discrimination_rate"]["adjusted"] = -0.003
    assert cells(found)[found["targets"][1]["keys"][1]["key"], "diagnosis beyond chance"]["said"] == "0%"


def test_single_values_are_drawn_only_where_values_are_shown():
    assert spec("values", document()) is None


def test_values_are_drawn_one_panel_for_each_attribute():
    panels = spec("values")["concat"]
    assert [panel["title"] for panel in panels][::3] == [
        "age, re-identification",
        "insurer, inference of therapy",
    ]
    assert {point["measure"] for point in values(panels[0])} == {"discrimination rate", "ITPR"}
    assert "largest share of one target value" in {point["measure"] for point in values(panels[3])}


def test_twenty_of_sixty_attributes_are_drawn_and_the_others_are_left_to_the_table():
    wide = wide_document(60)
    rows = {attribute for attribute, _ in cells(wide)}
    assert len(rows) == 21
    assert "all quasi-identifiers" in rows
    assert len(BY_NAME["attributes"].table(wide).rows) > 60


def test_labels_are_short_printable_and_different():
    long = [f"how often someone came to the clinic, year {year}" for year in range(3)]
    found = labels([*long, "a\x00b", ""])
    assert found[long[2]] == "how often som…inic, year 2"
    assert len(set(found.values())) == 5
    assert max(map(len, found.values())) <= 26
    assert found["a\x00b"] == "a\ufffdb"
    assert found[""] == "(no name)"
