"""The doctor command: the machine, the libraries, and whether each engine works with them."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import typer

from divulge import documents
from divulge._compiled import library
from divulge._support.stages import Stage
from divulge._support.threads import cores
from divulge._support.wording import WIDTH, aligned
from divulge.cli.commands.self_tests import ENGINES, SelfTest
from divulge.cli.exit_codes import FAILED
from divulge.cli.progress import progress
from divulge.cli.requests.tools import DoctorRequest
from divulge.documents.tools import DoctorDocument
from divulge.errors import MissingLibrary

LEAST_JAVA = 17
#: Packages by the names people know them by, and the extra that brings them; those of no extra always come.
PACKAGES = {
    "NumPy": ("numpy", None),
    "DuckDB": ("duckdb", None),
    "SciPy": ("scipy", "attacker"),
    "pyarrow": ("pyarrow", "arrow"),
    "pandas": ("pandas", "frames"),
    "Polars": ("polars", "frames"),
    "SQLAlchemy": ("sqlalchemy", "database"),
    "psycopg": ("psycopg", "database"),
    "Splink": ("splink", "linkage"),
    "PySpark": ("pyspark", "spark"),
    "pyreadstat": ("pyreadstat", "statistical"),
    "calamine": ("python-calamine", "excel"),
    "zstandard": ("zstandard", "zstd"),
}
LOOPS = "loops in C"
CARD = "GPU"
_JAVA = f"{LEAST_JAVA} or newer; on Debian: apt install default-jre-headless"


@dataclass(frozen=True)
class Part:
    """Something that an engine may be made of: its version if it is there, or how to get it."""

    name: str
    version: str | None
    get: str | None = None
    optional: bool = True


@dataclass(frozen=True)
class Diagnosis:
    """How an engine is: what it is made of, and how its self-test went."""

    engine: str
    outcome: Literal["works", "fails", "missing", "left out"]
    parts: dict[str, str | None]
    seconds: float | None = None
    says: str | None = None


def run_doctor(asked: DoctorRequest) -> None:
    with progress("Checking the installation") as stage:
        document = diagnosed(asked.quick, stage)
    if asked.as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        print("\n".join(page(document)))
    if not document["healthy"]:
        raise typer.Exit(FAILED)


def diagnosed(quick: bool, stage: Stage) -> DoctorDocument:
    """Everything as plain values; a self-test that fails is unhealthy, an optional part missing is not."""
    found = {part.name: part for part in parts()}
    engines = [_diagnosis(engine, found, quick, stage) for engine in ENGINES]
    contents = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "machine": machine(),
        "parts": [asdict(part) for part in found.values()],
        "engines": [asdict(one) for one in engines],
        "healthy": all(one.outcome != "fails" for one in engines),
    }
    return documents.headed("doctor", contents)


def _diagnosis(engine: SelfTest, found: Mapping[str, Part], quick: bool, stage: Stage) -> Diagnosis:
    made_of = {name: found[name].version for name in engine.parts}
    lacking = [found[name] for name in engine.parts if found[name].get is not None]
    if lacking:
        needs = "; ".join(f"{part.name} ({part.get})" for part in lacking)
        outcome: Any = "missing" if all(part.optional for part in lacking) else "fails"
        return Diagnosis(engine.name, outcome, made_of, says=f"It needs {needs}.")
    if quick and "Java" in engine.parts:
        return Diagnosis(engine.name, "left out", made_of, says="Not started because of --quick.")
    stage(f"Testing {engine.name}")
    wrong, seconds = engine.test()
    return Diagnosis(engine.name, "works" if wrong is None else "fails", made_of, seconds, wrong)


# -- what is there ---------------------------------------------------------------------------------


def parts() -> list[Part]:
    """The libraries that engines are made of, told without loading them."""
    return [
        *(_package(name, *where) for name, where in PACKAGES.items()),
        _loops(),
        _sqlite(),
        java(),
        card(),
    ]


def _loops() -> Part:
    if library.built():
        return Part(LOOPS, "built")
    return Part(LOOPS, None, "a C compiler, then reinstall divulge")


def _package(name: str, package: str, extra: str | None) -> Part:
    try:
        return Part(name, version(package), optional=extra is not None)
    except PackageNotFoundError:
        get = "pip install divulge" if extra is None else f"pip install 'divulge[{extra}]'"
        return Part(name, None, get, optional=extra is not None)


def _sqlite() -> Part:
    try:
        from sqlite3 import sqlite_version
    except ImportError:
        return Part("SQLite", None, "a Python built with it")
    return Part("SQLite", sqlite_version)


def java() -> Part:
    """The Java that Spark would start, of which nothing but its version is told."""
    home = os.environ.get("JAVA_HOME")
    command = shutil.which(f"{home}/bin/java" if home else "java")
    if command is None:
        return Part("Java", None, f"{LEAST_JAVA} or newer; JAVA_HOME points to no Java" if home else _JAVA)
    try:
        said = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Part("Java", None, _JAVA)
    told = re.search(r'^\w+ version "((?:1\.)?(\d+)[^"]*)"', said.stderr + said.stdout, re.MULTILINE)
    if told is None:
        return Part("Java", None, _JAVA)
    return Part("Java", told[1], None if int(told[2]) >= LEAST_JAVA else _JAVA)


def card() -> Part:
    """The graphics card that would count, or what it takes."""
    from divulge.engines.gpu.arrays import EXTRA, CardProblem, found_card

    try:
        found = found_card()
    except MissingLibrary:
        return Part(CARD, None, EXTRA)
    except CardProblem as problem:
        return Part(CARD, None, problem.get)
    return Part(CARD, f"{found.name}, {_size(found.memory)}, CuPy {found.cupy}")


def machine() -> dict[str, Any]:
    """Processors, memory and disk, as far as this process may use them; sizes are in bytes."""
    total, available = memory()
    folder = tempfile.gettempdir()
    return {
        "cores": cores(),
        "memory": total,
        "memory_available": available,
        "temporary_folder": folder,
        "disk_free": shutil.disk_usage(folder).free,
    }


def memory(
    system: Path = Path("/proc/meminfo"), container: Path = Path("/sys/fs/cgroup")
) -> tuple[int | None, int | None]:
    """The bytes of memory, and those not in use; a container may have less than the machine."""
    told = _numbers(system)
    total, available = (1024 * told[name] if name in told else None for name in ("MemTotal", "MemAvailable"))
    if total is None and hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = int((container / "memory.max").read_text())
        used = int((container / "memory.current").read_text())
    except (OSError, ValueError):  # no container, or one without a limit
        return total, available
    left = limit - used + _numbers(container / "memory.stat").get("inactive_file", 0)
    return _least(total, limit), _least(available, left)


def _numbers(path: Path) -> dict[str, int]:
    """Names and numbers from the lines of a file; nothing where there is no such file."""
    try:
        return {name: int(number) for name, number in re.findall(r"^(\w+):?\s+(\d+)", path.read_text(), re.M)}
    except OSError:
        return {}


def _least(known: int | None, bound: int) -> int:
    return bound if known is None else min(known, bound)


# -- as a page -------------------------------------------------------------------------------------


def page(document: Mapping[str, Any]) -> list[str]:
    """The lines of a diagnosis."""
    here = document["machine"]
    return [
        f"divulge {document['divulge']}, Python {document['python']}, {document['system']}",
        f"{here['cores']} core{'' if here['cores'] == 1 else 's'}; memory: {_size(here['memory'])}, "
        f"{_size(here['memory_available'])} available",
        f"{here['temporary_folder']}: {_size(here['disk_free'])} of disk free",
        "",
        *aligned(["part", "version"], [[one["name"], _version(one)] for one in document["parts"]]),
        "",
        *aligned(
            ["engine", "self-test", "seconds", "uses"],
            [_row(one) for one in document["engines"]],
            right=(2,),
        ),
        "",
        *(line for note in _notes(document) for line in textwrap.wrap(note, WIDTH, subsequent_indent="  ")),
    ]


def _version(part: Mapping[str, Any]) -> str:
    if part["get"] is None:
        return str(part["version"])
    return f"{part['version'] or 'not installed'} ({part['get']})"


def _row(engine: Mapping[str, Any]) -> list[str]:
    seconds = "-" if engine["seconds"] is None else f"{engine['seconds']:.2f}"
    made_of = ", ".join(f"{name} {version}" for name, version in engine["parts"].items() if version)
    return [engine["engine"], engine["outcome"], seconds, made_of or "-"]


def _notes(document: Mapping[str, Any]) -> list[str]:
    engines = document["engines"]
    notes = [f"{one['engine']}: {one['says']}" for one in engines if one["says"] is not None]
    notes += [library.MISSING for one in document["parts"] if one["name"] == LOOPS and one["version"] is None]
    if any("divulge[" in (part["get"] or "") for part in document["parts"]):
        notes.append("Where divulge is a checkout, write '.[NAME]' in place of 'divulge[NAME]'.")
    failing = [one["engine"] for one in engines if one["outcome"] == "fails"]
    if failing:
        return [*notes, f"Do not use here: {'; '.join(failing)}."]
    return [*notes, "Each self-test measures a table with known results."]


def _size(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 1e9:.1f} GB"
