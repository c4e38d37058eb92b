"""The simulation of releases as a user meets it."""

import json
import sys
from pathlib import Path

import pytest

from command_line import besides_progress
from divulge.cli import main

pytestmark = pytest.mark.together  # the first one has the loops compiled that all use
GARRISONS = Path(__file__).parents[4] / "examples" / "garrisons.csv"


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["divulge", "release", "simulate", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    printed = capsys.readouterr()
    return stopped.value.code or 0, printed.out, printed.err


@pytest.fixture
def simulate(monkeypatch, capsys):
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


DEPENDENCY = ("--x", "Age", "--y", "Location", "--runs", "2")


def test_json_is_one_document_and_nothing_else(simulate):
    code, out, err = simulate(GARRISONS, *DEPENDENCY, "--test", "mis,kld", "--alpha", "0.1", "--json")
    document = json.loads(out)
    assert (code, besides_progress(err)) == (0, "")
    assert list(document["released_by_target"]) == [f"target {place}" for place in (1, 2, 3, 4)]
    assert document["rules"]["tests"] == ["mis", "kld"]
    assert document["source"] == "garrisons.csv"


def test_each_test_is_run_by_itself_too(simulate):
    _, out, _ = simulate(GARRISONS, *DEPENDENCY, "--each", "--json")
    alone = [one["rules"]["tests"] for one in json.loads(out)["each"]]
    assert alone == [["mis"], ["kld"], ["cst"], ["dqt"], ["seq"]]


def test_a_report_is_written(simulate, tmp_path):
    code, _, err = simulate(GARRISONS, *DEPENDENCY, "--report", tmp_path / "out.html")
    assert code == 0
    assert "Report:" in err
    assert "<svg" in (tmp_path / "out.html").read_text()


def test_ranges_of_x_and_a_baseline_of_its_own(simulate, tmp_path):
    records = [("7", "a"), ("25", "a"), ("70", "b"), ("8", "b"), ("30", "c"), ("64", "c")] * 20
    (tmp_path / "t.csv").write_text("age,place\n" + "".join(f"{x},{y}\n" for x, y in records))
    (tmp_path / "all.csv").write_text("age\n" + "".join(f"{x}\n" for x in range(90)))
    (tmp_path / "p.toml").write_text("[age]\nbins = [18, 40, 65]\n")
    options = ("--x", "age", "--y", "place", "--runs", "1", "--test", "cst", "--json")
    given = ("--partitions", tmp_path / "p.toml", "--baseline", tmp_path / "all.csv")
    code, out, _ = simulate(tmp_path / "t.csv", *options, *given)
    assert code == 0
    assert json.loads(out)["records"] == 120


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--x", "Age"), "A dependency needs X"),
        (("--y", "Location"), "A dependency needs X"),
        (("--x", "Agee", "--y", "Location"), "Did you mean 'Age'"),
        (("--x", "Age", "--y", "Age"), "both a key and the target"),
        ((*DEPENDENCY, "--alpha", "1.5"), "between 0 and 1"),
        ((*DEPENDENCY, "--alpha", "nan"), "between 0 and 1"),
        ((*DEPENDENCY, "--test", "mi"), "Unknown test: 'mi'"),
        ((*DEPENDENCY, "--requests", "601"), "the table has 600 records"),
        ((*DEPENDENCY, "--merging", "up"), "Unknown way of merging"),
        ((*DEPENDENCY, "--baseline", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(simulate, arguments, said):
    code, out, err = simulate(GARRISONS, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("divulge: ")


@pytest.mark.parametrize("option", ["--samples", "--runs"])
def test_counts_beyond_reason_are_refused_with_what_they_would_take(simulate, option):
    code, out, err = simulate(GARRISONS, *DEPENDENCY, option, "1000000000")
    assert (code, out) == (2, "")
    assert "would need about" in err
    assert "the limit is 4 GB" in err


def test_requests_refused_for_good_are_counted_apart(simulate, tmp_path):
    (tmp_path / "young.csv").write_text("Age\n" + "20-29\n30-39\n" * 10)
    code, out, _ = simulate(GARRISONS, *DEPENDENCY, "--baseline", tmp_path / "young.csv", "--json")
    found = json.loads(out)
    assert code == 0
    ages = [line.split(",")[1] for line in GARRISONS.read_text().splitlines()[1:]]
    assert found["refused"] == sum(age not in ("20-29", "30-39") for age in ages) > 0
    assert found["released"] + found["waiting"] + found["refused"] == pytest.approx(600)


def test_a_level_for_the_whole_set_can_be_asked_for(simulate):
    _, out, _ = simulate(GARRISONS, *DEPENDENCY, "--test", "kld", "--alpha", "0.2", "--familywise", "--json")
    found = json.loads(out)
    assert found["rules"]["familywise"] is True
    assert 1 - (1 - found["level"]) ** 4 == pytest.approx(0.2)


def test_two_targets_are_too_few_for_dixon(simulate, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 30)
    code, _, err = simulate(tmp_path / "t.csv", "--x", "x", "--y", "y", "--test", "dqt")
    assert code == 2
    assert "at least 3, and the baseline has 2" in err


# -- what is printed of records --------------------------------------------------------------------

ONE_OF_MANY = ("--x", "age", "--y", "diagnosis", "--test", "cst,kld", "--runs", "2", "--each")


@pytest.fixture
def rare(tmp_path):
    """Of 60 records one has a diagnosis of its own."""
    rows = [(20 + place % 2, "hiv" if place == 7 else "flu") for place in range(60)]
    (tmp_path / "t.csv").write_text("age,diagnosis\n" + "".join(f"{x},{y}\n" for x, y in rows))
    return tmp_path / "t.csv"


def test_a_simulation_names_no_value_of_records_and_counts_nobody_out(simulate, rare, tmp_path):
    code, printed, _ = simulate(rare, *ONE_OF_MANY, "--report", tmp_path / "out.html")
    assert code == 0
    page = (tmp_path / "out.html").read_text()
    _, out, _ = simulate(rare, *ONE_OF_MANY, "--json")
    document = json.loads(out)
    for said in (printed, page, out):
        assert "hiv" not in said
        assert "flu" not in said
    for one in (document, *document["each"]):
        few = one["by_target"][1]
        assert few.pop("target") == "target 2"
        assert few.pop("records") == "<5"
        assert set(few.values()) == {None}
        assert one["released_by_target"]["target 2"] is None
        # 59 of 60 would give the one away.
        assert one["by_target"][0]["records"] == ">55"
        assert one["by_target"][0]["requested"] is None
    targets = {one["target"] for moment in document["evolution"] for one in moment["exposures"]}
    assert targets == set()  # their limits go by how many records are outside: 59 of 60 again
    assert "This report shows values of records" not in page


def test_values_and_small_counts_are_shown_when_asked_for(simulate, rare, tmp_path):
    _, out, _ = simulate(rare, *ONE_OF_MANY, "--json", "--show-values")
    assert [(one["target"], one["records"]) for one in json.loads(out)["by_target"]] == [
        ("flu", ">55"),
        ("hiv", "<5"),
    ]
    _, out, _ = simulate(
        rare, *ONE_OF_MANY, "--json", "--show-values", "--exact-counts", "--report", tmp_path / "o.html"
    )
    assert [(one["target"], one["records"]) for one in json.loads(out)["by_target"]] == [
        ("flu", 59),
        ("hiv", 1),
    ]
    assert "This report shows values of records" in (tmp_path / "o.html").read_text()


def test_released_counts_by_value_and_target_are_written(simulate, tmp_path):
    code, out, _ = simulate(GARRISONS, *DEPENDENCY, "--json", "--released", tmp_path / "out.csv")
    head, *rows = [line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()]
    assert (code, head) == (0, ["Age", "target 1", "target 2", "target 3", "target 4"])
    assert [row[0] for row in rows] == [f"value {place}" for place in (1, 2, 3, 4, 5)]
    assert all(float(cell) % 10 == 0 for row in rows for cell in row[1:])  # few are not told from none
    simulate(GARRISONS, *DEPENDENCY, "--exact-counts", "--show-values", "--released", tmp_path / "exact.csv")
    head, *rows = [line.split(",") for line in (tmp_path / "exact.csv").read_text().splitlines()]
    assert (head[1], rows[0][0]) == ("Arden", "<20")
    released = json.loads(out)["released"]
    assert sum(float(cell) for row in rows for cell in row[1:]) == pytest.approx(released)


def test_what_observers_expect_can_be_given_as_shares(simulate, tmp_path):
    shares = tmp_path / "shares.csv"
    shares.write_text("value,share\n<20,.2\n20-29,.3\n30-39,.3\n40-49,.2\n")
    code, out, _ = simulate(GARRISONS, *DEPENDENCY, "--baseline-shares", shares, "--json", "--exact-counts")
    found = json.loads(out)
    assert code == 0
    assert found["refused_by_reason"] == {"unknown target": 0.0, "unknown value": 59.0}  # of >=50
    expected = [one["expected"] for one in found["histograms"]["groups"]]
    assert expected == pytest.approx([0.2, 0.3, 0.3, 0.2, 0])
    code, _, err = simulate(GARRISONS, *DEPENDENCY, "--baseline-shares", shares, "--baseline", shares)
    assert (code, "one baseline only" in err) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("value,share\n<20,many\n", "must be numbers"),
        ("value,share\n<20,.5\n<20,.5\n", "a value twice"),
        ("value,share,more\n<20,.5,x\n", "one more column"),
    ],
)
def test_shares_that_say_nothing_are_refused(simulate, tmp_path, text, said):
    (tmp_path / "shares.csv").write_text(text)
    code, _, err = simulate(GARRISONS, *DEPENDENCY, "--baseline-shares", tmp_path / "shares.csv")
    assert code == 2
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    ("test", "warned"), [("cst", True), ("dqt", True), ("cst,dqt", True), ("cst,kld", False)]
)
def test_tests_that_bound_nothing_alone_are_warned_of(simulate, test, warned):
    _, out, _ = simulate(GARRISONS, *DEPENDENCY, "--test", test, "--requests", "50")
    assert ("CST and DQT alone bound nothing" in " ".join(out.split())) == warned


def test_the_sequential_test_says_what_it_keeps_to(simulate, tmp_path):
    asked = ("--test", "seq", "--form", "joint", "--known-counts", "--alpha", "0.1")
    _, out, _ = simulate(GARRISONS, *DEPENDENCY, *asked, "--report", tmp_path / "out.html")
    words = " ".join(out.split())
    assert "at no time do its odds against the baseline reach 10, whenever an observer looks" in words
    assert "Observers know how often each value occurs" in words
    assert "SEQ: odds against the baseline" in (tmp_path / "out.html").read_text()
    code, _, err = simulate(GARRISONS, *DEPENDENCY, "--test", "seq", "--form", "mean", "--known-counts")
    assert (code, "drawn from the same records" in " ".join(err.split())) == (2, True)


def test_runs_that_end_where_nothing_can_leave_are_reported(simulate, tmp_path):
    cells = [(f"v{x}", f"t{y}") for x in range(10) for y in range(5) for _ in range(40)]
    (tmp_path / "even.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in cells))
    asked = (tmp_path / "even.csv", "--x", "x", "--y", "y", "--runs", "10", "--samples", "1000")
    steps = (*asked, "--limits", "chi-square")
    _, out, _ = simulate(*steps, "--json")
    stuck = json.loads(out)["stuck_runs"]
    _, out, _ = simulate(*steps)
    words = " ".join(out.split())
    assert stuck > 0
    assert f"{stuck} of 10 runs ended with a set that no record could join" in words
    assert "Use --limits moments." in words
    for free in ((), ("--test", "seq", "--form", "joint")):
        _, out, _ = simulate(*asked, *free)
        assert "Stuck" not in out


def test_the_same_dependency_twice_releases_what_it_does_once(simulate):
    _, once, _ = simulate(GARRISONS, *DEPENDENCY, "--test", "kld", "--runs", "2", "--json")
    _, twice, _ = simulate(
        GARRISONS, *DEPENDENCY, "--also", "Age:Location", "--test", "kld", "--runs", "2", "--json"
    )
    one, both = json.loads(once), json.loads(twice)
    assert both["dependencies"] == ["Age:Location", "Age:Location"]
    for found in (both, *both["also"]):
        assert found["released_by_target"] == one["released_by_target"]
        assert found["evolution"] == one["evolution"]
    code, _, err = simulate(GARRISONS, *DEPENDENCY, "--also", "Age:Location", "--each")
    assert (code, "one dependency" in err) == (2, True)
