"""The lattice of generalization levels: what is found of every node, by compiled loops or in NumPy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge._compiled import library
from divulge._compiled.generalization import GeneralizationLoops, LevelTables, NodeSums
from divulge._support.threads import cached_property, cores
from divulge.generalization.criteria import Criteria
from divulge.generalization.encoding import GeneralizationTable
from divulge.generalization.losses import LossTables
from divulge.generalization.plain import beyond_bounds, plain_node

PARTS = 8  # of the search for each thread, so that none waits long for the others
MANY, FEW_PARTS = 1 << 19, 2  # classes of which it takes long to begin a part, and then its parts
Step = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class GeneralizationLattice:
    """A table, what is asked of it, what a transformation costs, and how many records may be suppressed."""

    table: GeneralizationTable
    criteria: Criteria
    costs: LossTables
    limit: int

    #: Whether nodes are counted where the records are, so that only those are found that are asked for.
    one_by_one = False

    def single(self) -> SingleNode:
        """What finds nodes one by one."""
        return SingleNode(self)

    @cached_property
    def compiled(self) -> GeneralizationLoops | None:
        """The compiled loops over the whole lattice; None where there are none, or records are weighted."""
        weighted = any(one.weight is not None for one in self.table.cells)
        return self.loops(self.table.fields) if library.built() and not weighted else None

    def loops(self, fields: LevelTables) -> GeneralizationLoops:
        """The compiled loops; fields whose strides are 0 write what they find to one place."""
        *asked, limit, entropy_loss, few = self._asked(fields)
        return GeneralizationLoops(*asked, limit=limit, entropy_loss=entropy_loss, few=few)

    @cached_property
    def by_engine(self) -> Callable[[NodeSums], Iterator[int]] | None:
        """An engine's own way to find every node, which says how many are done; None where there is none."""
        own = self.table.own
        found: Callable[[NodeSums], Iterator[int]] | None
        found = None if own is None else own.search(*self._asked(self.table.fields))
        return found

    @property
    def engine_work(self) -> float:
        """How many nodes times classes an engine may evaluate one and all; 0 where it has no own way."""
        return 0.0 if self.table.own is None or self.by_engine is None else self.table.own.work

    def _asked(self, fields: LevelTables) -> tuple[Any, ...]:
        """What loops are given: tables of levels and targets, bounds, classes, and what is suppressed."""
        table = self.table
        bounds = [(int(one.kind), one.target, one.parameter, one.bound) for one in self.criteria.of_classes]
        levels = fields._replace(extra=self.costs.extra)
        held = levels, table.targets, bounds, table.keys, table.sizes, table.cells
        return *held, self.limit, self.costs.loss.entropy, self.criteria.few

    def room(self) -> NodeSums:
        """Room for what is found of every node."""
        table = self.table
        return NodeSums.room(table.nodes, len(table.attributes), len(table.targets))

    def explore(self, first: Sequence[int], found: NodeSums) -> None:
        """Find all nodes with these levels of the first attributes."""
        if self.compiled is not None:
            self.compiled.explore(first, found)
            return
        rest = math.prod(self.table.shape[len(first) :])
        start = 0
        for level, wide in zip(first, self.table.shape, strict=False):
            start = start * wide + level
        for node in range(start * rest, (start + 1) * rest):
            levels = self.table.levels(node)
            plain_node(self.table, self.criteria, self.costs, self.limit, levels, node, found)

    def parts(self) -> list[tuple[int, ...]]:
        """The lattice in parts that threads can search: levels of the first attributes."""
        depth, wanted = 0, (PARTS if len(self.table.keys) < MANY else FEW_PARTS) * cores()
        while depth < len(self.table.shape) - 1 and math.prod(self.table.shape[:depth]) < wanted:
            depth += 1
        return list(itertools.product(*(range(levels) for levels in self.table.shape[:depth])))

    def whole(self, found: NodeSums, step: Step = lambda done, of: None) -> Iterator[int]:
        """Find every node, part by part; what comes is how many nodes have been found so far."""
        if self.by_engine is not None:
            for done in self.by_engine(found):
                step(done, self.table.nodes)
                yield done
            return
        parts = self.parts()
        each = self.table.nodes // len(parts)
        with ThreadPoolExecutor(1 if self.compiled is None else cores()) as pool:
            try:
                waiting = pool.map(lambda first: self.explore(first, found), parts)
                for done, _ in enumerate(waiting, 1):
                    step(done, len(parts))
                    yield done * each
            finally:
                pool.shutdown(cancel_futures=True)

    def suppressed_at(self, levels: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The classes of the values themselves that a node suppresses."""
        owner = self.table.merged(levels)
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = beyond_bounds(
            self.table, self.criteria.of_classes, owner
        )[owner]
        return found

    def loss_at(self, levels: Sequence[int], suppressed: int, bound: float) -> float:
        """The loss of a node, of which a bound is known that is exact where nothing is suppressed."""
        if self.costs.of_records is None or suppressed == 0:
            return bound
        return self.costs.of_records.at(levels, self.suppressed_at(levels))

    def left(self, sums: NodeSums) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """How many records each node leaves; 0 where it suppresses too many."""
        within = sums.suppressed <= self.limit
        left = np.where(within, self.table.records - np.where(within, sums.suppressed, 0), 0)
        return left.astype(np.float64)


class SingleNode:
    """Nodes of a lattice one by one, each found from the classes of the values themselves."""

    def __init__(self, lattice: GeneralizationLattice) -> None:
        self._lattice = lattice
        table = lattice.table
        self._sums = NodeSums.room(1, len(table.attributes), len(table.targets))
        self._loops = None
        if lattice.compiled is not None:
            self._loops = lattice.loops(table.fields._replace(stride=np.zeros_like(table.fields.stride)))
            self._loops.nodes = 1

    def find(self, levels: Sequence[int]) -> NodeSums:
        """What is found of one node; written over when the next is found."""
        if self._loops is not None:
            self._loops.explore(levels, self._sums)
        else:
            lattice = self._lattice
            plain_node(
                lattice.table,
                lattice.criteria,
                lattice.costs,
                lattice.limit,
                levels,
                0,
                self._sums,
            )
        return self._sums
