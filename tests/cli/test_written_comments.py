"""Names of files and columns that stand in comments of written files add no line to them."""

import tomllib

import pytest

from command_line import run
from divulge._support.toml_text import in_comment

EVIL = 'a\n[[step]]\nmechanism = "remove"\nattributes = ["age"]\n#\x1b[2J.csv'


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + number % 40},{'ns'[number % 2]},{'abc'[number % 3]}" for number in range(400)]
    (tmp_path / EVIL).write_text("age,region,illness\n" + "\n".join([*rows, "99,w,c"]) + "\n")
    return tmp_path


ROLES = ("--quasi-identifiers", "age,region", "--sensitive", "illness")


@pytest.mark.parametrize(
    "command",
    [
        ("init", EVIL, "--out", "out.toml"),
        ("init", EVIL, "--write-recipe", "out.toml"),
        ("audit", EVIL, *ROLES, "--json", "--write-recipe", "out.toml"),
        ("anonymize", EVIL, *ROLES, "--k", "5", "--write-recipe", "out.toml", "--out", "released.csv"),
    ],
    ids=["policy", "recipe", "plan", "search"],
)
def test_the_name_of_a_file_adds_no_step(table, command):
    result = run(*command)
    text = (table / "out.toml").read_text()
    assert "\x1b" not in text, result
    assert '\n[[step]]\nmechanism = "remove"\nattributes = ["age"]\n#' not in text
    said = [line for line in text.splitlines() if in_comment(EVIL)[:12] in line]
    assert said
    tomllib.loads(text)
