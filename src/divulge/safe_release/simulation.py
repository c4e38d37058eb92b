"""What would leave if everyone asked: requests in random order, run after run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge import documents
from divulge._support.notebook import table_view
from divulge._support.threads import cached_property
from divulge._support.wording import many, percent
from divulge.documents.release import SimulationDocument
from divulge.errors import ParameterError, SchemaError
from divulge.safe_release import leaving
from divulge.safe_release.baseline import Baseline
from divulge.safe_release.cost import check_runs
from divulge.safe_release.decision import Reason, stuck, typical
from divulge.safe_release.domain import NOWHERE, Cell, Domain, HolderTable, label
from divulge.safe_release.printable import printable
from divulge.safe_release.rules import KLD, MIS, TESTS
from divulge.safe_release.state import Guard, State

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
POINTS = 200  # sizes at which exposure over time is read
GROUPS = 20  # bars of a histogram
LARGEST, SAMPLES, BINS = 5000, 2000, 30  # of the statistic by chance: records, samples, bars
REFUSED = (Reason.UNKNOWN_TARGET, Reason.UNKNOWN_VALUE)  # why a record never leaves, the first that applies


@dataclass(frozen=True, eq=False)
class Simulation:
    """Several runs of the same table under the same guard."""

    table: HolderTable
    guard: Guard
    requests: int  # of each run
    seed: int
    requested: IntArray  # by run and target
    refused: IntArray  # for good, by run, reason and target
    outside: IntArray  # what is outside at the end, by run, value and target
    first: tuple[Cell, ...]  # the cells that left in the first run, in order
    dependencies: tuple[str, ...] = ()  # all that were guarded, where there are several
    stuck_together: npt.NDArray[np.bool_] | None = None  # by run and target, under all of them

    @property
    def runs(self) -> int:
        return len(self.outside)

    def _repr_html_(self) -> str:
        found = printable(self.to_dict(pictures=False))
        names = ("target", "records", "requested", "released", "waiting", "share")
        rows = [[one[name] for name in names] for one in found["by_target"]]
        note = f"{percent(found['share'])} of {many(self.requests)} requests released, {many(self.runs)} runs"
        return table_view("Release simulation", names, rows, note)

    @property
    def released(self) -> IntArray:
        """Records that left, by run and target."""
        return _of_targets(self.outside.sum(axis=1), self.guard.domain, self.table.domain)

    @property
    def by_cell(self) -> FloatArray:
        """Records that left, by value and target of the table, on average over the runs."""
        rows, columns = map(np.asarray, self.guard.domain.places_or_nowhere(self.table.domain))
        found: FloatArray = self.outside.mean(axis=0)[rows][:, columns]
        found[rows == NOWHERE] = 0.0
        found[:, columns == NOWHERE] = 0.0
        return found

    @property
    def waiting(self) -> IntArray:
        """Records that were asked for and may leave once others have, by run and target."""
        return self.requested - self.released - self.refused.sum(axis=1)

    @cached_property
    def stuck(self) -> npt.NDArray[np.bool_]:
        """By run and target of the baseline, whether no record of the target could leave at the end."""
        if self.stuck_together is not None:
            return self.stuck_together
        return np.array([stuck(State.of(self.guard, counts))[0] for counts in self.outside])

    @property
    def stuck_runs(self) -> int:
        """Runs that ended with a set that no record could join, whichever was asked for."""
        return int(self.stuck[:, self.guard.baseline.target_shares > 0].all(axis=1).sum())

    @property
    def released_by_target(self) -> dict[object, float]:
        """Records of each target that left, on average over the runs."""
        return dict(zip(self.table.domain.targets, self.released.mean(axis=0).tolist(), strict=True))

    def passing(self, test: str) -> int | None:
        """In how many runs the set at the end passes a test; None where it cannot be carried out.

        Every test has the level that each comparison of the simulation has.
        """
        critical = self.guard.critical
        rules = replace(
            critical.rules, tests=(test,), alpha=critical.level, samples=critical.samples, familywise=False
        )
        try:
            guard = Guard(self.guard.baseline, rules)
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

    def to_dict(self, source: str = "a table", *, pictures: bool = True) -> SimulationDocument:
        """The simulation as a document of plain values; ``pictures`` adds distributions that are drawn."""
        domain, evolution = self.table.domain, self.evolution()
        fits = fitting(self.table, self.guard.baseline)
        contents = {
            "source": source,
            "shows_values": True,
            "x": list(domain.x),
            "y": list(domain.y),
            "values": len(domain.values),
            "records": self.table.records,
            "requests": self.requests,
            "runs": self.runs,
            "seed": self.seed,
            "rules": self.guard.rules.to_dict(),
            "level": self.guard.critical.level,
            "comparisons": self.guard.rules.comparisons(self.guard.baseline.expected[1]),
            "targets": [label(target) for target in domain.targets],
            "released_by_target": {label(target): mean for target, mean in self.released_by_target.items()},
            "by_target": [self._target(place, float(fits[place])) for place in range(len(domain.targets))],
            "requested": float(self.requests),
            "released": float(self.released.sum(axis=1).mean()),
            "share": float(self.released.sum(axis=1).mean() / self.requests),
            "waiting": float(self.waiting.sum(axis=1).mean()),
            "refused": float(self.refused.sum(axis=(1, 2)).mean()),
            "stuck_runs": self.stuck_runs,
            "stuck_targets": float(self.stuck.sum(axis=1).mean()),
            "refused_by_reason": {
                str(reason): float(self.refused[:, place].sum(axis=1).mean())
                for place, reason in enumerate(REFUSED)
            },
            "fitting": float(fits.sum()),
            "cross_safety": {test: self.passing(test) for test in TESTS},
            "evolution": [_moment(state) for state in evolution],
        }
        if self.dependencies:
            contents["dependencies"] = list(self.dependencies)
        if pictures:
            end = evolution[-1] if evolution else State.start(self.guard)
            contents |= {
                "typical": typical(end),
                "histograms": self._histograms(),
                "statistics": _statistics([one for one in evolution if one.records <= LARGEST]),
            }
        return documents.headed("release simulation", contents)

    def _target(self, place: int, fits: float) -> dict[str, Any]:
        released, requested = self.released[:, place], float(self.requested[:, place].mean())
        return {
            "target": label(self.table.domain.targets[place]),
            "records": int(self.table.counts[:, place].sum()),
            "requested": requested,
            "released": float(released.mean()),
            "deviation": float(released.std(ddof=1)) if self.runs > 1 else None,
            "waiting": float(self.waiting[:, place].mean()),
            "refused": float(self.refused[:, :, place].sum(axis=1).mean()),
            "share": float(released.mean() / requested) if requested else None,
            "fitting": fits,
        }

    def _histograms(self) -> dict[str, Any]:
        """Records of every target by value, in the table and released; many values are drawn in groups."""
        domain = self.table.domain
        rows = np.asarray(self.guard.domain.places_or_nowhere(domain)[0])
        shares = np.where(rows == NOWHERE, 0.0, self.guard.baseline.shares[rows])
        outside = self.by_cell
        groups = np.array_split(np.arange(len(domain.values)), min(GROUPS, len(domain.values)))
        starts = [int(one[0]) for one in groups]
        table, released = (np.add.reduceat(counts, starts, axis=0) for counts in (self.table.counts, outside))
        return {
            "groups": [
                {
                    "values": " to ".join(
                        dict.fromkeys(label(domain.values[place]) for place in (one[0], one[-1]))
                    ),
                    "numbers": _numbers(int(one[0]) + 1, int(one[-1]) + 1),
                    "expected": float(shares[one].sum()),
                }
                for one in groups
            ],
            "targets": [
                {
                    "target": label(target),
                    "records": table[:, place].astype(float).tolist(),
                    "released": released[:, place].tolist(),
                }
                for place, target in enumerate(domain.targets)
            ],
        }


def simulate(
    table: HolderTable, guard: Guard, *, runs: int = 20, requests: int | None = None, seed: int = 1
) -> Simulation:
    """Have the table's records asked for in random orders, all of them or the first so many of each order."""
    most, asked = table.records, asked_for(table, runs, requests, seed)
    check_runs(runs, asked, guard.domain.shape[0] * guard.domain.shape[1])
    records = _Records.of(table, guard.baseline)
    limits = guard.limits(asked)
    requested, refused, outside = [], [], []
    first: tuple[Cell, ...] = ()
    for run in range(runs):
        order = np.random.default_rng([seed, run]).permutation(most)[:asked]
        requested.append(records.by_target(order))
        refused.append(
            [records.by_target(order[records.reason[order] == one]) for one in range(len(REFUSED))]
        )
        order = order[records.reason[order] < 0]
        xs, ys = records.x[order], records.y[order]
        state = State.start(guard)
        left = leaving.run_cells(state.outside, limits, xs, ys)
        outside.append(state.counts)
        if run == 0:
            first = tuple(Cell(int(x), int(y)) for x, y in zip(xs[left], ys[left], strict=True))
    return Simulation(
        table, guard, asked, seed, np.stack(requested), np.array(refused), np.stack(outside), first
    )


