"""A dimension of a table: the categories of an attribute, the groups above them, and the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge._support.threads import cached_property
from divulge.errors import PartitionError, counted
from divulge.table.hierarchy import Hierarchy

TOTAL = "Total"
MISSING, SUPPRESSED = "(missing)", "(suppressed)"  # categories of records without a value


@dataclass(frozen=True)
class Dimension:
    """Categories of an attribute as a tree: ``parent`` has the place of each one's group, -1 at the top.

    Categories that records are counted in come first, then groups, then the total.

    >>> Dimension.flat("sex", ["f", "m"]).labels, Dimension.flat("sex", ["f", "m"]).parent
    (('f', 'm', 'Total'), (2, 2, -1))
    """

    attribute: str
    labels: tuple[str, ...]
    parent: tuple[int, ...]
    leaves: int

    @classmethod
    def flat(cls, attribute: str, labels: Sequence[str], *, total: str | None = TOTAL) -> Dimension:
        """Categories with a total over all of them, or without one."""
        if total is None:
            return cls(attribute, tuple(labels), (-1,) * len(labels), len(labels))
        refuse_twice(attribute, [*labels, total])
        return cls(attribute, (*labels, total), (len(labels),) * len(labels) + (-1,), len(labels))

    @classmethod
    def of_hierarchy(cls, hierarchy: Hierarchy, occurring: Sequence[str], *, level: int = 0) -> Dimension:
        """The groups of a hierarchy from a level on, over the categories that occur.

        A group that has one category, or all of them, is no level of its own.
        """
        rows = dict(zip(hierarchy.values, zip(*hierarchy.groups, strict=True), strict=True))
        missing = [label for label in occurring if label not in rows and label not in (MISSING, SUPPRESSED)]
        if missing:
            raise PartitionError(
                f"The hierarchy of '{hierarchy.attribute}' lacks {counted(len(missing), 'value')}.",
                hint="Add a row for each value.",
            )
        chains = {
            label: (label, *rows[label]) if label in rows else (label,) * (hierarchy.levels + 1)
            for label in occurring
        }
        return cls.of_chains(hierarchy.attribute, [chain[level:] for chain in chains.values()])

    @classmethod
    def of_chains(cls, attribute: str, chains: Sequence[Sequence[str]]) -> Dimension:
        """A tree from the groups of each category, the finest first; each chain has the same length."""
        order = list(dict.fromkeys(chain[0] for chain in chains))
        members: dict[tuple[int, str], tuple[str, ...]] = {(0, label): (label,) for label in order}
        under: dict[tuple[int, str], tuple[int, str]] = {}
        finest = {chain[0]: chain for chain in chains}
        depth = len(chains[0])
        for level in range(1, depth):
            for label in order:
                node = level, finest[label][level]
                members[node] = (*members.get(node, ()), label)
        kept: dict[tuple[str, ...], tuple[int, str]] = {}
        for node, held in members.items():
            if len(held) < len(order) or len(order) == 1:
                kept.setdefault(held, node)
        nodes = list(kept.values())
        if len(order) == 1:
            nodes = nodes[:1]
        for held, node in kept.items():
            above = [other for other in kept if len(other) > len(held) and set(held) <= set(other)]
            if above:
                under[node] = kept[min(above, key=len)]
        labels = [label for _, label in nodes]
        refuse_twice(attribute, [*labels, TOTAL])
        place = {node: number for number, node in enumerate(nodes)}
        parent = tuple(place[under[node]] if node in under else len(nodes) for node in nodes)
        return cls(attribute, (*labels, TOTAL), (*parent, -1), len(order))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def children(self) -> dict[int, tuple[int, ...]]:
        """The categories directly below each group and the total."""
        found: dict[int, tuple[int, ...]] = {}
        for place, above in enumerate(self.parent):
            if above >= 0:
                found[above] = (*found.get(above, ()), place)
        return found

    @cached_property
    def ancestors(self) -> tuple[tuple[int, ...], ...]:
        """Each category that records are counted in, with all groups above it."""
        found = []
        for leaf in range(self.leaves):
            chain = [leaf]
            while self.parent[chain[-1]] >= 0:
                chain.append(self.parent[chain[-1]])
            found.append(tuple(chain))
        return tuple(found)

    @cached_property
    def above(self) -> dict[frozenset[int], list[int]]:
        """The one category or group, as a list, that some categories together are."""
        below: dict[int, set[int]] = {}
        for leaf, chain in enumerate(self.ancestors):
            for place in chain:
                below.setdefault(place, set()).add(leaf)
        found: dict[frozenset[int], list[int]] = {}
        for place in sorted(below):
            found.setdefault(frozenset(below[place]), [place])
        return found

    @property
    def total(self) -> int | None:
        """The place of the total; None where there is none."""
        return len(self.labels) - 1 if len(self.labels) > self.leaves else None


def refuse_twice(attribute: str, labels: Sequence[str]) -> None:
    """Refuse two categories or groups of one name: a table could not tell them apart."""
    twice = {label for label in labels if list(labels).count(label) > 1}
    if twice:
        raise PartitionError(
            f"The categories of '{attribute}' are no tree: {counted(len(twice), 'name')} "
            "stand for two different groups, or for a group and a category.",
            hint=f"Give every group a name of its own; '{TOTAL}' is the name of the total.",
        )
