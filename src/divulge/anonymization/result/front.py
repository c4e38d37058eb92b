"""Risk against loss: the transformations that no other beats in both, or why they are not known."""

from __future__ import annotations

from collections.abc import Callable

from divulge.generalization.best_first import MOST_NODES
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.search import MOST_WORK, SearchResult, pareto_front
from divulge.generalization.transformations import Transformation

Front = tuple[Transformation, ...]
TOO_MANY = "there are too many transformations to evaluate one and all"
COUNTED_THERE = "transformations were counted where the records are, and only those that the search needed"
STOPPED = "the search was stopped before it"


def front_of(
    lattice: GeneralizationLattice, result: SearchResult, step: Callable[[int, int], None]
) -> tuple[Front | None, str | None]:
    """The front, or why there is none; nodes that the search had no need to evaluate are evaluated now."""
    sums, table = result.sums, lattice.table
    if sums is None and lattice.one_by_one:
        return None, COUNTED_THERE
    if sums is None:
        work = max(MOST_WORK, lattice.engine_work)
        if table.nodes > MOST_NODES or table.nodes * len(table.keys) > work:
            return None, TOO_MANY
        if result.certificate.stopped:
            return None, STOPPED
        sums = lattice.room()
        try:
            for _ in lattice.whole(sums, step):
                pass
        except KeyboardInterrupt:
            return None, STOPPED
    return pareto_front(lattice, sums), None
