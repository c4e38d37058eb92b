"""The lattice of levels of a table that stays where it is: each node is found here or counted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge._compiled.generalization import NodeSums
from divulge.anonymization.in_place.brought_levels import BroughtLevels, LevelsAtHand
from divulge.anonymization.in_place.node_queries import NodeQueries
from divulge.generalization.lattice import GeneralizationLattice, SingleNode


@dataclass(frozen=True, eq=False)
class LatticeThere(GeneralizationLattice):
    """A lattice whose nodes are found one by one, those that the search asks for and no others."""

    queries: NodeQueries
    at_hand: LevelsAtHand

    one_by_one = True

    def single(self) -> NodeThere:
        """What finds nodes one by one."""
        return NodeThere(self)


class NodeThere(SingleNode):
    """Nodes of a lattice, from groups that were brought over, or counted where the records are."""

    def __init__(self, lattice: LatticeThere) -> None:
        self._there = lattice
        self._room = NodeSums.room(1, len(lattice.table.attributes), len(lattice.table.targets))
        self._here: tuple[BroughtLevels, SingleNode] | None = None

    def find(self, levels: Sequence[int]) -> NodeSums:
        """What is found of one node; written over when the next is found."""
        there, node = self._there, tuple(levels)
        brought = there.at_hand.at(node)
        if brought is None:
            there.queries.find(node, there.criteria, there.costs, there.limit, self._room)
            return self._room
        if self._here is None or self._here[0] is not brought:
            lattice = GeneralizationLattice(brought.table, there.criteria, there.costs, there.limit)
            self._here = brought, SingleNode(lattice)
        return self._here[1].find(node)
