"""Linkage with typing errors: Splink itself on a made table whose errors are known."""

import logging
import string
from importlib.util import find_spec

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.alignment.tables import align
from divulge.attacks.text_linkage import blocking, splink_model
from divulge.attacks.text_linkage.blocking import chosen_rules, text_column
from divulge.attacks.text_linkage.fuzzy import fuzzy_linkage
from divulge.errors import MissingLibrary, SchemaError, TooMuch
from divulge.limits import libraries
from divulge.source.dictionary import encode_objects

SYLLABLES = ["ba", "ro", "mi", "ka", "lo", "te", "su", "ne", "va", "gi", "do", "pe"]
needs_splink = pytest.mark.skipif(
    find_spec("splink") is None, reason="Splink is not installed: pip install 'divulge[linkage]'"
)


def mistyped(word, rng):
    letters = list(word)
    letters[rng.integers(len(letters))] = rng.choice(list(string.ascii_lowercase))
    return "".join(letters)


@pytest.fixture(scope="module")
def people():
    """Eighty people with a name, a street and a sex, and the same with an error in a third of the texts."""
    rng = np.random.default_rng(8)
    texts = {
        name: ["".join(rng.choice(SYLLABLES, parts)) for _ in range(80)]
        for name, parts in (("name", 3), ("street", 4))
    }
    rest = {"id": list(range(80)), "sex": rng.choice(["f", "m"], 80).tolist()}
    changed = {
        name: [mistyped(word, rng) if rng.random() < 1 / 3 else word for word in words]
        for name, words in texts.items()
    }
    return {**rest, **texts}, {**rest, **changed}


def linked(original, released, fuzzy=("name", "street"), keys=("sex",), by="id"):
    aligned = align(dv.read(original), dv.read(released), by=by)
    with exact_counts():
        return fuzzy_linkage(aligned, fuzzy, keys, seed=1)


@pytest.fixture(scope="module")
def found(people):
    return linked(*people)


@needs_splink
def test_people_are_found_in_spite_of_typing_errors(people, found):
    names = {"attributes": {"name": "typing errors", "street": "typing errors", "sex": "equal"}}
    assert names.items() <= found.items()
    assert found["share"] > 0.97
    equal = np.mean([one == other for one, other in zip(people[0]["name"], people[1]["name"], strict=True)])
    both_equal = np.mean(
        [
            (people[0]["name"][one], people[0]["street"][one])
            == (people[1]["name"][one], people[1]["street"][one])
            for one in range(80)
        ]
    )
    assert both_equal < 0.6  # by equal names and streets an attacker would find no more
    [m, u] = next((one["m"], one["u"]) for one in found["levels"] if one["attribute"] == "name")
    assert m == pytest.approx(equal, abs=0.05)
    assert u == pytest.approx(1 / 80, abs=0.01)


@needs_splink
def test_levels_of_texts_are_edits_and_probabilities_add_up(found):
    for attribute, levels in (("name", 4), ("sex", 2)):
        held = [one for one in found["levels"] if one["attribute"] == attribute]
        assert len(held) == levels
        assert sum(one["u"] for one in held) == pytest.approx(1)
        assert sum(one["m"] for one in held if one["m"] is not None) == pytest.approx(1, abs=0.02)


@needs_splink
def test_all_pairs_are_compared_and_thresholds_say_what_is_right(found):
    assert (found["blocking"], found["pairs"], found["all_pairs"]) == (["every pair"], 6400, 6400)
    assert found["engine"] == "DuckDB"
    assert found["compared"] == 1
    assert found["chance"] == 1 / 80
    curve = found["curve"]
    assert [one["recall"] for one in curve] == sorted(one["recall"] for one in curve)
    assert curve[0]["precision"] == 1
    assert curve[-1] == {**curve[-1], "recall": 1, "precision": 80 / 6400}
    assert found["linked_pairs"] == pytest.approx(80, abs=8)
    assert found["linked_pairs"] + found["clerical"] < 6400


