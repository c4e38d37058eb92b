"""Build divulge, install it into fresh environments, and use it there, outside of the checkout.

Every extra is installed alone, and all of them together, on every Python that is given. In each environment
`doctor` and `demo` run, and what the extra is for: a library that an extra forgot is missing here, while a
development environment has it from somewhere else. With all extras the tutorial from a survey to a release
runs as well. The engine for graphics cards is only resolved, since it needs a card.

    python scripts/try_wheel.py                           this Python, every extra
    python scripts/try_wheel.py --python 3.11 3.12 3.13   several Pythons
    python scripts/try_wheel.py --extra service all       some extras
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import pandas
import pyreadstat

ROOT = Path(__file__).parents[1]
LEFT_OUT = {"dev", "docs"}  # what divulge is made with, not what it is used with
RESOLVED_ONLY = {"gpu"}
NOTHING, EVERYTHING = "none", "all"
PATIENCE = 30.0  # seconds until a page must answer

Command = Sequence[str]

CLINIC = "demo/clinic.csv"
MEASURE = ("--keys", "Age", "--target", "Location")
EVERYWHERE: Sequence[Command] = (
    ("divulge", "doctor"),
    ("divulge", "demo", "demo"),
    ("divulge", "measure", "soldiers.csv", *MEASURE),
    ("divulge", "transform", "patients.csv", "--recipe", "recipe.toml", "--out", "released.csv"),
    ("divulge", "watch", CLINIC, "--policy", "demo/divulge.toml", "--once", "--from", "100"),
)

#: What each extra is for: commands, and lines of Python, that fail without it.
USES: dict[str, Sequence[Command]] = {
    "arrow": [
        ("python", "-c", "import divulge as dv; from pyarrow.csv import read_csv as read\n"
         "dv.measure(read('soldiers.csv'), keys=['Age'], target='Location')"),
    ],
    "attacker": [("divulge", "attacker", "channel.csv")],
    "database": [
        ("python", "-c", "import csv, sqlite3; d = sqlite3.connect('soldiers.db')\n"
         "d.execute('create table soldiers (Soldier, Age, Location)')\n"
         "rows = list(csv.reader(open('soldiers.csv')))[1:]\n"
         "d.executemany('insert into soldiers values (?, ?, ?)', rows)\n"
         "d.commit()"),
        ("divulge", "measure", "sqlite:///soldiers.db", "--table", "soldiers", *MEASURE),
    ],
    "excel": [("divulge", "measure", "soldiers.xlsx", *MEASURE)],
    "frames": [
        ("python", "-c", "import divulge as dv, pandas, polars\n"
         "for frames in (pandas, polars):\n"
         "    dv.measure(frames.read_csv('soldiers.csv'), keys=['Age'], target='Location')"),
    ],
    "linkage": [("divulge", "link", CLINIC, CLINIC, "--keys", "age", "--fuzzy", "occupation")],
    "mining": [("divulge", "transform", CLINIC, "--recipe", "trees.toml", "--out", "trees.csv")],
    "oidc": [("python", "-c", "import divulge, jwt, cryptography")],
    "privacy": [("divulge", "transform", "soldiers.csv", "--recipe", "counts.toml", "--out", "counts.csv")],
    "queries": [
        ("python", "-c", "import duckdb\n"
         "with duckdb.connect('firms.duckdb') as d: d.execute(\"create table firms as from 'firms.csv'\")"),
        ("divulge", "query", "init", "firms.db", "queries.toml", "--dataset", "firms"),
        ("divulge", "query", "status", "firms.db"),
    ],
    "service": [
        ("divulge", "release", "simulate", "garrisons.csv", "--x", "Age", "--y", "Location"),
        ("divulge", "release", "init", "garrisons.db", "garrisons.csv", "--dataset", "garrisons",
         "--id", "Name", "--x", "Age", "--y", "Location"),
        ("divulge", "release", "verify", "garrisons.db"),
    ],
    "spark": [("divulge", "measure", "soldiers.csv", *MEASURE, "--engine", "spark")],
    "statistical": [("divulge", "measure", "soldiers.sav", *MEASURE)],
    "tables": [("divulge", "table", "firms.csv", "--by", "region,sector", "--value", "turnover")],
    "zstd": [
        ("python", "-c", "import zstandard; from pathlib import Path\n"
         "Path('soldiers.csv.zst').write_bytes(zstandard.compress(Path('soldiers.csv').read_bytes()))"),
        ("divulge", "measure", "soldiers.csv.zst", *MEASURE),
    ],
}  # fmt: skip

#: Pages that an extra serves.
PAGES: dict[str, Sequence[Command]] = {
    "explore": [("divulge", "explore", CLINIC, "--no-browser")],
    "service": [("divulge", "release", "serve", "garrisons.db", "--port", "0")],
}

STORY = ROOT / "docs" / "tutorials" / "story.md"
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

RECIPES = {
    "trees.toml": '[[step]]\nmechanism = "synthetic_trees"\nattributes = ["sex", "age"]\n',
    "counts.toml": '[[step]]\nmechanism = "private_counts"\nattributes = ["Location"]\nepsilon = 1\n'
    'domains = { Location = ["L1", "L2", "L3", "L4"] }\n',
}


@dataclass(frozen=True)
class Environment:
    """A fresh environment, and the folder in which commands run."""

    programs: Path
    folder: Path

    def runs(self, command: Command) -> str | None:
        """What went wrong with a command, or nothing. Exit code 1 is a verdict on the data."""
        ended = subprocess.run(
            self.started(command), cwd=self.folder, env=outside(), capture_output=True, text=True, timeout=600
        )
        fine = ended.returncode in (0, 1) and "Traceback" not in ended.stderr
        return None if fine else f"exit code {ended.returncode}: {ended.stderr.strip()[-600:]}"

    def serves(self, command: Command) -> str | None:
        """What went wrong with a command that serves a page, or nothing."""
        with tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen(
                self.started(command), cwd=self.folder, env=outside(), stdout=said, stderr=said
            )
            try:
                return answer_of(process, lambda: read_again(said))
            finally:
                process.terminate()
                process.wait(PATIENCE)

    def started(self, command: Command) -> list[str]:
        return [str(self.programs / command[0]), *command[1:]]


def answer_of(process: subprocess.Popen[bytes], said: Callable[[], str]) -> str | None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        address = next((word.strip(".,") for word in said().split() if word.startswith("http://")), None)
        if address is not None:
            try:
                with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                    return None if answer.status == 200 else f"It answered {answer.status}."
            except OSError as error:
                return f"{address}: {error}"
        time.sleep(0.1)
    return f"It served nothing: {said()[-600:]}"


def read_again(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def outside() -> dict[str, str]:
    """Variables without those that lead back into the checkout."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }


