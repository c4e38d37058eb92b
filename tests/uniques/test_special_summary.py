"""Special uniques summed up: no count that is hidden follows from shares, sums or the other counts."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

import divulge as dv
from divulge._support.small_counts import exact_counts
from divulge.table.codes import Codes
from divulge.uniques.minimal_uniques import MinimalUniques
from divulge.uniques.special_scores import records_by_size, special_scores
from divulge.uniques.special_summary import SpecialSummary

AGE, TOWN, BOTH = 1, 2, 3  # sets of attributes
OTHERS = 200  # people who are not unique


def summary(by_age, by_town, by_either, by_both):
    """So many people who are unique by age alone, by town alone, by either of them, and by both together."""
    sets = [[AGE]] * by_age + [[TOWN]] * by_town + [[AGE, TOWN]] * by_either + [[BOTH]] * by_both
    sets += [[]] * OTHERS
    start = np.concatenate([[0], np.cumsum([len(one) for one in sets])])
    flat = np.array([one for own in sets for one in own], np.uint64)
    found = MinimalUniques(2, 2, start, flat)
    sizes = np.array([1 if own else 50 for own in sets])
    units = np.arange(len(sets))
    column = Codes.of(units.tolist())
    sample = SimpleNamespace(units=len(sets), sizes=sizes, keys=("age", "town"), columns=[column, column])
    return SpecialSummary(sample, found, special_scores(found, sizes, fraction=0.5))


def passed_on(whole):
    return whole.to_dict(shows_values=False, exact=False)


def said(whole):
    part = passed_on(whole)
    scores = [part[name] for name in ("records", "score_sum", "score_max", "dis_max")]
    return str([scores, part["by_attribute"], part["by_size"], {one["share"] for one in part["by_value"]}])


def given_away(wholes):
    """The counts of tables with a hidden one that is the same in all tables with the same summary."""
    alike = {}
    for whole in wholes:
        alike.setdefault(said(whole), []).append(whole)
    for group in alike.values():
        true = np.array([records_by_size(one.minimal) for one in group])
        hidden = [str(count)[0] in "<>" for row in group[0].by_size for count in row]
        same = (true == true[0]).all(axis=0).ravel()
        if (same & hidden).any() and None not in passed_on(group[0])["by_size"]["age"]:
            yield group[0].by_size, true[0].tolist()


@pytest.mark.parametrize("records", [6, 9, 12, 15])
def test_no_hidden_count_follows_from_a_summary_of_two_attributes(records):
    """All tables with so many unique people: a summary that hides a count fits several of them."""
    counts = [one for one in product(range(records + 1), repeat=3) if sum(one) <= records]
    wholes = [summary(*one, records - sum(one)) for one in counts]
    assert list(given_away(wholes)) == []


@pytest.mark.parametrize("records", [120, 300])
def test_nor_does_it_follow_from_shares_that_are_rounded(records):
    """The same for tables of which every share is said, to a step: those with up to seven in other sets."""
    wholes = [summary(*one, records - sum(one)) for one in product(range(8), repeat=3)]
    assert any(passed_on(one)["score_sum"] is not None and one.hides for one in wholes)
    assert list(given_away(wholes)) == []


# Three people have an age of their own; twelve only age and town together, in a grid of 3 by 4.
GRID = [(age, town) for age in (40, 41, 42) for town in "abcd"]
PEOPLE = [(20, "a"), (21, "a"), (22, "a"), *GRID, *[(50, town) for town in "abcd"] * 5]
TABLE = {"age": [age for age, _ in PEOPLE], "town": [town for _, town in PEOPLE]}


def test_the_share_of_scores_does_not_say_how_few_are_unique_by_one_attribute():
    found = dv.uniqueness(TABLE, keys=["age", "town"], fraction=0.5, special=True)
    with exact_counts():
        exact = found.to_dict()["special"]
    assert (exact["records"], exact["by_size"]["age"][0], exact["by_attribute"]["town"]) == (15, 3, 0.8)
    part = found.body(exact=False)["special"]
    assert (part["records"], part["by_size"]["age"]) == (15, ["<5", ">10"])
    assert {*part["by_attribute"].values()} == {None}
    assert [part[name] for name in ("score_sum", "score_max", "dis_max")] == [None] * 3
    assert {one["share"] for one in part["by_value"]} == {None}
    said = "shares and sums of scores are not shown, because a small number could be computed from them"
    assert part["undefined"] == said


def test_someone_who_has_the_table_has_sums_and_shares_in_full_unless_few_records_are_special():
    with exact_counts():
        whole = dv.uniqueness(TABLE, keys=["age", "town"], fraction=0.5, special=True).to_dict()["special"]
    part = dv.uniqueness(TABLE, keys=["age", "town"], fraction=0.5, special=True).to_dict()["special"]
    exact = ("score_sum", "score_max", "dis_max", "by_attribute")
    assert [part[name] for name in exact] == [whole[name] for name in exact]
    assert (part["by_size"]["age"], part["undefined"]) == (["<5", ">10"], None)
    assert {(one["records"], one["share"]) for one in part["by_value"]} == {("<5", None)}
    few = summary(4, 0, 0, 0).to_dict(shows_values=False)
    assert (few["records"], few["score_sum"], few["by_attribute"]) == (
        "<5",
        None,
        {"age": None, "town": None},
    )
    assert summary(5, 0, 0, 0).to_dict(shows_values=False)["score_sum"] == 5


@pytest.mark.parametrize(
    ("records", "town", "total"),
    [
        (4000, 0.99, 4000),  # the share is 4000/4003, and five records have 0.12 %
        (600, 0.98, 600),  # 600/603; they have 0.83 %, at most half of 2 %
        (250, 0.95, 300),  # 5/300: half of 5 % is more
        (120, 0.9, 100),  # 5/100: half of 10 %
        (90, None, None),  # 5/90
    ],
)
def test_shares_are_rounded_to_a_step_of_which_five_records_have_at_most_half(records, town, total):
    part = passed_on(summary(3, 0, 0, records))
    assert part["by_size"]["age"][0] == "<5"
    assert (part["by_attribute"]["town"], part["score_sum"]) == (town, total)
    assert (part["undefined"] is None) == (town is not None)


def test_what_was_not_searched_is_not_known_record_by_record():
    found = dv.uniqueness(TABLE, keys=["age", "town"], fraction=0.5, largest=1, special=True)
    part, records = found.to_dict()["special"], found.records()
    assert (part["unscored"], part["dis_max"]) == ("~10", None)
    assert "sets of more than 1 attribute were not searched" in part["undefined"]
    assert records["score"][:4] == [1, 1, 1, None]
    assert records["dis"][3:15] == [None] * 12
    assert records["score"][15:] == [0] * 20  # they are not unique
