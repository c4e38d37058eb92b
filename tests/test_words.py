"""What people read is plain: no string and no page has a phrase of the list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "divulge"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
TOLD_TWICE = {"CHANGES.md", "CONTRIBUTING.md"}  # what was said before, and which words are not used
READ_AS_WRITTEN = {"measures", "documents"}  # rooms whose docstrings are printed or become pages

#: Literary or inverted phrases, and second words for one idea; CONTRIBUTING.md says what we write instead.
REFUSED = (
    r"\bwhoever\b",
    r"\bafar\b",
    r"\bgainsay",
    r"\bmend(s|ed)?\b",
    r"\bbears? out\b",
    r"\bdealt out\b",
    r"\bdeals? out\b",
    r"\bunremarkable\b",
    r"\blikeliest\b",
    r"\bbest off\b",
    r"\bworst off\b",
    r"\bpicked out\b",
    r"\bpicks? out\b",
    r"\bstand(s|ing)? alone\b",
    r"\balone,? or with one other\b",
    r"\bstands? twice\b",
    r"\bgiv(e|es|en|ing) \w+ away\b",
    r"\btells? (nothing|something|most|least|everything)\b",
    r"\btells? \w+ apart\b",
    r"\btold apart\b",
    r"\bunless (told|asked for)\b",
    r"\bsay of how many\b",
    r"\bnobody gave\b",
    r"\bread(s)? as risky\b",
    r"\bgoes beyond it\b",
    r"\bheld against\b",
    r"\bworked out by hand\b",
    r"\bnearest comes\b",
    r"\bstill gets wrong\b",
    r"\bleft to get wrong\b",
    r"\bno \w+ is called\b",
    r"\bgiven is\b",
    r"\basked at (least|most)\b",
    r"\brisk of being named\b",
    r"\broles? (were |are )?proposed\b",
    r"\bproposed roles?\b",
    r"\bthere is no such thing\b",
    r"\bwhat is demanded\b",
    r"\bchecks? (unmet|still open)\b",
    r"\banew\b",
    r"\bunless said\b",
    r"\bthat very\b",
    r"\bthis very\b",
)
PATTERN = re.compile("|".join(REFUSED), re.IGNORECASE)


def printed(path: Path) -> Iterator[str]:
    """The strings of a module, and its docstrings where these are printed."""
    tree = ast.parse(path.read_text("utf-8"))
    silent = set()
    if path.relative_to(SOURCE).parts[0] not in READ_AS_WRITTEN:
        owners = [
            node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        ]
        silent = {
            id(node.body[0].value) for node in owners if node.body and isinstance(node.body[0], ast.Expr)
        }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def refused(text: str) -> list[str]:
    return [found.group() for found in PATTERN.finditer(" ".join(text.split()))]


def test_every_phrase_is_found_in_a_sentence_that_has_it():
    said = "Whoever knows age finds 3 records standing alone: it tells nothing, and nobody gave roles."
    assert refused(said) == ["Whoever", "standing alone", "tells nothing", "nobody gave"]
    assert refused("3 people are unique on age; 5 is required. A star stands for a value.") == []


@pytest.mark.parametrize("room", sorted({path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py")}))
def test_what_a_room_prints_has_no_refused_phrase(room):
    base = SOURCE / room
    paths = sorted(base.rglob("*.py")) if base.is_dir() else [base]
    found = {(path.name, phrase) for path in paths for text in printed(path) for phrase in refused(text)}
    assert found == set()


def test_no_template_has_a_refused_phrase():
    paths = [path for path in SOURCE.rglob("*") if path.suffix in {".j2", ".html", ".js"}]
    assert len(paths) > 5
    assert {(path.name, phrase) for path in paths for phrase in refused(path.read_text("utf-8"))} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_a_refused_phrase(page):
    if page.name not in TOLD_TWICE:
        assert refused(page.read_text("utf-8")) == []
