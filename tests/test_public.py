"""What is public, and that what takes long to load is loaded when it is needed."""

import subprocess
import sys
from functools import cache
from types import FunctionType, ModuleType

import pytest

import divulge


@cache
def loaded_after(code):
    """The modules that a fresh interpreter holds after running some code."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("module", ["divulge", "divulge.cli.app"])
def test_importing_loads_neither_numpy_nor_duckdb(module):
    dear = {"numpy", "duckdb", "scipy", "pandas", "polars", "pyarrow"}
    assert not loaded_after(f"import {module}") & dear


def loaded_by(*given):
    """The modules that a command loads."""
    code = f"import sys\nfrom divulge.cli import main\nsys.argv = {['divulge', *given]}"
    return loaded_after(f"{code}\ntry: main()\nexcept SystemExit: pass")


def test_a_command_converts_nothing_that_is_text_already():
    loaded = loaded_by("guide", "k_anonymity", "--json")
    assert "divulge.measures" in loaded
    assert "pydantic" not in loaded


def test_a_command_loads_what_it_may_be_asked_itself_and_not_what_others_may():
    loaded = loaded_by("guide", "k_anonymity", "--json")
    assert {one for one in loaded if one.startswith("divulge.cli.requests.")} == {
        "divulge.cli.requests.tools"
    }


def test_measuring_a_small_table_loads_no_scipy():
    table = {"a": [1, 1, 2], "x": ["s", "t", "t"]}
    code = f"import divulge as dv\nprint(dv.measure({table}, keys='a', target='x').to_dict())"
    loaded = loaded_after(code)
    assert "numpy" in loaded
    assert not loaded & {"scipy", "divulge.counting.statistics_compiled"}


WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None  # an import fails
import numpy as np
import divulge as dv
from divulge.safe_release import Guard, simulation, table_of

rng = np.random.default_rng(1)
people = {
    "age": rng.integers(20, 60, 200).tolist(),
    "zip": rng.integers(0, 9, 200).tolist(),
    "ill": rng.choice(["flu", "cold", "asthma"], 200).tolist(),
}
data = dv.read(people, quasi_identifiers=["age", "zip"], sensitive=["ill"])
dv.audit(data, population=1000).to_dict()
dv.measure(data, keys=["age"], target="ill").to_dict()
bands = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" if age % 3 else "*" for age in people["age"]]
released = dv.read({**people, "age": bands[::-1]}, suppressed="*")
dv.compare(data, released).to_dict()
table = table_of([[50, 40, 30, 20]] * 3)
simulation.simulate(table, Guard.of(table, "mis,kld,cst,dqt", 0.1), runs=1).to_dict()
try:
    dv.optimal_mechanism
except dv.DivulgeError as error:
    print(error)
"""


def test_only_the_account_of_an_attacker_needs_scipy_and_says_so():
    ran = subprocess.run([sys.executable, "-c", WITHOUT_SCIPY], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "needs the package 'scipy'" in ran.stdout
    assert "pip install 'divulge[attacker]'" in ran.stdout


def test_the_public_names():
    assert divulge.__all__ == [
        "MEASURES",
        "MECHANISMS",
        "Anonymization",
        "Assessment",
        "Channel",
        "Comparison",
        "Data",
        "DivulgeError",
        "Hierarchy",
        "IdentifierClass",
        "JointCounts",
        "Manifest",
        "Partition",
        "Policy",
        "Reading",
        "Readings",
        "Recipe",
        "RecordLinkage",
        "System",
        "TableAccount",
        "TablePolicy",
        "Uniqueness",
        "align",
        "anonymize",
        "ask",
        "attacks",
        "audit",
        "channels",
        "compare",
        "documents",
        "identifier_class",
        "link",
        "measure",
        "optimal_mechanism",
        "read",
        "roles",
        "safe_release",
        "synthetic_attacks",
        "tabulate",
        "tradeoff_curve",
        "transform",
        "uniqueness",
        "utility",
    ]
    assert dir(divulge) == sorted([*divulge.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'redact'"):
        divulge.redact  # noqa: B018


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
