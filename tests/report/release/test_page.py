"""The page of a release simulation: its content and its charts."""

import re

import pytest

from divulge.report.charts.draw import draw
from divulge.report.release.charts import EXPOSURES, RELEASE_CHARTS
from divulge.report.release.page import page as made
from divulge.report.shared.frame import LIMIT
from report.outline import Outline
from report.release_document import TESTS, document

MANY = [f"regiment {place}" for place in range(60)]
CHARTS = {chart.name: chart for chart in RELEASE_CHARTS}


def said(found):
    return Outline(made(found)).text


def panels(spec):
    return [panel["title"]["text"] for panel in spec["concat"]]


def lines(spec):
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]


def scale(spec, axis):
    encoding = spec["encoding"] if axis == "x" else spec["layer"][0]["encoding"]
    return encoding[axis]["scale"]


def test_the_answer_comes_first_in_words():
    words = said(document())
    order = [
        "3,581 of 5,000 requests released on average, 1,419 wait",
        "Fewest released: L2, 320 of 1,000 requests (32%).",
        "the released records stayed below the critical value",
        "After the first run, about 83 of the next 100 typical records could be released.",
        "match the baseline exactly, 1,096 of all 5,000 records could be released",
        "pass MIS (mutual information) at a significance level alpha of 0.2",
        "A higher alpha is stricter.",
        "Released of each target",
        "Exposure as records are released Computed",
    ]
    places = [words.index(sentence) for sentence in order]
    assert places == sorted(places)


def test_every_chart_that_can_be_drawn_has_its_data_under_it():
    page = made(document(TESTS, each=True))
    assert page.count("Data of this chart") == len(RELEASE_CHARTS) == page.count("<svg")
    page = made(document())
    assert page.count("Data of this chart") == 5 == page.count("<svg")
    assert page == made(document())


@pytest.mark.parametrize(("form", "whose"), [("each", "each target"), ("joint", "all targets together")])
def test_odds_are_said_with_their_limit_and_what_they_do_not_promise(form, whose):
    found = document(("seq",))
    words = said({**found, "rules": {**found["rules"], "form": form}})
    assert f"reach 5, whenever an observer looks. The odds are those of {whose}." in words
    assert "Another test may show more." in words


def test_the_page_says_that_it_shows_values():
    assert "This report shows values of records." in said(document())


@pytest.mark.parametrize(("test", "upright"), [("mis", "log"), ("dqt", None)])
def test_exposure_of_all_targets_is_one_panel_with_a_line_for_its_critical_value(test, upright):
    spec = EXPOSURES[test].spec(document((test,)))
    exposure, critical = lines(spec)
    assert exposure["encoding"]["y"]["field"] == "exposure"
    assert critical["encoding"]["y"]["field"] == "critical"
    assert "strokeDash" in critical["mark"]
    assert scale(spec, "x")["type"] == "log"
    assert scale(spec, "y").get("type") == upright
    assert [layer["mark"]["text"] for layer in spec["layer"][2:]] == ["exposure", "critical value"]


def test_bits_are_said_where_there_are_bits():
    titles = [
        lines(EXPOSURES[test].spec(document((test,))))[0]["encoding"]["y"]["axis"]["title"]
        for test in ("mis", "dqt")
    ]
    assert titles == ["mutual information, bits", "Dixon's coefficient"]
    assert EXPOSURES["kld"].table(document(("kld",))).head[2].title == "Kullback-Leibler distance, bits"


@pytest.mark.parametrize(("test", "upright"), [("kld", "log"), ("cst", None)])
def test_exposure_by_target_is_a_panel_for_each_all_on_one_scale(test, upright):
    spec = EXPOSURES[test].spec(document((test,)))
    assert panels(spec) == ["L1", "L2", "L3", "L4", "L5"]
    scales = [scale(panel, "y") for panel in spec["concat"]]
    assert all(one == scales[0] for one in scales)
    assert scales[0].get("type") == upright
    named = [len(panel["layer"]) > 2 for panel in spec["concat"]]
    assert named == [False, False, True, False, False]


def test_of_many_targets_the_twelve_nearest_to_their_limit_in_the_end_have_panels_and_the_page_says_so():
    found = document(("kld",), MANY)
    last = {one["target"]: one["value"] / one["critical"] for one in found["evolution"][-1]["exposures"]}
    nearest = sorted(last, key=lambda name: -last[name])[:12]
    assert panels(EXPOSURES["kld"].spec(found)) == [name for name in MANY if name in nearest]
    assert "Panels show the 12 of 60 targets closest to their critical value" in said(found)
    assert "closest to their critical value" not in said(document(("kld",)))
    assert "closest to their critical value" not in said(document(("mis",), MANY))


def test_of_many_targets_the_bars_are_those_that_lose_most():
    found = document(targets=MANY)
    bars = CHARTS["released"].spec(found)["data"]["values"]
    assert len(bars) == 24
    assert "regiment 1" in [bar["target"] for bar in bars]
    assert "The chart shows the 24 of 60 targets with the lowest share released." in said(found)
    assert len(CHARTS["released"].table(found).rows) == 61


def test_an_exposure_of_nothing_is_drawn_at_the_foot_of_a_logarithmic_scale():
    found = document()
    for moment in found["evolution"][20:30]:
        moment["exposures"][0]["value"] = 0.0
    spec = EXPOSURES["mis"].spec(found)
    assert scale(spec, "y")["domain"][0] > 0
    assert "NaN" not in draw(spec, "exposure")


