"""The stream: a file imports only from those above it; what is dear is loaded when it is needed."""

import ast
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import divulge

SOURCE = Path(divulge.__file__).parent
STREAM = [
    *(
        "errors",
        "rounding",
        "sizes",
        "ordinary_files",
        "documents",
        "frames",
        "threads",
        "compiled",
        "codes",
        "packing",
        "schema",
        "partition",
        "hierarchy",
        "partitions",
        "counts",
        "distances",
        "statistics_compiled",
        "statistics",
        "statistics_sql",
        "source_options",
        "source",
    ),
    *("wildcard", "ground", "engines", "data", "question"),
    *("measures", "null_mean", "null_spread", "null_readings", "shuffling", "chance", "reading", "api"),
    *(
        "policy",
        "vocabulary",
        "missing_codes",
        "patterns",
        "contacts",
        "personal_names",
        "proposal",
        "policy_draft",
        "demo",
        "recognition",
        "row_order",
        "alignment",
        "attacks",
        "guide",
        "estimation",
    ),
    *("release", "utility", "report", "assessment", "comparison", "service", "cli"),
]
ANYWHERE = {
    "header",
    "references",
    "small_counts",
    "stages",
    "toml_text",
    "wording",
}  # lists and formats that import nothing
# Conveniences: JointCounts.of counts, Readings.plot draws.
ALLOWED = {("counts.py", "engines"), ("reading.py", "report")}


def imports(tree):
    """The modules of divulge that a file imports, those needed by type checkers only left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "divulge":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("divulge."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("divulge."))
        yield from imports(node)


def test_no_file_imports_against_the_stream():
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        layer = place.parts[0].removesuffix(".py")
        if place.name == "__init__.py" and len(place.parts) == 1:
            continue  # the public names, each loaded from its home on first use
        assert layer in {*STREAM, *ANYWHERE}, f"{place} has no place in the stream"
        for imported in imports(ast.parse(path.read_text())):
            if imported in ANYWHERE or (str(place), imported) in ALLOWED or imported not in STREAM:
                continue
            assert layer not in ANYWHERE, f"{place} imports {imported}"
            assert STREAM.index(imported) <= STREAM.index(layer), (
                f"{place} imports {imported} against the stream"
            )


def test_an_import_against_the_stream_would_be_seen():
    lines = [
        "import divulge.readings.reading",
        "from divulge import chance",
        "def f():",
        "  from divulge.cli.app import x",
    ]
    assert list(imports(ast.parse("\n".join(lines)))) == ["reading", "chance", "cli"]


def loaded_after(code):
    """The modules that a fresh interpreter holds after running some code."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("module", ["divulge", "divulge.cli.app"])
def test_importing_loads_neither_numpy_nor_duckdb(module):
    dear = {"numpy", "duckdb", "scipy", "numba", "pandas", "polars", "pyarrow"}
    assert not loaded_after(f"import {module}") & dear


def test_measuring_a_small_table_loads_no_kernels():
    table = {"a": [1, 1, 2], "x": ["s", "t", "t"]}
    code = f"import divulge as dv\nprint(dv.measure({table}, keys='a', target='x').to_dict())"
    loaded = loaded_after(code)
    assert "numpy" in loaded
    assert not loaded & {"numba", "divulge.engines.memory.kernels", "divulge.counting.statistics_compiled"}


def test_the_public_names():
    assert divulge.__all__ == [
        "MEASURES",
        "Assessment",
        "Channel",
        "Comparison",
        "Data",
        "DivulgeError",
        "Hierarchy",
        "IdentifierClass",
        "JointCounts",
        "Partition",
        "Policy",
        "Reading",
        "Readings",
        "System",
        "align",
        "ask",
        "attacks",
        "audit",
        "channels",
        "compare",
        "documents",
        "identifier_class",
        "measure",
        "optimal_mechanism",
        "read",
        "roles",
        "safe_release",
        "tradeoff_curve",
        "utility",
    ]
    assert dir(divulge) == sorted([*divulge.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'anonymize'"):
        divulge.anonymize  # noqa: B018


def public():
    """Every public name: those of the package, and those of the modules among them."""
    for name in divulge.__all__:
        value = getattr(divulge, name)
        yield name, value
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{inside}", getattr(value, inside)) for inside in value.__all__)


def test_what_is_public_says_what_it_is():
    # What is neither a module, a class nor a function is data, and says it in a comment.
    documented = [
        (name, value) for name, value in public() if isinstance(value, ModuleType | type | FunctionType)
    ]
    assert len(documented) > 90
    for name, value in documented:
        assert (value.__doc__ or "").strip(), f"{name} has no docstring"
        assert not value.__doc__.startswith(f"{value.__name__}("), f"{name} has the docstring Python made"
    assert not [
        name for name, value in public() if getattr(value, "__module__", "").startswith("divulge.cli")
    ]