@needs_splink
def test_rules_choose_pairs_where_all_would_be_too_many(people, monkeypatch):
    monkeypatch.setattr(blocking, "MOST_PAIRS", 1500)
    monkeypatch.setattr(splink_model, "TRAINING_PAIRS", 3000)
    found = linked(*people)
    columns = [
        text_column(name, *(encode_objects(name, table[name]) for table in people), fuzzy=name != "sex")
        for name in ("name", "street", "sex")
    ]
    rules = chosen_rules(columns)
    agree = [(rule.original[:, None] == rule.released) & (rule.released > 0) for rule in rules]
    assert found["blocking"] == [rule.words for rule in rules]
    assert found["pairs"] == np.logical_or.reduce(agree).sum() <= 1500  # Splink's SQL and our numbers
    assert "first 3 letters of name" in found["blocking"]
    assert 0.9 < found["compared"] <= 1
    assert found["share"] > 0.85


@needs_splink
def test_nothing_is_logged_and_no_value_is_said(people, found, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    once_more = linked(*people)
    assert once_more == found  # the same seed, the same figures
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    said = str(found)
    assert not any(word in said for word in people[0]["name"])


@needs_splink
def test_without_the_truth_there_are_links_but_no_right_ones(people):
    fewer = {name: column[:60][::-1] for name, column in people[1].items() if name != "id"}
    found = linked(people[0], fewer, by=())
    assert "share" not in found
    assert "curve" not in found
    assert found["expected_links"] > 50


@needs_splink
@pytest.mark.parametrize(
    ("name", "reason"),
    [(["ann"], "one record in each"), (["ann"] * 3, "alike"), ([None] * 3, "no values")],
)
def test_tables_without_anything_to_compare_have_no_figure(name, reason):
    table = {"id": list(range(len(name))), "name": name}
    assert reason in linked(table, table, ["name"], ())["undefined"]


@needs_splink
def test_a_model_that_does_not_settle_is_undefined(people, monkeypatch):
    monkeypatch.setattr(splink_model, "ROUNDS", 1)
    assert "did not settle within 1 rounds" in linked(*people)["undefined"]


@needs_splink
def test_probabilities_that_run_against_zero_end_training_earlier(monkeypatch):
    """Texts so alike that no pair is on some level, and that Splink alone stops with an error."""
    parts = ("ba", "mi", "so", "ta", "lu", "ke")
    pairs = [(first, last) for first in parts for last in parts]
    names, towns = (
        [f"{one}{other}nter" for one, other in pairs],
        [f"{other}{one}rgos" for one, other in pairs],
    )
    original = {"id": list(range(36)), "name": names, "town": towns}
    released = {**original, "name": [f"{name[:-1]}x" for name in names]}
    assert linked(original, released, ["name", "town"], ())["undefined"] is None
    monkeypatch.setattr(splink_model, "CLOSE", splink_model.CLOSE[:1])
    assert "run against zero" in linked(original, released, ["name", "town"], ())["undefined"]


@needs_splink
def test_one_attribute_does_not_tell_how_often_it_is_mistyped(people):
    assert "one attribute alone" in linked(*people, ["name"], ())["undefined"]


@needs_splink
def test_bad_input_is_a_sentence(people, monkeypatch):
    with pytest.raises(SchemaError, match="no counterpart of street"):
        linked(people[0], {name: people[1][name] for name in ("id", "name")}, ["street"], ())
    monkeypatch.setattr(blocking, "MOST_PAIRS", 10)
    with pytest.raises(TooMuch, match="more than 10 pairs"):
        linked(*people, ["sex", "name"], ())


def test_without_splink_a_sentence_names_the_extra(people, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(libraries, "import_module", missing)
    with pytest.raises(MissingLibrary, match=r"needs the package 'splink'.*divulge\[linkage\]"):
        linked(*people)
