"""One scale for what changes cost: the share of the information in the quasi-identifiers that is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.scope import Scope
from divulge.questions.data import Data
from divulge.table.codes import Codes, narrow
from divulge.table.partition import Partition

Bits = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellInformation:
    """What the cells of some data say, in bits, and how much of it is left after changes.

    A cell says -log2 p, p being the share of records with its value, or in its group of values, before any
    change; so all cells of an attribute say its entropy, on average over records. A suppressed cell and the
    cells of a record that is left out say nothing.
    """

    scope: Scope
    _tables: dict[tuple[str, int], tuple[Partition | None, Bits]] = field(default_factory=dict, repr=False)

    @cached_property
    def total(self) -> float:
        """Bits per record in all quasi-identifiers."""
        return self.left(self.scope)

    def left(self, scope: Scope) -> float:
        """Bits per record, of those there were, that some changes leave."""
        return sum(self.of(scope, key) for key in scope.keys)

    def loss(self, scope: Scope) -> float:
        """The share of all bits that some changes take away."""
        return 0.0 if not self.total else min(max(1 - self.left(scope) / self.total, 0.0), 1.0)

    def of(self, scope: Scope, key: str) -> float:
        """Bits per record that one attribute still says."""
        if self.scope.at_hand is None or scope.at_hand is None:
            return _entropy(scope, key)
        table = self._table(key, scope.partitions.get(key))
        counts = scope.at_hand.frequencies(key)[1]
        starred = len(counts) - len(table)  # a mark that the data did not have before
        said = counts[: len(counts) - starred] @ table[: len(counts)]
        return float(said) / self.scope.at_hand.records

    def _table(self, key: str, partition: Partition | None) -> Bits:
        """The bits that each code of an attribute says, its values in groups."""
        asked = (key, id(partition))
        if asked not in self._tables:
            # The partition is kept beside, since its id would otherwise be given to another one.
            self._tables[asked] = partition, _said(self.scope.at_hand or self.scope.data, key, partition)
        return self._tables[asked][1]


def _said(data: Data, key: str, partition: Partition | None) -> Bits:
    """The bits that each code of an attribute says; the mark of a suppressed cell says nothing."""
    column, counts = data.frequencies(key)
    used = np.flatnonzero(counts)
    group: npt.NDArray[Any] = used
    if partition is not None:
        group = partition.apply(Codes(narrow(used, len(column.values)), column.values), attribute=key).codes
    share = np.bincount(group, weights=counts[used]) / data.records
    bits = np.zeros(column.cardinality)
    bits[used] = -np.log2(share[group])
    mark = data.suppressed_code(key)
    if mark is not None:
        bits[mark] = 0.0
    return bits


def _entropy(scope: Scope, key: str) -> float:
    """The entropy of an attribute as it is counted, where records are elsewhere."""
    counts = scope.question([key]).counts
    p = counts.members[counts.members > 0] / counts.records
    times = 1 if counts.multiplicity is None else counts.multiplicity[counts.members > 0]
    return max(float(-(times * p * np.log2(p)).sum()), 0.0)
