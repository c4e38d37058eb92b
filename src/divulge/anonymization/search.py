"""The search for the transformation of least loss, and the proof that there is none of less."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge.anonymization.lattice import GeneralizationLattice, SingleNode
from divulge.anonymization.loss_order import LossOrder, perhaps_best

Floats = npt.NDArray[np.float64]
Levels = tuple[int, ...]
Accept = Callable[[Levels], bool]
Step = Callable[[int, int], None]
Stopped = Literal["time", "interrupt"]

MOST_WORK = 4e9  # nodes times classes that are evaluated one and all
MOST_NODES = 1 << 22  # that are held at once
COARSENING = "coarsening"  # merging groups never raises the risk: what fails fails at every finer node
LOSS_BOUND = "loss bound"  # suppressing a record never lowers the loss, which is known without suppression
MOST_SECONDS = 60.0  # that a lattice too large to be exhausted is searched for, unless another time is given
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Transformation:
    """A level for each quasi-identifier, and what becomes of the table: loss, and records suppressed."""

    levels: Mapping[str, int]
    loss: float
    suppressed: int = field(repr=False)
    classes: int  # groups that are left
    risk: float = field(repr=False)  # average re-identification risk of the records that are left


@dataclass(frozen=True)
class Certificate:
    """How it is known that nothing better exists: every transformation was evaluated or excluded by a law.

    ``bound`` is the least loss that a transformation not looked at could have; None where none is left.
    ``stopped`` is what ended the search before that.
    """

    transformations: int
    evaluated: int
    excluded: Mapping[str, int]
    proved: bool
    bound: float | None = None
    stopped: Stopped | None = None


@dataclass(eq=False)
class Deadline:
    """When the search has to stop; None: never."""

    seconds: float | None = None
    began: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.interrupted or (self.seconds is not None and self.elapsed >= self.seconds)

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self.began

    @property
    def why(self) -> Stopped | None:
        """What ended the search, where it had to end."""
        return "interrupt" if self.interrupted else "time" if self.over else None


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best transformation with those that come next, and the certificate."""

    best: tuple[Transformation, ...]  # the least loss first; none where nothing meets the policy
    certificate: Certificate
    sums: NodeSums | None = None  # of every node; one that was not evaluated suppresses too many


def feasible(lattice: GeneralizationLattice, sums: NodeSums) -> npt.NDArray[np.bool_]:
    """The nodes that suppress few enough records and meet every threshold on what is left."""
    left = lattice.left(sums)
    found: npt.NDArray[np.bool_] = left > 0
    for one in lattice.criteria.of_rest:
        found &= one.holds(sums, left)
    return found


def transformation(
    lattice: GeneralizationLattice, sums: NodeSums, losses: Floats, node: int, levels: Levels
) -> Transformation:
    """What was found of a node, in the terms of a user."""
    left = lattice.table.records - int(sums.suppressed[node])
    kept = int(sums.kept[node])
    return Transformation(
        lattice.table.by_name(levels), float(losses[node]), int(sums.suppressed[node]), kept, kept / left
    )


def search(
    lattice: GeneralizationLattice,
    accept: Accept,
    *,
    deadline: Deadline,
    most: int = 10,
    step: Step = lambda done, of: None,
) -> SearchResult:
    """The best transformations; ``accept`` decides on the release itself what counts do not.

    An interrupt ends it with the best so far; a second one ends all.
    """
    try:
        return _search(lattice, accept, deadline, most, step)
    except KeyboardInterrupt:
        deadline.interrupted = True
        return _search(lattice, accept, deadline, most, step)


def _search(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int, step: Step
) -> SearchResult:
    table = lattice.table
    if lattice.limit == 0 and lattice.criteria.coarsening and lattice.costs.loss.bounded and _held(lattice):
        return _by_coarsening(lattice, accept, deadline, most, step)
    if _held(lattice) and table.nodes * len(table.keys) <= MOST_WORK:
        return _whole(lattice, accept, deadline, most, step)
    if deadline.seconds is None:
        deadline.seconds = MOST_SECONDS
    return _by_bounds(lattice, accept, deadline, most, step)


def _held(lattice: GeneralizationLattice) -> bool:
    return lattice.table.nodes <= MOST_NODES


# -- every node ---------------------------------------------------------------------------------------


def _whole(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int, step: Step
) -> SearchResult:
    sums, done = lattice.room(), 0  # nodes found so far
    nodes = lattice.table.nodes
    try:
        for found in lattice.whole(sums, step):
            done = found
            if deadline.over:
                break
    except KeyboardInterrupt:
        deadline.interrupted = True
    losses = lattice.costs.losses(sums)
    looked = np.arange(nodes) < done
    sums.suppressed[~looked] = lattice.limit + 1
    order = LossOrder(lattice, sums, losses, feasible(lattice, sums), over=lambda: deadline.over)
    try:
        best = _accepted(lattice, sums, losses, order, accept, deadline, most)
    except KeyboardInterrupt:
        deadline.interrupted = True
        best = _accepted(lattice, sums, losses, order, accept, deadline, most)
    if deadline.over and not best.found:
        best.found += descended(lattice, accept, deadline)
    floors = [float(lattice.costs.bounds()[~looked].min())] if done < nodes else []
    bound = min([*floors, *order.open], default=None)
    open_bound = bound if bound is not None and (not best.found or bound < best.found[0].loss) else None
    proved = open_bound is None and best.sure
    excluded = _excluded({LOSS_BOUND: nodes - done}) if proved else {}
    certificate = Certificate(nodes, done, excluded, proved, open_bound, None if proved else deadline.why)
    return SearchResult(tuple(best.found), certificate, sums)


