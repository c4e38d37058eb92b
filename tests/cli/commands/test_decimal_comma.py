"""Decimals with a comma are numbers where all of a column are so written: in tables, bands and recipes."""

from pathlib import Path

import pytest

from command_line import run


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{'ab'[n % 2]};{150 + n % 40},{n % 10};{n % 90},50;{'xyz'[n % 3]}" for n in range(400)]
    (tmp_path / "people.csv").write_text("\n".join(["town;height;cost;illness", *rows]) + "\n")
    pointed = [row.replace(",", ".") for row in rows]
    (tmp_path / "pointed.csv").write_text("\n".join(["town;height;cost;illness", *pointed]) + "\n")
    return tmp_path


def test_a_table_of_sums_is_that_of_decimals_with_a_point():
    found = []
    for file in ("people.csv", "pointed.csv"):
        code, _, wrong = run("table", file, "--by", "town,illness", "--value", "cost", "--out", f"t-{file}")
        assert code == 0, wrong
        found.append(Path(f"t-{file}").read_text())
    assert found[0] == found[1]


def test_a_draft_puts_heights_in_bands_and_the_release_is_compared(place):
    assert run("init", "people.csv", "--write-recipe", "recipe.toml")[0] == 0
    assert 'mechanism = "intervals"\nattributes = ["height"]' in (place / "recipe.toml").read_text()
    assert run("transform", "people.csv", "--recipe", "recipe.toml", "--out", "out.csv")[0] == 0
    roles = ("--quasi-identifiers", "town,height", "--sensitive", "illness")
    code, said, _ = run("compare", "people.csv", "out.csv", *roles, "--no-report")
    assert code == 0
    assert "not known what values" not in said


def test_a_search_makes_bands_and_rounding_keeps_the_decimals(place):
    roles = ("--quasi-identifiers", "town,height", "--sensitive", "illness", "--k", "5")
    code, said, wrong = run("anonymize", "people.csv", *roles, "--show-hierarchies")
    assert code == 0, wrong
    assert "[150, 155)" in said
    (place / "r.toml").write_text(
        'format = 1\n[[step]]\nmechanism = "rounding"\nattributes = ["height"]\nbase = 0.5\n'
    )
    assert run("transform", "people.csv", "--recipe", "r.toml", "--out", "o.csv", "--keep-order")[0] == 0
    assert (place / "o.csv").read_text().splitlines()[2].split(",")[1] == "151.0"


def test_an_audit_tries_bands_of_them_as_of_decimals_with_a_point():
    roles = ("--quasi-identifiers", "town,height,cost", "--sensitive", "illness", "--no-report")
    found = [run("audit", file, *roles) for file in ("people.csv", "pointed.csv")]
    assert [code for code, _, _ in found] == [0, 0]
    helps = [said.partition("What would help")[2] for _, said, _ in found]
    assert "height" in helps[0]
    assert helps[0] == helps[1]
