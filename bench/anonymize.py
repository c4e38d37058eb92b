"""The search for the release of least loss on ARX's Adult example, beside what ARX took for one run of it.

Data and ARX's hierarchies are looked for in shared/data/arx above this folder. ARX's seconds are those of
ARX 3.9.2 (OpenJDK 17, one thread, warm), CPU of anonymize() alone; ours are CPU of all threads for the whole
lattice, every node with every threshold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Result, run, save

Run = Callable[[], Any]
KEYS = (
    *("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"),
    "occupation",
)
ALL = {
    "k_anonymity": {"min": 5},
    "distinct_l_diversity": {"min": 2},
    "entropy_l_diversity": {"min": 2},
    "recursive_cl_diversity": {"max": 4},
    "alpha_k_anonymity": {"max": 0.6},
    "t_closeness": [{"max": 0.3}, {"max": 0.3, "ground": "hierarchical"}],
    "beta_likeness": {"max": 4},
    "discrimination_rate": {"max": 0.5},
    "itpr": {"max": 0.9},
}
POLICIES: dict[str, dict[str, Any]] = {
    **{f"k{k}": {"k_anonymity": {"min": k}} for k in (2, 5, 10, 25, 100)},
    "l5": {"distinct_l_diversity": {"min": 5}},
    "t0.2": {"t_closeness": {"max": 0.2}},
    "all": ALL,
}
#: ARX's CPU seconds for one warm run, by quasi-identifiers, policy and suppression limit.
ARX = {
    (4, "k2", 0.0): 0.009,
    (4, "k5", 0.04): 0.003,
    (4, "t0.2", 0.04): 0.007,
    (5, "k10", 0.02): 0.015,
    (6, "k5", 0.0): 0.009,
    (6, "k5", 0.04): 0.042,
    (6, "k25", 0.01): 0.034,
    (6, "t0.2", 0.1): 0.215,
    (7, "k5", 0.04): 0.192,
    (8, "k5", 0.04): 0.38,
    (9, "k5", 0.04): 0.96,
}


def folder() -> Path | None:
    """Where ARX's example is."""
    places = [one / "shared" / "data" / "arx" for one in Path(__file__).resolve().parents]
    return next((one for one in places if (one / "adult.csv").exists()), None)


def searched(keys: str, policy: str, share: str, records: str = "0") -> Run:
    """The whole lattice of so many quasi-identifiers, on Adult or on its rows drawn again."""
    from divulge.generalization.criteria import criteria_of
    from divulge.generalization.encoding import encoded
    from divulge.generalization.lattice import GeneralizationLattice
    from divulge.generalization.losses import LOSSES, LossTables
    from divulge.generalization.search import Deadline, search
    from divulge.policy import Policy

    place = folder()
    assert place is not None, "looked for before"
    names = KEYS[: int(keys)]
    rules: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": place / f"adult_hierarchy_{name}.csv"}
        for name in names
    }
    if "occupation" not in names:
        rules["occupation"] = {"role": "sensitive", "hierarchy": place / "adult_hierarchy_occupation.csv"}
    asked = Policy.of({"attributes": rules, "thresholds": POLICIES[policy]})
    data = asked.open(place / "adult.csv")
    if int(records):
        rows = np.random.default_rng(1).integers(0, data.records, int(records))
        data = data.taking(rows)
    criteria = criteria_of(asked.thresholds, names, data.schema.sensitive)
    trees = {name: data.hierarchies[name] for name in names}

    def once() -> dict[str, Any]:
        table = encoded(data, trees, criteria.targets, {})
        costs = LossTables(LOSSES["granularity"], table, {})
        limit = int(float(share) * table.records + 1e-9)
        found = search(
            GeneralizationLattice(table, criteria, costs, limit), lambda levels: True, deadline=Deadline()
        )
        best = found.best[0].loss if found.best else None
        return {"loss": best, "nodes": table.nodes, "evaluated": found.certificate.evaluated}

    return once


def main(whole: bool) -> None:
    if folder() is None:
        print("ARX's adult.csv is not in a folder shared/data/arx above this one: nothing is measured.")
        return
    cases = [*ARX, *((keys, "all", 0.04) for keys in (6, 8))]
    head = ("QIs", "policy", "limit", "nodes", "evaluated", "CPU s", "ARX", "loss")
    print("{:>3} {:>7} {:>6} {:>7} {:>9} {:>8} {:>8} {:>10}".format(*head))
    results: list[Result] = []
    for keys, policy, share in cases:
        found = run("anonymize", "searched", keys, policy, share)
        said = ARX.get((keys, policy, share))
        results.append(found)
        print(_line(keys, policy, share, found, said), flush=True)
    for records in (100_000, 1_000_000, *((10_000_000,) if whole else ())):
        found = run("anonymize", "searched", 9, "k5", 0.04, records, repeats=1)
        results.append(found)
        print(f"{records:,} records: {_line(9, 'k5', 0.04, found, None)}; {found.peak:,.0f} MiB", flush=True)
    save("anonymize", [asdict(one) for one in results])


def _line(keys: int, policy: str, share: float, found: Result, arx: float | None) -> str:
    answer = found.answer
    loss = "-" if answer["loss"] is None else f"{answer['loss']:.6f}"
    said = "-" if arx is None else f"{arx:.3f}"
    return (
        f"{keys:3} {policy:>7} {share:6} {answer['nodes']:7,} {answer['evaluated']:9,} "
        f"{found.cpu:8.3f} {said:>8} {loss:>10}"
    )


if __name__ == "__main__":
    main("--quick" not in sys.argv)
