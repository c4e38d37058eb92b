"""Runs contenders, each in a process of its own, and compares their times and peak memory."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE / "data"
RESULTS = HERE / "results"


@dataclass(frozen=True)
class Result:
    """The best and first time of a contender in seconds, and the most memory its process held in MiB."""

    contender: str
    best: float
    first: float
    peak: float
    at_rest: float  # memory after imports, before the first run
    answer: Any = None
    cpu: float = 0.0  # least processor time of a run, all threads together


def run(
    module: str, contender: str, *arguments: object, repeats: int = 3, python: str | None = None
) -> Result:
    """Time a function of a benchmark module in a fresh process."""
    command = [python or sys.executable, "-m", "bench.harness", module, contender, str(repeats)]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, cwd=HERE.parent, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{module}.{contender} failed:\n{done.stderr[-2000:]}")
    return Result(contender, **json.loads(done.stdout.splitlines()[-1]))


def compare(title: str, results: Sequence[Result], base: str) -> dict[str, Any]:
    """Print the contenders and how many times longer than the base each takes."""
    reference = next(result for result in results if result.contender == base)
    width = max(len(result.contender) for result in results)
    print(f"\n{title}\n{'':{width}}     best s    first s      CPU s   ratio   peak MiB (at rest)")
    for result in results:
        ratio = result.best / reference.best
        print(
            f"{result.contender:{width}}  {result.best:9.3f}  {result.first:9.3f}  {result.cpu:9.3f}"
            f"  {ratio:6.2f}   {result.peak:8.0f} ({result.at_rest:.0f})"
        )
    sys.stdout.flush()
    return {"title": title, "base": base, "results": [asdict(result) for result in results]}


def save(name: str, tables: Sequence[dict[str, Any]]) -> None:
    """Keep the figures of a benchmark as JSON."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(tables, indent=1) + "\n")


def made(name: str, write: Callable[[Path], None]) -> Path:
    """A data file, written once."""
    DATA.mkdir(exist_ok=True)
    path = DATA / name
    if not path.exists():
        print(f"writing {name} ...", flush=True)
        partial = path.with_suffix(".partial")
        write(partial)
        partial.rename(path)
    return path


def environment(name: str, *packages: str) -> str:
    """A Python of its own with peers in it, which are no dependencies of ours or do not go with them."""
    home = DATA / name
    python, whole = home / "bin" / "python", home / ".installed"
    if not whole.exists():
        print(f"installing {' and '.join(packages)} in an environment of its own ...", flush=True)
        DATA.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        whole.touch()
    return str(python)


def _worker(module: str, contender: str, repeats: str, *arguments: str) -> None:
    function = getattr(importlib.import_module(f"bench.{module}"), contender)(*arguments)
    at_rest = _peak()
    times, used = [], []
    for _ in range(int(repeats)):
        began, before = time.perf_counter(), time.process_time()
        answer = function()
        times.append(time.perf_counter() - began)
        used.append(time.process_time() - before)
    found = {"best": min(times), "first": times[0], "cpu": min(used), "peak": _peak(), "at_rest": at_rest}
    found["answer"] = answer
    print(json.dumps(found))


def _peak() -> float:
    """The most memory this process has held; not getrusage, which remembers the process before exec."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    _worker(*sys.argv[1:])