@dataclass
class _Best:
    found: list[Transformation]
    sure: bool  # whether all that would be better were refused


def _accepted(
    lattice: GeneralizationLattice,
    sums: NodeSums,
    losses: Floats,
    order: Iterable[int],
    accept: Accept,
    deadline: Deadline,
    most: int,
) -> _Best:
    """The first nodes that are accepted; after the best, the next are those that counts decide."""
    found: list[Transformation] = []
    for node in order:
        levels = lattice.table.levels(node)
        if not found:
            if deadline.over and lattice.criteria.unknown:
                return _Best(found, False)
            if not accept(levels):
                continue
        found.append(transformation(lattice, sums, losses, node, levels))
        if len(found) == most:
            break
    return _Best(found, True)


# -- the coarsening law ---------------------------------------------------------------------------------


def _by_coarsening(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int, step: Step
) -> SearchResult:
    """Nodes by loss, where nothing may be suppressed: one that fails excludes all finer ones.

    From a node on, the coarsest that fails is looked for by bisection along a chain upwards, since it
    excludes most. The loss of every node is known before, so the first that passes is the best.
    """
    shape = lattice.table.shape
    costs = lattice.costs.bounds()
    failed = np.zeros(shape, bool)
    one = SingleNode(lattice)
    known: dict[Levels, bool] = {}
    accepted: list[Transformation] = []

    def passes(levels: Levels) -> bool:
        if levels not in known:
            sums = one.find(levels)
            known[levels] = bool(feasible(lattice, sums)[0])
            if not known[levels]:
                failed[tuple(slice(0, level + 1) for level in levels)] = True
        return known[levels]

    flat = failed.reshape(-1)  # a view: what is marked is seen here
    bound, floor = None, 0.0
    try:
        for place, node in enumerate(np.argsort(costs, kind="stable").tolist()):
            if flat[node]:
                continue
            floor = float(costs[node])
            if deadline.over:
                bound = floor
                break
            step(place, lattice.table.nodes)
            levels = lattice.table.levels(node)
            if not passes(levels):
                _raise_failure(levels, shape, passes)
                continue
            if accepted or accept(levels):
                sums = one.find(levels)
                losses = np.asarray([costs[node]])
                accepted.append(transformation(lattice, sums, losses, 0, levels))
                if len(accepted) == most:
                    break
    except KeyboardInterrupt:
        deadline.interrupted = True
        bound = floor
    evaluated = len(known)
    if accepted:
        bound = None
    finer = int(failed.sum()) - sum(not passed for passed in known.values())
    rest = lattice.table.nodes - evaluated - finer
    excluded = _excluded({COARSENING: finer, LOSS_BOUND: rest if bound is None else 0})
    if bound is not None:
        passing = sorted(
            (levels for levels, passed in known.items() if passed),
            key=lambda levels: costs[np.ravel_multi_index(levels, shape)],
        )
        accepted += _first_accepted(lattice, accept, passing) or descended(lattice, accept, deadline)
        evaluated = max(evaluated, len(accepted))
    return SearchResult(
        tuple(accepted),
        Certificate(
            lattice.table.nodes,
            evaluated,
            excluded,
            bound is None,
            bound,
            None if bound is None else deadline.why,
        ),
    )


def _first_accepted(
    lattice: GeneralizationLattice, accept: Accept, nodes: Iterable[Levels]
) -> list[Transformation]:
    """The first of some nodes that meet all that counts decide and that is accepted; or none."""
    levels = next((levels for levels in nodes if accept(levels)), None)
    if levels is None:
        return []
    sums = SingleNode(lattice).find(levels)
    return [transformation(lattice, sums, _exact(lattice, levels, sums), 0, levels)]


def _raise_failure(levels: Levels, shape: tuple[int, ...], passes: Callable[[Levels], bool]) -> None:
    """Look for the coarsest node that fails on a chain from one that fails to the top."""
    chain = [levels]
    while (up := _next_up(chain[-1], shape)) is not None:
        chain.append(up)
    low, high = 0, len(chain)  # the first of them fails; one beyond the last stands for none
    while high - low > 1:
        middle = (low + high) // 2
        if passes(chain[middle]):
            high = middle
        else:
            low = middle


def _next_up(levels: Levels, shape: tuple[int, ...]) -> Levels | None:
    """One level up in the attribute that has most levels left; None at the top."""
    left = [wide - 1 - level for level, wide in zip(levels, shape, strict=True)]
    most = max(left)
    if most == 0:
        return None
    place = left.index(most)
    return (*levels[:place], levels[place] + 1, *levels[place + 1 :])


