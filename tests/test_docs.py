"""Documents that show commands, code, measures and papers show them as they are."""

from __future__ import annotations

import contextlib
import doctest
import functools
import importlib.util
import itertools
import json
import math
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from command_line import run
from divulge._support.references import REFERENCES
from divulge.cli import main
from divulge.measures import MEASURES
from divulge.measures.registry import example_counts
from divulge.mechanisms import MECHANISMS

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("[!i]*.md"))
QUICK = ("attacker", "audit", "comparison")  # the others start processes, and run in every build of the pages
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *TUTORIALS]
DRAWN = set(re.findall(r'"([a-z-]+)(?:\.png)?"', (ROOT / "scripts" / "draw_pages.py").read_text("utf-8")))
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fenced(page: Path, *languages: str) -> list[str]:
    """The fenced blocks of a page in some languages."""
    return [body for language, body in FENCED.findall(page.read_text("utf-8")) if language in languages]


def sessions(page: Path, *languages: str) -> list[tuple[str, str]]:
    """The commands a page shows, each with the output shown under it."""
    found = []
    for block in fenced(page, *(languages or ("sh", "text"))):
        _, *parts = re.split(r"^(?:\$ )?(divulge (?!:).*)\n", block, flags=re.MULTILINE)
        found += zip(parts[::2], parts[1::2], strict=True)
    return found


def generator(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("generator", ROOT / "scripts" / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("page", "script"),
    [
        ("measures.md", "write_measure_docs.py"),
        ("api.md", "write_api_docs.py"),
        ("attack-catalogue.md", "write_attack_docs.py"),
        ("mechanisms.md", "write_mechanism_docs.py"),
        ("agreement.md", "write_agreement.py"),
    ],
)
def test_a_page_made_from_the_code_is_what_its_script_writes(page, script):
    assert (ROOT / "docs" / page).read_text("utf-8") == generator(script).page()


@pytest.mark.parametrize("name", MEASURES)
def test_a_worked_example_ends_in_what_divulge_reads(name):
    measure = MEASURES[name]
    said = re.findall(r"\d+(?:\.\d+)?", measure.example)[-1]
    assert math.isclose(measure.compute(example_counts()), float(said), abs_tol=6e-5)


def test_the_bibliography_has_the_papers_that_are_cited():
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "docs" / "references.bib").read_text("utf-8"), re.MULTILINE)
    assert len(keys) == len(set(keys))
    assert set(keys) == set(REFERENCES)
    assert {measure.reference for measure in MEASURES.values()} <= set(keys)


@pytest.mark.parametrize(("command", "shown"), [session for page in PAGES for session in sessions(page)])
def test_a_command_does_what_a_page_shows(command, shown, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as stopped:
        main()
    printed = capsys.readouterr()
    assert (stopped.value.code or 0) == (2 if shown.startswith("divulge: ") else 0), printed.err
    for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
        assert flat(part) in flat(printed.out + printed.err)


@pytest.mark.parametrize("page", [ROOT / "docs" / "recipes.md"], ids=lambda page: page.name)
def test_commands_that_write_files_do_what_a_page_shows_from_first_to_last(
    page, tmp_path, monkeypatch, capsys
):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    commands = sessions(page, "console")
    assert len(commands) >= 3
    for command, shown in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        assert (stopped.value.code or 0) == (2 if shown.startswith("divulge: ") else 0), printed.err
        for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
            assert flat(part) in flat(printed.out + printed.err)


NOT_TRIED = {"dates"}  # which Adult does not have


def test_a_recipe_of_every_mechanism_was_tried_on_adult():
    script = generator("write_mechanism_docs.py")
    figures = json.loads(script.FIGURES.read_text("utf-8"))
    assert set(figures["mechanisms"]) == set(script.STEPS) == set(MECHANISMS) - NOT_TRIED
    assert all(0 <= one <= 1 for found in figures["mechanisms"].values() for one in _numbers(found))


def _numbers(found: dict[str, object]) -> list[float]:
    return [one for one in found.values() if isinstance(one, int | float)]


def test_the_recipe_that_is_explained_is_the_one_among_the_examples():
    [shown] = fenced(ROOT / "docs" / "recipes.md", "toml")
    assert shown.strip() in (ROOT / "examples" / "recipe.toml").read_text("utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/design.md"])
def test_what_is_read_first_is_short_and_has_one_picture(page):
    text = (ROOT / page).read_text("utf-8")
    assert len(text.splitlines()) < 100
    assert len(re.findall(r"!\[[^]]+\]\(\S+\.svg\)", text)) == 1


def test_the_readme_shows_commands():
    assert len(sessions(ROOT / "README.md")) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_a_page_runs_as_shown(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for number, block in enumerate(fenced(page, "python"), 1):
        test = doctest.DocTestParser().get_doctest(block, {}, f"{page.name} {number}", str(page), 0)
        said: list[str] = []
        doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
        assert not said, "".join(said)


@pytest.mark.parametrize(
    "tutorial",
    [
        pytest.param(one, marks=() if one.stem in QUICK else pytest.mark.slow, id=one.stem)
        for one in TUTORIALS
    ],
)
def test_a_tutorial_runs_from_its_first_cell_to_its_last(tutorial, monkeypatch, capsys):
    monkeypatch.chdir(tutorial.parent)
    run_cells(tutorial)


def run_cells(tutorial: Path, until: str | None = None, *, here: bool = False) -> None:
    """Run a tutorial as its page does, up to the cell that has some words; or commands in this process."""
    cells = CELL.findall(tutorial.read_text("utf-8"))
    assert len(cells) >= 2
    names: dict[str, object] = {}
    for cell in itertools.takewhile(lambda one: until is None or until not in one, cells):
        exec(compile(cell, tutorial.name, "exec"), names)
        if here and "divulge" in names:
            names["divulge"] = functools.partial(in_this_process, names["folder"])


def in_this_process(folder: Path, line: str, *arguments: str, ends: int = 0, lines: int | None = None) -> str:
    """What the page's own function does, without a process for each command."""
    with contextlib.chdir(folder):
        code, said, wrong = run(*line.split(), *arguments)
    assert code == ends, wrong
    print(*said.splitlines()[:lines], sep="\n")
    return said


@pytest.mark.first
def test_the_story_is_the_same_in_the_database_of_a_server(postgresql, monkeypatch, capsys):
    story = next(one for one in TUTORIALS if one.stem == "story")
    monkeypatch.setenv("SURVEY_DATABASE", postgresql.fresh().replace("postgresql:", "postgresql+psycopg:"))
    monkeypatch.chdir(story.parent)
    run_cells(story, until="--engine spark", here=True)
    assert "table released: " in capsys.readouterr().out


def test_every_page_is_reached_from_the_first():
    """The tables of contents name each page once."""
    listed = []
    for section in ("index", "tutorials/index", "guide", "catalogue", "about"):
        page = ROOT / "docs" / f"{section}.md"
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
        ):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed += [(page.parent / f"{name}.md").resolve() for name in names]
    pages = {one for one in (ROOT / "docs").rglob("*.md") if "_build" not in one.parts}
    assert len(listed) == len(set(listed))
    assert set(listed) == pages - {ROOT / "docs" / "index.md"}


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "CHANGES.md", ROOT / "examples" / "README.md"],
    ids=lambda page: page.parent.name + page.stem,
)
def test_links_between_pages_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        if link.startswith("_pictures/"):  # taken when the pages are built
            assert Path(link).stem in DRAWN
        else:
            assert (page.parent / link).exists(), link
