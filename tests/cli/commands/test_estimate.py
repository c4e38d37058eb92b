"""The estimate command, and an anatomy pair on the command line: the query of section 2.5.4 of the thesis."""

import json
from pathlib import Path

import pytest

from command_line import run

TABLES = Path(__file__).parents[2] / "golden" / "tables"
ORIGINAL, GENERALIZED, KEYS, ILL = (TABLES / f"thesis_table2_{number}.csv" for number in (1, 2, 4, 5))
AIDS = ("--where", "Disease = aids")


def estimated(file, age, *more):
    code, out, err = run("estimate", file, "--where", age, *AIDS, "--exact-counts", "--json", *more)
    assert (code, err) == (0, "")
    found = json.loads(out)
    return found["estimate"], found["true_count"]


def test_the_query_of_the_thesis_on_each_release():
    assert estimated(TABLES / "thesis_table2_3.csv", "Age >= 35") == (2, None)
    assert estimated(KEYS, "Age >= 35", "--anatomy", ILL, "--original", ORIGINAL) == (2, 2)
    assert estimated(KEYS, "Age <= 35", "--anatomy", ILL) == (pytest.approx(0.8), None)
    asked = (GENERALIZED, "Age* >= 35", "--original", ORIGINAL)
    assert estimated(*asked, "--one-of-group") == (pytest.approx(0.4), 2)
    # The original has 45, 63, 40 and 35 beyond 32, and all of them fit.
    assert estimated(*asked) == (2, 2)
    assert estimated(GENERALIZED, "Age* >= 35", "--range", "Age*=18..99")[0] == pytest.approx(2 * 65 / 67)


def test_values_behind_intervals_and_hierarchies(tmp_path):
    (tmp_path / "bands.csv").write_text("age,ill\n20-29,flu\n20-29,lung\n30-39,lung\n*,lung\n")
    (tmp_path / "ill.csv").write_text("flu;flu;*\nlung;cancer;*\ncolon;cancer;*\n")
    (tmp_path / "groups.csv").write_text("ill,age\ncancer,1\ncancer,2\nflu,3\n")
    base = ("estimate", tmp_path / "bands.csv", "--exact-counts")
    # Of 20 to 29 a half, of 30 to 39 all, of 20 to 39 three quarters.
    assert run(*base, "--where", "age>=25", "--where", "ill=lung")[1].startswith(
        "Estimated from bands.csv: 2.25 of"
    )
    code, out, _ = run(
        "estimate",
        tmp_path / "groups.csv",
        "--where",
        "ill=lung",
        "--hierarchy",
        f"ill={tmp_path / 'ill.csv'}",
        "--exact-counts",
    )
    assert (code, out) == (0, "Estimated from groups.csv: 1 of 3 people.\n")


def test_many_people_have_a_comma_at_every_thousand(tmp_path):
    (tmp_path / "many.csv").write_text("age\n" + "34\n" * 1000 + "35\n" * 1234)
    code, out, _ = run("estimate", tmp_path / "many.csv", "--where", "age >= 35")
    assert (code, out) == (0, "Estimated from many.csv: 1,234 of 2,234 people.\n")


def test_a_few_people_are_not_counted_out():
    asked = ("estimate", KEYS, "--anatomy", ILL, "--where", "Age >= 35", *AIDS, "--original", ORIGINAL)
    code, out, _ = run(*asked)
    assert code == 0
    assert out == (
        "Estimated from thesis_table2_4.csv with thesis_table2_5.csv: fewer than 5 of 9 people.\n"
        "Counted in thesis_table2_1.csv: fewer than 5 of 9 people.\n"
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((KEYS, "--where", "Agee = 3"), "Did you mean 'Age'?"),
        ((KEYS, "--where", "Age"), "A condition has no sign."),
        ((KEYS, "--where", "Age > forty"), "A condition on 'Age' compares by > with what is not a number."),
        ((KEYS, "--where", "Age > 3", "--where", "Age < 9"), "'Age' is in several conditions."),
        ((GENERALIZED, "--where", "Age* > 3"), "it is not known for which"),
        ((GENERALIZED, "--where", "Age* > 3", "--range", "Age*=9"), "no two whole numbers"),
        ((KEYS, "--where", "Group-ID = 1", "--original", ORIGINAL), "has no attribute like 'Group-ID'"),
        ((KEYS, "--where", "Age > 3", "--anatomy", ORIGINAL), "attributes in common; an anatomy has 1"),
    ],
)
def test_what_cannot_be_estimated_is_a_sentence(asked, said):
    code, out, err = run("estimate", *asked)
    assert (code, out) == (2, "")
    assert said in err


def test_measure_and_audit_read_an_anatomy(tmp_path):
    code, out, _ = run(
        "measure", KEYS, "--anatomy", ILL, "--keys", "Group-ID", "--measure", "distinct_l_diversity", "--json"
    )
    assert code == 0
    # Four people of three diseases, and five of three.
    assert json.loads(out)["readings"][0]["value"] == 3
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f"[data]\nsource = {str(KEYS)!r}\nanatomy = {str(ILL)!r}\n"
        '[attributes]\nGroup-ID = "quasi-identifier"\nDisease = "sensitive"\n'
        "[thresholds]\nk_anonymity = { min = 4 }\ndistinct_l_diversity = { min = 3 }\n"
    )
    code, out, _ = run("check", "--policy", policy)
    assert code == 0
    assert "27 records of 9 people" in out
    assert "k-anonymity: 4" in out
    assert "Distinct l-diversity of Disease: 3 values" in out


def test_an_anatomy_names_no_single_records(tmp_path):
    code, _, err = run("audit", KEYS, "--anatomy", ILL, "--no-report", "--records", tmp_path / "r.csv")
    assert code == 2
    assert "--records is about single records" in err
    code, _, err = run("transform", KEYS, "--anatomy", ILL, "--recipe", "r.toml", "--out", "o.csv")
    assert code == 2
    assert "A release is made of the original." in err