def extras() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [NOTHING, *sorted(set(project["optional-dependencies"]) - LEFT_OUT - {EVERYTHING}), EVERYTHING]


def uv(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "uv", *map(str, arguments)], check=True)


def problems(python: str, extra: str, wheel: Path, place: Path) -> Iterator[str]:
    """What does not work with one extra on one Python."""
    wanted = str(wheel) if extra == NOTHING else f"{wheel}[{extra}]"
    home, folder = place / "environment", place / "work"
    uv("venv", "--quiet", "--python", python, home)
    if extra in RESOLVED_ONLY:
        uv("pip", "install", "--quiet", "--dry-run", "--python", home / "bin" / "python", wanted)
        return
    uv("pip", "install", "--quiet", "--python", home / "bin" / "python", wanted)
    shutil.copytree(ROOT / "examples", folder)
    for name, text in RECIPES.items():
        (folder / name).write_text(text)
    soldiers = pandas.read_csv(folder / "soldiers.csv")
    soldiers.to_excel(folder / "soldiers.xlsx", index=False)
    pyreadstat.write_sav(soldiers, folder / "soldiers.sav")
    environment = Environment(home / "bin", folder)
    (folder / "story.py").write_text("\n".join(CELL.findall(STORY.read_text("utf-8"))))
    tried = list(USES) if extra == EVERYTHING else [extra]
    story = [("python", "story.py")] if extra == EVERYTHING else []
    for command in [*EVERYWHERE, *(use for name in tried for use in USES.get(name, ())), *story]:
        if (problem := environment.runs(command)) is not None:
            yield f"{' '.join(command)}: {problem}"
    for command in (
        page for name in PAGES if name in {*tried, extra} or extra == EVERYTHING for page in PAGES[name]
    ):
        if (problem := environment.serves(command)) is not None:
            yield f"{' '.join(command)}: {problem}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="Pythons to try")
    parser.add_argument("--extra", nargs="+", default=extras(), help="extras to try")
    asked = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as made:
        uv("build", "--quiet", "--out-dir", made, ROOT)
        wheel = next(Path(made).glob("*.whl"))
        for name in sorted(path.name for path in Path(made).glob("divulge*")):
            print(f"{name}: {(Path(made) / name).stat().st_size / 1e6:.1f} MB")
        for python in asked.python:
            for extra in asked.extra:
                began = time.monotonic()
                with tempfile.TemporaryDirectory() as place:
                    found = list(problems(python, extra, wheel, Path(place)))
                    size = sum(
                        file.stat().st_size
                        for file in Path(place, "environment").rglob("*")
                        if file.is_file()
                    )
                verdict = "resolves" if extra in RESOLVED_ONLY else "works" if not found else "FAILS"
                took = time.monotonic() - began
                print(f"{python}  {extra:12} {verdict:8} {size / 1e6:6.0f} MB {took:6.1f} s", flush=True)
                for problem in found:
                    print(f"    {problem}")
                failed += len(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
