"""The attacker commands as a user meets them."""

import json
import math
import re

import pytest
from typer.testing import CliRunner

from command_line import run
from divulge.cli import app as cli
from divulge.errors import DivulgeError

CHANNEL = "x,prior,no,yes\nhealthy,0.9,0.95,0.05\nill,0.1,0.2,0.8\n"
PRIOR = "low,0.5\nmid,0.3\nhigh,0.2\n"
FAR = "x,a,b\n1e308,0.5,0.5\n-1e308,0.5,0.5\n"
VAST = "x,a,b\nn,1e308,1e308\n"
ONE_VALUE = "age,disease\n20,flu\n30,flu\n"
TABLE = "age,disease\n20,flu\n20,cold\n30,SECRETILL\n30,SECRETILL\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = {"far.csv": FAR, "vast.csv": VAST, "empty.csv": "", "one.csv": ONE_VALUE}
    for name, text in {"c.csv": CHANNEL, "p.csv": PRIOR, "t.csv": TABLE, **odd}.items():
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
    assert "Knowing the observation, the best guess of the secret is right 93.5% of the" in ask("c.csv")
    assert ask("c.csv") == ask("read", "c.csv")


def test_a_table_is_read_and_its_values_are_kept_back():
    plain = ask("--file", "t.csv", "--keys", "age", "--target", "disease", "--json")
    assert json.loads(plain)["privacy"]["average"] == pytest.approx(0.25)
    assert "SECRETILL" not in plain
    asked = ("--file", "t.csv", "--keys", "age", "--target", "disease", "--show-values")
    assert "SECRETILL" not in ask(*asked)  # of fewer than five records
    assert "SECRETILL" in ask(*asked, "--exact-counts")