def asked_for(table: HolderTable, runs: int, requests: int | None, seed: int) -> int:
    """How many requests each run has; refuses runs that cannot be."""
    most = table.records
    asked = most if requests is None else requests
    if runs < 1 or not 1 <= asked <= most:
        raise ParameterError(
            f"{runs} runs of {asked} requests were given, and the table has {most} records.",
            hint="Give 1 run or more, and at most one request for each record.",
        )
    if seed < 0:
        raise ParameterError(f"The seed must be 0 or more, not {seed}.", hint="Give 0 or more.")
    return asked


@dataclass(frozen=True, eq=False)
class _Records:
    """The records of a table one by one: their cells, and why some of them never leave."""

    targets: int  # of the table
    target: IntArray  # of the table
    x: IntArray  # on the baseline's domain, as far as it has them
    y: IntArray
    reason: IntArray  # a place in REFUSED; below 0 where a record may leave

    @classmethod
    def of(cls, table: HolderTable, baseline: Baseline) -> _Records:
        values, targets = np.nonzero(table.counts)
        often = table.counts[values, targets]
        values, targets = np.repeat(values, often), np.repeat(targets, often)
        rows, columns = (np.asarray(one) for one in baseline.domain.places_or_nowhere(table.domain))
        reason = np.full(len(values), -1)
        for place, unknown in (  # of two reasons the first, as in a decision
            (REFUSED.index(Reason.UNKNOWN_VALUE), ~_expected(baseline.shares, rows)[values]),
            (REFUSED.index(Reason.UNKNOWN_TARGET), ~_expected(baseline.target_shares, columns)[targets]),
        ):
            reason[unknown] = place
        return cls(table.counts.shape[1], targets, rows[values], columns[targets], reason)

    def by_target(self, chosen: IntArray) -> IntArray:
        return np.bincount(self.target[chosen], minlength=self.targets)


