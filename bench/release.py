"""Decisions to release a record: how many a second, and whether it matters how many records are outside."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.harness import run, save
from divulge.safe_release import (
    TESTS,
    Cell,
    Controller,
    Guard,
    HolderTable,
    State,
    decide,
    kernels,
    leaving,
    table_of,
)

Run = Callable[[], Any]
Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]
Decisions = Callable[[State, Sequence[Cell]], list[bool]]

ALPHA = 0.2
OUT = (10**4, 10**6)  # records outside before the first decision
REQUESTS = 10_000  # of a simulation
DECISIONS, BEFORE, BY_PEER = 1_000, 2_000, 300  # timed; requests that fill the queue; timed of the peer
TRIES = 5
AIM, SIMULATION_AIM = 20_000, 1.0  # decisions a second by MIS on the small domain; seconds of a simulation
CHOICES = {**{test: (test,) for test in TESTS}, "all": TESTS}
#: Soldiers by age (rows) and location, as published with the safe-release tests.
MILITARY = [
    [72, 26, 38, 47, 73],
    [151, 53, 82, 140, 223],
    [539, 147, 449, 505, 736],
    [452, 114, 370, 418, 613],
    [335, 213, 234, 318, 501],
    [321, 238, 277, 332, 538],
    [128, 219, 122, 162, 220],
    [20, 205, 50, 49, 76],
    [9, 71, 28, 34, 31],
    [2, 13, 2, 2, 2],
]


# -- what is released -----------------------------------------------------------------------------


def made_up(values: int, targets: int) -> Counts:
    """A million records in which every value of X is more frequent for some targets than for others."""
    rng = np.random.default_rng(1)
    shares = np.outer(rng.dirichlet(np.full(values, 4.0)), rng.dirichlet(np.full(targets, 4.0)))
    shares *= rng.exponential(size=shares.shape)
    return rng.multinomial(10**6, (shares / shares.sum()).ravel()).reshape(shares.shape)


def table(domain: str) -> HolderTable:
    return table_of(MILITARY if domain == "10 x 5" else made_up(100, 100))


def without_dependency(counts: Counts) -> Shares:
    return np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum() ** 2


def drawn(shares: Shares, length: int, seed: int) -> list[Cell]:
    """Cells of requests, by their shares."""
    places = np.random.default_rng(seed).choice(shares.size, length, p=shares.ravel())
    return [Cell(*divmod(place, shares.shape[1])) for place in places.tolist()]


def outside(guard: Guard, counts: Counts, records: int) -> tuple[State, State]:
    """Two safe sets of about so many records: with as little dependency as can be, and with as much."""
    own, free = counts / counts.sum(), without_dependency(counts)

    def state(dependency: float) -> State:
        shares = dependency * own + (1 - dependency) * free
        return State.of(guard, np.rint(records * shares).astype(np.int64))

    # Rounded counts without dependency may not pass Dixon's test: a little of it makes targets alike again.
    least = next(part for part in np.linspace(0, 1, 101) ** 2 if state(part).safe)
    most, beyond = (1.0, 1.0) if state(1.0).safe else (least, 1.0)
    for _ in range(20):
        middle = (most + beyond) / 2
        most, beyond = (middle, beyond) if state(middle).safe else (most, middle)
    return state(least), state(most)


# -- contenders -----------------------------------------------------------------------------------


def decided(state: State, cells: Sequence[Cell]) -> list[bool]:
    """One decision after the other, each on what is outside after those before."""
    found = []
    for cell in cells:
        verdict = decide(state, cell)
        state = verdict.following
        found.append(verdict.released)
    return found


def recomputed(state: State, cells: Sequence[Cell]) -> list[bool]:
    """The same by NumPy, from the whole table of counts each time; values are not merged for chi-square."""
    tests, limits, counts = state.guard.rules.tests, state.limits, state.counts
    found = []
    for cell in cells:
        following = counts.copy()
        following[cell] += 1
        found.append(is_safe(following, limits, tests))
        counts = following if found[-1] else counts
    return found


def is_safe(counts: Counts, limits: kernels.TestLimits, tests: Sequence[str]) -> bool:
    totals = counts.sum(axis=0)
    expected = limits.shares[:, None] * totals
    bits = (counts * np.log2(np.where(counts > 0, counts / expected, 1.0))).sum(axis=0)
    if "mis" in tests and bits.sum() >= limit(limits.mutual, limits.joint, limits.small, totals.sum()):
        return False
    if "kld" in tests and (bits >= limit(limits.distance, limits.by_degrees, limits.small, totals)).any():
        return False
    distant = (counts - expected) ** 2 / expected if "cst" in tests else np.zeros((1, 1))
    if (distant.sum(axis=0) >= limits.by_degrees[-1]).any():
        return False
    return "dqt" not in tests or dixon_is_safe(np.sort(bits / totals), limits.ratios)


def limit(simulated: Shares, chi_square: Shares, small: int, records: Any) -> Any:
    few = simulated[np.minimum(records, len(simulated) - 1)]
    return np.where(records <= small, few, chi_square[-1] / (2 * math.log(2)))


def dixon_is_safe(distances: Shares, ratios: Shares) -> bool:
    gaps = np.diff(distances)
    different = 1 + np.count_nonzero(gaps > kernels.SAME + kernels.TIE * distances[1:])
    return bool(different < 3 or gaps[-1] / (distances[-1] - distances[0]) < ratios[different])


def measured(domain: str) -> Run:
    """All figures of a domain, compiled loops loaded before."""
    for tests in CHOICES.values():
        small = Guard.of(table_of(np.full((3, 3), 100)), tests, ALPHA, samples=100)
        request(State.start(small), [Cell(place % 3, place // 3 % 3) for place in range(50)], 10)
        leaving.run_cells(State.start(small).outside, small.limits(1), np.zeros(1, int), np.zeros(1, int))
    given = table(domain)
    guards = {name: Guard.of(given, tests, ALPHA) for name, tests in CHOICES.items()}
    return lambda: {"simulations": simulations(given, guards), "decisions": decisions(given, guards)}


# -- figures --------------------------------------------------------------------------------------


def simulations(given: HolderTable, guards: dict[str, Guard]) -> list[dict[str, Any]]:
    """Seconds of all limits, found for the first time in this process, and of a simulation by them."""
    records = np.repeat(np.arange(given.counts.size), given.counts.ravel())
    xs, ys = np.divmod(np.random.default_rng(1).permutation(records)[:REQUESTS], given.counts.shape[1])
    found: list[dict[str, Any]] = []
    for name, guard in guards.items():
        began = time.perf_counter()
        limits = guard.limits(max(OUT))
        found_in = time.perf_counter() - began
        if name == "all":  # has found those of the others already
            found_in += sum(one["limits"] for one in found)
        seconds, left = best(partial(simulated, guard, limits, xs, ys))
        found.append({"test": name, "limits": found_in, "seconds": seconds, "left": left})
    return found


def simulated(guard: Guard, limits: kernels.TestLimits, xs: Counts, ys: Counts) -> int:
    return len(leaving.run_cells(State.start(guard).outside, limits, xs, ys))


def decisions(given: HolderTable, guards: dict[str, Guard]) -> list[dict[str, Any]]:
    """Decisions a second: alone, by NumPy, and as requests to a controller with some waiting."""
    free = drawn(without_dependency(given.counts), DECISIONS, 2)
    own = drawn(given.counts / given.counts.sum(), BEFORE + DECISIONS, 3)
    found = []
    for name, guard in guards.items():
        for records in OUT:
            least, most = outside(guard, given.counts, records)
            alone, verdicts = rate(decided, least, free)
            peer, theirs = rate(recomputed, least, free[:BY_PEER])
            merging = "cst" in guard.rules.tests and least.counts.min() < 5
            if not merging and theirs != verdicts[:BY_PEER]:
                raise SystemExit(f"{name}: NumPy decides otherwise")
            row = {"test": name, "out": records, "decide": alone, "numpy": peer}
            found.append({**row, "released": sum(verdicts), **request(most, own, BEFORE)})
    return found


def best(contender: Run) -> tuple[float, Any]:
    """The least processor seconds of some tries, which all find the same, and what they find.

    All contenders keep to one thread, so on a machine that does nothing else these are seconds by the clock.
    """
    times = []
    for _ in range(TRIES):
        began = time.process_time()
        found = contender()
        times.append(time.process_time() - began)
    return min(times), found


def rate(contender: Decisions, state: State, cells: Sequence[Cell]) -> tuple[float, list[bool]]:
    seconds, verdicts = best(lambda: contender(state, cells))
    return len(cells) / seconds, verdicts


def request(state: State, cells: Sequence[Cell], before: int) -> dict[str, float]:
    """Requests a second once some have been made, the search of those waiting included."""
    first = Controller(state.guard, state)
    for number, cell in enumerate(cells[:before]):
        first.request(f"before {number}", cell)
    timed = list(enumerate(cells[before:]))

    def requested() -> int:
        controller = Controller(state.guard, first.state)
        controller.waiting = first.waiting.moved(state.guard.domain)
        return sum(len(controller.request(str(number), cell).left) for number, cell in timed)

    seconds, left = best(requested)
    waiting = np.count_nonzero(first.waiting.heads < leaving.NEVER)
    return {"request": len(timed) / seconds, "left": left / len(timed), "waiting_cells": int(waiting)}


# -- the run --------------------------------------------------------------------------------------


def tell_decisions(domain: str, rows: Sequence[dict[str, Any]]) -> None:
    """Each row with its ratio to the peer, and to the row before where that has fewer records outside."""
    print(f"\ndecisions a processor second, {domain} cells; / 10^4: times the time with 10^4 outside")
    print("test    outside    decide  / 10^4      NumPy  ratio     request  / 10^4   left   cells that wait")
    for before, row in zip([rows[0], *rows], rows, strict=False):
        more = [f"{before[what] / row[what]:8.2f}" for what in ("decide", "request")]
        if row["out"] == OUT[0]:
            more = [" " * 8] * 2
        print(
            f"{row['test']:4}  {row['out']:>9,}  {row['decide']:8,.0f}{more[0]}  {row['numpy']:9,.0f}"
            f"  {row['decide'] / row['numpy']:5.1f}  {row['request']:10,.0f}{more[1]}"
            f"  {row['left']:5.0%}   {row['waiting_cells']:6}"
        )


def tell_simulations(domain: str, rows: Sequence[dict[str, Any]]) -> None:
    print(f"\nsimulations of {REQUESTS:,} requests, {domain} cells: processor seconds; limits by the clock")
    print("test  seconds   limits     left")
    for row in rows:
        print(f"{row['test']:4}  {row['seconds']:7.3f}  {row['limits']:7.3f}  {row['left']:7,}")
    slowest = max(rows, key=itemgetter("seconds"))
    judge(
        f"the slowest, {slowest['test']}, takes {slowest['seconds']:.3f} s",
        slowest["seconds"] < SIMULATION_AIM,
    )


def judge(what: str, met: bool) -> None:
    print(f"{what}: the aim is {'met' if met else 'missed'}", flush=True)


def main(full: bool = True) -> None:
    tables = []
    for domain in ("10 x 5", "100 x 100") if full else ("10 x 5",):
        result = run("release", "measured", domain, repeats=1)
        tell_decisions(domain, result.answer["decisions"])
        if domain == "10 x 5":
            slowest = min(row["decide"] for row in result.answer["decisions"] if row["test"] == "mis")
            judge(f"at least {slowest:,.0f} decisions a second by MIS", slowest >= AIM)
        tell_simulations(domain, result.answer["simulations"])
        print(f"peak memory {result.peak:.0f} MiB, {result.at_rest:.0f} before")
        tables.append({"title": f"release, {domain} cells", **result.answer, "peak": result.peak})
    save("release", tables)


if __name__ == "__main__":
    main("--quick" not in sys.argv)
