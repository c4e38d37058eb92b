"""From nothing to a first result: what is installed, how long that takes, and two runs after it.

Every contender gets an environment of its own, made anew, and reads the same table of people.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.harness import DATA, HERE, made, save

#: Values of age, workclass, education, marital status, occupation, race, sex, country and income in a census.
VALUES = {
    "age": 72,
    "workclass": 7,
    "education": 16,
    "marital": 7,
    "occupation": 14,
    "race": 5,
    "sex": 2,
    "country": 41,
    "income": 2,
}
RECORDS = 30_162
KEYS = [name for name in VALUES if name not in ("occupation", "income")]
MOST_TIMES, MOST_MEGABYTES = 1.2, 300  # the second run's time, and what may be installed


@dataclass(frozen=True)
class Contender:
    """What is installed, what is imported, and the program that gives a first result of a table."""

    packages: tuple[str, ...]
    imported: str
    program: str

    def command(self, python: Path, table: Path) -> list[str]:
        return [str(python), "-c", self.program, str(table), json.dumps(KEYS)]


CONTENDERS = {
    "divulge": Contender(
        (str(HERE.parent),),
        "divulge",
        "import sys; from divulge.cli import main; sys.argv[1:] = ['audit', sys.argv[1], '--report', "
        "sys.argv[1] + '.html']; main()",
    ),
    "splink": Contender(
        ("splink==5.0.0", "pandas"),
        "splink",
        "import json, sys, pandas as pd; from splink import DuckDBAPI; from splink.exploratory import "
        "profile_columns; table = DuckDBAPI().register(pd.read_csv(sys.argv[1])); "
        "profile_columns(table, json.loads(sys.argv[2])).save(sys.argv[1] + '.splink.html')",
    ),
    "ydata-profiling": Contender(
        ("ydata-profiling==4.18.4", "setuptools<81"),
        "ydata_profiling",
        "import sys, pandas as pd; from ydata_profiling import ProfileReport; ProfileReport(pd.read_csv("
        "sys.argv[1]), minimal=True, progress_bar=False).to_file(sys.argv[1] + '.profile.html')",
    ),
    "pycanon": Contender(
        ("pycanon==1.3.6",),
        "pycanon",
        "import json, sys, pandas as pd; from pycanon import anonymity; table = pd.read_csv(sys.argv[1]); "
        "keys = json.loads(sys.argv[2]); print(anonymity.k_anonymity(table, keys), "
        "anonymity.l_diversity(table, keys, ['occupation', 'income']))",
    ),
}


@dataclass(frozen=True)
class FirstRun:
    """What an installation takes; of what follows, seconds by the clock and of the processor."""

    contender: str
    megabytes: float
    install: float
    packages: int
    imported: tuple[float, float]
    helped: tuple[float, float] | None  # the command's --help
    first: tuple[float, float]
    second: tuple[float, float]


def write(path: Path) -> None:
    """A table of the shape of the Adult data: few values are common, many rare."""
    rng = np.random.default_rng(RECORDS)
    columns = [np.minimum(rng.geometric(min(0.7, 4 / v), RECORDS) - 1, v - 1) for v in VALUES.values()]
    with path.open("w") as file:
        file.write(",".join(VALUES) + "\n")
        for row in np.stack(columns, axis=1).tolist():
            named = (f"{name} {value}" for name, value in zip([*VALUES][1:], row[1:], strict=True))
            file.write(",".join([str(17 + row[0]), *named]) + "\n")


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=DATA, check=False)
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(done.stderr[-1000:])
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(folder: Path) -> float:
    """Megabytes on disk, bytecode included."""
    blocks = (os.lstat(Path(root) / name).st_blocks for root, _, names in os.walk(folder) for name in names)
    return sum(blocks) * 512 / 1e6


def first_run(name: str, contender: Contender, table: Path) -> FirstRun:
    """Install a contender in an environment that was not there, and run it twice."""
    home = DATA / f"first_run_{name}"
    shutil.rmtree(home, ignore_errors=True)
    python = home / "bin" / "python"
    try:
        timed([sys.executable, "-m", "venv", str(home)])
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]
        install, _ = timed([*pip, "install", *contender.packages])
        first, second = (timed(contender.command(python, table)) for _ in range(2))
        command = home / "bin" / name
        return FirstRun(
            name,
            size_of(home),
            install,
            len(list(home.glob("lib/*/site-packages/*.dist-info"))),
            timed([str(python), "-c", f"import {contender.imported}"]),
            timed([str(command), "--help"]) if name == "divulge" else None,
            *(first, second),
        )
    finally:
        shutil.rmtree(home, ignore_errors=True)


def main(full: bool = True) -> None:
    table = made("adult_like.csv", write)
    print(f"{RECORDS:,} records, {len(VALUES)} attributes; seconds by the clock (of the processor)\n")
    print(f"{'':15}      MB packages  install       import         first        second  first / second")
    found = []
    for name, contender in CONTENDERS.items():
        try:
            one = first_run(name, contender, table)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"{name:15}  left out: it could not be installed or run here ({str(error)[-80:].strip()})")
            continue
        found.append(one)
        seconds = (f"{clock:6.1f} ({cpu:.1f})" for clock, cpu in (one.imported, one.first, one.second))
        ratio = one.first[1] / one.second[1]
        installed = f"{one.megabytes:6.0f} {one.packages:8} {one.install:8.0f}"
        print(f"{name:15}  {installed}  {'  '.join(seconds)}  {ratio:6.2f}", flush=True)
    ours = found[0]
    print(f"\ndivulge --help: {ours.helped[0]:.2f} s" if ours.helped else "")
    reached = ours.first[1] <= MOST_TIMES * ours.second[1] and ours.megabytes < MOST_MEGABYTES
    print(f"{MOST_TIMES} times the second run, {MOST_MEGABYTES} MB: {'met' if reached else 'not met'}")
    save("first_run", [asdict(one) for one in found])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
