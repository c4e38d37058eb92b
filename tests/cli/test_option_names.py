"""What a sentence says to give is written as it is typed: --leave-out, and not the keyword leave_out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsed_source import parsed

SOURCE = Path(__file__).parents[2] / "src" / "divulge"
#: Keys of files, and keywords of Python that no option has, by the module that names them.
ELSEWHERE = {
    ("alignment/tables.py", "same_order"),
    ("mechanisms/working_table.py", "row_key"),
    ("utility/estimated_count.py", "stands_for"),
}


def options() -> set[str]:
    """The options of all commands of which Python writes the name in another way."""
    found = set()
    for path in (SOURCE / "cli" / "requests").glob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found |= {node.target.id} if "_" in node.target.id else set()
    return found


def sentences(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that have several words, without its docstrings."""
    nodes = list(ast.walk(tree))
    described = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in described)
    yield from (one.value for one in texts if isinstance(one.value, str) and " " in one.value.strip())


def keywords(source: str, names: set[str]) -> set[str]:
    """The keywords that sentences of a module name; what is followed by = is a key of a file."""
    keyword = rf"(?<![\w.#-])({'|'.join(sorted(names))})(?!\w| = )"
    if not re.search(rf'"[^"\n]*{keyword}', source):  # most modules need not be parsed
        return set()
    return {match for text in sentences(ast.parse(source)) for match in re.findall(keyword, text)}


def test_sentences_name_options_as_they_are_typed():
    names = {*options(), "same_order", "stands_for"}
    assert {"leave_out", "suppress_cells", "row_key"} <= names
    found = {
        (path.relative_to(SOURCE).as_posix(), one)
        for path in SOURCE.rglob("*.py")
        if "documents" not in path.parts
        for one in keywords(path.read_text("utf-8"), names)
    }
    assert found == ELSEWHERE


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('x = "Leave out leave_out, and set a mark."', {"leave_out"}),
        ('"""About leave_out."""\nx = "Write row_key = 1."\ny = "Give no --leave-out."', set()),
    ],
)
def test_a_keyword_in_a_sentence_is_found(source, found):
    assert keywords(source, {"leave_out", "row_key"}) == found
