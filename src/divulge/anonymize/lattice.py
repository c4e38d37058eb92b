"""The lattice of generalization levels: what is found of every node, by compiled loops or in NumPy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from divulge._compiled import library
from divulge._compiled.generalization import GeneralizationLoops, NodeSums
from divulge._support.threads import cores
from divulge.anonymize.criteria import Criteria
from divulge.anonymize.encoding import GeneralizationTable
from divulge.anonymize.losses import LossTables
from divulge.anonymize.plain import plain_nodes

PARTS = 8  # of the search for each thread, so that none waits long for the others
Step = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Lattice:
    """A table, what is asked of it, what a transformation costs, and how many records may be suppressed."""

    table: GeneralizationTable
    criteria: Criteria
    costs: LossTables
    limit: int

    @cached_property
    def _loops(self) -> GeneralizationLoops:
        table = self.table
        return GeneralizationLoops(
            table.fields._replace(extra=self.costs.extra),
            table.targets,
            [(int(one.kind), one.target, one.parameter, one.bound) for one in self.criteria.of_classes],
            table.keys,
            table.sizes,
            table.cells,
            limit=self.limit,
            entropy_loss=self.costs.loss.entropy,
        )

    def room(self) -> NodeSums:
        """Room for what is found of every node."""
        table = self.table
        return NodeSums.room(table.nodes, len(table.attributes), len(table.targets))

    def explore(self, first: Sequence[int], found: NodeSums) -> None:
        """Find all nodes with these levels of the first attributes."""
        if library.built():
            self._loops.explore(first, found)
            return
        rest = math.prod(self.table.shape[len(first) :])
        start = 0
        for level, levels in zip(first, self.table.shape, strict=False):
            start = start * levels + level
        nodes = range(start * rest, (start + 1) * rest)
        plain_nodes(self.table, self.criteria.of_classes, self.costs, self.limit, nodes, found)

    def parts(self) -> list[tuple[int, ...]]:
        """The lattice in parts that threads can search: levels of the first attributes."""
        depth, wanted = 0, PARTS * cores()
        while depth < len(self.table.shape) - 1 and math.prod(self.table.shape[:depth]) < wanted:
            depth += 1
        return list(itertools.product(*(range(levels) for levels in self.table.shape[:depth])))

    def whole(self, found: NodeSums, step: Step = lambda done, of: None) -> Iterator[int]:
        """Find every node, part by part; what comes is how many nodes have been found so far."""
        parts = self.parts()
        each = self.table.nodes // len(parts)
        with ThreadPoolExecutor(cores() if library.built() else 1) as pool:
            try:
                waiting = pool.map(lambda first: self.explore(first, found), parts)
                for done, _ in enumerate(waiting, 1):
                    step(done, len(parts))
                    yield done * each
            finally:
                pool.shutdown(cancel_futures=True)

    def left(self, sums: NodeSums) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """How many records each node leaves; 0 where it suppresses too many."""
        within = sums.suppressed <= self.limit
        return np.where(within, self.table.records - np.where(within, sums.suppressed, 0), 0).astype(np.float64)
