"""What is public, and that what takes long to load is loaded when it is needed."""

import subprocess
import sys
from types import FunctionType, ModuleType

import pytest

import divulge


def loaded_after(code):
    """The modules that a fresh interpreter holds after running some code."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("module", ["divulge", "divulge.cli.app"])
def test_importing_loads_neither_numpy_nor_duckdb(module):
    dear = {"numpy", "duckdb", "scipy", "pandas", "polars", "pyarrow"}
    assert not loaded_after(f"import {module}") & dear


def test_measuring_a_small_table_loads_no_scipy():
    table = {"a": [1, 1, 2], "x": ["s", "t", "t"]}
    code = f"import divulge as dv\nprint(dv.measure({table}, keys='a', target='x').to_dict())"
    loaded = loaded_after(code)
    assert "numpy" in loaded
    assert not loaded & {"scipy", "divulge.counting.statistics_compiled"}


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
