"""A graphics card: all subsets of twelve keys, a question of a billion records, an audit.

Run on a machine with a card: python -m bench gpu. Columns are made on the card or in memory, since what is
measured is counting. Every figure stands beside the time that copying the same records on the card takes.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from bench.harness import save

CARDINALITIES = (100, 2, 50, 16, 7, 9, 41, 8, 5, 120, 3, 6)
TARGET = 60
CHECKED = 10**6  # records on which the card is held to the processor


def best(work: Callable[[], Any], repeats: int, wait: Callable[[], None]) -> float:
    """The least seconds that something takes, the card's work included."""
    times = []
    for _ in range(repeats):
        wait()
        began = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - began)
    return min(times)


def drawn(xp: Any, records: int, values: Sequence[int], seed: int) -> list[Any]:
    """Skewed columns of codes from 1 on, as attributes of people are."""
    from divulge.engines.gpu.arrays import fetched
    from divulge.table.codes import Codes

    xp.random.seed(seed)
    columns = []
    for one in values:
        lengths = xp.ceil(xp.log(1 - xp.random.random(records)) / np.log1p(-min(0.9, 4 / one)))
        codes = xp.clip(lengths, 1, one).astype(np.uint8)
        columns.append(Codes(fetched(xp, codes), range(one)))
    return columns


