"""The rooms: docs/rooms.md, the folders and the imports say the same, and imports go one way."""

import ast
import collections
import graphlib
import re
from pathlib import Path

import pytest

import divulge
from parsed_source import parsed

SOURCE = Path(divulge.__file__).parent
ROOMS = Path(__file__).parents[1] / "docs" / "rooms.md"
MOST_FILES = 16  # in a folder


def listed():
    """Rooms in the order of their page, each with its inner rooms in theirs."""
    block = re.search(r"# Rooms\n.*?```text\n(.*?)```", ROOMS.read_text(), re.DOTALL)[1]
    rooms = {}
    for line in filter(str.strip, block.splitlines()):
        name = line.split()[0]
        if line.startswith("  "):
            rooms[next(reversed(rooms))].append(name)
        else:
            rooms[name] = []
    return rooms


def modules():
    """Every module below divulge by its dotted name, a package by the name of its folder."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    del found[""]  # the public names, each loaded from its home on first use
    return found


def imports(tree, known):
    """The modules of divulge that a file imports, anywhere in it; those for type checkers only left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("divulge."):
            base = node.module.removeprefix("divulge").lstrip(".")
            for alias in node.names:
                full = f"{base}.{alias.name}".lstrip(".")
                yield full if full in known else base
        elif isinstance(node, ast.Import):
            yield from (a.name.removeprefix("divulge.") for a in node.names if a.name.startswith("divulge."))
        yield from imports(node, known)


@pytest.fixture(scope="module")
def edges():
    """Which module imports which."""
    known = modules()
    return {
        name: {used for used in imports(parsed(path), known) if used and used != name}
        for name, path in known.items()
    }


def entries(edges, folder):
    """The entries of a folder, each with those of the same folder that it imports from."""
    prefix = f"{folder}." if folder else ""

    def entry(name):
        return name.removeprefix(prefix).split(".")[0] if name.startswith(prefix) else None

    graph = collections.defaultdict(set)
    for name, used in edges.items():
        own = entry(name)
        if own is not None:
            graph[own] |= {other for other in map(entry, used) if other is not None and other != own}
    return graph


def folders():
    return sorted({str(path.parent.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")} - {"."})


def test_the_design_lists_the_folders_that_there_are():
    rooms = listed()
    there = {
        path.stem for path in SOURCE.iterdir() if (path / "__init__.py").exists() or path.suffix == ".py"
    }
    assert set(rooms) == there - {"__init__", "__main__"}
    for room, inner in rooms.items():
        assert set(inner) == {path.parent.name for path in SOURCE.glob(f"{room}/*/__init__.py")}, room


def test_imports_go_from_later_rooms_to_earlier_ones(edges):
    rooms = listed()
    for folder, order in [("", list(rooms)), *rooms.items()]:
        for own, used in entries(edges, folder).items():
            for other in used & set(order) if own in order else ():
                assert order.index(other) < order.index(own), (
                    f"{folder or 'divulge'}: {own} imports {other}, which the design has after it"
                )


def test_no_folder_has_a_cycle(edges):
    for folder in ["", *(name.replace("/", ".") for name in folders())]:
        try:
            graphlib.TopologicalSorter(entries(edges, folder)).prepare()
        except graphlib.CycleError as cycle:
            pytest.fail(f"In {folder or 'divulge'}: {' imports '.join(cycle.args[1])}")


def test_a_cycle_or_an_import_against_the_order_would_be_seen():
    known = {"chance": None, "reading": None, "cli.app": None}
    lines = [
        "import divulge.reading",
        "from divulge import chance",
        "def f():",
        "  from divulge.cli import app",
    ]
    found = list(imports(ast.parse("\n".join(lines)), known))
    assert found == ["reading", "chance", "cli.app"]
    graph = entries({"a.b": {"c"}, "c": {"a.d"}, "a.d": set()}, "")
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(graph).prepare()


def test_no_folder_is_crowded():
    for folder in folders():
        files = [path for path in (SOURCE / folder).iterdir() if path.suffix == ".py"]
        assert len(files) <= MOST_FILES, f"{folder} has {len(files)} files"


def test_a_public_class_name_occurs_once():
    homes = collections.defaultdict(list)
    for name, path in modules().items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def sentences(text):
    """How many sentences there are in the first paragraph of a docstring."""
    first = " ".join(text.split("\n\n")[0].split())
    return len(re.findall(r"[.?](?= |$)", first)) if first.endswith((".", "?")) else 0


def test_every_package_states_its_purpose_in_one_sentence():
    packages = sorted(SOURCE.rglob("__init__.py"))
    assert len(packages) > 80
    said = {path.parent.name: sentences(ast.get_docstring(parsed(path)) or "") for path in packages}
    assert {name: number for name, number in said.items() if number != 1} == {}
    assert [sentences("One. Two."), sentences("No end"), sentences("")] == [2, 0, 0]