def _expected(shares: FloatArray, places: IntArray) -> npt.NDArray[np.bool_]:
    """Which places are in the domain and expected at all."""
    return (places != NOWHERE) & (shares[places] > 0)


def _of_targets(counts: IntArray, domain: Domain, wanted: Domain) -> IntArray:
    """Counts by target of a domain, for the targets of another; none of those that it lacks."""
    places = np.asarray(domain.places_or_nowhere(wanted)[1])
    return np.where(places == NOWHERE, 0, counts[..., places])


def fitting(table: HolderTable, baseline: Baseline) -> FloatArray:
    """Records of each target that could leave if they had to be distributed exactly as the baseline."""
    rows, columns = (np.asarray(one) for one in baseline.domain.places_or_nowhere(table.domain))
    counts = np.zeros((len(baseline.shares), table.counts.shape[1]), np.int64)
    counts[rows[rows != NOWHERE]] = table.counts[rows != NOWHERE]
    expected = baseline.shares > 0
    found = (counts[expected] / baseline.shares[expected, None]).min(axis=0)
    return np.where(_expected(baseline.target_shares, columns), found, 0.0)


def each(table: HolderTable, guard: Guard, **options: Any) -> list[Simulation]:
    """The same requests under every test by itself that can be carried out on the baseline."""
    found = []
    for test in TESTS:
        try:
            alone = Guard(guard.baseline, replace(guard.rules, tests=(test,)))
        except SchemaError:
            continue
        found.append(simulate(table, alone, **options))
    return found


def _numbers(first: int, last: int) -> str:
    return f"value {first}" if first == last else f"values {first} to {last}"


def _statistics(evolution: Sequence[State]) -> list[dict[str, Any]]:
    """The statistic of each information test by chance, for as many records as the last state has.

    Kullback-Leibler distances are those of the target with most records.
    """
    if not evolution:
        return []
    state, found = evolution[-1], []
    for test in [one for one in state.guard.rules.tests if one in (MIS, KLD)]:
        y = None if test == MIS else int(state.outside.totals.argmax())
        records = state.records if y is None else int(state.outside.totals[y])
        bits = state.outside.surprise.sum() if y is None else state.outside.surprise[y]
        critical = state.guard.critical
        found.append(
            {
                "test": test,
                "target": None if y is None else label(state.guard.domain.targets[y]),
                "records": records,
                "degrees": critical.degrees(test),
                "samples": SAMPLES,
                "value": 2 * math.log(2) * float(bits) if math.isfinite(bits) else None,
                "critical": 2 * math.log(2) * records * critical.limit(test, records),
                "bins": critical.distribution(test, records, SAMPLES, BINS),
            }
        )
    return found


def _moment(state: State) -> dict[str, Any]:
    exposures = [
        {**one.to_dict(), "target": None if one.target is None else label(one.target)}
        for one in state.exposures()
    ]
    return {"records": state.records, "exposures": exposures, **state.readings}