def test_a_report_is_written_when_asked_for(tmp_path):
    assert "Report: r.html" in ask("c.csv", "--report", "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.count("<svg") == 3
    assert len(page) < 1_000_000


def test_models_have_pages_with_a_picture_of_what_the_attacker_believes(tmp_path):
    asked = {
        "crowds": ("--users", 30, "--submit", 0.4),
        "location": ("--columns", 3, "--rows", 2),
        "mix": ("--messages", 6, "--batch", 3, "--pool", 2),
        "optimize": ("p.csv", "--budget", 0.2),
    }
    sentences = {
        # By hand: p + (1 - p)/n = 0.4 + 0.6/30.
        "crowds": "the best guess of who started the message is right 42% of the time; without it, 3.3%.",
        "location": "the best estimate of the true place is off by",
        "mix": "the best guess of its sender is right 20% of the time; without it, 12.5%.",
        "optimize": "is right 80% of the time; without it, 50%.",
    }
    for model, given in asked.items():
        assert "Report: r.html" in ask(model, *given, "--report", "r.html")
        page = (tmp_path / "r.html").read_text("utf-8")
        assert sentences[model] in page
        assert page.index('id="chart-belief"') < page.index('id="error"')
        assert not re.search(r'<text[^>]*fill="var\(--dv-heat', page)  # numbers in the colour of their cells


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
    mix = json.loads(ask("mix", "--messages", 4, "--batch", 4, "--json"))
    assert mix["entropy"] == pytest.approx(math.log2(24))
    assert mix["link_error"] == pytest.approx(0.75)
    place = json.loads(ask("location", "--columns", 3, "--rows", 3, "--noise", "gaussian", "--json"))
    assert 0 < place["privacy"]["average"] < place["privacy"]["prior"]
    assert "degree of anonymity" in ask("mix", "--messages", 4, "--batch", 2, "--pool", 1)


def test_epsilon_both_ways():
    error = json.loads(ask("epsilon", "--epsilon", 1, "--json"))["error"]
    assert error == pytest.approx(1 / (1 + math.e))
    assert json.loads(ask("epsilon", "--error", error, "--json"))["epsilon"] == pytest.approx(1)
    assert "wrong at least 0.2689" in ask("epsilon", "--epsilon", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.csv"], "none.csv"),
        (["c.csv", "--file", "t.csv"], "either a channel or --file"),
        (["--file", "t.csv", "--keys", "agee"], "Did you mean 'age'?"),
        (["--file", "t.csv"], "No keys"),
        (["c.csv", "--distortion", "haming"], "hamming"),
        (["c.csv", "--prior", "p.csv"], "prior"),
        (["optimize", "p.csv", "--budget", "0.2", "--goal", "avarage"], "average"),
        (["location", "--noise", "laplas"], "laplace"),
        (["crowds", "--users", "3", "--submit", "0"], "above 0"),
        (["epsilon"], "either --epsilon or --error"),
        (["epsilon", "--error", "0.9"], "is not possible"),
        (["crowds", "--users", "100000", "--submit", "0.5"], "about 960 GB"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_two(arguments, said):
    code, out, err = run("attacker", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("keys", "target", "said"),
    [("age", "disease", "nothing to learn"), ("disease", "age", "give no information")],
)
def test_a_constant_column_is_read_with_the_reason(keys, target, said, tmp_path):
    arguments = ["--file", "one.csv", "--keys", keys, "--target", target]
    assert f"Discrimination rate: undefined, since the {'target' if keys == 'age' else 'keys'}" in ask(
        *arguments
    )
    assert said in ask(*arguments, "--report", "r.html")
    assert said in (tmp_path / "r.html").read_text("utf-8")
    assert said in json.loads(ask(*arguments, "--json"))["sampled"]["undefined"]


def test_a_sparse_table_says_that_it_is_too_sparse(tmp_path):
    rows = [f"{place},{place % 5}" for place in range(10)]
    (tmp_path / "sparse.csv").write_text("key,x\n" + "\n".join(rows))
    said = ask("--file", "sparse.csv", "--keys", "key", "--target", "x")
    assert "corrected for the sample: at most 2.3219 bits (too sparse to say more)" in said


def test_figures_stand_with_their_units():
    said = ask("c.csv")
    assert "in: probability of a wrong guess" in " ".join(said.split())
    assert "Epsilon: 2.7726 nats" in said  # ln(0.8 / 0.05)
    [row] = [line.split() for line in said.splitlines() if line.startswith("min-entropy")]
    assert row[:3] == ["min-entropy", "0.035", "probability"]  # 0.855 + 0.08 - 0.9


@pytest.mark.parametrize("epsilon", ["710", "1e308"])
def test_a_very_large_epsilon_is_worked_out(epsilon):
    assert json.loads(ask("epsilon", "--epsilon", epsilon, "--json"))["error"] < 1e-300


def test_an_infinite_price_is_null_and_no_figure_is_a_negative_zero():
    arguments = ["optimize", "p.csv", "--budget", "0", "--goal", "information"]
    assert "Price of the budget infinite" in ask(*arguments)
    assert json.loads(ask(*arguments, "--json"))["price"] is None
    for said in (ask("c.csv", "--guesses", 2), ask("c.csv", "--guesses", 2, "--json")):
        assert not re.search(r"-0(\.0)?\b(?!\.)", said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["epsilon", "--epsilon", "inf"], "finite number"),
        (["epsilon", "--epsilon", "nan"], "finite number"),
        (["crowds", "--users", "1000000000", "--submit", "0.5"], "more than a million TB"),
        (["mix", "--messages", "1000000000", "--batch", "1"], "about 100 GB"),
        (["mix", "--messages", "9" * 60, "--batch", "7"], "at most 1e+15"),
        (["location", "--columns", "100000", "--rows", "100000"], "more than a million TB"),
        (["location", "--noise-scale", "1e308"], "between 1e-60 and 1e+60"),
        (["location", "--spacing", "nan"], "finite number above 0"),
        (["far.csv", "--distortion", "squared"], "up to 1e+150"),
        (["vast.csv"], "adds up to inf"),
        (["empty.csv"], "empty"),
    ],
)
def test_numbers_at_the_edge_are_refused_with_a_sentence(arguments, said):
    result = CliRunner().invoke(cli.app, ["attacker", *arguments])
    assert isinstance(result.exception, DivulgeError), result.output  # which ends the program with code 2
    assert said in result.exception.message


def test_a_channel_that_is_none_is_refused(tmp_path):
    (tmp_path / "c.csv").write_text("x,a,b\none,0.5,0.4\ntwo,0.5,0.5\n")
    code, _, err = run("attacker", "c.csv")
    assert code == 2
    assert "add up" in err or "sum" in err


def test_observations_that_are_not_listed_are_counted(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{n % 16},{'ab'[n % 2]}\n" for n in range(96)))
    code, out, _ = run("attacker", "--file", "t.csv", "--keys", "x", "--target", "y")
    assert code == 0
    assert "16 observations" in out
    assert out.rstrip().endswith("... and 6 more, with --json")


def test_help_shows_that_a_channel_or_a_table_may_be_given_without_a_command():
    code, said, _ = run("attacker", "--help")
    assert code == 0
    assert "divulge attacker CHANNEL.csv" in said
    assert "divulge attacker --file FILE --keys A,B --target X" in said


def test_a_table_has_one_chance_level_whichever_command_prints_it(tmp_path):
    file = tmp_path / "people.csv"
    rows = [f"{i * 7 % 11},{i * 5 % 3}" for i in range(120)]
    file.write_text("\n".join(["zip,ill", *rows]) + "\n")
    asked = ("--keys", "zip", "--target", "ill", "--json")
    test = json.loads(run("attacker", "--file", file, *asked)[1])["sampled"]["test"]
    read = json.loads(run("measure", file, *asked)[1])["readings"]
    (level,) = [one["chance"] for one in read if one["measure"] == "mutual_information"]
    assert test["expected"] == pytest.approx(level, rel=1e-9)
    said = run("attacker", "--file", file, *asked[:-1])[1]
    assert f"(p {test['p_value']:g}, from {test['permutations']} shuffles)" in said
