"""People beyond the table on the page and the terminal: spreads, reasons, and how to say more."""

import pytest

from divulge.report.audit.beyond_table import UNDECLARED, facts, models, sentences, special, special_values
from divulge.report.audit.page import page
from divulge.report.audit.text import text
from report.example_document import document
from report.outline import Outline


def changed(**parts):
    found = document()
    found["people_beyond_table"] |= parts
    return found


def said(found, title):
    return next((one.text, one.meaning) for one in facts(found) if one.title == title)


def test_models_are_a_spread_and_never_one_number():
    unique = said(document(), "Unique in the population")
    assert unique == ("17,103 to 27,944", "people, by 4 models; none is reliable alone")
    assert [bar["said"] for bar in models(document())["data"]["values"]] == [
        "24,310 (30.4%)",
        "27,944 (34.9%)",
        "24,310 (30.4%)",
        "17,103 (21.4%)",
    ]


def test_one_model_alone_is_said_to_be_alone():
    one = {"pitman": {"uniques": 24_310.2, "undefined": None, "note": None}}
    found = changed(population=one, spread={"least": 24_310.2, "largest": 24_310.2})
    text, meaning = said(found, "Unique in the population")
    assert text == "about 24,310"
    assert meaning == "people, by the only model with a solution; it is not reliable alone"


def test_a_chance_has_its_interval_and_expectations_their_ends():
    match = said(document(), "A match with a unique record is right")
    assert match == ("17.2%", "15.4% to 19.2% with 95% confidence")
    expected = said(document(), "Expected re-identifications")
    assert expected == (
        "455 to 2,954",
        "of 4,000 records; from Chao's lower bound to the groups of the table; "
        "by a model alone 402 (E(1/F), Benedetti and Franconi)",
    )


def test_people_alike_are_estimated_between_two_ends():
    assert said(document(), "k-map")[0] == "1 to 6"
    assert said(document(), "delta-presence")[0] == "15.4% to 100%"
    below = said(document(), "Fewer than 5 people alike")
    assert below == ("1,140", "people of this table by a model; 110 to 3,120 without a model")
    part = document()["people_beyond_table"]["estimated"]
    why = {"value": None, "undefined": "the sizes of groups do not fit the model"}
    found = changed(estimated={**part, "people_below": [{**one, **why} for one in part["people_below"]]})
    below = said(found, "Fewer than 5 people alike")
    assert below == (
        "110 to 3,120",
        "people of this table; no estimate: the sizes of groups do not fit the model",
    )
    whole = {"value": None, "undefined": None}  # the table is the population
    found = changed(estimated={**part, "people_below": [{**one, **whole} for one in part["people_below"]]})
    assert "None" not in said(found, "Fewer than 5 people alike")[1]
    none = {"value": 0.0, "interval": [0, 0], "undefined": None}
    found = changed(estimated={**part, "people_below": [{**one, **none} for one in part["people_below"]]})
    assert said(found, "Fewer than 5 people alike") == ("0", "people of this table, with 95% confidence")


@pytest.mark.parametrize("drawn", [text, page])
def test_unique_records_without_a_score_are_said(drawn):
    part = document()["people_beyond_table"]["special"]
    why = "sets of more than 4 attributes were not searched"
    found = changed(special={**part, "records": 0, "unscored": "~2210", "undefined": why})
    shown = " ".join((Outline(page(found)).text if drawn is page else text(found)).split())
    assert "Unique records without a score: about 2,210." in shown
    assert "Sets of more than 4 attributes were not searched." in shown


def test_where_the_population_is_known_there_is_nothing_to_estimate():
    known = {"unique": "<5", "k_map": 1, "delta_presence": {"least": 0.0, "largest": 0.5}}
    found = changed(known=known, declared="table", estimated=None)
    assert said(found, "Unique in the population")[0] == "fewer than 5"
    assert said(found, "delta-presence")[0] == "0% to 50%"
    assert models(found) is None


def test_what_is_undefined_has_its_reason():
    why = "weights differ, and these models take every person to be drawn with the same chance"
    population = {"pitman": {"uniques": None, "undefined": why, "note": None}}
    found = changed(population=population, spread=None, match=None)
    assert said(found, "Unique in the population") == ("not known", why)
    assert said(found, "A match with a unique record is right") == ("not known", why)


@pytest.mark.parametrize("drawn", [text, page])
def test_where_nothing_was_declared_it_says_what_is_not_known_and_how_to_say_it(drawn):
    parts = {"population": {}, "spread": None, "match": None, "population_size": None, "fraction": None}
    found = changed(declared=None, **parts)
    shown = " ".join((Outline(page(found)).text if drawn is page else text(found)).split())
    assert UNDECLARED.replace(" ", "") in shown.replace(" ", "")
    assert "People beyond this table" in shown
    assert "2,214 records" in shown
    assert "17.2%" not in shown


def test_what_could_not_be_counted_says_why_and_old_documents_have_no_such_part():
    found = document()
    found["people_beyond_table"] = {"declared": "size", "undefined": "groups overlap"}
    assert sentences(found) == ["Not known: groups overlap."]
    assert "Not known: groups overlap." in Outline(page(found)).text
    del found["people_beyond_table"]
    assert "People beyond" not in page(found) + text(found)
    none = changed(special=None, undefined="there are too many records")
    assert "Special uniques were not searched: there are too many records." in Outline(page(none)).text


def test_special_uniques_are_cells_by_attribute_and_size_with_few_people_hidden():
    cells = {(cell["attribute"], cell["target"]): cell for cell in special(document())["data"]["values"]}
    assert cells["age", "set of 1"]["said"] == "<5"
    assert cells["age", "set of 1"]["shade"] == 0
    assert cells["age", "set of 5"] | {"shade": 4} == cells["age", "set of 5"]
    assert cells["sex", "set of 2"]["said"] == "41"


def test_counts_to_the_nearest_ten_are_shaded_and_have_commas():
    part = document()["people_beyond_table"]["special"]
    by_size = {"age": ["<5", "~1030", "~30"]}
    found = changed(special={**part, "records": 2_214, "by_attribute": {"age": 1.0}, "by_size": by_size})
    cells = {cell["target"]: (cell["said"], cell["shade"]) for cell in special(found)["data"]["values"]}
    assert cells == {"set of 1": ("<5", 0), "set of 2": ("~1,030", 3), "set of 3": ("~30", 0)}  # 47 %, 1 %
    assert "~1,030" in Outline(page(found)).text


def test_the_axis_of_models_has_round_shares():
    axis = models(document())["encoding"]["x"]
    assert axis["axis"]["values"] == [0, 0.1, 0.2, 0.3, 0.4, 0.5]  # the largest share is 34.9 %
    few = changed(population={"pitman": {"uniques": 24.0, "undefined": None, "note": None}})
    axis = models(few)["encoding"]["x"]["axis"]
    assert (axis["values"], axis["format"]) == ([0, 0.0001, 0.0002, 0.0003, 0.0004], ".2%")  # of 80,000


def test_values_stand_in_a_table_only_where_they_are_shown():
    assert special_values(document()).rows == []
    assert special_values({**document(), "shows_values": True}).rows == [["age", "93", 0.04, 6]]


def test_the_glossary_explains_the_figures_that_are_shown():
    shown = Outline(page(document())).text
    assert "Chance that a match with a unique record is right" in shown
    assert "Skinner, Elliot. A measure of disclosure risk for microdata" in shown
    assert "special unique" in shown