class Report:
    """Lines as they are measured, kept for a file."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def add(self, what: str, seconds: float, **more: Any) -> None:
        self.lines.append({"what": what, "seconds": seconds, **more})
        told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in more.items())
        print(f"{what:66s} {seconds:9.4f} s  {told}", flush=True)


def copied(xp: Any, wait: Callable[[], None]) -> float:
    """Bytes a second that a copy on the card reads and writes."""
    source = xp.arange(1 << 28, dtype=np.uint64)
    target = xp.empty_like(source)
    return 2 * source.nbytes / best(lambda: xp.copyto(target, source), 10, wait)


def agrees(card: Any, columns: Sequence[Any], target: Any) -> None:
    """The card finds what the processor finds, to twelve digits, and the same bits twice."""
    from functools import partial

    from divulge.engines.base import SubsetSearch
    from divulge.engines.gpu.subsets import subset_sums
    from divulge.engines.lattice.search import search
    from divulge.table.codes import Codes

    few = [Codes(one.codes[:CHECKED].copy(), one.values) for one in (*columns, target)]
    own = SubsetSearch(partial(subset_sums, card), 10**15)
    there, again = (search(few[:-1], targets=few[-1:], own=own) for _ in range(2))
    here = search(few[:-1], targets=few[-1:])
    assert all(np.array_equal(getattr(there, n), getattr(here, n)) for n in ("classes", "least", "unique"))
    for about in (None, 0):
        for rate in ("discrimination_rate", "itpr"):
            one, two, other = (getattr(x, rate)(about) for x in (there, again, here))
            assert np.array_equal(one, two)
            assert np.abs(one - other).max() < 1e-12, (rate, about, np.abs(one - other).max())
    print(
        f"{CHECKED:,} records: all subsets agree with the processor to 1e-12, and twice bit by bit",
        flush=True,
    )


def subsets(report: Report, card: Any, records: int, bandwidth: float, wait: Callable[[], None]) -> None:
    from divulge.engines.gpu.subsets import subset_sums

    columns, target = drawn(card.xp, records, CARDINALITIES, 1), drawn(card.xp, records, [TARGET], 2)[0]
    agrees(card, columns, target)
    for one in (*columns, target):
        card.get(one)
    copy = 4095 * 2 * 8 * records / bandwidth  # a word of every record, read and written for each subset
    for name, about in (("", None), (f", a target of {TARGET} values", target)):
        spent = best(lambda about=about: subset_sums(card, columns, about, None, 12), 2, wait)
        share = f"{copy / spent:.2f} times 4,095 copies of a word"
        report.add(f"4,095 subsets of {records:,} records{name}", spent, speed=share)
    spent = best(lambda: subset_sums(card, columns, target, None, 3), 2, wait)
    report.add(f"298 subsets up to three keys of {records:,} records, a target", spent)


def question(report: Report, card: Any, records: int, bandwidth: float, wait: Callable[[], None]) -> None:
    """DR, ITPR and k of records: keys as two columns of the card, nine of ten combinations different."""
    from divulge.engines.gpu.counting import joint_counts
    from divulge.measures import get
    from divulge.table.codes import Codes

    xp = card.xp
    rows = np.zeros(records, np.uint8)  # what is here is not looked at: the card has its own
    keys = {}
    for name, values in (("a", 1 << 16), ("b", 1 << 16)):
        column = Codes(rows.view(), range(values))
        made = xp.random.randint(0, values, records, dtype=np.uint32).astype(np.uint16)
        card.hold(column, made)
        keys[name] = column
    found: dict[str, Any] = {}

    def asked() -> None:
        counts = joint_counts(card, keys, None, compact=True)
        found.update(
            {name: get(name).compute(counts) for name in ("discrimination_rate", "itpr", "k_anonymity")}
        )
        found["classes"] = counts.classes

    asked()
    spent = best(asked, 3, wait)
    copy = 2 * 8 * records / bandwidth
    share = f"{copy / spent:.2f} of one copy of a word"
    report.add(f"DR, ITPR, k of {records:,} records", spent, classes=f"{found['classes']:,}", speed=share)


def about_target(report: Report, card: Any, records: int, wait: Callable[[], None]) -> None:
    """All measures of a target with ten keys; kernels are compiled on a tenth of the records first."""
    import divulge as dv
    from divulge.readings.shuffling import shuffles

    names = [f"q{i}" for i in range(10)]
    columns = drawn(card.xp, records, [*CARDINALITIES[:10], TARGET], 3)
    table = {name: one.codes for name, one in zip([*names, "illness"], columns, strict=True)}
    roles = {"quasi_identifiers": names, "sensitive": "illness", "engine": "gpu"}
    asked = {"keys": names, "target": "illness"}
    tenth = {name: codes[: records // 10] for name, codes in table.items()}
    dv.ask(dv.read(tenth, **roles), **asked).counts  # noqa: B018
    data = dv.read(table, **roles)
    report.add(f"{records:,} records x 11: arrays to codes", best(lambda: data.load(list(table)), 1, wait))
    report.add(
        "counting ten keys and a target, transfer included",
        best(lambda: dv.ask(data, **asked).counts, 1, wait),
    )
    spent = best(lambda: [one.value for one in dv.measure(data, **asked, permutations=0)], 1, wait)
    report.add("all measures of these counts", spent)
    question = dv.ask(data, **asked)
    for name, own, times in (("on the card", data.dealing, 5), ("by the processor", None, 1)):
        spent = (
            best(lambda own=own, times=times: [*shuffles(question.counts, times, 1, own)], 1, wait) / times
        )
        report.add(f"a shuffle of these targets and its counts, {name}", spent)


def census(xp: Any, records: int, path: Path) -> None:
    """The census of ``bench audit`` as a Parquet file of texts, drawn on the card and written by DuckDB."""
    import duckdb

    from bench.audit import VALUES
    from divulge.engines.gpu.arrays import fetched

    xp.random.seed(8)
    columns = {}
    for name, values in VALUES.items():
        lengths = xp.ceil(xp.log(1 - xp.random.random(records)) / np.log1p(-min(0.9, 3 / values)))
        columns[name] = xp.clip(lengths - 1, 0, values - 1).astype(np.int16)
    columns["income"] = (columns["education"] + xp.random.randint(0, 12, records)) % 12
    columns["health"] = xp.minimum(columns["age"] // 20 + xp.random.randint(0, 2, records), 4)
    held = {name: fetched(xp, codes.astype(np.int16)) for name, codes in columns.items()}
    texts = ", ".join(f"'{name} ' || {name} AS {name}" for name in held)
    with duckdb.connect() as session:
        session.register("held", held)
        session.execute(f"COPY (SELECT {texts} FROM held) TO '{path}' (FORMAT parquet)")


def audited(report: Report, card: Any, records: int, engines: Sequence[str]) -> None:
    """A whole audit from Parquet to the page, with the seconds of each stage and of counting alone."""
    import divulge as dv
    from bench.audit import ROLES
    from divulge.engines.gpu import counting
    from divulge.engines.gpu import engine as gpu_engine
    from divulge.report.audit.page import page

    with TemporaryDirectory() as folder:
        path = Path(folder) / "census.parquet"
        census(card.xp, records, path)
        card.xp.get_default_memory_pool().free_all_blocks()
        for engine in engines:
            stages: list[tuple[str, float]] = []
            counted: list[float] = []
            with ExitStack() as stack:
                for module, name in ((counting, "joint_counts"), (gpu_engine, "subset_sums")):
                    stack.enter_context(patch.object(module, name, timed(getattr(module, name), counted)))
                began = time.perf_counter()
                data = dv.read(path, **ROLES, **({} if engine == "local" else {"engine": engine}))
                found = dv.audit(data, stage=lambda name, to=stages: to.append((name, time.perf_counter())))
                stages.append(("Telling", time.perf_counter()))
                page(found.to_dict())
                spent = time.perf_counter() - began
            ends = [at for _, at in stages[1:]] + [began + spent]
            by_stage = {name: round(end - at, 1) for (name, at), end in zip(stages, ends, strict=True)}
            report.add(
                f"whole audit of {records:,} records x 10 from Parquet, engine {engine}",
                spent,
                counting=f"{sum(counted):.1f} s in {len(counted)} counts",
                stages=by_stage,
            )


#: How wide the groups of each level are, for attributes of a census.
WIDTHS = {
    "age": (5, 10, 20),
    "region": (4, 12),
    "education": (3, 6),
    "marital": (2,),
    "household": (2,),
    "born": (5, 10),
    "work": (3,),
    "sex": (),
}
POLICIES: dict[str, dict[str, Any]] = {
    "k of 5": {"k_anonymity": {"min": 5}},
    "k of 5, l of 3, t of 0.3": {
        "k_anonymity": {"min": 5},
        "distinct_l_diversity": {"min": 3},
        "t_closeness": {"max": 0.3},
    },
}


def searched(report: Report, card: Any, records: int, bandwidth: float, engines: Sequence[str]) -> None:
    """The release of least loss among all combinations of levels, 4 % of the records suppressed at most."""
    import divulge as dv
    from bench.audit import VALUES
    from divulge.generalization import search as searching
    from divulge.generalization.criteria import criteria_of
    from divulge.generalization.deadline import Deadline
    from divulge.generalization.encoding import encoded
    from divulge.generalization.lattice import GeneralizationLattice
    from divulge.generalization.losses import LOSSES, LossTables
    from divulge.policy import Policy
    from divulge.table.hierarchy import Hierarchy

    columns = drawn(card.xp, records, [*VALUES.values(), 12], 4)
    table = {name: one.codes for name, one in zip([*VALUES, "income"], columns, strict=True)}
    trees = {
        name: Hierarchy.of(
            [(str(i), *(str(i // wide) for wide in WIDTHS[name]), "*") for i in range(1, values + 1)],
            attribute=name,
        )
        for name, values in VALUES.items()
    }
    roles = {name: {"role": "quasi-identifier"} for name in VALUES} | {"income": {"role": "sensitive"}}
    for policy, thresholds in POLICIES.items():
        best = []
        asked = Policy.of({"attributes": roles, "thresholds": thresholds})
        for engine in engines:
            data = dv.read(
                table,
                quasi_identifiers=list(VALUES),
                sensitive="income",
                **({} if engine == "local" else {"engine": engine}),
            )
            criteria = criteria_of(asked.thresholds, list(trees), ("income",))
            began = time.perf_counter()
            coded = encoded(data, trees, criteria.targets, {})
            ready = time.perf_counter() - began
            costs = LossTables(LOSSES["granularity"], coded, {})
            lattice = GeneralizationLattice(coded, criteria, costs, int(0.04 * records))
            with patch.object(searching, "MOST_WORK", math.inf):  # all of them, whatever it takes
                found = searching.search(lattice, lambda levels: True, deadline=Deadline())
            spent = time.perf_counter() - began
            best.append((found.best[0].levels, round(found.best[0].loss, 12)))
            copy = coded.nodes * len(coded.keys) * 16 / bandwidth
            report.add(
                f"least loss of {coded.nodes:,} transformations of {records:,} records, {policy}, {engine}",
                spent,
                encoding=f"{ready:.2f} s",
                classes=f"{len(coded.keys):,}",
                evaluated=f"{found.certificate.evaluated:,}",
                proved=found.certificate.proved,
                speed=f"{copy / spent:.2f} times a copy of all classes for each",
            )
        assert all(one == best[0] for one in best), best


def timed(work: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """The same, with the seconds that each call takes."""

    def run(*given: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return work(*given, **named)
        finally:
            spent.append(time.perf_counter() - began)

    return run


def main(full: bool = True) -> None:
    from divulge.engines.gpu.arrays import found_card
    from divulge.engines.gpu.opening import find_card

    about, card = found_card(), find_card()
    wait = card.xp.cuda.Device().synchronize
    bandwidth = copied(card.xp, wait)
    print(f"{about.name}, {about.memory / 1e9:.0f} GB, CuPy {about.cupy}, {os.cpu_count()} cores")
    print(f"a copy on the card reads and writes {bandwidth / 1e12:.2f} TB/s")
    report = Report()
    for records in (10**6, 10**7, 10**8) if full else (10**6,):
        subsets(report, card, records, bandwidth, wait)
        card.xp.get_default_memory_pool().free_all_blocks()
    for records in (10**8, 10**9) if full else (10**7,):
        question(report, card, records, bandwidth, wait)
        card.xp.get_default_memory_pool().free_all_blocks()
    for records, engines in ((10**6, ("gpu", "local")), (10**7, ("gpu",))) if full else ((10**5, ("gpu",)),):
        searched(report, card, records, bandwidth, engines)
        card.xp.get_default_memory_pool().free_all_blocks()
    about_target(report, card, 10**8 if full else 10**6, wait)
    audits = ((10**6, ("gpu", "local")), (10**7, ("gpu",)), (10**8, ("gpu",)))
    for records, engines in audits if full else ((10**5, ("gpu",)),):
        audited(report, card, records, engines)
    save("gpu", [{"card": about._asdict(), "bandwidth": bandwidth, "results": report.lines}])


if __name__ == "__main__":
    main("--quick" not in sys.argv)