def test_a_line_breaks_where_a_test_could_not_be_carried_out():
    found = document(("dqt",))
    whole = draw(EXPOSURES["dqt"].spec(found), "exposure")
    for moment in found["evolution"][60:65]:
        moment["exposures"][0] |= {"value": None, "critical": None}
    broken = draw(EXPOSURES["dqt"].spec(found), "exposure")
    assert starts(broken) == [2 * number for number in starts(whole)] == [2, 2]


def starts(drawn):
    """How often the pen is put down for each line; lines of the grid are no marks."""
    return [len(re.findall("M", path)) for path in re.findall(r'd="(M[^"]*L[^"]*L[^"]*L[^"]*L[^"]*)"', drawn)]


def test_long_evolutions_are_thinned_out_in_the_tables_between_their_first_and_last_size():
    found = document(("mis", "kld"), moments=400)
    sizes = [moment["records"] for moment in found["evolution"]]
    for table in (EXPOSURES["mis"].table(found), CHARTS["readings"].table(found)):
        assert len(table.rows) == 30 < len(sizes)
        assert (table.rows[0][0], table.rows[-1][0]) == (sizes[0], sizes[-1])
    assert len(EXPOSURES["kld"].table(found).rows) <= 120


def test_released_stands_beside_what_was_requested_and_what_fits():
    spec = CHARTS["released"].spec(document())
    assert [layer["encoding"]["x"].get("field") for layer in spec["layer"][:3]] == [
        "requested",
        "released",
        "fitting",
    ]
    assert spec["data"]["values"][1]["said"] == "320 of 1,000, 32%"


def test_each_test_by_itself_has_a_panel_and_a_column():
    found = document(TESTS, each=True)
    spec = CHARTS["released_by_test"].spec(found)
    assert [panel["title"]["text"] for panel in spec["hconcat"]] == ["MIS", "KLD", "CST", "DQT", "SEQ"]
    table = CHARTS["released_by_test"].table(found)
    assert [column.title for column in table.head[2:7]] == [f"released with {test.upper()}" for test in TESTS]
    assert table.rows[-1] == ["all", 5000, 3581, 3581, 3581, 3581, 3581, 1096]
    assert CHARTS["released_by_test"].spec(document()) is None


def test_what_was_released_with_one_test_is_held_to_the_others():
    cross = {"mis": 20, "kld": 20, "cst": 0, "dqt": None, "seq": 3}
    found = document(("mis", "kld"), each=True, cross_safety=cross)
    words = said(found)
    assert "released with passes MIS passes KLD passes CST passes DQT passes SEQ" in words
    assert "MIS and KLD 20 20 0 – 3 MIS 20 0 0 11 0 KLD 0 20 0 11 0 CST 0 0 20 11 0 DQT 0 0 0 20 0" in words


def test_what_cannot_be_drawn_is_told_in_words():
    words = said(document(TESTS, evolution=[], statistics=[]))
    assert words.count("Too few records were released for this test to be carried out.") == len(TESTS)
    assert "there is no information about targets" in words
    assert "Drawn for MIS and KLD, once records were released." in words


def test_one_run_has_no_deviation_and_part_of_the_table_is_told_as_such():
    found = document(runs=1, requests=400)
    for line in found["by_target"]:
        line["deviation"] = None
    words = said(found)
    assert "of 5,000 records, in random order" in words
    assert "on average over" not in words


def test_a_thousand_targets_stay_below_a_megabyte():
    names = [f"{place} " + "long " * 40 for place in range(1000)]
    found = document(("kld", "cst"), names, each=True, moments=12)
    assert len(made(found).encode()) < LIMIT


def test_requests_refused_for_good_are_told_apart_on_the_page():
    said = " ".join(made(document(refused=20.0)).split())
    assert "1,319 wait, 100 refused for good" in said
    assert "for good: the baseline does not expect them" in said
    assert "for good: the baseline" not in made(document())


def test_values_of_each_target_stand_beside_the_baseline_of_as_many_records():
    found = document()
    spec = CHARTS["histograms"].spec(found)
    assert panels(spec) == found["targets"]
    table, released, baseline = spec["concat"][0]["layer"]
    assert [one["table"] for one in table["data"]["values"]] == [300, 700]
    assert [one["released"] for one in released["data"]["values"]] == [200, 600]
    # A quarter and three quarters of 800, drawn as steps.
    assert [one["baseline"] for one in baseline["data"]["values"]] == [200, 200, 600, 600]
    rows = CHARTS["histograms"].table(found).rows
    assert rows[0] == ["17 to 19", 0.25, 200, 200, 200, 200, 200]


def test_a_statistic_is_drawn_beside_chi_square_with_its_critical_value():
    spec = CHARTS["statistics"].spec(document(("mis", "kld")))
    assert panels(spec) == ["mutual information, 300 records", "Kullback-Leibler distance of L1, 300 records"]
    layers = spec["concat"][0]["layer"]
    assert [layer["mark"]["type"] for layer in layers] == ["bar", "line", "rule", "text", "rule", "text"]
    assert [layer["mark"].get("text") for layer in layers if layer["mark"]["type"] == "text"] == [
        "critical value",
        "first run",
    ]
    assert layers[0]["encoding"]["x"]["scale"]["domain"] == [3, 7]
    assert CHARTS["statistics"].spec(document(("cst",))) is None
