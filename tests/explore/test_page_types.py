"""The modules of the page, checked against the types of the documents that they are told."""

import os
import shutil
import subprocess
import types
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

import divulge
from divulge.documents.making import exploration

PAGE = Path(divulge.__file__).parent / "explore" / "page"
STRICT = [
    *(
        "--noEmit",
        "--allowJs",
        "--checkJs",
        "--strict",
        "--noUnusedLocals",
        "--skipLibCheck",
        "--target",
        "es2022",
    ),
    *("--module", "es2022", "--moduleResolution", "node", "--lib", "es2022,dom,dom.iterable"),
]
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}


def in_typescript(hint):
    """A type of Python as TypeScript writes it."""
    if hint in PLAIN:
        return PLAIN[hint]
    if is_typeddict(hint):
        return hint.__name__
    inner = [in_typescript(one) for one in get_args(hint)]
    if get_origin(hint) in (Union, types.UnionType):
        return f"({' | '.join(inner)})"
    return f"{inner[0]}[]" if get_origin(hint) is list else f"Record<{', '.join(inner)}>"


def declarations():
    """Every document of the page as a type that its modules may name."""
    for name, entry in vars(exploration).items():
        if is_typeddict(entry):
            fields = [f"{key}: {in_typescript(hint)};" for key, hint in get_type_hints(entry).items()]
            yield f"type {name} = {{ {' '.join(fields)} }};\n"


def complaints(folder, sources):
    (folder / "documents.d.ts").write_text("".join(declarations()))
    files = [str(folder / "documents.d.ts"), *map(str, sources)]
    return subprocess.run(["tsc", *STRICT, *files], capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def compiler():
    if shutil.which("tsc") is None:
        if os.environ.get("CI"):
            pytest.fail("tsc is not installed; scripts/debian-packages installs it")
        pytest.skip("tsc is not installed: apt-get install node-typescript")


def test_the_modules_of_the_page_fit_the_documents_and_each_other(compiler, tmp_path):
    wrong = tmp_path / "wrong.js"
    wrong.write_text("/** @param {ExplorerEntry} told */\nexport const sum = (told) => told.recods;\n")
    found = complaints(tmp_path, [wrong, *sorted(PAGE.glob("*.js"))])
    assert [Path(line.partition("(")[0]).name for line in found.splitlines()] == ["wrong.js"], found
    assert "recods" in found
