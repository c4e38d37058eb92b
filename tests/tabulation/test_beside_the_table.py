"""Attackers who read tables beside each other, marks that say something, and sums that give cells away."""

import csv
import io

import numpy as np
import pytest

import divulge as dv
from tabulation.test_hostile_tables import EXAMPLES, audited, published, records


def shown(found, name):
    """What is published of each cell of a table, by its categories."""
    rows = csv.reader(io.StringIO(found.files()[name]))
    return {tuple(row[:-1]): row[-1] for row in list(rows)[1:]}


def of_one_firm():
    """Row A: x and y are the same firm's alone, z has six firms; rows B and C are of many."""
    data = records(
        A_x=[100], A_y=[60], A_z=[50] * 6, B_x=[300] * 6, B_y=[40] * 7, B_z=[600] * 8, C_x=[350] * 9,
        C_y=[10] * 6, C_z=[250] * 5,
    )  # fmt: skip
    firms = ["first", "first", *(f"other {place}" for place in range(len(data["r"]) - 2))]
    return {**data, "firm": firms}


@pytest.mark.parametrize("search", ["exact", "fast"])
def test_two_cells_of_one_firm_do_not_give_their_sum_away(search):
    asked = {"rules": {"minimum_frequency": 3, "contributor": "firm"}, "protection": {"search": search}}
    found = dv.tabulate(of_one_firm(), ["r", "s"], value="t", policy=asked)
    table = shown(found, "r x s")
    assert found.outcome == "pass"
    assert table["A", "x"] == table["A", "y"] == "x"
    assert "x" in (table["A", "z"], table["A", "Total"])  # or 460 - 300 is what the firm has in A


def test_a_published_sum_over_one_firms_cells_fails(tmp_path):
    lines = ["A,x,x,300,460", "B,x,x,4800,6880", "C,3150,60,1250,4460", "Total,5050,400,6350,11800"]
    (tmp_path / "t.csv").write_text("\n".join(["r,x,y,z,Total", *lines]) + "\n")
    asked = {"rules": {"minimum_frequency": 3, "contributor": "firm"}}
    both = {"value": "t", "policy": asked, "published": tmp_path / "t.csv"}
    found = dv.tabulate(of_one_firm(), ["r", "s"], **both)
    assert found.outcome == "fail"
    assert "one contributor is in several of them" in found.document["linked"][0]["notes"][0]
    alone = of_one_firm()
    alone["firm"][0] = "second"  # two firms: neither is in both cells, and each knows only its own
    notes = dv.tabulate(alone, ["r", "s"], **both).document["linked"][0]["notes"]
    assert "one contributor is in several of them" not in " ".join(notes)


@pytest.mark.parametrize("search", ["exact", "fast"])
def test_who_has_less_than_half_of_a_cell_does_not_undo_their_neighbour(search):
    # A y is 50, of which one firm has 24: to them A x, which is 100, could be 126 at most, not 130.
    data = records(A_x=[100], A_y=[24, 14, 12], A_z=[300] * 6, B_x=[80] * 6, B_y=[80] * 6, B_z=[300] * 6)
    asked = {"rules": {"minimum_frequency": 3}, "protection": {"search": search}}
    found = dv.tabulate(data, ["r", "s"], value="t", policy=asked)
    table = shown(found, "r x s")
    assert found.outcome == "pass"
    assert "x" in (table["A", "z"], table["A", "Total"])
    asked["protection"]["insiders"] = False
    table = shown(dv.tabulate(data, ["r", "s"], value="t", policy=asked), "r x s")
    assert [table["A", name] for name in ("x", "y", "z", "Total")] == ["x", "x", "1800", "1950"]


def test_groups_that_two_attributes_share_are_the_same_cells(tmp_path):
    """Postcodes and counties both lie in regions, and neither says the other: regions are shown twice."""
    trees = {}
    for name in "pc":
        trees[name] = tmp_path / f"{name}.csv"
        trees[name].write_text("".join(f"{name}{k};{'north' if k < 2 else 'south'}\n" for k in range(4)))
    lots = np.random.default_rng(18)
    codes = lots.integers(0, 4, 60)
    data = {
        "p": [f"p{one}" for one in codes],
        "c": [f"c{one // 2 * 2 + more}" for one, more in zip(codes, lots.integers(0, 2, 60), strict=True)],
        "s": lots.choice(["s0", "s1", "s2"], 60, p=[0.7, 0.2, 0.1]).tolist(),
    }
    asked = {
        "table": [{"name": name, "by": [name, "s"]} for name in "pc"],
        "rules": {"minimum_frequency": 4},
    }
    found = dv.tabulate(data, policy=asked, hierarchies=trees)
    sums = found.protected[0].built.tables.sums
    labels = found.protected[0].built.tables.labels
    tied = {labels[row[0]]: {labels[cell] for cell in row[1:]} for row in sums.by_row}
    assert (("c", "south"), ("s", "s1")) in tied
    rows = [{labels[cell] for cell in row[1:]} for row in sums.by_row if labels[row[0]] == (("c", "south"),)]
    assert {(("p", "p2"),), (("p", "p3"),)} in rows
    assert "is in one group of" in " ".join(found.document["linked"][0]["notes"])
    # What each table hides by itself, both together give away.
    for name in "pc":
        alone = {**asked, "table": [one for one in asked["table"] if one["name"] == name]}
        text = dv.tabulate(data, policy=alone, hierarchies={name: trees[name]}).files()[name]
        (tmp_path / f"{name}-table.csv").write_text(text)
    paths = [tmp_path / f"{name}-table.csv" for name in "pc"]
    assert dv.tabulate(data, policy=asked, hierarchies=trees, published=paths).outcome == "fail"


