"""The attacker commands as a user meets them."""

import json
import math

import pytest
from typer.testing import CliRunner

from command_line import run
from divulge.cli import app as cli

CHANNEL = "x,prior,no,yes\nhealthy,0.9,0.95,0.05\nill,0.1,0.2,0.8\n"
PRIOR = "low,0.5\nmid,0.3\nhigh,0.2\n"
TABLE = "age,disease\n20,flu\n20,cold\n30,SECRETILL\n30,SECRETILL\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("c.csv", CHANNEL), ("p.csv", PRIOR), ("t.csv", TABLE)):
        (tmp_path / name).write_text(text)


def ask(*arguments):
    result = CliRunner().invoke(cli.app, ["attacker", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_channel_is_read_without_naming_a_command():
    found = json.loads(ask("c.csv", "--json"))
    # Seen no: 0.855 healthy against 0.02 ill; seen yes: 0.045 against 0.08.
    assert found["privacy"]["average"] == pytest.approx(0.02 + 0.045)
    assert found["privacy"]["prior"] == pytest.approx(0.1)
    assert "error left" in ask("c.csv")
    assert ask("c.csv") == ask("read", "c.csv")


def test_a_table_is_read_and_its_values_are_kept_back():
    plain = ask("--table", "t.csv", "--keys", "age", "--target", "disease", "--json")
    assert json.loads(plain)["privacy"]["average"] == pytest.approx(0.25)
    assert "SECRETILL" not in plain
    assert "SECRETILL" in ask("--table", "t.csv", "--keys", "age", "--target", "disease", "--show-values")


def test_a_report_is_written_when_asked_for(tmp_path):
    assert "Report: r.html" in ask("c.csv", "--report", "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.count("<svg") == 3
    assert len(page) < 1_000_000


def test_more_guesses_and_the_right_to_abstain():
    two = json.loads(ask("c.csv", "--guesses", 2, "--json"))
    assert two["privacy"]["average"] == 0
    cheap = json.loads(ask("c.csv", "--abstain", 0.01, "--json"))
    assert cheap["privacy"]["average"] == pytest.approx(0.01)


def test_the_best_rule_within_a_budget():
    found = json.loads(ask("optimize", "p.csv", "--budget", 0.2, "--json"))
    assert found["value"] == pytest.approx(0.2)  # attacker and system pay alike: the budget is the privacy
    assert found["gap"] < 1e-6
    assert all(sum(row) == pytest.approx(1) for row in found["matrix"])
    assert "Price of the budget" in ask("optimize", "p.csv", "--budget", 0.2)


def test_scenarios_are_read_like_channels():
    crowd = json.loads(ask("crowds", "--users", 10, "--submit", 0.5, "--json"))
    assert crowd["privacy"]["average"] == pytest.approx(0.45)  # (1 - p)(1 - 1/n)
    mix = json.loads(ask("mix", "--messages", 4, "--threshold", 4, "--json"))
    assert mix["entropy"] == pytest.approx(math.log2(24))
    assert mix["link_error"] == pytest.approx(0.75)
    place = json.loads(ask("location", "--columns", 3, "--rows", 3, "--noise", "gaussian", "--json"))
    assert 0 < place["privacy"]["average"] < place["privacy"]["prior"]
    assert "degree of anonymity" in ask("mix", "--messages", 4, "--threshold", 2, "--pool", 1)


def test_epsilon_both_ways():
    error = json.loads(ask("epsilon", "--epsilon", 1, "--json"))["error"]
    assert error == pytest.approx(1 / (1 + math.e))
    assert json.loads(ask("epsilon", "--error", error, "--json"))["epsilon"] == pytest.approx(1)
    assert "wrong at least 0.2689" in ask("epsilon", "--epsilon", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.csv"], "none.csv"),
        (["c.csv", "--table", "t.csv"], "either a channel or --table"),
        (["--table", "t.csv", "--keys", "agee"], "Did you mean 'age'?"),
        (["--table", "t.csv"], "No keys"),
        (["c.csv", "--distortion", "haming"], "hamming"),
        (["c.csv", "--prior", "p.csv"], "prior"),
        (["optimize", "p.csv", "--budget", "0.2", "--goal", "avarage"], "average"),
        (["location", "--noise", "laplas"], "laplace"),
        (["crowds", "--users", "3", "--submit", "0"], "above 0"),
        (["epsilon"], "either --epsilon or --error"),
        (["epsilon", "--error", "0.9"], "cannot be left"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_two(arguments, said):
    code, out, err = run("attacker", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_channel_that_is_none_is_refused(tmp_path):
    (tmp_path / "c.csv").write_text("x,a,b\none,0.5,0.4\ntwo,0.5,0.5\n")
    code, _, err = run("attacker", "c.csv")
    assert code == 2
    assert "add up" in err or "sum" in err
