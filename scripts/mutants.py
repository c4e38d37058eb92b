"""Change the code in small ways, one at a time, and see whether a test notices.

A change that no test notices is a promise that no test holds. Comparisons, signs, constants, conditions and
extremes are changed in the modules that count, measure, read policies and decide what may leave. Which
changes are tried is drawn with a fixed seed, so that a run can be repeated. A changed module exists in the
memory of one process only: nothing is written.

    python scripts/mutants.py                   a sample of each group, and the score
    python scripts/mutants.py policy --all      every change to one group
    python scripts/mutants.py --list            what would be tried
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "divulge"
SEED = 15
SAMPLE = 40  # changes of each group
LEAST = 0.85  # of the changes to a group, what tests must notice
PATIENCE = 30.0  # seconds, and ten times what tests usually take, until they hang

#: What decides how long something takes, not what comes out.
SPEED = {"USUAL", "READING", "FEWEST", "BUDGET", "AFFORDABLE", "_seconds", "EVERY", "FIRST", "AT_ONCE"}
#: By group: modules, and the tests that mirror them, quickest first.
GROUPS: dict[str, dict[str, list[str]]] = {
    "counting": {
        "counting/counts.py": [
            "counting/test_counts.py",
            "counting/test_statistics.py",
            "measures",
            "questions/test_question.py",
        ],
        "counting/statistics.py": ["counting/test_statistics.py", "measures"],
        "_support/small_counts.py": ["_support/test_small_counts.py"],
        "_support/rounding.py": ["_support/test_rounding.py"],
        "_support/shares.py": ["_support/test_shares.py"],
        "readings/chance.py": ["readings/test_chance.py", "readings/test_null.py"],
    },
    "measures": {
        f"measures/{name}.py": ["measures", "laws/test_laws.py"]
        for name in ("class_size", "closeness", "diversity", "identifier", "information")
    },
    "policy": {
        f"policy/{name}.py": [
            "policy/test_policy.py",
            "policy/test_broken_policies.py",
            "assessment/checks/test_threshold_check.py",
        ]
        for name in ("thresholds", "checks", "demands", "population", "rules")
    },
    "release": {
        "safe_release/decision.py": [
            "safe_release/test_decision.py",
            "safe_release/test_controller.py",
            "laws/test_release.py",
        ],
        "safe_release/critical.py": ["safe_release/test_critical.py", "safe_release/test_level.py"],
        "safe_release/baseline.py": ["safe_release/test_baseline.py", "safe_release/test_decision.py"],
        "safe_release/statistics/dixon.py": [
            "safe_release/statistics/test_dixon.py",
            "safe_release/test_decision.py",
        ],
        "safe_release/statistics/likelihood_ratios.py": [
            "safe_release/statistics/test_likelihood_ratios.py",
        ],
        "safe_release/rules.py": ["safe_release/test_rules.py", "safe_release/test_decision.py"],
        "safe_release/state.py": ["safe_release/test_state.py", "safe_release/test_decision.py"],
        "safe_release/queue.py": ["safe_release/test_queue.py", "safe_release/test_controller.py"],
    },
    "service": {
        "service/decisions/transaction.py": [
            "service/decisions/test_transaction.py",
            "service/decisions/test_decisions.py",
            "service/operations/test_verifying.py",
        ],
        "service/decisions/policies.py": [
            "service/decisions/test_policies.py",
            "service/decisions/test_decisions.py",
        ],
        "service/http/limits.py": ["service/http/test_limits.py"],
        "service/decisions/keys.py": ["service/decisions/test_keys.py", "service/test_roles.py"],
        "service/ledger/chain.py": ["service/ledger/test_chain.py", "service/operations/test_verifying.py"],
    },
}

PAIRS: list[tuple[type, type]] = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)),
]
SWAPPED = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
RENAMED = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """One change to one module: which node of its tree, and what becomes of it."""

    module: str
    tests: tuple[str, ...]
    place: int
    way: int
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.before}  ->  {self.after}"


# -- changes -------------------------------------------------------------------------------------


def changes(node: ast.AST) -> Iterator[Callable[[ast.AST], None]]:
    """What may be done to a node, each by a function that does it to a copy."""
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in SWAPPED:
            yield lambda one: one.ops.__setitem__(0, SWAPPED[type(one.ops[0])]())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in SWAPPED and not _of_types(node):
            yield lambda one: setattr(one, "op", SWAPPED[type(one.op)]())
        case ast.BoolOp():
            yield lambda one: setattr(one, "op", SWAPPED[type(one.op)]())
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare):
            yield lambda one: setattr(one, "test", ast.UnaryOp(ast.Not(), one.test))
        case ast.UnaryOp(op=ast.USub() | ast.Invert()):
            yield lambda one: setattr(one, "operand", ast.UnaryOp(one.op, one.operand))
        case ast.Constant(value=bool()):
            yield lambda one: setattr(one, "value", not one.value)
        case ast.Constant(value=int() | float()):
            yield lambda one: setattr(one, "value", one.value + 1)
        case ast.Name(id=name) if name in RENAMED:
            yield lambda one: setattr(one, "id", RENAMED[one.id])
        case ast.Attribute(attr=name) if name in RENAMED:
            yield lambda one: setattr(one, "attr", RENAMED[one.attr])


def _of_types(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether a | is one of types, or a + or % one of texts."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.value, ast.JoinedStr)
    sides = (node.left, node.right)
    kinds = {"int", "float", "str", "list", "tuple", "dict", "None"}
    texts = any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str | None))
        for one in sides
    )
    return texts or any(isinstance(one, ast.Name) and one.id in kinds for one in sides)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def nodes(tree: ast.Module) -> list[ast.AST]:
    """The nodes that may be changed: none of annotations, decorators, documentation or default texts."""
    found: list[ast.AST] = []

    def visit(node: ast.AST) -> None:
        found.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue  # says nothing of what comes out
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _idle(child):
                    visit(child)

    visit(tree)
    return found


def _idle(node: ast.AST) -> bool:
    """Whether nothing is decided there: imports, documentation, errors and how things are printed."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Raise | ast.Assert):
        return True
    if isinstance(node, ast.FunctionDef) and (node.name in ("__repr__", "__str__") or node.name in SPEED):
        return True
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in SPEED:
        return True
    if isinstance(node, ast.keyword) and node.arg in ("repr", "check_circular"):
        return True  # the other decides how long JSON takes to be written
    if isinstance(node, ast.Compare) and any(getattr(one, "id", "") in SPEED for one in node.comparators):
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def mutants_of(module: str, tests: Sequence[str]) -> Iterator[Mutant]:
    tree = tree_of(SOURCE / module)
    for place, node in enumerate(nodes(tree)):
        for way, change in enumerate(changes(node)):
            changed = copy.deepcopy(node)
            change(changed)
            before, after = (ast.unparse(ast.fix_missing_locations(one)) for one in (node, changed))
            line = getattr(node, "lineno", 0)
            if before != after:
                shown = (text.splitlines()[0][:90] for text in (before, after))
                yield Mutant(module, tuple(tests), place, way, line, *shown)


