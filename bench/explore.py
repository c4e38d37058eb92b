"""The local page: from a moved slider or a ticked attribute to new figures, in a real browser.

The bare round trip, a request that changes nothing, is timed beside it: what is above that is ours.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any

import numpy as np

from bench.harness import made, save

CARDINALITIES = {
    "age": 72,
    "sex": 2,
    "region": 12,
    "education": 16,
    "marital": 7,
    "size": 6,
    "work": 8,
    "race": 5,
}
CHROMIUM = "/usr/bin/chromium"
MOVES = 40
MOVE = """([name, level]) => {
  const slider = document.querySelector(`[name="level-${name}"]`);
  slider.focus(); slider.value = level; slider.dispatchEvent(new Event("input"));
}"""


def write(records: int, path: Path) -> None:
    """A made-up census: attributes depend on each other, so that groups repeat as those of people do."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(records)
    kind = rng.integers(0, 40, records)  # what attributes of a person have in common
    columns = {}
    for number, (name, values) in enumerate(CARDINALITIES.items()):
        usual = (kind * (number + 3)) % values
        other = np.minimum(rng.geometric(min(0.9, 4 / values), records) - 1, values - 1)
        columns[name] = np.where(rng.random(records) < 0.8, usual, other).astype(np.int16)
    columns["illness"] = ((kind + rng.integers(0, 4, records)) % 20).astype(np.int16)
    pq.write_table(pa.table(columns), path)


def main(full: bool = True) -> None:
    tables = []
    for records in (30_162, 10**6) if full else (30_162,):
        path = made(f"explore_{records}.parquet", partial(write, records))
        tables.append(_timed(path, records))
    save("explore", tables)


def _timed(path: Path, records: int) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    keys = ",".join(CARDINALITIES)
    command = [sys.executable, "-c", "from divulge.cli import main; main()", "explore", str(path)]
    roles = ["--no-browser", "--quasi-identifiers", keys, "--sensitive", "illness"]
    began = time.perf_counter()
    with subprocess.Popen([*command, *roles], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = re.findall(r"http\S+", process.stdout.readline())[0]
            with sync_playwright() as started:
                browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page()
                page.goto(url)
                page.wait_for_selector("#sentence")
                opened = time.perf_counter() - began
                page.wait_for_timeout(1000)
                found = {
                    "level": [_seconds(page, MOVE, ["age", str(move % 4)]) for move in range(MOVES)],
                    "known": [_ticked(page, name) for name in [*CARDINALITIES] * (MOVES // 8)],
                    "round trip": [_round_trip(page) for _ in range(MOVES)],
                }
                browser.close()
        finally:
            process.terminate()
    title = f"{records:,} records, eight quasi-identifiers: opened in {opened:.1f} s"
    print(f"\n{title}\n{'':12}  median ms   95 % ms   times the round trip")
    base = quantiles(found["round trip"], n=20)[9]
    for name, seconds in found.items():
        cuts = quantiles(seconds, n=20)
        print(f"{name:12}  {1000 * cuts[9]:9.0f}  {1000 * cuts[18]:8.0f}   {cuts[9] / base:.1f}")
    return {"title": title, "opened": opened, "seconds": found}


def _seconds(page: Any, act: str, said: object) -> float:
    """From an act to the figures that it gives, as the browser's own clock has it."""
    timed = f"""async said => {{
      const turn = () => Number(document.documentElement.dataset.turn);
      const before = turn(), began = performance.now();
      ({act})(said);
      while (turn() === before) await new Promise(requestAnimationFrame);
      return performance.now() - began;
    }}"""
    return float(page.evaluate(timed, said)) / 1000


def _ticked(page: Any, name: str) -> float:
    return _seconds(page, 'name => document.querySelector(`[name="known-${name}"]`).click()', name)


def _round_trip(page: Any) -> float:
    return _seconds(page, "() => dispatchEvent(new Event('focus'))", None)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
