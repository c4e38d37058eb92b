"""SUDA and DIS scores against sdcMicro's, and against what the definitions give by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.errors import ParameterError
from divulge.table.codes import Codes
from divulge.table.packing import coded, combinations
from divulge.uniques.minimal_uniques import minimal_uniques
from divulge.uniques.special_scores import (
    records_by_size,
    set_weights,
    special_scores,
    value_contributions,
)

PEER = json.loads((Path(__file__).parents[1] / "golden" / "peers" / "sdcmicro.json").read_text())["suda"]
NAMES = {"original_scores": "published", "scaled_scores": "scaled"}
#: The tables the peer was run on: the guide's table 4.5, and a user's of three records.
GUIDE = """urban female secondary-incomplete employed
urban female secondary-incomplete employed
urban female primary-incomplete outside
urban male secondary-complete employed
rural female secondary-complete unemployed
urban male secondary-complete employed
urban female primary-complete outside
urban male post-secondary unemployed
urban female secondary-incomplete outside
urban female secondary-incomplete outside"""
PEOPLE = [row.split() for row in GUIDE.splitlines()]
TABLES = {
    "guide_table_4_5": PEOPLE,
    "guide_table_4_5_dis_0.1": PEOPLE,
    "issue_275": [["2", "0", "0"], ["1", "3", "6"], ["1", "0", "0"]],
}


def scored(rows, **options):
    columns = [Codes.of(column) for column in zip(*rows, strict=True)]
    number = combinations(coded(columns), len(rows)).number
    found = minimal_uniques(columns)
    return special_scores(found, np.bincount(number)[number], **options), found, columns


@pytest.mark.parametrize("variant", NAMES)
@pytest.mark.parametrize("table", PEER)
def test_scores_are_those_of_the_peer(table, variant):
    given = PEER[table][variant]
    found, _, _ = scored(TABLES[table], fraction=PEER[table]["dis_fraction"], scale=NAMES[variant])
    np.testing.assert_allclose(found.score, given["score"], rtol=1e-9)
    np.testing.assert_allclose(found.dis, given["dis"], atol=1e-6)  # the peer computes them in 32 bits
    shares = [given["attribute_contributions"][name] / 100 for name in PEER[table]["keys"]]
    np.testing.assert_allclose(found.by_attribute, shares, rtol=1e-9)


def test_scores_are_scaled_where_that_is_asked_for():
    names = ("Residence", "Gender", "Education_level", "Labor_status")
    table = dict(zip(names, map(list, zip(*PEOPLE, strict=True)), strict=True))
    given = PEER["guide_table_4_5"]["scaled_scores"]
    found = dv.uniqueness(table, keys=names, special=True, scores="scaled")
    assert found.records()["score"] == pytest.approx(given["score"], rel=1e-9)
    with exact_counts():
        said = found.to_dict()["special"]
    assert (said["scores"], said["score_max"]) == ("scaled", given["score_max"])
    shares = {name: share / 100 for name, share in given["attribute_contributions"].items()}
    assert said["by_attribute"] == pytest.approx(shares, rel=1e-9)
    with pytest.raises(ParameterError, match="Unknown kind of scores"):
        dv.uniqueness(table, keys=names, scores="both")


def test_a_set_of_all_attributes_counts_nothing_if_scaled_and_its_record_has_a_score_all_the_same():
    table = {"age": [1, 1, 2, 2], "sex": ["f", "m", "f", "m"]}
    found = dv.uniqueness(table, keys=["age", "sex"], special=True, scores="scaled")
    assert found.records()["score"] == [0, 0, 0, 0]


def test_weights_of_sets_where_the_search_is_cut():
    """The product of (attributes - i) from the size of a set up to the largest size searched."""
    assert set_weights(6, 3) == [5 * 4 * 3, 4 * 3, 3]
    assert set_weights(3, 3) == [2, 1, 1]


def test_a_table_without_unique_records_has_no_scores():
    found, _, _ = scored([["a", "x"], ["a", "x"]])
    assert found.score.tolist() == found.dis.tolist() == [0, 0]
    assert found.records == 0


def test_what_values_contribute_adds_up_to_their_attribute():
    found, sets, columns = scored(TABLES["guide_table_4_5"])
    names = ["residence", "gender", "education", "labour"]
    values = value_contributions(sets, columns, names)
    for place, name in enumerate(names):
        total = sum(one.share for one in values if one.attribute == name)
        assert total == pytest.approx(found.by_attribute[place], abs=1e-12)
    assert [one.share for one in values] == sorted((one.share for one in values), reverse=True)
    places = [one for one in values if one.attribute == "residence"]
    [rural] = [one for one in places if columns[0].value(one.code) == "rural"]
    assert (rural.share, rural.records) == (
        pytest.approx(6 / 34),
        1,
    )  # {residence} makes one record unique: 3! of 34


def test_records_are_counted_by_the_attributes_and_sizes_of_their_sets_as_by_hand():
    rng = np.random.default_rng(2)
    for _ in range(20):
        columns = [Codes.of(rng.integers(0, 5, 40).tolist()) for _ in range(4)]
        found = minimal_uniques(columns)
        by_hand = np.zeros((4, 4), int)
        for record in range(40):
            for attribute, size in {(a, len(own)) for own in found.of(record) for a in own}:
                by_hand[attribute, size - 1] += 1
        assert records_by_size(found).tolist() == by_hand.tolist()
        for one in value_contributions(found, columns, list("abcd")):
            place = "abcd".index(one.attribute)
            having = [r for r in range(40) if columns[place].codes[r] == one.code]
            assert one.records == sum(any(place in own for own in found.of(r)) for r in having)
