"""What is said of how a release is written, where its original is written in another way."""

import pytest

from command_line import run

STEP = 'format = 1\n[[step]]\nmechanism = "remove"\nattributes = ["name"]\n'
ROWS = "name;town;age\n" + "".join(f"n{n};Köln;{n % 5}\n" for n in range(30))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(ROWS, "cp1252")
    (tmp_path / "r.toml").write_text(STEP)
    return tmp_path


def test_another_separator_and_encoding_are_said(place):
    said = "The release is in UTF-8, separated by commas; the original is in cp1252, separated by semicolons."
    assert said in run("transform", "people.csv", "--recipe", "r.toml", "--out", "out.csv")[1]
    roles = ("--identifiers", "name", "--quasi-identifiers", "town,age", "--k", "5")
    assert said in " ".join(run("anonymize", "people.csv", *roles, "--out", "b.csv")[1].split())


def test_only_what_differs_is_said(place):
    (place / "people.csv").write_text(ROWS, "utf-8")
    said = run("transform", "people.csv", "--recipe", "r.toml", "--out", "out.csv")[1]
    assert "The release is separated by commas; the original is separated by semicolons." in said
    (place / "people.csv").write_text(ROWS.replace(";", ","), "cp1252")
    said = run("transform", "people.csv", "--recipe", "r.toml", "--out", "two.csv")[1]
    assert "The release is in UTF-8; the original is in cp1252." in said


def test_nothing_is_said_where_both_are_alike(place):
    (place / "people.csv").write_text(ROWS.replace(";", ","), "utf-8")
    assert "UTF-8" not in run("transform", "people.csv", "--recipe", "r.toml", "--out", "out.csv")[1]
