"""The search for the transformation of least loss, and the proof that there is none of less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge.generalization.best_first import MOST_NODES, TOLERANCE, BestFirst
from divulge.generalization.deadline import Deadline, Stopped
from divulge.generalization.descending import Accept, descended
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.loss_order import LossOrder, perhaps_best
from divulge.generalization.transformations import (
    Transformation,
    feasible,
    transformation,
)

Floats = npt.NDArray[np.float64]
Step = Callable[[int, int], None]

MOST_WORK = 4e9  # nodes times classes that are evaluated one and all, by the processor
COARSENING = "coarsening"  # merging groups never raises the risk: what fails fails at every finer node
LOSS_BOUND = "loss bound"  # suppressing a record never lowers the loss, which is known without suppression
MOST_SECONDS = 60.0  # for a lattice that is too large, or releases that are checked, unless given


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


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best transformation with those that come next, and the certificate."""

    best: tuple[Transformation, ...]  # the least loss first; none where nothing meets the policy
    certificate: Certificate
    sums: NodeSums | None = None  # of every node; one that was not evaluated suppresses too many


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
    bounded = lattice.limit == 0 and lattice.criteria.coarsening and lattice.costs.loss.bounded
    if bounded and _held(lattice) and lattice.by_engine is None:
        return _best_first(lattice, accept, deadline, most, step)
    if lattice.criteria.by_release and deadline.seconds is None:
        deadline.seconds = MOST_SECONDS  # each release is checked, which takes longer than counting
    if lattice.one_by_one:
        return _best_first(lattice, accept, deadline, most, step)
    if _held(lattice) and table.nodes * len(table.keys) <= max(MOST_WORK, lattice.engine_work):
        return _whole(lattice, accept, deadline, most, step)
    if deadline.seconds is None:
        deadline.seconds = MOST_SECONDS
    return _best_first(lattice, accept, deadline, most, step)


def _held(lattice: GeneralizationLattice) -> bool:
    return lattice.table.nodes <= MOST_NODES


# -- every node ---------------------------------------------------------------------------------------


def _whole(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int, step: Step
) -> SearchResult:
    sums, done = lattice.room(), 0  # nodes found so far
    nodes, early, soon = lattice.table.nodes, deadline.half(), list[Transformation]()
    try:
        for found in lattice.whole(sums, step):
            done = found
            if deadline.over:
                break
            if not soon and early is not deadline and early.over and done < nodes:
                # Counting may take all the time, and the release be checked of nothing but the top.
                soon = descended(lattice, accept, deadline.half())
    except KeyboardInterrupt:
        deadline.interrupted = True
    losses = lattice.costs.losses(sums)
    looked = np.arange(nodes) < done
    sums.suppressed[~looked] = lattice.limit + 1
    order = LossOrder(lattice, sums, losses, feasible(lattice, sums), over=lambda: deadline.over)
    best = _Best(lattice, sums, losses, accept, deadline, soon)
    try:
        best.look(order, most, step)
    except KeyboardInterrupt:
        deadline.interrupted = True
        if not best.found:
            best.look(order, most, step)
    if done < nodes and soon and (not best.found or soon[0].loss < best.found[0].loss):
        best.found = soon
    if deadline.over and not best.found:
        best.found = soon or descended(lattice, accept, deadline)
    floors = [float(lattice.costs.bounds()[~looked].min())] if done < nodes else []
    bound = min([*floors, *order.open, *best.open], default=None)
    open_bound = bound if bound is not None and (not best.found or bound < best.found[0].loss) else None
    proved = open_bound is None and best.sure
    excluded = _excluded({LOSS_BOUND: nodes - done}) if proved else {}
    certificate = Certificate(nodes, done, excluded, proved, open_bound, None if proved else deadline.why)
    return SearchResult(tuple(best.found), certificate, sums)