def changed_tree(mutant: Mutant) -> ast.Module:
    tree = tree_of(SOURCE / mutant.module)
    node = nodes(tree)[mutant.place]
    list(changes(node))[mutant.way](node)
    return ast.fix_missing_locations(tree)


# -- trying them ---------------------------------------------------------------------------------


class Changed(SourceFileLoader, MetaPathFinder):
    """Imports one module from its changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._path, self._tree = SOURCE / mutant.module, changed_tree(mutant)
        dotted = ".".join(Path(mutant.module).with_suffix("").parts)
        super().__init__(f"divulge.{dotted}", str(self._path))

    def find_spec(
        self, fullname: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self._path, loader=self) if fullname == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, str(self._path), "exec", dont_inherit=True)


def started(mutant: Mutant | None, tests: Sequence[str]) -> int:
    """A process that runs the tests, with a change or without; it ends with 0 where all pass."""
    child = os.fork()
    if child == 0:
        os._exit(_run(mutant, tests))
    return child


def _run(mutant: Mutant | None, tests: Sequence[str]) -> int:
    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if mutant is not None:
        sys.meta_path.insert(0, Changed(mutant))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than most tests to run
    import pytest

    files = [f"tests/{one}" for one in tests]
    imported = "ignore::pytest.PytestAssertRewriteWarning"  # plugins were imported before
    try:
        return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-W", imported, *files]))
    except BaseException:
        return 1


def unchanged(tests: Sequence[str]) -> float:
    """How many seconds the tests take on the modules as they are, where they have to pass."""
    began = time.monotonic()
    _, status = os.waitpid(started(None, tests), 0)
    if status != 0:
        sys.exit(f"Without any change, tests fail: {', '.join(tests)}.")
    return time.monotonic() - began


def noticed(mutants: Sequence[Mutant], jobs: int) -> dict[Mutant, bool]:
    """Of each change, whether some test fails on it; one on which tests hang is ended, and was noticed."""
    patience = {tests: PATIENCE + 10 * unchanged(tests) for tests in {one.tests for one in mutants}}
    waiting, found = list(reversed(mutants)), {}
    under_way: dict[int, tuple[Mutant, float]] = {}
    while waiting or under_way:
        while waiting and len(under_way) < jobs:
            mutant = waiting.pop()
            until = time.monotonic() + patience[mutant.tests]
            under_way[started(mutant, mutant.tests)] = mutant, until
        for child, (mutant, until) in list(under_way.items()):
            if time.monotonic() > until:
                os.killpg(child, signal.SIGKILL)
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                found[mutant] = status != 0
                del under_way[child]
                if status == 0:
                    print(f"    not noticed: {mutant}", flush=True)
        time.sleep(0.05)
    return found


def warmed() -> None:
    """Import what tests import besides divulge, once for all processes that are forked."""
    for name in (
        "numpy",
        "scipy.stats",
        "scipy.special",
        "duckdb",
        "pyarrow",
        "pytest",
        "hypothesis",
    ):
        importlib.import_module(name)
    for name in ("sqlalchemy", "typer", "jinja2", "cryptography", "fastapi", "httpx", "pandas"):
        importlib.import_module(name)


# -- the run -------------------------------------------------------------------------------------


def chosen(groups: Sequence[str], sample: int | None) -> dict[str, list[Mutant]]:
    """The changes to each group, so many of them drawn with a fixed seed; None means all."""
    found = {}
    for group in groups:
        every = [one for module, tests in GROUPS[group].items() for one in mutants_of(module, tests)]
        drawn = every if sample is None else random.Random(SEED).sample(every, min(sample, len(every)))
        found[group] = sorted(drawn, key=lambda one: (one.module, one.place))
    return found


def score(group: str, mutants: Sequence[Mutant], jobs: int) -> float:
    """Try the changes to a group, say which nobody noticed, and return the share that was noticed."""
    results = noticed(mutants, jobs)
    print(f"{group}: {sum(results.values())} of {len(results)} changes noticed", flush=True)
    return sum(results.values()) / len(results)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="which; all unless given")
    parser.add_argument("--sample", type=int, default=SAMPLE, metavar="N", help="changes of each group")
    parser.add_argument("--all", action="store_true", help="every change instead of a sample")
    parser.add_argument("--list", action="store_true", help="say what would be tried")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    asked = parser.parse_args()
    mutants = chosen(asked.groups or list(GROUPS), None if asked.all else asked.sample)
    if asked.list:
        print(*(one for group in mutants.values() for one in group), sep="\n")
        return
    os.chdir(ROOT)
    warmed()
    scores = [score(group, drawn, asked.jobs) for group, drawn in mutants.items()]
    if min(scores) < LEAST:
        sys.exit(f"Fewer than {LEAST:.0%} of the changes to a group were noticed.")


if __name__ == "__main__":
    main()
