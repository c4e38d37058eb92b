"""divulge report: a saved document gives the page that its command writes."""

import json
from pathlib import Path

import pytest

from command_line import run
from divulge.report.shared import frame
from report.example_document import document

EXAMPLES = Path(__file__).parents[3] / "examples"
COMMANDS = {
    "audit": ("audit", "patients.csv", "--quasi-identifiers", "Age", "--sensitive", "Disease"),
    "comparison": ("compare", "patients.csv", "diverse.csv", "--quasi-identifiers", "Age"),
    "attacker": ("attacker", "crowds", "--users", "3", "--submit", "0.5"),
    "release": ("release", "simulate", "garrisons.csv", "--x", "Age", "--y", "Location", "--runs", "1"),
}


@pytest.fixture(autouse=True)
def _charts_as_their_specifications(monkeypatch):
    """Drawing is slow and says no more than the specification that it follows from."""
    monkeypatch.setattr(
        frame, "draw", lambda spec, label: f"<svg><desc>{label} {json.dumps(spec)}</desc></svg>"
    )


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_page_of_a_document_is_the_page_of_its_command(kind, tmp_path, monkeypatch):
    command = [str(EXAMPLES / part) if part.endswith(".csv") else part for part in COMMANDS[kind]]
    monkeypatch.chdir(tmp_path)
    code, printed, wrong = run(*command, "--json", "--report", "its_own.html")
    assert code == 0, wrong
    (tmp_path / "found.json").write_text(printed, "utf-8")
    assert run("report", "found.json", "--out", "drawn.html") == (0, "Report: drawn.html\n", "")
    assert (tmp_path / "drawn.html").read_bytes() == (tmp_path / "its_own.html").read_bytes()
    assert b"<svg" in (tmp_path / "drawn.html").read_bytes()


def test_the_page_is_named_after_the_document(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mix.json").write_text(
        run("attacker", "crowds", "--users", "3", "--submit", "0.5", "--json")[1], "utf-8"
    )
    assert run("report", "mix.json")[:2] == (0, "Report: mix.html\n")
    code, _, wrong = run("report", "mix.json", "--out", "page.pdf")
    assert (code, wrong) == (
        2,
        "divulge: The ending of page.pdf is not a known format. Use one of .html, .json.\n",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"name": "Ann", "age": 31}', "is not a document that divulge wrote"),
        ('{"document": "divulge audit"', "is not JSON"),
        ('{"document": "divulge audit", "version": 1, "checks": []}', "'divulge' is missing"),
        ('{"document": "divulge doctor"}', "a document of the kind 'doctor', which has no page"),
        ("age,sex\n31,f\n", "is not JSON"),
    ],
)
def test_other_files_are_refused_in_a_sentence_that_holds_no_value(text, sentence, tmp_path):
    file = tmp_path / "d.json"
    file.write_text(text)
    code, printed, wrong = run("report", file, "--out", tmp_path / "p.html")
    assert (code, printed) == (2, "")
    assert sentence in wrong
    assert wrong.count("\n") == 1
    assert "Ann" not in wrong
    assert not (tmp_path / "p.html").exists()


def test_a_page_is_not_drawn_again_but_opened(tmp_path):
    (tmp_path / "clinic-audit.html").write_text("<!DOCTYPE html>")
    code, printed, wrong = run("report", tmp_path / "clinic-audit.html")
    assert (code, printed) == (2, "")
    assert "clinic-audit.html is a page already: open it in a browser." in wrong
    assert "--json" in wrong


def test_a_document_is_not_written_over(tmp_path):
    file = tmp_path / "d.html"
    file.write_text(json.dumps({"document": "divulge audit"}))
    code, _, wrong = run("report", file, "--out", file)
    assert code == 2
    assert "Name another file." in wrong
    assert not (tmp_path / "missing.html").exists()
    assert run("report", tmp_path / "none.json", "--out", tmp_path / "missing.html")[0] == 2


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        (1e308, "'combinations.by_size[0].size' is too large"),
        (-(10**400), "'combinations.by_size[0].size' is too large"),
        ("two", "'combinations.by_size[0].size' has another form"),
        (float("nan"), "'combinations.by_size[0].size' has another form"),
        (2.0**400, "has impossible numbers and cannot be drawn"),
    ],
)
def test_impossible_numbers_are_refused_in_a_sentence(size, sentence, tmp_path):
    found = document()
    found["combinations"]["by_size"][0]["size"] = size
    file = tmp_path / "found.json"
    file.write_text(json.dumps(found))
    code, printed, wrong = run("report", file, "--out", tmp_path / "p.html")
    assert (code, printed) == (2, "")
    assert sentence in wrong
    assert not (tmp_path / "p.html").exists()
