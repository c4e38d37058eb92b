"""What would leave if everyone asked, where several dependencies are guarded together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.safe_release.cost import check_runs
from divulge.safe_release.decision import Reason, stuck
from divulge.safe_release.domain import NOWHERE, Cell, HolderTable
from divulge.safe_release.several.guards import JointGuard
from divulge.safe_release.several.tables import JointTable
from divulge.safe_release.simulation import REFUSED, Simulation, asked_for

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def simulate_together(
    table: JointTable, guard: JointGuard, *, runs: int = 20, requests: int | None = None, seed: int = 1
) -> list[Simulation]:
    """Have the table's records asked for in random orders: what leaves, as each dependency counts it.

    With one dependency, or the same one twice, it is what ``simulate`` gives.
    """
    asked = asked_for(table, runs, requests, seed)
    check_runs(runs, asked, guard.domain.shape[0])
    kinds = np.repeat(np.arange(len(table.counts)), table.counts[:, 0])
    places = np.asarray(guard.domain.places_or_nowhere(table.domain)[0])
    reasons = _reasons(guard, places)
    requested, outside, first = [], [], np.zeros(0, np.int64)
    for run in range(runs):
        order = kinds[np.random.default_rng([seed, run]).permutation(len(kinds))[:asked]]
        requested.append(np.bincount(order, minlength=len(places)))
        order = places[order[reasons[order] < 0]]
        left = order[guard.start().run(order)]
        outside.append(np.bincount(left, minlength=len(guard.kinds.values)))
        first = left if run == 0 else first
    ends = [guard.state(counts.reshape(-1, 1)) for counts in outside]
    by_run = [stuck(one) for one in ends]
    seen = np.stack(requested), reasons, np.stack(outside), first
    return [
        _seen(table, guard, place, (asked, seed), *seen, np.array([one[place] for one in by_run]))
        for place in range(len(guard.parts))
    ]


def _seen(
    table: JointTable,
    guard: JointGuard,
    place: int,
    conditions: tuple[int, int],
    requested: IntArray,
    reasons: IntArray,
    outside: IntArray,
    first: IntArray,
    stuck_together: BoolArray,
) -> Simulation:
    """The runs by the cells of one dependency."""
    one, cells, part = guard.parts[place], guard.cells[place], table.parts[place]
    values, targets = one.domain.shape
    of_table = _cells(table, place)
    by_target = of_table % part.domain.shape[1]
    found = np.zeros((len(outside), values * targets), np.int64)
    known = cells != NOWHERE
    for run, counts in enumerate(outside):
        found[run] = np.bincount(cells[known], weights=counts[known], minlength=values * targets)
    shown = HolderTable(part.domain, _projected(table.counts[:, 0], of_table, part.domain.shape))

    def tallied(counts: IntArray) -> IntArray:
        return np.stack(
            [np.bincount(by_target, weights=row, minlength=part.domain.shape[1]) for row in counts]
        ).astype(np.int64)

    refused = np.stack([tallied(requested * (reasons == number)) for number in range(len(REFUSED))], axis=1)
    left = tuple(Cell(*divmod(int(cell), targets)) for cell in cells[first])
    asked, seed = conditions
    return Simulation(
        shown,
        one,
        asked,
        seed,
        tallied(requested),
        refused,
        found.reshape(-1, values, targets),
        left,
        tuple(each.name for each in guard.parts),
        stuck_together,
    )


def _cells(table: JointTable, place: int) -> IntArray:
    """The cell of each kind of a table in one of its dependencies."""
    return JointGuard.cells_of(table.domain, table.parts[place].domain, place)


def _projected(counts: IntArray, cells: IntArray, shape: tuple[int, int]) -> IntArray:
    found = np.bincount(cells, weights=counts, minlength=shape[0] * shape[1])
    return found.astype(np.int64).reshape(shape)


def _reasons(guard: JointGuard, places: IntArray) -> IntArray:
    """Why records of each kind never leave, as a place in ``REFUSED``; below 0 where they may."""
    state = guard.start()
    of = {"value": REFUSED.index(Reason.UNKNOWN_VALUE), "target": REFUSED.index(Reason.UNKNOWN_TARGET)}
    return np.array([of.get(state.unknown(Cell(int(place), 0)) or "", -1) for place in places])
