"""The search for the transformation of least loss, and the proof that there is none of less."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge.generalization.best_first import MOST_NODES, TOLERANCE, BestFirst
from divulge.generalization.lattice import GeneralizationLattice, SingleNode
from divulge.generalization.transformations import Levels, Transformation, feasible, transformation

Floats = npt.NDArray[np.float64]
Accept = Callable[[Levels], bool]
Step = Callable[[int, int], None]

MOST_WORK = 4e9  # nodes times classes that are evaluated one and all
COARSENING = "coarsening"  # merging groups never raises the risk: what fails fails at every finer node
LOSS_BOUND = "loss bound"  # suppressing a record never lowers the loss, which is known without suppression
MOST_SECONDS = 60.0  # that a lattice too large to be exhausted is searched for, unless another time is given


@dataclass(frozen=True)
class Certificate:
    """How it is known that nothing better exists: every transformation was evaluated or excluded by a law.

    ``bound`` is the least loss that a transformation not looked at could have; None where none is left.
    """

    transformations: int
    evaluated: int
    excluded: Mapping[str, int]
    proved: bool
    bound: float | None = None


@dataclass(eq=False)
class Deadline:
    """When the search has to stop; None: never."""

    seconds: float | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.seconds is not None and time.monotonic() - self.began >= self.seconds


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best transformation with those that come next, and the certificate."""

    best: tuple[Transformation, ...]  # the least loss first; none where nothing meets the policy
    certificate: Certificate
    sums: NodeSums | None = None  # of every node, where all were evaluated


def search(
    lattice: GeneralizationLattice,
    accept: Accept,
    *,
    deadline: Deadline,
    most: int = 10,
    step: Step = lambda done, of: None,
) -> SearchResult:
    """The best transformations; ``accept`` decides on the release itself what counts do not."""
    table = lattice.table
    if lattice.limit == 0 and lattice.criteria.coarsening and lattice.costs.loss.bounded and _held(lattice):
        return _best_first(lattice, accept, deadline, most)
    if _held(lattice) and table.nodes * len(table.keys) <= MOST_WORK:
        return _whole(lattice, accept, deadline, most, step)
    if deadline.seconds is None:
        deadline.seconds = MOST_SECONDS
    return _best_first(lattice, accept, deadline, most)


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
        deadline.seconds = 0.0
    losses = lattice.costs.losses(sums)
    looked = np.arange(nodes) < done
    order = _in_order(losses, feasible(lattice, sums) & looked)
    best = _accepted(lattice, sums, losses, order, accept, deadline, most)
    if done < nodes and not best.found:
        best.found += descended(lattice, accept)
    bound = None if done == nodes else float(lattice.costs.bounds()[~looked].min())
    open_bound = bound if bound is not None and (not best.found or bound < best.found[0].loss) else None
    proved = open_bound is None and best.sure
    certificate = Certificate(
        nodes, done, _excluded({LOSS_BOUND: nodes - done}) if proved else {}, proved, open_bound
    )
    return SearchResult(tuple(best.found), certificate, sums if done == nodes else None)


@dataclass
class _Best:
    found: list[Transformation]
    sure: bool  # whether all that would be better were refused


def _in_order(losses: Floats, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The chosen nodes by loss, the finest first where losses are the same."""
    places = np.flatnonzero(chosen)
    return places[np.argsort(losses[places], kind="stable")]


def _accepted(
    lattice: GeneralizationLattice,
    sums: NodeSums,
    losses: Floats,
    order: npt.NDArray[np.int64],
    accept: Accept,
    deadline: Deadline,
    most: int,
) -> _Best:
    """The first nodes that are accepted; after the best, the next are those that counts decide."""
    found: list[Transformation] = []
    for node in order.tolist():
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


def _excluded(found: Mapping[str, int]) -> dict[str, int]:
    return {law: nodes for law, nodes in found.items() if nodes}


# -- best first ---------------------------------------------------------------------------------------


def _best_first(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int
) -> SearchResult:
    """The first transformations by loss that are accepted; where time is over, the best so far."""
    nodes = BestFirst(lattice, lambda evaluated: deadline.over)
    best: list[Transformation] = []
    interrupted = False
    try:
        for levels, found in nodes:
            if best or accept(levels):
                best.append(found)
            if len(best) == most:
                break
    except KeyboardInterrupt:  # while a release was checked
        interrupted = not best
    bound = nodes.bound if nodes.bound is not None else 0.0 if interrupted else None
    if best:
        bound = None  # they come by loss, so that the first is the best
    elif bound is not None:
        best = _best_so_far(lattice, nodes.left, accept)
    rest = lattice.table.nodes - nodes.evaluated - nodes.finer
    excluded = _excluded({COARSENING: nodes.finer, LOSS_BOUND: rest if bound is None else 0})
    certificate = Certificate(lattice.table.nodes, nodes.evaluated, excluded, bound is None, bound)
    return SearchResult(tuple(best), certificate)


def _best_so_far(
    lattice: GeneralizationLattice, found: Sequence[Transformation], accept: Accept
) -> list[Transformation]:
    """The best of what was found in time, or else a good one that is found soon."""
    order = [one.name for one in lattice.table.attributes]
    soon = descended(lattice, accept)
    better = (one for one in found if not soon or one.loss < soon[0].loss)
    return next(([one] for one in better if accept(tuple(one.levels[name] for name in order))), soon)


def descended(lattice: GeneralizationLattice, accept: Accept) -> list[Transformation]:
    """A good transformation found soon: down from the top, each time to where least is lost; or none."""
    one, levels = SingleNode(lattice), tuple(wide - 1 for wide in lattice.table.shape)
    path: list[tuple[Levels, Transformation]] = []
    tried = [levels]
    while tried:
        steps: list[tuple[float, Levels, Transformation]] = []
        for here in tried:
            sums = one.find(here)
            if feasible(lattice, sums)[0]:
                losses = lattice.costs.losses_at([here], sums)
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


# -- risk against loss ----------------------------------------------------------------------------------


def pareto_front(lattice: GeneralizationLattice, sums: NodeSums) -> tuple[Transformation, ...]:
    """The transformations that meet the policy and that no other beats in both loss and risk.

    The risk is the average over the records that are left. The first has least loss: the best of all.
    """
    losses = lattice.costs.losses(sums)
    order = np.flatnonzero(feasible(lattice, sums))
    left = lattice.left(sums)[order]
    risk = sums.kept[order] / left
    scale = max(float(np.abs(losses[order]).max(initial=0.0)), 1.0)
    order = order[np.lexsort((risk, np.round(losses[order] / scale, 12)))]  # equal but for rounding: by risk
    found: list[Transformation] = []
    for node in order.tolist():
        here = transformation(lattice, sums, losses, node, lattice.table.levels(node))
        if not found or here.risk < found[-1].risk - TOLERANCE:
            found.append(here)
    return tuple(found)
