"""What a transformation costs: the losses that can be asked for, each with its formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NodeSums
from divulge._support.threads import cached_property
from divulge.errors import ParameterError, not_among
from divulge.generalization.attribute_levels import AttributeLevels
from divulge.generalization.encoding import GeneralizationTable

Floats = npt.NDArray[np.float64]
#: For an attribute and the number of records: the loss of all records at each level, and what suppressing one
#: record of each group adds to it.
OfAttribute = Callable[[AttributeLevels, int], tuple[list[float], list[Floats]]]


class RecordLoss(Protocol):
    """A loss that is read from records: known of a node without suppression, evaluated where some is."""

    def floor(self, levels: Sequence[int]) -> float:
        """The loss of a node before anything is suppressed; never above that of a coarser node."""
        ...

    def floors(self) -> Floats:
        """The same for every node."""
        ...

    def at(self, levels: Sequence[int], suppressed: npt.NDArray[np.bool_]) -> float:
        """The loss of a node with some classes of the values themselves suppressed."""
        ...


@dataclass(frozen=True)
class Loss:
    """A loss, and everything that is to be said about it.

    ``of_attribute`` makes it a sum over attributes and records: then a bound of it is known before anything
    is counted, since suppressing a record never lowers it. ``of_records`` leaves it to a ``RecordLoss``,
    which knows such a bound too. Otherwise it is a number of the classes, or of a target in them.
    """

    name: str
    title: str
    formula: str
    of_attribute: OfAttribute | None = None
    of_classes: Callable[[NodeSums, int], Floats] | None = None
    of_target: Callable[[NodeSums, int, int], Floats] | None = None
    of_records: bool = False
    averaged: bool = True  # over attributes; otherwise it is added up
    entropy: bool = False  # suppressed records are held against each other, not record by record

    @property
    def bounded(self) -> bool:
        """Whether a bound is known before counting."""
        return self.of_attribute is not None or self.of_records

    @property
    def adds_up(self) -> bool:
        """Whether it is a sum over the cells of records, each by itself."""
        return self.of_attribute is not None and not self.entropy


def _granularity(attribute: AttributeLevels, records: int) -> tuple[list[float], list[Floats]]:
    lost = [_spread(leaves, attribute.domain) for leaves in attribute.leaves]
    all_lost = 1.0 if attribute.domain > 1 else 0.0
    totals = [
        float((counts * one).sum()) / records for counts, one in zip(attribute.counts, lost, strict=True)
    ]
    return totals, [(all_lost - one) / records for one in lost]


def _spread(leaves: npt.NDArray[np.int64], domain: int) -> Floats:
    """(share - 1/D) / (1 - 1/D) of each group; 0 where there is a single value."""
    return (leaves - 1) / (domain - 1) if domain > 1 else np.zeros(len(leaves))


def _precision(attribute: AttributeLevels, records: int) -> tuple[list[float], list[Floats]]:
    height = max(attribute.height, 1)
    levels = [level / height for level in range(attribute.height + 1)]
    return levels, [
        np.full(len(leaves), (1 - level) / records)
        for leaves, level in zip(attribute.leaves, levels, strict=True)
    ]


def _bits(attribute: AttributeLevels, records: int) -> tuple[list[float], list[Floats]]:
    """Bits of an attribute that are given up: log2 of how much more frequent the released value is."""
    unknown = [_uncertainty(counts) for counts in attribute.counts]
    totals = [(unknown[0] - one) / records for one in unknown]
    return totals, [np.log2(records / counts) / records for counts in attribute.counts]


def _uncertainty(counts: npt.NDArray[np.int64]) -> float:
    """N H(V) of how often values occur, up to the constant N log2 N."""
    return -float((counts * np.log2(counts)).sum())


def _entropy(attribute: AttributeLevels, records: int) -> tuple[list[float], list[Floats]]:
    unknown = [_uncertainty(counts) for counts in attribute.counts]
    return [unknown[0] - one for one in unknown], [np.zeros(len(counts)) for counts in attribute.counts]


def _discernibility(found: NodeSums, records: int) -> Floats:
    squares: Floats = found.squares + found.suppressed.astype(np.float64) * records
    return squares


def _class_size(found: NodeSums, records: int) -> Floats:
    groups = found.kept + (found.suppressed > 0)
    return records / np.maximum(groups, 1).astype(np.float64)


def _classification(found: NodeSums, records: int, target: int) -> Floats:
    """The share of records whose value is not the most frequent one of their group, or that are in none."""
    wrong: Floats = 1 - found.top[:, target] / records
    return wrong


LOSSES: dict[str, Loss] = {
    one.name: one
    for one in (
        Loss(
            "granularity",
            "Granularity (loss)",
            "mean over attributes and records of (share - 1/D) / (1 - 1/D): share is the part of the "
            "hierarchy's D values that the released value stands for, 1 for a suppressed record",
            _granularity,
        ),
        Loss(
            "precision",
            "Precision",
            "mean over attributes and records of level / height, 1 for a suppressed record",
            _precision,
        ),
        Loss(
            "discernibility",
            "Discernibility",
            "sum over groups of n^2, plus N for each suppressed record",
            of_classes=_discernibility,
        ),
        Loss(
            "average_class_size",
            "Average group size",
            "N / groups, all suppressed records together being one group",
            of_classes=_class_size,
        ),
        Loss(
            "non_uniform_entropy",
            "Non-uniform entropy",
            "sum over attributes and records of -log2(n(original value) / n(generalized value)), plus "
            "-log2(m(value) / s) for suppressed records, m of s of which have the value",
            _entropy,
            averaged=False,
            entropy=True,
        ),
        Loss(
            "bits",
            "Information given up",
            "bits per record, summed over attributes: log2(n(generalized value) / n(original value)), the "
            "first n being N for a suppressed record",
            _bits,
            averaged=False,
        ),
        Loss(
            "need",
            "Loss for the needs",
            "mean over needs of the share lost of the information in their keys about their target: 1 - sum "
            "over those left of D(p(x | generalized keys) || p(x)) / sum over all of D(p(x | keys) || p(x))",
            of_records=True,
        ),
        Loss(
            "classification",
            "Classification error",
            "share of records whose target is not the most frequent value in their group, suppressed "
            "records among them",
            of_target=_classification,
        ),
    )
}
DEFAULT = "granularity"
_SAME = {"loss": "granularity"}


def loss_named(name: str) -> Loss:
    """The loss of that name."""
    known = _SAME.get(name, name)
    if known not in LOSSES:
        message, hint = not_among(name, tuple(LOSSES), "loss")
        raise ParameterError(message, hint=hint)
    return LOSSES[known]


@dataclass(frozen=True, eq=False)
class LossTables:
    """A loss on one table: what each level of each attribute costs, and weights of attributes."""

    loss: Loss
    table: GeneralizationTable
    weights: Mapping[str, float]
    target: int = -1  # its place among the targets, where the loss is about one
    of_records: RecordLoss | None = None

    @cached_property
    def of_attributes(self) -> list[tuple[list[float], list[Floats]]]:
        """For each attribute what all records cost at each level, and what suppressing one adds."""
        if self.loss.of_attribute is None:
            return [([0.0] * levels, []) for levels in self.table.shape]
        return [self.loss.of_attribute(one, self.table.records) for one in self.table.attributes]

    @cached_property
    def factors(self) -> Floats:
        """What each attribute counts for."""
        given = np.array([self.weights.get(one.name, 1.0) for one in self.table.attributes])
        return given / given.sum() if self.loss.averaged else given

    @cached_property
    def by_level(self) -> list[Floats]:
        """What each level of each attribute costs where nothing is suppressed."""
        return [
            factor * np.asarray(totals)
            for factor, (totals, _) in zip(self.factors.tolist(), self.of_attributes, strict=True)
        ]

    @cached_property
    def extra(self) -> Floats:
        """What suppressing a record adds, as the loops take it."""
        fields = self.table.fields
        found = np.zeros(len(fields.up))
        for place, (_, rows) in enumerate(self.of_attributes):
            start, wide = int(fields.table[place]), int(fields.mask[place]) + 1
            for level, row in enumerate(rows):
                found[start + level * wide : start + level * wide + len(row)] = row
        return found

    def bounds(self) -> Floats:
        """The loss of every node before anything is suppressed, or 0 where no bound is known."""
        if self.of_records is not None:
            return self.of_records.floors()
        found = np.zeros(self.table.shape)
        if self.loss.bounded:
            for place, costs in enumerate(self.by_level):
                found = found + costs.reshape([-1 if axis == place else 1 for axis in range(found.ndim)])
        return found.ravel()

    def floor(self, levels: Sequence[int]) -> float:
        """The loss of a node before anything is suppressed, or 0 where no bound is known."""
        if self.of_records is not None:
            return self.of_records.floor(levels)
        return sum(float(costs[level]) for costs, level in zip(self.by_level, levels, strict=True))

    def losses(self, sums: NodeSums) -> Floats:
        """The loss of every node that was found; one of records only without suppression, as a bound."""
        if (counted := self._of_groups(sums)) is not None:
            return counted
        found: Floats = self.bounds() + sums.extra @ self.factors
        return found

    def losses_at(self, nodes: Sequence[Sequence[int]], sums: NodeSums) -> Floats:
        """The losses of nodes by their levels, for which sums were found in this order; as ``losses``."""
        if (counted := self._of_groups(sums)) is not None:
            return counted
        found: Floats = np.asarray([*map(self.floor, nodes)]) + sums.extra @ self.factors
        return found

    def _of_groups(self, sums: NodeSums) -> Floats | None:
        """A loss that is a number of groups, or of a target in them."""
        if self.loss.of_classes is not None:
            return self.loss.of_classes(sums, self.table.records)
        if self.loss.of_target is not None:
            return self.loss.of_target(sums, self.table.records, self.target)
        return None


def check_weights(weights: Mapping[str, Any], named: tuple[str, ...]) -> dict[str, float]:
    """Weights of attributes, refused where one is unknown, negative, or all are zero."""
    for name, value in weights.items():
        if name not in named:
            raise ParameterError(
                f"A weight is given for '{name}', which is no quasi-identifier.", hint="Leave it out."
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise ParameterError(f"The weight of '{name}' must be a number from 0 on.", hint="Write 2.")
    if weights and not any(weights.get(name, 1.0) for name in named):
        raise ParameterError(
            "All weights are 0, so nothing would be lost.", hint="Give one a weight above 0."
        )
    return {name: float(value) for name, value in weights.items()}
