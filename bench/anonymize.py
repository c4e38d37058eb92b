"""The search for the release of least loss on ARX's Adult example: thresholds, suppression, records, peers.

ARX_DATA names the folder with adult.csv and its hierarchies; without it shared/data/arx above this folder is
looked for. ARX_FIGURES names a JSON file with runs of ARX, which are printed beside ours where it has the
same case; ARX_JAR names ARX itself, which is then run on the same cases. anjana, from PyPI, runs in an
environment of its own. Our seconds are CPU of all threads for the whole lattice: every node with every
threshold.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.harness import HERE, Result, environment, run, save

Run = Callable[[], Any]
ANJANA = "anjana==1.2.2"
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
    "dr": {"k_anonymity": {"min": 5}, "discrimination_rate": {"max": 0.1}},
    "itpr": {"k_anonymity": {"min": 5}, "itpr": {"max": 0.9}},
    "all": ALL,
}
#: The same as ARX says it.
MODELS = {
    **{f"k{k}": f"k:{k}" for k in (2, 5, 10, 25, 100)},
    "l5": "distinct_l:occupation:5",
    "t0.2": "equal_t:occupation:0.2",
}


class Case(NamedTuple):
    """So many quasi-identifiers, a policy, and the share of records that may be suppressed."""

    keys: int
    policy: str
    share: float


def cases(whole: bool) -> list[Case]:
    """From 4 to 9 quasi-identifiers; every k, every kind of threshold and every limit with six of them."""
    found = [Case(keys, "k5", 0.04) for keys in range(4, 10)]
    found += [Case(4, "k2", 0.0), Case(5, "k10", 0.02), Case(6, "k25", 0.01), Case(9, "k5", 0.0)]
    if whole:
        found += [Case(6, policy, 0.04) for policy in POLICIES]
        found += [Case(6, "k5", share) for share in (0.0, 0.01, 0.1)]
        found += [Case(6, "t0.2", 0.1), Case(8, "t0.2", 0.04), Case(8, "all", 0.04)]
    return list(dict.fromkeys(found))


def folder() -> Path | None:
    """Where ARX's example is."""
    given = os.environ.get("ARX_DATA")
    places = [one / "shared" / "data" / "arx" for one in Path(__file__).resolve().parents]
    return next((one for one in ([Path(given)] if given else places) if (one / "adult.csv").exists()), None)


def searched(keys: str, policy: str, share: str, records: str = "0") -> Run:
    """The whole lattice of so many quasi-identifiers, on Adult or on its rows drawn again."""
    from divulge.generalization.criteria import criteria_of
    from divulge.generalization.encoding import encoded
    from divulge.generalization.lattice import GeneralizationLattice
    from divulge.generalization.losses import LOSSES, LossTables
    from divulge.generalization.search import Deadline, search
    from divulge.policy import Policy

    place = _place()
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
    held = [*names, *(name for target in criteria.targets for name in target)]
    codes = sum(data.column(name).codes.nbytes for name in held) / 2**20

    def once() -> dict[str, Any]:
        table = encoded(data, trees, criteria.targets, {})
        costs = LossTables(LOSSES["granularity"], table, {})
        limit = int(float(share) * table.records + 1e-9)
        found = search(
            GeneralizationLattice(table, criteria, costs, limit), lambda levels: True, deadline=Deadline()
        )
        best = found.best[0].loss if found.best else None
        evaluated = found.certificate.evaluated
        return {"loss": best, "nodes": table.nodes, "evaluated": evaluated, "codes": codes}

    return once