def test_an_empty_cell_that_a_count_shows_hides_no_sum():
    lots = np.random.default_rng(9)
    size = int(lots.integers(20, 50))
    data = {name: lots.choice(list("abcd"), size, p=[0.4, 0.3, 0.2, 0.1]).tolist() for name in ("r", "s")}
    data["t"] = np.round(lots.lognormal(2, 1.2, size) + 1).tolist()
    tables = [{"name": "n", "by": ["r", "s"]}, {"name": "t", "by": ["r", "s"], "value": "t"}]
    rules = {"minimum_frequency": 3, "zeros": "suppressible"}
    found = dv.tabulate(data, policy={"table": tables, "rules": rules})
    counts, sums = shown(found, "n"), shown(found, "t")
    first = (
        set(zip(data["r"], data["s"], strict=True))
        | {(x, "Total") for x in "abcd"}
        | {("Total", x) for x in "abcd"}
    )
    assert [cell for cell, count in counts.items() if count == "0" and sums[cell] == "x"] == []
    assert [cell for cell, count in counts.items() if count == "x" and sums[cell] == "0"] == []
    assert found.outcome == "pass"
    alone = dv.tabulate(data, policy={"table": tables[1:], "rules": rules})
    hidden = [cell for cell, text in shown(alone, "t").items() if text == "x" and cell not in first]
    assert hidden  # an empty cell hides others, and is left out of both tables
    assert {counts[cell] for cell in hidden} == {"x"}


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        (["t", "cost", "profit"], "warn"),
        (["t", "cost"], "pass"),
        ([None, "one"], "warn"),
        ([None, "t"], "pass"),
    ],
)
def test_values_that_follow_from_each_other_do_not_simply_pass(values, outcome):
    lots = np.random.default_rng(0)
    data = {name: lots.integers(0, 4, 100).astype(str).tolist() for name in ("r", "s")}
    sums, costs = lots.integers(1, 100, 100), lots.integers(1, 50, 100)
    data |= {"t": sums.tolist(), "cost": costs.tolist(), "profit": (sums - costs).tolist(), "one": [1] * 100}
    tables = [{"name": f"{one}", "by": ["r", "s"], **({"value": one} if one else {})} for one in values]
    found = dv.tabulate(data, policy={"table": tables})
    assert found.outcome == outcome
    said = " ".join(found.document["linked"][0]["audit"]["not_audited"])
    assert ("in every record" in said) == (outcome == "warn")


def test_each_value_has_lots_of_its_own():
    lots = np.random.default_rng(0)
    data = {name: lots.integers(0, 5, 200).astype(str).tolist() for name in ("r", "s")}
    data["t"] = data["u"] = lots.integers(1, 100, 200).tolist()
    tables = [{"name": one, "by": ["r", "s"], "value": one} for one in "tu"]
    asked = {"table": tables, "protection": {"method": "random rounding", "base": 50}}
    found = dv.tabulate(data, policy=asked, seed=7)
    assert shown(found, "t") != shown(found, "u")
    assert found.files() == dv.tabulate(data, policy=asked, seed=7).files()


def test_noise_covers_a_record_and_says_so_of_contributors():
    data = of_one_firm()
    asked = {"rules": {"contributor": "firm"}, "protection": {"method": "noise"}}
    notes = dv.tabulate(data, ["r", "s"], policy=asked).document["linked"][0]["notes"]
    assert "A contributor with several records is covered less" in " ".join(notes)