class _Best:
    """The best transformations so far, where a release decides whether one is good."""

    def __init__(
        self,
        lattice: GeneralizationLattice,
        sums: NodeSums,
        losses: Floats,
        accept: Accept,
        deadline: Deadline,
        soon: Sequence[Transformation] = (),
    ) -> None:
        self._lattice, self._sums, self._losses = lattice, sums, losses
        self._accept, self._deadline = accept, deadline
        self._soon = list(soon)  # a good one that is known already
        self.found: list[Transformation] = []
        self.sure = False  # whether all that would be better were refused
        self.open: list[float] = []  # the loss of the first that there was no time for

    def look(self, order: Iterable[int], most: int, step: Step) -> None:
        """Nodes by loss until one is accepted; the next are those that counts decide.

        Once the first is refused, a good one is looked for that is found soon, so that there is one when time
        is over.
        """
        lattice, chosen = self._lattice, None
        self.found, refused = [], 0
        for node in order:
            levels = lattice.table.levels(node)
            if chosen is None:
                if lattice.criteria.by_release and self._deadline.over:
                    self.open.append(float(self._losses[node]))
                    return
                _tell(step, self._deadline)
                soon = [tuple(one.levels[name] for name in self._order) for one in self.found]
                if levels not in soon and not self._accept(levels):
                    refused += 1
                    if refused == 1 and lattice.criteria.by_release:
                        half = self._deadline.half()
                        self.found = self._soon or descended(lattice, self._accept, half)
                        self._deadline.interrupted |= half.interrupted
                    continue
                chosen, self.found = levels, []
            self.found.append(transformation(lattice, self._sums, self._losses, node, levels))
            if len(self.found) == most:
                break
        self.sure = True

    @property
    def _order(self) -> list[str]:
        return [one.name for one in self._lattice.table.attributes]


def _tell(step: Step, deadline: Deadline) -> None:
    """Say how much of the time is over, where there is a limit to it."""
    if deadline.seconds is not None:
        step(min(int(deadline.elapsed), int(deadline.seconds)), int(deadline.seconds))


def _excluded(found: Mapping[str, int]) -> dict[str, int]:
    return {law: nodes for law, nodes in found.items() if nodes}


# -- best first ---------------------------------------------------------------------------------------


def _best_first(
    lattice: GeneralizationLattice, accept: Accept, deadline: Deadline, most: int, step: Step
) -> SearchResult:
    """The first transformations by loss that are accepted; where time is over, the best so far."""

    soon: list[Transformation] = []
    if deadline.seconds is not None or not _held(lattice):  # a good one first, before time is over
        half = deadline.half()
        soon = descended(lattice, accept, half)
        deadline.interrupted |= half.interrupted

    def over(evaluated: int) -> bool:
        if deadline.seconds is None:
            step(nodes.evaluated + nodes.finer, lattice.table.nodes)
        else:
            _tell(step, deadline)
        return deadline.over

    nodes = BestFirst(lattice, over)
    best: list[Transformation] = []
    undecided: list[Transformation] = []
    try:
        for levels, found in nodes:
            undecided = [found]
            if not best and soon and soon[0].loss <= found.loss:
                best = [*soon]
            elif best or accept(levels):
                best.append(found)
            undecided = []
            if len(best) == most:
                break
    except KeyboardInterrupt:  # while a release was checked
        deadline.interrupted = True
    deadline.interrupted |= nodes.interrupted
    bound = min(nodes.floor, undecided[0].loss) if undecided else nodes.bound
    if best:
        bound = None  # they come by loss, so that the first is the best
    elif bound is not None:
        best = _best_so_far(lattice, [*undecided, *nodes.left], accept, deadline, soon)
        if best and best[0].loss <= bound:
            bound = None
    evaluated = max(nodes.evaluated, len(best))
    rest = lattice.table.nodes - evaluated - nodes.finer
    excluded = _excluded({COARSENING: nodes.finer, LOSS_BOUND: rest if bound is None else 0})
    why = None if bound is None else deadline.why
    certificate = Certificate(lattice.table.nodes, evaluated, excluded, bound is None, bound, why)
    return SearchResult(tuple(best), certificate)


def _best_so_far(
    lattice: GeneralizationLattice,
    found: Sequence[Transformation],
    accept: Accept,
    deadline: Deadline,
    soon: list[Transformation],
) -> list[Transformation]:
    """The best of what was found in time, or else a good one that is found ``soon``."""
    order = [one.name for one in lattice.table.attributes]
    soon = soon or descended(lattice, accept, deadline)
    better = (one for one in found if not soon or one.loss < soon[0].loss)
    return next(([one] for one in better if accept(tuple(one.levels[name] for name in order))), soon)


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
        if not found or here.risk < found[-1].risk - TOLERANCE:
            found.append(here)
    return tuple(found)