def _excluded(found: Mapping[str, int]) -> dict[str, int]:
    return {law: nodes for law, nodes in found.items() if nodes}


# -- best first, by bounds ------------------------------------------------------------------------------


def _by_bounds(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int, step: Step
) -> SearchResult:
    """Nodes in the order of the loss that they have at least, until that reaches the best that was found."""
    one = SingleNode(lattice)
    number = count()
    best = [(found.loss, next(number), found) for found in descended(lattice, accept, deadline)]
    evaluated, bound, floor = 0, None, 0.0
    seconds = int(deadline.seconds or 0)
    try:
        for floor, levels in _by_floor(lattice):
            if best and floor >= best[0][0] - _TOLERANCE:
                break
            if deadline.over:
                bound = floor
                break
            step(min(int(deadline.elapsed), seconds), seconds)
            sums = one.find(levels)
            evaluated += 1
            if not feasible(lattice, sums)[0]:
                continue
            losses = _exact(lattice, levels, sums)
            if (not best or losses[0] < best[0][0]) and not accept(levels):
                continue
            best.append((float(losses[0]), next(number), transformation(lattice, sums, losses, 0, levels)))
            best.sort(key=lambda entry: entry[:2])
            del best[most:]
    except KeyboardInterrupt:
        deadline.interrupted = True
        bound = floor
    nodes = lattice.table.nodes
    excluded = _excluded({LOSS_BOUND: nodes - evaluated}) if bound is None else {}
    found = tuple(entry[2] for entry in best[:most])
    why = None if bound is None else deadline.why
    return SearchResult(found, Certificate(nodes, evaluated, excluded, bound is None, bound, why))


def _exact(lattice: GeneralizationLattice, levels: Levels, sums: NodeSums) -> Floats:
    """The loss of a single node that was found."""
    [bound] = lattice.costs.losses_at([levels], sums).tolist()
    return np.asarray([lattice.loss_at(levels, int(sums.suppressed[0]), bound)])


def descended(lattice: GeneralizationLattice, accept: Accept, deadline: Deadline) -> list[Transformation]:
    """A good transformation found soon: down from the top, each time to where least is lost; or none.

    The top is looked at even where no time is left.
    """
    one, levels = SingleNode(lattice), tuple(wide - 1 for wide in lattice.table.shape)
    path: list[tuple[Levels, Transformation]] = []
    tried = [levels]
    while tried:
        steps: list[tuple[float, Levels, Transformation]] = []
        for here in tried:
            if path and deadline.over:
                break
            sums = one.find(here)
            if feasible(lattice, sums)[0]:
                losses = _exact(lattice, here, sums)
                steps.append((float(losses[0]), here, transformation(lattice, sums, losses, 0, here)))
        if not steps:
            break
        _, levels, found = min(steps, key=lambda step: step[:2])
        if path and found.loss >= path[-1][1].loss:
            break
        path.append((levels, found))
        tried = [
            (*levels[:place], level - 1, *levels[place + 1 :]) for place, level in enumerate(levels) if level
        ]
    return next(([found] for levels, found in reversed(path) if accept(levels)), [])


def _by_floor(lattice: GeneralizationLattice) -> Iterator[tuple[float, Levels]]:
    """Every node with the loss that it has at least, the least first.

    Each is made from the one that is one level lower in its last attribute above 0, so that none comes twice.
    """
    shape, floor_of = lattice.table.shape, lattice.costs.floor
    start = tuple(0 for _ in shape)
    waiting = [(floor_of(start), start, 0)]
    while waiting:
        floor, levels, last = heapq.heappop(waiting)
        yield floor, levels
        for place in range(last, len(shape)):
            if levels[place] + 1 < shape[place]:
                up = (*levels[:place], levels[place] + 1, *levels[place + 1 :])
                heapq.heappush(waiting, (floor_of(up), up, place))


# -- risk against loss ----------------------------------------------------------------------------------


def pareto_front(lattice: GeneralizationLattice, sums: NodeSums) -> tuple[Transformation, ...]:
    """The transformations that meet the policy and that no other beats in both loss and risk.

    The risk is the average over the records that are left. The first has least loss: the best of all.
    """
    losses = lattice.costs.losses(sums)
    order = np.flatnonzero(feasible(lattice, sums))
    if lattice.costs.of_records is not None:
        order = perhaps_best(lattice, sums, losses, order)
    left = lattice.left(sums)[order]
    risk = sums.kept[order] / left
    scale = max(float(np.abs(losses[order]).max(initial=0.0)), 1.0)
    order = order[np.lexsort((risk, np.round(losses[order] / scale, 12)))]  # equal but for rounding: by risk
    found: list[Transformation] = []
    for node in order.tolist():
        here = transformation(lattice, sums, losses, node, lattice.table.levels(node))
        if not found or here.risk < found[-1].risk - _TOLERANCE:
            found.append(here)
    return tuple(found)
