"""Attacks that once found more than the report said: each table passed, and somebody knew better."""

import json

import divulge as dv


def records(**cells):
    """Records of a two-way table: under ``A_x`` those of row A and column x, by what each contributes."""
    rows = [(*name.split("_"), value) for name, values in cells.items() for value in values]
    return {key: [row[place] for row in rows] for place, key in enumerate(("r", "s", "t"))}


def audited(found, **label):
    place = found.protected[0].built.tables.places[tuple(sorted(label.items()))]
    return next(one for one in found.protected[0].audited if one.cell == place)


def test_a_weighted_count_is_kept_open_by_what_a_record_stands_for():
    data = records(
        A_x=[1000.0], A_y=[25.0] * 40, A_z=[0.5] * 6, B_x=[0.5] * 6, B_y=[25.0] * 40, B_z=[0.5] * 6
    )
    found = dv.tabulate(dv.read(data, weights="t"), ["r", "s"])
    cell = audited(found, r="A", s="x")
    assert cell.upper >= 5 * 1000 or found.outcome == "fail"


def test_a_count_of_one_contributor_is_kept_open_by_all_of_their_records():
    data = records(
        A_x=["p"] * 200, **{name: [name + str(k) for k in range(5)] for name in ("A_y", "B_x", "B_y")}
    )
    cell = audited(dv.tabulate(data, ["r", "s"], contributor="t"), r="A", s="x")
    assert (cell.outcome, cell.lower) == ("pass", 1)
    assert cell.upper >= 5 * 200
    rounded = dv.tabulate(data, ["r", "s"], contributor="t", method="random rounding", seed=1)
    assert rounded.outcome == "fail"


def test_a_group_in_one_category_is_found_without_margins_too():
    people = {"town": ["A"] * 10 + ["B"] * 10, "ill": ["yes"] * 15 + ["no"] * 5}
    asked = {"table": [{"by": ["town", "ill"], "margins": False}]}
    found = dv.tabulate(people, policy=asked)
    assert [one["group"] for one in found.document["linked"][0]["groups"]] == [{"ill": "no"}, {"town": "A"}]
    assert found.outcome == "warn"


def test_the_document_does_not_let_anybody_solve_for_an_amount():
    found = dv.tabulate("examples/firms.csv", ["region", "sector"], value="turnover")
    entry = found.document["linked"][0]
    assert {one["within_after"] for one in entry["attacked"]} == {None}
    assert {one["within"] for one in entry["attacked"]} <= {0.0, 0.1, None}
    assert entry["protection"]["cost"] is None
    assert entry["protection"]["gap"] == 0
    alone = {"table": [{"by": ["r"], "value": "t", "margins": False}]}
    lone = dv.tabulate(records(A_x=[8317], B_x=range(100, 110)), policy=alone)
    assert "8317" not in json.dumps(lone.document) + str(lone).replace(",", "")