def command(policy: str, share: str) -> Run:
    """The whole command in a new process, from CSV to the written release, with six quasi-identifiers."""
    import resource
    import tempfile

    place = _place()
    trees = [
        one for name in KEYS[:6] for one in ("--hierarchy", f"{name}={place}/adult_hierarchy_{name}.csv")
    ]
    asked = ["--quasi-identifiers", ",".join(KEYS[:6]), "--k", policy.removeprefix("k"), "--suppress", share]

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as out:
            line = [sys.executable, "-m", "divulge", "anonymize", str(place / "adult.csv"), *asked, *trees]
            subprocess.run([*line, "--out", f"{out}/released.csv"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return once


def anjana(keys: str, k: str, percent: str) -> Run:
    """anjana's k-anonymity on the same table and hierarchies, and the loss of what it releases."""
    import pandas as pd
    from anjana.anonymity import k_anonymity

    place, names = _place(), list(KEYS[: int(keys)])
    table = pd.read_csv(place / "adult.csv", sep=";")
    trees = {
        name: dict(pd.read_csv(place / f"adult_hierarchy_{name}.csv", sep=";", header=None)) for name in names
    }

    def once() -> dict[str, Any]:
        released = k_anonymity(table, [], names, int(k), float(percent), trees)
        return {"loss": _loss(released, trees, len(table)), "nodes": None}

    return once


def _loss(released: Any, trees: dict[str, Any], records: int) -> float:
    """The granularity of a released frame, records that are missing in it being suppressed."""
    total = 0.0
    for name, tree in trees.items():
        domain, found = len(tree[0]), set(map(str, released[name].unique()))
        level = next(one for one in tree if found <= set(tree[one].astype(str)))
        leaves = tree[level].astype(str).value_counts()
        lost = (leaves[released[name].astype(str)].to_numpy() - 1) / (domain - 1)
        total += float(lost.sum()) + records - len(released)
    return total / len(trees) / records


def _place() -> Path:
    place = folder()
    assert place is not None, "looked for before"
    return place


def arx_figures() -> dict[Case, tuple[float, float]]:
    """Loss and CPU seconds of ARX's runs in the file that was named, by case."""
    path = os.environ.get("ARX_FIGURES")
    if path is None:
        return {}
    by_model = {model: policy for policy, model in MODELS.items()}
    runs = json.loads(Path(path).read_text())["runs"]
    return {
        Case(one["qi"], by_model[one["models"]], float(one["suppression_limit"])): (
            one["loss"],
            one["cpu_seconds"]["min"],
        )
        for one in runs
        if one["models"] in by_model
    }


def arx_itself(case: Case) -> tuple[float, float] | None:
    """Loss and CPU seconds of ARX on a case, where its library was named."""
    jar = os.environ.get("ARX_JAR")
    if jar is None or case.policy not in MODELS:
        return None
    program = HERE / "peer_programs" / "ArxSearch.java"
    given = (str(_place()), ",".join(KEYS[: case.keys]), MODELS[case.policy], str(case.share), "3")
    done = subprocess.run(
        ["java", "-cp", jar, str(program), *given], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"ARX did not run: {done.stderr.strip().splitlines()[-1:]}")
        return None
    loss, seconds = map(float, done.stdout.split()[-2:])
    return loss, seconds


def main(whole: bool) -> None:
    if folder() is None:
        print("No adult.csv of ARX: name its folder with ARX_DATA. Nothing is measured.")
        return
    figures, results = arx_figures(), list[Result]()
    head = ("QIs", "policy", "limit", "nodes", "evaluated", "CPU s", "nodes/s", "loss", "ARX s", "ARX loss")
    print("{:>3} {:>6} {:>6} {:>7} {:>9} {:>7} {:>9} {:>9} {:>7} {:>9}".format(*head))
    for case in cases(whole):
        found = run("anonymize", "searched", *case, repeats=3 if case.keys < 8 else 1)
        results.append(found)
        print(_line(case, found, arx_itself(case) or figures.get(case)), flush=True)
    for records in (100_000, 1_000_000, *((10_000_000,) if whole else ())):
        found = run("anonymize", "searched", 9, "k5", 0.04, records, repeats=1)
        results.append(found)
        print(f"{records:,} records: {_line(Case(9, 'k5', 0.04), found, None)}")
        print(
            f"  {found.peak - found.at_rest:,.0f} MiB beside {found.answer['codes']:,.0f} MiB of codes",
            flush=True,
        )
    found = run("anonymize", "command", "k5", "4%", repeats=3)
    results.append(found)
    print(f"the whole command, six quasi-identifiers: {found.best:.2f} s, CPU {found.answer:.2f} s")
    results += _peers()
    save("anonymize", [asdict(one) for one in results])


def _peers() -> Iterator[Result]:
    try:
        python = environment("anjana", ANJANA)
    except subprocess.CalledProcessError:
        print("anjana could not be installed, and was not run")
        return
    for keys in (4, 6):
        found = run("anonymize", "anjana", keys, 5, 4, repeats=1, python=python)
        ours = run("anonymize", "searched", keys, "k5", 0.04, repeats=1)
        print(
            f"anjana, {keys} quasi-identifiers, k 5, 4 %: {found.cpu:.2f} s, loss "
            f"{found.answer['loss']:.4f}; divulge {ours.cpu:.2f} s, {ours.answer['loss']:.4f}",
            flush=True,
        )
        yield found


def _line(case: Case, found: Result, arx: tuple[float, float] | None) -> str:
    answer = found.answer
    loss = "-" if answer["loss"] is None else f"{answer['loss']:.6f}"
    said = ("-", "-") if arx is None else (f"{arx[1]:.3f}", f"{arx[0]:.6f}")
    return (
        f"{case.keys:3} {case.policy:>6} {case.share:6} {answer['nodes']:7,} {answer['evaluated']:9,} "
        f"{found.cpu:7.3f} {answer['evaluated'] / max(found.cpu, 1e-9):9,.0f} {loss:>9} "
        f"{said[0]:>7} {said[1]:>9}"
    )


if __name__ == "__main__":
    main("--quick" not in sys.argv)
