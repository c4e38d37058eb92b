"""Saying what a table is a sample of: numbers, shares and tables, in audits, checks and files of records."""

import json

import pytest

from command_line import run as run_command
from in_process import run

EVERYONE = [f"{20 + row % 40},{'fm'[row % 2]},{row % 7},{row % 3}" for row in range(840)]
POLICY = '[attributes]\nage = "quasi-identifier"\nsex = "quasi-identifier"\ntown = "quasi-identifier"\n'
ROLES = ("--quasi-identifiers", "age,sex,town", "--no-report")


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, rows in (
        ("everyone.csv", EVERYONE),
        ("drawn.csv", EVERYONE[:100]),
        ("others.csv", EVERYONE[700:]),
    ):
        (tmp_path / name).write_text("\n".join(["age,sex,town,house", *rows]) + "\n")
    return lambda *arguments: run(monkeypatch, capsys, *arguments)


def beyond(ask, *said):
    code, out, _ = ask("audit", "drawn.csv", *ROLES, *said, "--json")
    assert code == 0
    return json.loads(out)["people_beyond_table"]


def test_a_number_and_a_table_are_told_apart(ask):
    number, table = beyond(ask, "--population", "840"), beyond(ask, "--population", "everyone.csv")
    assert (number["declared"], table["declared"]) == ("size", "table")
    assert number["population_size"] == table["population_size"] == 840
    assert (number["known"], table["known"]["k_map"]) == (None, 3)


def test_a_share_of_the_population_and_households(ask):
    found = beyond(ask, "--fraction", "0.25", "--household", "house")
    assert (found["population_size"], found["declared"]) == (400, "fraction")
    assert beyond(ask, "--fraction", "25%")["population_size"] == 400
    model = found["risk"]["model"]
    assert model["expected_by_household"] >= model["expected"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (("--fraction", "0"), "sampled fraction is 0"),
        (("--fraction", "1.01"), "sampled fraction is 1.01"),
        (("--population", "-3"), "The population is -3 people"),
        (("--population", "99"), "99 people, and the table has 100"),
        (("--population", "nobody.csv"), "No file nobody.csv"),
        (("--population", "others.csv"), "lacks people of the sample"),
        (("--population", "everyone.csv", "--fraction", "0.1"), "Give one of them"),
        (("--household", "street"), "street"),
    ],
)
def test_what_cannot_be_the_population_is_refused(ask, said, why):
    code, out, err = ask("audit", "drawn.csv", *ROLES, *said)
    assert (code, out) == (2, "")
    assert why in err


@pytest.mark.parametrize(
    ("population", "line", "code"),
    [
        ("", "population_unique = { max = 0.5 }", 3),
        ("", "dis_suda = { max = 0.5 }", 3),
        ("size = 840", "k_map = { min = 3 }", 3),
        ("source = 'everyone.csv'", "k_map = { min = 3 }", 0),
        ("source = 'everyone.csv'", "k_map = { min = 4 }", 1),
        ("source = 'everyone.csv'", "k_map = { min = 4, severity = 'warn' }", 0),
        ("source = 'everyone.csv'", "delta_presence = { max = 0.2 }", 1),
        ("fraction = 0.5", "match_chance = { max = 0.001 }", 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_check(ask, tmp_path, population, line, code):
    population = f"[population]\n{population}\n" if population else ""
    (tmp_path / "policy.toml").write_text(f"{population}{POLICY}[thresholds]\n{line}\nmeasured = 'ignore'\n")
    for command in (("check", "drawn.csv"), ("audit", "drawn.csv", "--no-report")):
        assert ask(*command, "--policy", "policy.toml")[0] == code


def test_the_command_line_goes_before_the_policy_and_the_policy_names_no_folder(ask, tmp_path):
    (tmp_path / "policy.toml").write_text(
        f"[population]\nsource = '{tmp_path}/everyone.csv'\n{POLICY}[thresholds]\nk_map = {{ min = 3 }}\n"
    )
    _, out, _ = ask("check", "drawn.csv", "--policy", "policy.toml", "--population", "840", "--json")
    found = json.loads(out)
    assert found["people_beyond_table"]["declared"] == "size"
    assert str(tmp_path) not in out
    assert 'source = "everyone.csv"' in found["provenance"]["policy_text"]


def test_a_file_of_records_has_people_scores_and_minimal_sets(ask, tmp_path):
    ask("audit", "drawn.csv", *ROLES, "--population", "everyone.csv", "--records", "out.csv")
    head, first, *rest = (tmp_path / "out.csv").read_text().splitlines()
    assert head.split(",")[5:] == ["people", "population_risk", "suda_score", "dis", "minimal_sets"]
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert (row["group_size"], row["people"], row["minimal_sets"]) == ("1", "3.0", "age+town")
    assert len(rest) == 99


def test_the_command_with_explicit_roles_repeats_what_was_said(ask):
    _, out, _ = ask("audit", "drawn.csv", "--population", "everyone.csv", "--no-report")
    assert "--population everyone.csv" in out


@pytest.mark.parametrize("given", ["80.000", "80,000", "80 000"])
def test_a_number_with_marks_between_its_thousands_is_no_file(ask, given):
    code, _, wrong = ask("audit", "drawn.csv", *ROLES, "--population", given)
    assert code == 2
    assert "is neither a whole number nor a file. Write 80000." in wrong


def test_an_option_that_names_nothing_is_refused(ask):
    code, _, wrong = ask("audit", "drawn.csv", "--quasi-identifiers", "", "--no-report")
    assert (code, "An option that names attributes is empty." in wrong) == (2, True)


def test_a_number_of_people_is_refused_where_a_table_is_needed(tmp_path):
    (tmp_path / "t.csv").write_text("age,sex\n" + "20,m\n30,f\n" * 10)
    for command in (("measure", tmp_path / "t.csv"), ("compare", tmp_path / "t.csv", tmp_path / "t.csv")):
        code, _, wrong = run_command(*command, "--quasi-identifiers", "age,sex", "--population", "1000")
        assert code == 2
        assert "--population takes a table of all people here" in wrong
