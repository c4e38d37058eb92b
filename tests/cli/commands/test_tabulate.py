"""The table command: tables protected, published ones attacked, and bad input refused in a sentence."""

import csv
import json

import pytest

from in_process import run

REGIONS = ("North",) * 12 + ("South",) * 9 + ("Isles",) * 4
FIRMS = [
    (f"f{place}", region, f"S{place % 3}", str(10 + place % 7)) for place, region in enumerate(REGIONS * 2)
] + [("big", "Isles", "S0", "900"), ("lone", "Isles", "S3", "5")]
POLICY = """
[[table]]
name = "sectors"
by = ["region", "sector"]
value = "turnover"

[[table]]
name = "regions"
by = ["region"]
value = "turnover"

[rules]
minimum_frequency = 3
p_percent = 10
contributor = "firm"

[protection]
cost = "cells"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("tables")
    rows = [("firm", "region", "sector", "turnover"), *FIRMS]
    (found / "firms.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    odd = [
        ("firm", "region", "sector", "turnover"),
        *FIRMS[:-3],
        ("x", "North", "S1", "-50"),
        ("y", "North", "S1", ""),
    ]
    (found / "odd.csv").write_text("\n".join(map(",".join, odd)) + "\n")
    (found / "policy.toml").write_text(POLICY)
    (found / "tree.csv").write_text("North;Land\nSouth;Land\nIsles;Sea\n")
    return found


@pytest.fixture
def ask(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    return lambda *arguments: run(monkeypatch, capsys, "table", *arguments)


SUMS = ("firms.csv", "--by", "region,sector", "--value", "turnover")


@pytest.fixture(scope="module")
def protected(folder):
    """The tables of the policy: their document, and the files beside it."""
    import divulge

    found = divulge.tabulate(folder / "firms.csv", policy=folder / "policy.toml")
    for name, text in found.files().items():
        (folder / f"{name}.csv").write_text(text)
    (folder / "steward.csv").write_text(found.files(steward=True)["sectors"])
    return found


def test_cells_at_risk_are_suppressed_and_the_audit_passes(ask, folder):
    code, out, _ = ask(*SUMS, "--out", "out.csv", "--steward", "why.csv", "--overwrite")
    assert code == 0
    assert out.startswith("pass: ")
    assert "Nothing cheaper by value protects the cells" in " ".join(out.split())
    lines = [*csv.DictReader((folder / "out.csv").read_text().splitlines())]
    marked = [line for line in lines if line["turnover"] == "x"]
    assert {"region": "Isles", "sector": "S3", "turnover": "x"} in marked
    assert "status" not in lines[0]
    why = {
        (line["region"], line["sector"]): line["status"]
        for line in csv.DictReader((folder / "why.csv").read_text().splitlines())
    }
    assert why["Isles", "S3"] == "primary"
    assert sorted(set(why.values())) == ["", "primary", "secondary"]
    assert len(marked) == sum(map(bool, why.values()))


def test_a_table_of_a_database_is_the_same(ask, folder):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "firms.db")) as base, base:
        base.execute("create table firms (firm text, region text, sector text, turnover integer)")
        base.executemany("insert into firms values (?, ?, ?, ?)", FIRMS)
    for more in (("--value", "turnover"), ()):
        asked = ("--by", "region,sector", *more, "--protect", "none", "--json")
        there = json.loads(ask(f"sqlite:///{folder}/firms.db", "--table", "firms", *asked)[1])
        here = json.loads(ask("firms.csv", *asked)[1])
        assert there["linked"] == here["linked"]


def test_tables_without_margins_warn_that_totals_from_elsewhere_are_not_audited(folder):
    import divulge

    asked = {"table": [{"by": ["region", "sector"], "margins": False}]}
    found = divulge.tabulate(folder / "firms.csv", policy=asked)
    [entry] = found.to_dict()["linked"]
    assert (found.outcome, entry["sums"]) == ("warn", 0)
    assert entry["protection"]["secondary_cells"] == 0
    assert "no margins" in entry["audit"]["not_audited"][0]


def test_linked_tables_are_protected_together(protected):
    document = protected.to_dict()
    [entry] = document["linked"]
    assert [one["name"] for one in entry["tables"]] == ["sectors", "regions"]
    assert document["outcome"] == "pass"
    marks = {
        name: {
            line["region"]: line["turnover"]
            for line in csv.DictReader(text.splitlines())
            if line.get("sector", "Total") == "Total"
        }
        for name, text in protected.files().items()
    }
    assert marks["sectors"] == marks["regions"]  # the cells that both have are one


def test_a_published_table_is_attacked_as_it_is(ask, protected):
    code, out, _ = ask("--published", "sectors.csv", "--by", "region,sector", "--value", "turnover", "--json")
    document = json.loads(out)
    assert (code, document["outcome"], document["records"]) == (0, "pass", None)
    ours = {
        tuple(one["cell"].items()): (one["lower"], one["upper"])
        for one in protected.to_dict()["linked"][0]["audit"]["cells"]
    }
    theirs = {
        tuple(one["cell"].items()): (one["lower"], one["upper"])
        for one in document["linked"][0]["audit"]["cells"]
    }
    assert theirs == {cell: pytest.approx(ends) for cell, ends in ours.items()}


def test_a_published_table_is_audited_beside_its_records(ask, folder, protected):
    code, out, _ = ask(*SUMS, "--published", "sectors.csv", "--contributor", "firm")
    assert "As published" in out
    lines = (folder / "sectors.csv").read_text().splitlines()
    shown = [line.replace(",x", ",5") if line == "Isles,S3,x" else line for line in lines]
    (folder / "leaky.csv").write_text("\n".join(shown) + "\n")
    code, out, _ = ask(*SUMS, "--published", "leaky.csv")
    assert code == 1
    assert out.startswith("FAIL: ")


def test_linked_published_tables_are_attacked_together(ask, folder):
    (folder / "one.csv").write_text(
        "r,s,n\nN,a,x\nN,b,x\nS,a,x\nS,b,x\nTotal,a,20\nTotal,b,30\nTotal,Total,50\n"
    )
    (folder / "two.csv").write_text("r,n\nN,25\nS,25\n")
    (folder / "three.csv").write_text("r,s,n\nS,b,6\n")
    one, two, three = (("--published", name) for name in ("one.csv", "two.csv", "three.csv"))
    by = ("--by", "r,s")
    assert ask(*one, *two, *by)[0] == 0
    code, out, _ = ask(*one, *two, *three, *by, "--json")
    assert code == 1
    cells = json.loads(out)["linked"][0]["audit"]["cells"]
    found = {tuple(one["cell"].values()): one["lower"] for one in cells if one["exact"]}
    assert found == {("N", "a"): 1, ("N", "b"): 24, ("S", "a"): 19}  # by hand: 25 - 6, 20 - 19, 25 - 1
    (folder / "other.csv").write_text("r,n\nN,24\n")
    code, _, err = ask(*two, "--published", "other.csv", "--by", "r")
    assert code == 2
    assert "different numbers of one cell: r N" in err


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        (["r,A,B,Total", "N,5,x,9", "S,x,x,12", "Total,10,11,21"], 1, "too close to 3 of 3 marked cells"),
        (["r,A,B,Total", "N,5,5,9", "S,5,6,11", "Total,10,11,20"], 2, "does not add up: r N is not the sum"),
        (["r,A,B", "N,5,9", "S,x,x"], 3, "no margins"),
        (["r,A,B,Total", "N,5,9,14", "S,6,3,9", "Total,11,12,23"], 1, "published count is below the minimum"),
        (["r,A,B,Total", "N,5,odd,14", "S,6,7,13", "Total,11,16,27"], 2, "neither a number nor a mark"),
        (["r,A,B,Total", "N,x,x,90", "S,x,x,120", "Total,100,110,210"], 0, "give away none"),
    ],
)
def test_published_tables_of_every_kind(ask, folder, lines, code, said):
    (folder / "shown.csv").write_text("\n".join(lines) + "\n")
    found, out, err = ask("--published", "shown.csv")
    assert found == code
    assert said in " ".join((out + err).split())


SOLD = (
    "r,b,sold\nN,A,x\nN,B,x\nN,Total,1000\nS,A,x\nS,B,x\nS,Total,20\n"
    "Total,A,990\nTotal,B,30\nTotal,Total,1020\n"
)


@pytest.mark.parametrize("by", [(), ("--by", "r,b")])
def test_numbers_of_a_published_table_are_not_taken_for_counts_because_nobody_said_so(ask, folder, by):
    (folder / "sold.csv").write_text(SOLD)
    code, _, err = ask("--published", "sold.csv", *by)
    assert (code, "counts or sums is not said. Give --count for counts" in err) == (2, True)
    assert ask("--published", "sold.csv", *by, "--value", "sold")[0] == 1  # N,A is 970 to 990: within 10 %
    code, out, _ = ask("--published", "sold.csv", *by, "--sum")
    assert (code, "sold by r x b" in out, "counts by" in out) == (1, True, False)
    assert ask("--published", "sold.csv", *by, "--count")[0] == 0
    (folder / "counted.csv").write_text(SOLD.replace("sold", "Anzahl"))
    assert "counts by r x b" in ask("--published", "counted.csv", *by)[1]
    (folder / "decimals.csv").write_text(
        SOLD.replace("990", "990.5").replace("1000", "1000.5").replace("1020", "1020.5")
    )
    assert "sold by r x b" in ask("--published", "decimals.csv", *by)[1]


def test_means_that_were_published_are_said_not_to_add_up(ask, folder):
    assert ask(*SUMS, "--mean", "--out", "means.csv")[0] in (0, 1, 3)
    for value in ((), ("--value", "turnover", "--by", "region,sector"), ("--mean",)):
        code, _, err = ask("--published", "means.csv", *value)
        assert (code, "Means do not add up" in err) == (2, True)
    assert ask(*SUMS, "--mean", "--published", "means.csv")[0] in (0, 1, 3)
    (folder / "others.csv").write_text(
        "r,b,sold\nN,A,5.5\nN,B,6\nN,Total,5.7\nTotal,A,5.5\nTotal,B,6\nTotal,Total,5.7\n"
    )
    code, _, err = ask("--published", "others.csv")
    assert (code, "Means do not add up" in err) == (2, True)


def test_totals_have_the_digits_that_their_parts_need(ask, folder):
    amounts = [132881246995.228, 84932855184.234, 1718942469.0, 9996815567.5]
    records = "".join(f"{name},{amount}\n" * 5 for name, amount in zip("ABCD", amounts, strict=True))
    (folder / "long.csv").write_text("r,v\n" + records)
    assert ask("long.csv", "--by", "r", "--value", "v", "--out", "sums.csv")[0] == 0
    lines = dict(line.split(",") for line in (folder / "sums.csv").read_text().splitlines())
    assert lines["Total"] == "1147649301079.81"  # 5 times each
    assert ask("--published", "sums.csv", "--value", "v")[0] != 2
    cut = {name: f"{float(text):.12g}" for name, text in lines.items() if name != "r"}  # as others round
    (folder / "cut.csv").write_text("r,v\n" + "".join(f"{name},{text}\n" for name, text in cut.items()))
    assert "off by rounding" in ask("--published", "cut.csv", "--value", "v")[1]


def test_a_published_table_without_margins_is_tied_by_the_totals_of_another(ask, folder):
    (folder / "fine.csv").write_text("r,s,v\nA,a,x\nA,b,40\nB,a,30\nB,b,x\n")
    (folder / "coarse.csv").write_text("r,v\nA,100\nB,90\nTotal,190\n")
    code, out, _ = ask(
        "--published", "fine.csv", "--published", "coarse.csv", "--by", "r,s", "--value", "v", "--json"
    )
    assert code == 1
    assert [one["lower"] for one in json.loads(out)["linked"][0]["audit"]["cells"]] == [60, 60]


@pytest.mark.parametrize(
    ("lines", "value", "ends", "outcome"),
    [
        # Two marks over 2: with empty cells published neither is 0, so each is 1.
        ("r,a,b,Total\nA,x,x,2\nB,x,x,20\nTotal,11,11,22\n", (), (1, 1), "fail"),
        ("r,a,b,Total\nA,x,x,1\nB,x,x,20\nTotal,11,10,21\n", (), (0, 1), "fail"),  # one of them is empty
        ("r,a,b,Total\nA,x,x,12\nB,9,8,17\n", (), (1, 11), "warn"),  # no totals of columns
        ("r,a,b,Total\nA,x,x,12\nB,-9,29,20\nTotal,1,31,32\n", ("--sum",), (10, 10), "fail"),
        ("r,a,b,Total\nA,x,x,12\nB,x,x,20\nC,-9,5,-4\nTotal,1,27,28\n", ("--sum",), (0, 10), "pass"),
    ],
    ids=["ones", "empty", "row totals only", "negative", "negative elsewhere"],
)
def test_what_marked_cells_are_at_least(ask, folder, lines, value, ends, outcome):
    (folder / "marked.csv").write_text(lines)
    _, out, _ = ask("--published", "marked.csv", *value, "--json")
    found = json.loads(out)
    first = found["linked"][0]["audit"]["cells"][0]
    assert (first["lower"], first["upper"], found["outcome"]) == (*ends, outcome)


def test_negative_and_missing_amounts_are_said(ask):
    _, out, _ = ask("odd.csv", "--by", "region,sector", "--value", "turnover")
    said = " ".join(out.split())
    assert "fewer than 5 records have no 'turnover'" in said
    assert "read on absolute contributions" in said


def test_a_table_without_protection_fails_and_says_no_small_count(ask, folder):
    code, out, _ = ask(
        "firms.csv", "--by", "region,sector", "--protect", "none", "--json", "--out", "raw.csv"
    )
    document = json.loads(out)
    assert code == 1
    assert not (folder / "raw.csv").exists()
    [one] = [
        one
        for one in document["linked"][0]["audit"]["cells"]
        if one["cell"].get("sector") == "S3" and len(one["cell"]) == 2
    ]
    assert (one["outcome"], one["exact"], one["lower"]) == ("fail", True, None)


def test_amounts_of_contributors_are_said_only_where_values_are_asked_for(ask, protected):
    asked = (*SUMS, "--protect", "none", "--json")
    hidden, shown = (json.loads(ask(*asked, *more)[1])["linked"][0] for more in ((), ("--show-values",)))
    assert {one["upper"] for one in hidden["attacked"]} == {None}
    assert any(one["upper"] for one in shown["attacked"])
    external = next(one for one in hidden["attacks"] if one["attack"] == "external")
    assert (
        external["exact"] == external["exact_after"] == 2
    )  # the cell of one firm, and the total of its sector
    after = next(one for one in protected.to_dict()["linked"][0]["attacks"] if one["attack"] == "external")
    assert (after["exact"], after["exact_after"]) == (2, 0)


def test_the_very_amount_of_a_cell_is_said_only_where_values_are_asked_for(ask):
    code, out, _ = ask(*SUMS, "--protect", "none")
    assert (code, "exactly" in out, "exactly, " in out) == (1, True, False)
    for more, known in (((), False), (("--show-values",), True)):
        cells = json.loads(ask(*SUMS, "--protect", "none", "--json", *more)[1])["linked"][0]["audit"]["cells"]
        assert all(one["exact"] and (one["lower"] is not None) == known for one in cells)


def test_coarser_levels_are_compared(ask):
    _, out, _ = ask(*SUMS, "--hierarchy", "region=tree.csv", "--protect", "none", "--json")
    [entry] = json.loads(out)["linked"]
    assert (
        entry["cells"] == 5 * 6 - 5 - 5 + 5
    )  # three regions, two groups of which one is a region, the total
    assert entry["recoding"][0]["categories"] == 2
    assert entry["recoding"][0]["tables"] == ["region x sector"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("firms.csv", "--by", "region,sektor"), "Did you mean 'sector'?"),
        (("firms.csv", "--by", "region", "--value", "firm"), "'firm' is not a number"),
        (("firms.csv", "--by", "region", "--value", "region"), "both a dimension and the value"),
        (("firms.csv",), "No table is asked for"),
        (("firms.csv", "--by", "region", "--mean"), "A mean needs a value"),
        (("firms.csv", "--by", "region", "--sum", "--mean"), "contradict"),
        (("firms.csv", "--by", "region", "--protect", "magic"), "Unknown method"),
        (("firms.csv", "--by", "region,region"), "An attribute is named twice"),
        ((), "No FILE was given"),
        (("firms.csv", "--policy", "policy.toml", "--by", "region"), "names tables"),
    ],
)
def test_what_cannot_be_meant_is_refused(ask, arguments, said):
    code, _, err = ask(*arguments)
    assert code == 2
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("p_percent = 10\n", "p_prozent = 10\n"),
    ],
)
def test_a_key_that_is_not_known_is_named_with_its_line(ask, folder, line, said):
    (folder / "bad.toml").write_text(POLICY.replace(line, said))
    code, _, err = ask("firms.csv", "--policy", "bad.toml")
    assert code == 2
    assert "bad.toml, line 14, rules.p_prozent" in " ".join(err.split())
    assert "Did you mean 'p_percent'?" in err


BAD = {
    "[[table]]\nvalue = 'turnover'": "this table has no by",
    "[[table]]\nby = ['region']\nstatistic = 'sum'": "a sum needs a value",
    "[[table]]\nby = ['region']\nvalue = 'turnover'\nstatistic = 'median'": "unknown statistic",
    "[[table]]\nby = ['a']\n[[table]]\nby = ['a']\nvalue = 'v'\nstatistic = 'mean'": "another means",
    "[rules]\nminimum_frequency = 0": "out of range",
    "[rules]\ndominance = { n = 2 }": "this has no k",
    "[rules]\npq = { p = 50, q = 10 }": "p has to be below q",
    "[protection]\nmethod = 'hope'": "unknown method",
    "[protection]\nbounds = [5, 1]": "the first has to be below the second",
    "[attributes]\nregion = { level = 1 }": "this has no hierarchy",
    "[attributes]\nregion = { hierarchy = 'knot.csv' }": "does not get coarser",
}


@pytest.mark.parametrize("text", BAD)
def test_a_policy_that_makes_no_sense_is_refused(folder, text):
    from divulge import TablePolicy
    from divulge.errors import PolicyError

    (folder / "knot.csv").write_text("North;A;X\nSouth;A;Y\n")
    (folder / "nonsense.toml").write_text(text + "\n")
    with pytest.raises(PolicyError, match=BAD[text]):
        TablePolicy.read(folder / "nonsense.toml")


def test_a_report_is_a_page_with_the_result_first(protected, folder):
    protected.save(folder / "report.html")
    page = (folder / "report.html").read_text()
    assert page.index("Passes") < page.index('<h2 id="cells-title">')
    assert "What an attacker finds" in page
    protected.save(folder / "report.md")
    assert (folder / "report.md").read_text().startswith("### divulge table: pass")
