"""What would leave if everyone asked: requests in random order, run after run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError, SchemaError
from divulge.release import kernels
from divulge.release.baseline import Baseline
from divulge.release.domain import Cell, Table, label
from divulge.release.rules import TESTS
from divulge.release.state import Guard, State

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
POINTS = 200  # sizes at which exposure over time is read
VERSION = 1  # of the document


@dataclass(frozen=True, eq=False)
class Simulation:
    """Several runs of the same table under the same guard."""

    table: Table
    guard: Guard
    requests: int  # of each run
    seed: int
    requested: IntArray  # by run and target
    outside: IntArray  # what is outside at the end, by run, value and target
    first: tuple[Cell, ...]  # the cells that left in the first run, in order

    @property
    def runs(self) -> int:
        return len(self.outside)

    @property
    def released(self) -> IntArray:
        """Records that left, by run and target."""
        return self.outside.sum(axis=1)

    @property
    def released_by_target(self) -> dict[object, float]:
        """Records of each target that left, on average over the runs."""
        return dict(zip(self.table.domain.targets, self.released.mean(axis=0).tolist(), strict=True))

    def passing(self, test: str) -> int | None:
        """In how many runs the set at the end passes a test; None where it cannot be carried out."""
        try:
            guard = Guard(self.guard.baseline, replace(self.guard.rules, tests=(test,)))
        except SchemaError:
            return None
        return sum(State.of(guard, counts).safe for counts in self.outside)

    def evolution(self) -> list[State]:
        """What was outside in the first run, at sizes spread evenly on a logarithmic scale."""
        sizes = set(np.geomspace(1, max(len(self.first), 1), POINTS).round().astype(int).tolist())
        state, found = State.start(self.guard), []
        for size, cell in enumerate(self.first, 1):
            state = state.after(cell)
            if size in sizes:
                found.append(state)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The simulation as a document of plain values."""
        domain = self.table.domain
        fits = fitting(self.table, self.guard.baseline)
        return {
            "document": "divulge release simulation",
            "version": VERSION,
            "x": list(domain.x),
            "y": list(domain.y),
            "values": len(domain.values),
            "records": self.table.records,
            "requests": self.requests,
            "runs": self.runs,
            "seed": self.seed,
            "rules": self.guard.rules.to_dict(),
            "targets": [label(target) for target in domain.targets],
            "released_by_target": {label(target): mean for target, mean in self.released_by_target.items()},
            "by_target": [self._target(place, float(fits[place])) for place in range(len(domain.targets))],
            "requested": float(self.requests),
            "released": float(self.released.sum(axis=1).mean()),
            "share": float(self.released.sum(axis=1).mean() / self.requests),
            "waiting": float(self.requests - self.released.sum(axis=1).mean()),
            "fitting": float(fits.sum()),
            "cross_safety": {test: self.passing(test) for test in TESTS},
            "evolution": [_moment(state) for state in self.evolution()],
        }

    def _target(self, place: int, fits: float) -> dict[str, Any]:
        released, requested = self.released[:, place], float(self.requested[:, place].mean())
        return {
            "target": label(self.table.domain.targets[place]),
            "records": int(self.table.counts[:, place].sum()),
            "requested": requested,
            "released": float(released.mean()),
            "deviation": float(released.std(ddof=1)) if self.runs > 1 else None,
            "share": float(released.mean() / requested) if requested else None,
            "fitting": fits,
        }


def simulate(
    table: Table, guard: Guard, *, runs: int = 20, requests: int | None = None, seed: int = 1
) -> Simulation:
    """Have the table's records asked for in random orders, all of them or the first so many of each order."""
    most = table.records
    asked = most if requests is None else requests
    if runs < 1 or not 1 <= asked <= most:
        raise ParameterError(
            f"{runs} runs of {asked} requests were asked for, and the table has {most} records.",
            hint="Runs and requests start at 1, and a record is asked for once.",
        )
    xs, ys = _records(table, guard.baseline)
    limits = guard.limits(asked)
    requested, outside = [], []
    first: tuple[Cell, ...] = ()
    for run in range(runs):
        order = np.random.default_rng([seed, run]).permutation(most)[:asked]
        state = State.start(guard)
        left = order[kernels.run(state.outside, limits, xs[order], ys[order])]
        requested.append(np.bincount(ys[order], minlength=len(table.domain.targets)))
        outside.append(state.counts)
        if run == 0:
            first = tuple(Cell(int(x), int(y)) for x, y in zip(xs[left], ys[left], strict=True))
    return Simulation(table, guard, asked, seed, np.stack(requested), np.stack(outside), first)


def _records(table: Table, baseline: Baseline) -> tuple[IntArray, IntArray]:
    """The cell of each record of the table, on the baseline's domain."""
    counts = baseline.domain.moved(table.counts, table.domain)
    xs, ys = np.nonzero(counts)
    return np.repeat(xs, counts[xs, ys]), np.repeat(ys, counts[xs, ys])


def fitting(table: Table, baseline: Baseline) -> FloatArray:
    """Records of each target that could leave if they had to be distributed exactly as the baseline."""
    counts = baseline.domain.moved(table.counts, table.domain)
    expected = baseline.shares > 0
    return (counts[expected] / baseline.shares[expected, None]).min(axis=0)


def each(table: Table, guard: Guard, **options: Any) -> list[Simulation]:
    """The same requests under every test by itself that can be carried out on the baseline."""
    found = []
    for test in TESTS:
        try:
            alone = Guard(guard.baseline, replace(guard.rules, tests=(test,)))
        except SchemaError:
            continue
        found.append(simulate(table, alone, **options))
    return found


def _moment(state: State) -> dict[str, Any]:
    exposures = [
        {**one.to_dict(), "target": None if one.target is None else label(one.target)}
        for one in state.exposures()
    ]
    return {"records": state.records, "exposures": exposures, **state.readings}