def test_a_mark_that_says_fewer_than_five_is_read_as_such(tmp_path):
    found = published(tmp_path, "r,a,b,Total", "A,<5,7,10", "B,8,<5,11", "Total,11,10,21")
    assert found.outcome == "fail"  # each is 3
    lines = "r,a,b,c,Total", "A,<5,x,7,20", "B,x,x,9,25", "C,x,x,14,25", "Total,20,20,30,70"
    found = published(tmp_path, *lines)
    assert found.outcome == "pass"
    cells = {tuple(one["cell"].values()): one for one in found.document["linked"][0]["audit"]["cells"]}
    assert (cells["a", "A"]["lower"], cells["a", "A"]["upper"]) == (1, 4)
    assert (cells["b", "A"]["lower"], cells["b", "A"]["upper"]) == (9, 12)  # 13 less what a can be
    found = published(tmp_path, "r,a,b,Total", "A,<=4,<=4,3", "B,9,8,17", "Total,x,x,20")
    cells = {tuple(one["cell"].values()): one for one in found.document["linked"][0]["audit"]["cells"]}
    assert cells["a", "A"]["upper"] == 2  # less than the mark says
    assert cells["a", "A"]["outcome"] == "fail"
    with pytest.raises(dv.DivulgeError, match="does not add up"):
        published(tmp_path, "r,a,b,Total", "A,<5,7,20", "B,8,<5,11", "Total,11,10,21")


def test_what_a_mark_says_is_known_to_who_audits_with_the_data(tmp_path):
    data = records(A_x=[1] * 3, A_y=[1] * 6, A_z=[1] * 7, B_x=[1] * 9, B_y=[1] * 9, B_z=[1] * 9)
    lines = "r,x,y,z,Total", "A,{},x,7,16", "B,x,x,9,27", "Total,12,15,16,43"
    for mark, upper in (("x", 8), ("<5", 4)):
        (tmp_path / "t.csv").write_text("\n".join(lines).format(mark) + "\n")
        found = dv.tabulate(data, ["r", "s"], published=tmp_path / "t.csv")
        assert found.outcome == "pass"
        assert audited(found, r="A", s="x").upper == upper
        assert audited(found, r="A", s="y").lower == 9 - upper


def test_a_dash_beside_marks_is_no_hidden_cell_where_the_data_have_nothing(tmp_path):
    data = records(A_x=[1] * 3, A_z=[1] * 7, B_x=[1] * 10, B_y=[1] * 9, B_z=[1] * 10)
    (tmp_path / "t.csv").write_text("r,x,y,z,Total\nA,x,-,x,10\nB,x,9,x,29\nTotal,13,9,17,39\n")
    found = dv.tabulate(data, ["r", "s"], published=tmp_path / "t.csv")
    cell = audited(found, r="A", s="x")
    assert (cell.lower, cell.upper) == (1, 9)


def test_published_numbers_that_are_not_those_of_the_data_do_not_simply_pass(tmp_path):
    data = records(A_x=[1] * 8, A_y=[1] * 7, B_x=[1] * 10, B_y=[1] * 9)
    (tmp_path / "t.csv").write_text("r,x,y,Total\nA,5,10,15\nB,10,10,20\nTotal,15,20,35\n")
    found = dv.tabulate(data, ["r", "s"], published=tmp_path / "t.csv")
    assert found.outcome == "warn"
    assert "differ from the data" in found.document["linked"][0]["audit"]["not_audited"][0]


def test_failing_marks_and_small_counts_are_told_apart(tmp_path):
    found = published(tmp_path, "r,a,b", "A,x,4", "B,9,12")
    assert found.document["sentence"] == "1 published count is below the minimum."
    found = published(tmp_path, "r,a,b,Total", "A,x,4,9", "B,7,12,19", "Total,12,16,28")
    assert found.document["sentence"] == (
        "1 published count is below the minimum. An attacker comes too close to 1 of 1 marked cell."
    )


def test_a_small_cell_beside_very_large_ones_is_found(tmp_path):
    large = 10**12
    lines = [
        f"A,x,{large},{large - 2},{2 * large}",
        f"B,x,x,{large},{3 * large}",
        f"C,5,x,7,{2 * large + 12}",
        f"Total,{large + 7},{4 * large},{2 * large + 5},{7 * large + 12}",
    ]
    found = published(tmp_path, "r,x,y,z,Total", *lines, by=["r", "s"], value="t")
    [cell] = [
        one for one in found.document["linked"][0]["audit"]["cells"] if one["cell"] == {"r": "A", "s": "x"}
    ]
    assert (cell["lower"], cell["upper"], cell["outcome"]) == (2, 2, "fail")


def test_an_interval_from_nothing_begins_at_nothing():
    found = dv.tabulate(EXAMPLES / "firms.csv", ["region", "sector"], value="turnover", show_values=True)
    ends = [one["lower"] for one in found.document["linked"][0]["audit"]["cells"]]
    assert 0.0 in ends
    assert [one for one in ends if 0 < abs(one) < 1e-6] == []
