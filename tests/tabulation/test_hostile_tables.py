"""Attacks that once found more than the report said: each table passed, and somebody knew better."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import divulge as dv
from divulge.tabulation.attackers.programs import Clock
from divulge.tabulation.perturbation.rounding import controlled_rounding
from divulge.tabulation.suppression.auditing import audit
from tabulation.small_tables import counted

EXAMPLES = Path(__file__).parents[2] / "examples"


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
    found = dv.tabulate(EXAMPLES / "firms.csv", ["region", "sector"], value="turnover")
    entry = found.document["linked"][0]
    assert {one["within_after"] for one in entry["attacked"]} == {None}
    assert {one["within"] for one in entry["attacked"]} <= {0.0, 0.1, None}
    assert entry["protection"]["cost"] is None
    assert entry["protection"]["gap"] == 0
    alone = {"table": [{"by": ["r"], "value": "t", "margins": False}]}
    lone = dv.tabulate(records(A_x=[8317], B_x=range(100, 110)), policy=alone)
    assert "8317" not in json.dumps(lone.document) + str(lone).replace(",", "")


def test_a_rounded_number_says_nothing_of_the_half_of_a_base():
    built = counted([[4, 1], [2, 3]])
    cell = built.tables.places[("d0", "d00"), ("d1", "d10")]
    seen = {
        controlled_rounding(built.tables.sums, built.facts.value, 5, np.random.default_rng(seed), Clock())[0][
            cell
        ]
        for seed in range(30)
    }
    assert seen == {0.0, 5.0}  # a 4 may be published as 0, so a 0 may be a 4


def test_an_adjusted_count_is_nobody_or_enough_and_an_adjusted_sum_is_not_its_level_away():
    lots = np.random.default_rng(0)
    people = {name: lots.integers(0, 5, 90).astype(str).tolist() for name in ("a", "b")}
    one = dv.tabulate(people, ["a", "b"], method="adjustment").protected[0]
    assert one.risk.at_risk.sum() > 5
    changed = one.released["a x b"][one.risk.at_risk]
    assert ((changed == 0) | (changed >= 5)).all()
    assert one.outcome == "pass"  # of the cells; that there are no intervals warns
    firms = {**people, "t": lots.lognormal(4, 1, 90).round().tolist()}
    one = dv.tabulate(firms, ["a", "b"], value="t", method="adjustment").protected[0]
    off = np.abs(one.released["a x b"] - one.problem.value)
    level = np.where(one.released["a x b"] > one.problem.value, one.problem.up, one.problem.down)
    assert (off[one.risk.at_risk] / level[one.risk.at_risk]).std() > 0.1


def test_cell_keys_do_not_depend_on_the_order_of_records():
    lots = np.random.default_rng(1)
    people = {name: lots.integers(0, 4, 200).astype(str) for name in ("a", "b", "c")}
    order = lots.permutation(200)
    first = dv.tabulate(
        {name: one.tolist() for name, one in people.items()}, ["a", "b"], method="cell key", seed=5
    )
    again = dv.tabulate(
        {name: one[order].tolist() for name, one in people.items()}, ["b", "a"], method="cell key", seed=5
    )
    numbers = [one.protected[0].released[name] for one, name in ((first, "a x b"), (again, "b x a"))]
    places = [one.protected[0].built.tables.places for one in (first, again)]
    assert [numbers[0][places[0][label]] for label in places[0]] == [
        numbers[1][places[1][label]] for label in places[0]
    ]
    assert (numbers[0] != first.protected[0].problem.value).any()


def test_who_has_most_of_a_cell_does_not_undo_their_neighbour():
    # A y is 404, of which one firm has 400. To that firm A x, which is 100, could be at most 104.
    data = records(A_x=[100], A_y=[400, 1, 1, 1, 1], A_z=[300] * 6, B_x=[80] * 6, B_y=[80] * 6, B_z=[300] * 6)
    asked = {"rules": {"minimum_frequency": 3}}
    for search in ("exact", "fast"):
        found = dv.tabulate(data, ["r", "s"], value="t", policy={**asked, "protection": {"search": search}})
        hidden = found.protected[0].suppressed
        places = found.protected[0].built.tables.places
        assert found.outcome == "pass"
        assert hidden[places[("r", "A"), ("s", "z")]] or hidden[places[(("r", "A"),)]]
    alone = found.protected[0]
    pattern = np.zeros(len(hidden), np.bool_)
    pattern[[places[("r", r), ("s", s)] for r in "AB" for s in "xy"]] = True
    [cell] = [one for one in audit(alone.problem, pattern) if one.outcome is not None]
    assert cell.outcome == "fail"
    assert [alone.built.tables.labels[one] for one in cell.insiders] == [(("r", "A"), ("s", "y"))]


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_a_pattern_does_not_hang_on_the_unit_of_amounts(unit):
    lots = np.random.default_rng(3)
    data = {name: lots.integers(0, 4, 60).astype(str).tolist() for name in ("r", "s")}
    amounts = lots.lognormal(3, 1.5, 60).round(2)
    asked = {"rules": {"minimum_frequency": 2, "p_percent": 5}}
    one, other = (
        dv.tabulate({**data, "t": (amounts * by).tolist()}, ["r", "s"], value="t", policy=asked)
        for by in (1.0, unit)
    )
    again = audit(one.protected[0].problem, other.protected[0].suppressed)
    assert {found.outcome for found in again} == {"pass", None}


def test_amounts_that_cannot_be_added_up_are_refused():
    with pytest.raises(dv.DivulgeError, match="too large to be added up"):
        dv.tabulate(records(A_x=[1e308] * 4, B_x=[1.0]), ["r", "s"], value="t")


def all_together(found, cell, possible):
    """The interval of a cell from joint tables: a number for each possible combination, none below 0."""
    [one] = found.protected
    tables, value = one.built.tables, one.built.facts.value
    inside = np.asarray(
        [[all(at[name] == of for name, of in label) for at in possible] for label in tables.labels]
    )
    shown = ~one.suppressed
    ends = [
        linprog(sign * inside[cell], A_eq=inside[shown], b_eq=value[shown], bounds=(0, None))
        for sign in (1, -1)
    ]
    return ends[0].fun, -ends[1].fun if ends[1].status == 0 else np.inf


@pytest.mark.parametrize("case", ["ring", "together"])
def test_tables_say_more_than_the_totals_they_share(case):
    lots = np.random.default_rng(7 if case == "ring" else 9)
    size = 30 if case == "ring" else 51
    codes = {name: lots.integers(0, most, size) for name, most in (("a", 3), ("b", 3), ("c", 2))}
    if case == "together":
        codes["m"] = (codes["a"] + codes["c"]) % 3
    data = {name: one.astype(str).tolist() for name, one in codes.items()}
    data["t"] = lots.lognormal(4, 1.3, size).round().tolist()
    by = {"ring": ["ab", "bc", "ac"], "together": ["ac", "mb", "m"]}[case]
    asked = {
        "table": [{"by": [*names], "value": "t", "name": names} for names in by],
        "rules": {"minimum_frequency": 2, "p_percent": 10},
    }
    found = dv.tabulate(data, policy=asked)
    [one] = found.protected
    assert found.outcome == "pass"
    assert one.problem.unseen > 0
    possible = [
        {"a": str(a), "b": str(b), "c": str(c), "m": str((a + c) % 3)}
        for a, b, c in product(range(3), range(3), range(2))
    ]
    risky = [cell for cell in one.audited if cell.outcome is not None]
    assert risky
    for cell in risky:
        low, high = all_together(found, cell.cell, possible)
        value = one.problem.value[cell.cell]
        assert (cell.lower, cell.upper) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
        assert low <= value - 0.999 * one.problem.down[cell.cell]
        assert high >= value + 0.999 * one.problem.up[cell.cell]


def test_a_ring_of_too_many_combinations_does_not_simply_pass(monkeypatch):
    monkeypatch.setattr("divulge.tabulation.layout.joint_cells.MOST_JOINT", 3)
    lots = np.random.default_rng(2)
    data = {name: lots.integers(0, 3, 60).astype(str).tolist() for name in "abc"}
    found = dv.tabulate(data, policy={"table": [{"by": [*by], "name": by} for by in ("ab", "bc", "ac")]})
    assert found.outcome == "warn"
    assert "in a ring" in " ".join(found.document["linked"][0]["audit"]["not_audited"])


def test_a_search_of_many_rounds_ends_with_a_good_pattern_and_its_gap(monkeypatch):
    monkeypatch.setattr("divulge.tabulation.suppression.protecting.AUTO_ROUNDS", 1)
    monkeypatch.setattr("divulge.tabulation.suppression.master.Master._add_lines", lambda self: None)
    found = dv.tabulate(EXAMPLES / "firms.csv", ["region", "sector"], value="turnover")
    assert found.outcome == "pass"
    assert found.document["linked"][0]["protection"]["gap"] is not None
    assert found.protected[0].pattern.rounds > 1


def published(folder, *lines, **more):
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return dv.tabulate(published=path, **more)


def test_a_dash_beside_other_marks_says_that_there_is_nothing(tmp_path):
    found = published(tmp_path, "r,a,b,c,Total", "A,x,-,x,40", "B,x,9,x,29", "Total,30,9,30,69")
    assert found.outcome == "warn"  # all of b are in B
    found = published(tmp_path, "r,a,b,Total", "A,x,-,19", "B,-,x,29", "Total,27,21,48")
    assert found.outcome == "pass"  # A a cannot be 19 and 27
    found = published(
        tmp_path, "r,a,b,c,Total", "A,x,-,9,19", "B,x,x,9,29", "C,7,x,8,35", "Total,27,30,26,83"
    )
    assert found.outcome == "fail"  # A a is 19 - 9
    found = published(tmp_path, "r,a,b,Total", "A,-,-,19", "B,-,-,29", "Total,27,21,48")
    assert found.outcome == "pass"  # a dash is the mark of this table
    found = published(tmp_path, "r,a,b,Total", "A,.,.,19", "B,.,.,29", "Total,27,21,48")
    assert (found.outcome, found.document["linked"][0]["cells"]) == ("pass", 9)


def test_marked_cells_that_no_number_fits_are_refused(tmp_path):
    with pytest.raises(dv.DivulgeError, match="does not add up"):
        published(tmp_path, "r,a,b,c,Total", "A,5,9,x,10", "B,20,30,10,60", "Total,25,39,x,70")


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(dv.DivulgeError, match="repeated"):
        published(tmp_path, "r,a,a,Total", "A,x,x,30", "B,x,x,20", "Total,10,40,50")


def test_rows_and_columns_may_be_named_as_in_the_first_line(tmp_path):
    lines = "r,a,b,Total", "A,x,x,19", "B,x,x,29", "Total,27,21,48"
    assert published(tmp_path, *lines, by=["r", "s"]).outcome == "pass"


def test_a_published_group_of_one_category_is_that_category(tmp_path):
    (tmp_path / "h.csv").write_text("a1;A\na2;A\nb1;B\n")
    lines = ["r,s,n"]
    for name, u, v in (("a1", "x", "x"), ("a2", "x", "x"), ("A", 15, 35), ("b1", "x", 20), ("B", 10, 20)):
        lines += [f"{name},u,{u}", f"{name},v,{v}", f"{name},Total,{u + v if u != 'x' else 'x'}"]
    lines += ["Total,u,25", "Total,v,55", "Total,Total,80"]
    found = published(tmp_path, *lines, by=["r", "s"], hierarchies={"r": tmp_path / "h.csv"})
    shown = {json.dumps(one["cell"]) for one in found.document["linked"][0]["audit"]["cells"]}
    assert json.dumps({"r": "a1", "s": "u"}) in shown
    assert json.dumps({"r": "b1", "s": "u"}) not in shown  # B says it


def test_published_tables_in_a_ring_are_attacked_together(tmp_path):
    # Every a is with b0 or c1, every record of a0 with c0 has b1: what ab and bc leave open, ac closes.
    lines = {
        "ab": ["a,b,n", "a0,b0,6", "a0,b1,x", "a1,b0,0", "a1,b1,x", "Total,b1,20"],
        "bc": ["b,c,n", "b0,c0,6", "b0,c1,0", "b1,c0,0", "b1,c1,20"],
        "ac": ["a,c,n", "a0,c0,6", "a0,c1,7", "a1,c0,0", "a1,c1,13"],
    }
    paths = []
    for name, text in lines.items():
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(text) + "\n")
    found = dv.tabulate(published=paths, by=["a", "b", "c"], policy={"rules": {"minimum_frequency": 5}})
    cells = {json.dumps(one["cell"]): one for one in found.document["linked"][0]["audit"]["cells"]}
    cell = cells[json.dumps({"a": "a0", "b": "b1"})]
    assert (cell["lower"], cell["upper"]) == (7, 7)  # by totals alone it is anything from 1 to 19
    assert found.outcome == "fail"


def test_somebody_with_nothing_beside_a_contributor_is_no_reason_to_stumble():
    data = records(A_x=[100, 0], A_y=[40] * 6, B_x=[80] * 6, B_y=[80] * 6)
    with np.errstate(all="raise"):
        found = dv.tabulate(data, ["r", "s"], value="t", policy={"rules": {"minimum_frequency": 3}})
    assert found.outcome == "pass"
