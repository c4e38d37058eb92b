"""A good transformation found soon: down from the top of the lattice."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from divulge.generalization.deadline import Deadline
from divulge.generalization.lattice import GeneralizationLattice, SingleNode
from divulge.generalization.transformations import (
    Levels,
    Transformation,
    exact_loss,
    feasible,
    transformation,
)

Accept = Callable[[Levels], bool]
Path = list[tuple[Levels, Transformation]]


def descended(lattice: GeneralizationLattice, accept: Accept, deadline: Deadline) -> list[Transformation]:
    """A good transformation found soon: down from the top, each time to where least is lost; or none.

    The top is looked at even where no time is left.
    """
    path = _down(lattice, deadline)
    if not path or not accept(path[0][0]):
        later = (one[1] for one in reversed(path[1:]) if not deadline.over and accept(one[0]))
        return [*itertools.islice(later, 1)]
    best = [path[0]]
    try:
        _improve(lattice, path, accept, deadline, best)
    except KeyboardInterrupt:
        deadline.interrupted = True
    return [best[-1][1]]


def _improve(
    lattice: GeneralizationLattice, path: Path, accept: Accept, deadline: Deadline, best: Path
) -> None:
    """Add ever better ones: along the path as far as one is accepted, then step by step beside it."""
    low, high = 0, len(path)  # the first is accepted, and one beyond the last stands for none
    while high - low > 1 and not deadline.over:
        middle = (low + high) // 2
        if accept(path[middle][0]):
            low = middle
            best.append(path[low])
        else:
            high = middle
    single = lattice.single()
    while True:
        levels, found = best[-1]
        steps = [one for one in _steps_down(lattice, single, levels, deadline) if one[1].loss < found.loss]
        finer = next((one for one in steps if not deadline.over and accept(one[0])), None)
        if finer is None:
            return
        best.append(finer)


def _down(lattice: GeneralizationLattice, deadline: Deadline) -> Path:
    """From the top down by what counts decide, each time to where least is lost."""
    single, top = lattice.single(), tuple(wide - 1 for wide in lattice.table.shape)
    path = [one for one in [_at(lattice, single, top)] if one is not None]
    while path:
        steps = _steps_down(lattice, single, path[-1][0], deadline)
        if not steps or steps[0][1].loss >= path[-1][1].loss:
            break
        path.append(steps[0])
    return path


def _steps_down(
    lattice: GeneralizationLattice, single: SingleNode, levels: Levels, deadline: Deadline
) -> Path:
    """One attribute one level down, where counts allow it; the least loss first."""
    found = []
    for place, level in enumerate(levels):
        if level and not deadline.over:
            found.append(_at(lattice, single, (*levels[:place], level - 1, *levels[place + 1 :])))
    return sorted((one for one in found if one is not None), key=lambda one: (one[1].loss, one[0]))


def _at(
    lattice: GeneralizationLattice, single: SingleNode, levels: Levels
) -> tuple[Levels, Transformation] | None:
    """A node that meets what counts decide, or None."""
    sums = single.find(levels)
    if not feasible(lattice, sums)[0]:
        return None
    losses = exact_loss(lattice, levels, sums)
    return levels, transformation(lattice, sums, losses, 0, levels)
