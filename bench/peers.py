"""pyCANON on the same frame: the same k and distinct l where it is right, and its time for the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import Result, compare, environment, made, run, save

Run = Callable[[], Any]
PYCANON = "pycanon==1.3.6"
KEYS = ["age", "sex", "zip"]
#: divulge's measure and pyCANON's function; the last two it computes wrongly (see tests/test_pitfalls.py).
PAIRS = {
    "k_anonymity": "k_anonymity",
    "distinct_l_diversity": "l_diversity",
    "t_closeness": "t_closeness",
    "entropy_l_diversity": "entropy_l_diversity",
    "recursive_cl_diversity": "recursive_c_l_diversity",
}
PATIENCE = 120.0  # seconds a peer may be expected to take before it is not run


def write(records: int, path: Path) -> None:
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(records)
    people = pd.DataFrame(
        {
            "age": rng.integers(18, 90, records),
            "sex": rng.choice(["f", "m"], records),
            # More postcodes in larger tables, as in life: classes grow in number, not only in size.
            "zip": [f"{code:05d}" for code in rng.integers(0, max(2, records // 2000), records)],
            "illness": rng.choice([f"illness {i}" for i in range(20)], records),
        }
    )
    people.to_csv(path, index=False)


def frame(path: str) -> Any:
    import pandas as pd

    return pd.read_csv(path, dtype={"zip": str})


def divulge(path: str, measure: str) -> Run:
    import divulge as dv

    people = frame(path)
    return lambda: float(dv.measure(people, measure, keys=KEYS, target="illness").value)


def divulge_all(path: str) -> Run:
    import divulge as dv

    people = frame(path)
    return lambda: len([r.value for r in dv.measure(people, keys=KEYS, target="illness")])


def pycanon(path: str, measure: str) -> Run:
    from pycanon import anonymity

    people = frame(path)
    function = getattr(anonymity, PAIRS[measure])
    if measure == "k_anonymity":
        return lambda: float(function(people, KEYS))

    def computed() -> float:
        found = function(people, KEYS, ["illness"])
        return float(found[0] if isinstance(found, tuple) else found)

    return computed


def main(full: bool = True) -> None:
    peer = environment("pycanon", PYCANON)
    tables = []
    spent: dict[str, float] = {}
    for records in (10**4, 10**5, 10**6) if full else (10**4,):
        path = made(f"people_{records}.csv", partial(write, records))
        tried = 0
        for measure in PAIRS:
            # Ten times the records take it ten times as long or more, so what was long is not tried.
            if spent.get(measure, 0.0) * 12 > PATIENCE:
                print(f"\n{measure}, {records:,} records: pyCANON not run, it would take minutes")
                continue
            results = [run("peers", "divulge", path, measure)]
            results.append(run("peers", "pycanon", path, measure, repeats=1, python=peer))
            spent[measure] = results[1].best
            tried += 1
            tables.append(compare(f"{measure}, {records:,} records", results, "divulge"))
            _check(measure, *results)
        everything = run("peers", "divulge_all", path)
        theirs = sum(found["results"][1]["best"] for found in tables[-tried:])
        print(
            f"\n{records:,} records: {tried} measures by pyCANON take {theirs:.1f} s, "
            f"all {everything.answer} readings of divulge {everything.best:.3f} s: "
            f"{theirs / everything.best:,.0f} times as long"
        )
        tables.append({"title": f"all, {records:,} records", "divulge": everything.best, "pycanon": theirs})
    save("peers", tables)


def _check(measure: str, ours: Result, theirs: Result) -> None:
    same = abs(ours.answer - theirs.answer) < 1e-9
    verdict = "the same" if same else "not the same"
    print(f"divulge reads {ours.answer:.6g}, pyCANON {theirs.answer:.6g}: {verdict}")
    if measure in ("k_anonymity", "distinct_l_diversity") and not same:
        raise SystemExit(f"{measure} should agree on a clean frame")


if __name__ == "__main__":
    main("--quick" not in sys.argv)
