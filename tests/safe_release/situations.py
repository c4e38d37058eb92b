"""Random baselines, rules and released sets, for Hypothesis; and what the reference makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from divulge.safe_release import TESTS, Baseline, Cell, Controller, Guard, HolderTable, Rules, State, table_of
from divulge.safe_release.rules import DEGREES, DQT, FORMS, LIMITS, MERGING
from divulge.safe_release.statistics.dixon import critical_ratio
from safe_release.reference import Held

Counts = npt.NDArray[np.int64]
SAMPLES = 200  # of simulated limits: few, since any limits will do
LEVELS = (0.01, 0.05, 0.2, 0.5)  # some that Dixon published, and one that he did not


def held(guard: Guard) -> Held:
    """What a guard holds a set to, for the reference."""
    rules = guard.rules
    return Held(
        guard.baseline.shares.tolist(),
        guard.baseline.target_shares.tolist(),
        rules.tests,
        rules.alpha,
        rules.degrees,
        rules.merging,
        guard.critical.limit,
        critical_ratio,
        rules.form,
        guard.baseline.counts.tolist() if rules.known_counts else None,
        guard.critical.small,
        lambda records: float(guard.critical.by_size("cst", records)[records]),
    )


def chance(draw: st.DrawFn) -> np.random.Generator:
    """Where numbers come from: Hypothesis chooses the kind of situation, and a seed the counts in it."""
    return np.random.default_rng(draw(st.integers(0, 10**6)))


@st.composite
def tables(draw: st.DrawFn) -> HolderTable:
    """Counts on two to five values and one to five targets, even or uneven, some cells empty."""
    values, targets = draw(st.integers(2, 5)), draw(st.integers(1, 5))
    return table_of(counted(chance(draw), values, targets, draw(st.sampled_from([2, 12, 60]))))


def counted(rng: np.random.Generator, values: int, targets: int, most: int) -> Counts:
    """Random counts in which the first and the last value occur, and all targets."""
    counts = rng.integers(0, most + 1, (values, targets))
    counts[0] += 1
    counts[-1, 0] += 1
    return counts


@st.composite
def rules(draw: st.DrawFn, table: HolderTable) -> Rules:
    """Any combination of tests that the table allows."""
    enough = table.domain.shape[1] >= 3
    possible = [test for test in TESTS if enough or test != DQT]
    tests = draw(st.sets(st.sampled_from(possible), min_size=1))
    form = draw(st.sampled_from(FORMS))
    degrees = draw(st.sampled_from(DEGREES))
    return Rules.of(
        sorted(tests),
        draw(st.sampled_from(LEVELS)),
        degrees=degrees,
        limits=draw(st.sampled_from(LIMITS if degrees == "domain" else LIMITS[1:])),
        merging=draw(st.sampled_from(MERGING)),
        samples=SAMPLES,
        seed=draw(st.integers(0, 3)),
        form=form,
        known_counts=form != "mean" and draw(st.booleans()),
    )


@st.composite
def guards(draw: st.DrawFn) -> Guard:
    table = draw(tables())
    return Guard(Baseline.of(table), draw(rules(table)))


@st.composite
def states(draw: st.DrawFn, *, changed: bool = False) -> State:
    """What might be outside: nothing, a handful, or many times the baseline with more or less noise.

    If the baseline has changed since, values and targets may be outside that it does not expect.
    """
    guard = draw(guards())
    rng = chance(draw)
    expected = np.outer(guard.baseline.shares, guard.baseline.target_shares)
    expected *= draw(st.sampled_from([40, 300, 5, 2000, 0]))
    noise = rng.normal(size=expected.shape) * np.sqrt(expected) * draw(st.sampled_from([0, 0.3, 1, 3]))
    state = State.of(guard, np.maximum(expected + noise + 0.5, 0).astype(np.int64) * (expected > 0))
    if changed:
        following = guard.baseline.following(draw(successors(guard)))
        state = state.under(Guard(following, guard.rules))
    return state


@st.composite
def successors(draw: st.DrawFn, guard: Guard) -> HolderTable:
    """A table to follow: other counts, perhaps a value more, perhaps without some values or targets."""
    rng = chance(draw)
    values, targets = guard.domain.shape
    counts = counted(rng, values + rng.integers(0, 2), targets, 60) + 1
    fewest = 3 if DQT in guard.rules.tests else 1
    if rng.random() < 0.5:
        counts[rng.permutation(len(counts))[: rng.integers(0, len(counts) - 1)], :] = 0
    if rng.random() < 0.5:
        counts[:, rng.permutation(targets)[: rng.integers(0, max(1, targets - fewest + 1))]] = 0
    return table_of(counts)


def cells(guard: Guard) -> st.SearchStrategy[Cell]:
    """Cells of records that might be asked for, those that the baseline never expects among them."""
    values, targets = guard.domain.shape
    return st.builds(Cell, st.integers(0, values - 1), st.integers(0, targets - 1))


def likely(guard: Guard, number: int, rng: np.random.Generator) -> list[Cell]:
    """Cells drawn from the baseline, so that many of them may leave."""
    xs = rng.choice(len(guard.baseline.shares), number, p=guard.baseline.shares)
    ys = rng.choice(len(guard.baseline.target_shares), number, p=guard.baseline.target_shares)
    return [Cell(int(x), int(y)) for x, y in zip(xs, ys, strict=True)]


@dataclass
class Step:
    """Something that happens to a controller: a request, a withdrawal, another table to follow."""

    request: Cell | None = None
    withdraw: int = 0  # which of those waiting
    table: HolderTable | None = None


@st.composite
def histories(draw: st.DrawFn, *, changes: bool = True) -> tuple[Controller, list[Step]]:
    """A controller at some point, and what happens next."""
    state, rng = draw(states()), chance(draw)
    guard = state.guard
    steps = [Step(cell) for cell in likely(guard, draw(st.sampled_from([0, 10, 40])), rng)]
    steps += draw(st.lists(st.builds(Step, cells(guard)), max_size=8))
    steps += draw(st.lists(st.builds(Step, withdraw=st.integers(0, 20)), max_size=4))
    if changes:
        steps += draw(st.lists(st.builds(Step, table=successors(guard)), max_size=2))
    return Controller(guard, state), [steps[place] for place in rng.permutation(len(steps))]
