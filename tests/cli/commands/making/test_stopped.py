"""A release that is stopped on its way: one line, exit code 130, and no file under its final name."""

import contextlib
import signal
import sqlite3
import stat
import subprocess
import sys

import pytest

from command_line import run
from divulge.cli import running
from divulge.cli.commands.making import transform as command
from divulge.errors import SourceError

RECIPE = """row_key = "id"
[[step]]
mechanism = "rounding"
attributes = ["age"]
base = 10
"""
ROWS = [(n, 20 + n * 7 % 50) for n in range(40)]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("id,age\n" + "".join(f"{n},{age}\n" for n, age in ROWS))
    (tmp_path / "recipe.toml").write_text(RECIPE)
    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute("CREATE TABLE people (id INTEGER, age INTEGER)")
        database.executemany("INSERT INTO people VALUES (?, ?)", ROWS)
    return tmp_path


def transform(data, out, *more):
    return run("transform", data, "--recipe", "recipe.toml", "--out", out, "--manifest", "what.json", *more)


def names(place):
    return sorted(one.name for one in place.iterdir())


def tables(place):
    return [
        name for (name,) in sqlite3.connect(place / "people.db").execute("SELECT name FROM sqlite_master")
    ]


FORMS = {
    "a file": ("people.csv", "released.csv", "--write-key", "key.csv"),
    "a table": ("sqlite:///people.db#people", "#released"),
}


@pytest.mark.parametrize("asked", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("stop", [KeyboardInterrupt, SourceError("the disk is full.")])
def test_a_manifest_that_is_not_written_leaves_no_release(place, monkeypatch, asked, stop):
    before = names(place)

    def stopped(*_, **__):
        raise stop

    with monkeypatch.context() as patched:
        patched.setattr(command, "write_text", stopped)
        code, out, err = transform(*asked)
    said = (130, "", "divulge: stopped.\n") if stop is KeyboardInterrupt else (2, "", f"divulge: {stop}\n")
    assert (code, out, err) == said
    assert (names(place), tables(place)) == (before, ["people"])
    assert transform(*asked)[0] == 0
    assert "what.json" in names(place)


def test_the_files_that_name_rows_are_for_their_owner(place):
    assert transform("people.csv", "released.csv", "--write-key", "key.csv")[0] == 0
    modes = {name: stat.S_IMODE((place / name).stat().st_mode) for name in ("key.csv", "what.json")}
    assert modes == {"key.csv": 0o600, "what.json": 0o600}
    assert stat.S_IMODE((place / "released.csv").stat().st_mode) & 0o044


SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from divulge.cli import main
from divulge.source import text
def stopped(*_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    except KeyboardInterrupt:
        raise RuntimeError("Query interrupted")  # what DuckDB makes of it in the middle of a query
text._read = stopped
sys.argv[0] = "divulge"
main()
"""


def test_an_interrupt_inside_of_duckdb_is_said_as_one(place):
    asked = ["transform", "people.csv", "--recipe", "recipe.toml", "--out", "released.csv"]
    asked += ["--comment", "#"]  # files with comments are read by DuckDB
    before = names(place)
    command = [sys.executable, "-c", SCRIPT, *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "divulge: stopped.\n")
    assert names(place) == before


@pytest.fixture
def usual_interrupts():
    """As in a terminal, also where the tests were started in the background, with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("usual_interrupts")
@pytest.mark.parametrize(("verdict", "code"), [(1, 130), (0, 0)])
def test_an_interrupt_that_a_library_swallowed_is_no_verdict(verdict, code, monkeypatch, capsys):
    def swallowed(**_):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return verdict

    monkeypatch.setattr(running, "app", swallowed)
    assert running._ran() == code
    assert capsys.readouterr().err == ("divulge: stopped.\n" if code else "")
