"""What needs lose by a transformation: a share of the information in their keys about their target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.counting.statistics import xlog2x
from divulge.errors import ParameterError, listing
from divulge.generalization.attribute_levels import AttributeLevels, Integers
from divulge.generalization.criteria import Criteria
from divulge.generalization.encoding import GeneralizationTable, generalization_table
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import LOSSES, Loss, LossTables, loss_named
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.packing import coded, packed
from divulge.table.partition import Partition
from divulge.utility import Need

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
MOST_NODES = 1 << 20  # levels of a need's keys that are counted


@dataclass(frozen=True, eq=False)
class NeedLoss:
    """What one need loses. Its keys are quasi-identifiers, at their levels, and others, which stay.

    A record has D(p(x | keys) || p(x)) bits of information about the target, and none once it is suppressed.
    So suppressing one never lowers the loss, and merging groups does not either.
    """

    table: GeneralizationTable  # of the need's own keys
    places: tuple[int, ...]  # of its attributes among those of the search; -1 for the keys that stay
    pairs: tuple[Integers, Integers, Integers]  # class of the search, class of the need, records of both

    @cached_property
    def _unknown(self) -> Floats:
        """n H(X|Y) at all levels of the need's keys, nothing being suppressed."""
        costs = LossTables(LOSSES["granularity"], self.table, {})
        lattice = GeneralizationLattice(self.table, Criteria((("target",),), (), ()), costs, 0)
        sums = lattice.room()
        for _ in lattice.whole(sums):
            pass
        unknown: Floats = sums.left[:, 0].reshape(self.table.shape)
        return unknown

    @cached_property
    def _entropy(self) -> float:
        """n H(X)."""
        share = self.table.targets[0].share
        return -float((share * np.log2(share)).sum()) * self.table.records

    @cached_property
    def information(self) -> float:
        """n I(X; Y) of the original keys: all that can be lost."""
        return self._entropy - float(self._unknown.ravel()[0])

    def floors(self, shape: Sequence[int]) -> Floats:
        """The loss at every node of a search of this shape, nothing being suppressed."""
        lost = (self._unknown - self._unknown.ravel()[0]) / self.information
        moving = [(place, axis) for axis, place in enumerate(self.places) if place >= 0]
        still = tuple(axis for axis, place in enumerate(self.places) if place < 0)
        lost = np.transpose(lost.squeeze(still), np.argsort([place for place, _ in moving]))
        wide = [1] * len(shape)
        for place, _ in moving:
            wide[place] = shape[place]
        return np.broadcast_to(np.maximum(lost, 0.0).reshape(wide), tuple(shape))

    def floor(self, levels: Sequence[int]) -> float:
        """The loss at one node, nothing being suppressed."""
        return max(float(self._unknown[self._own(levels)] - self._unknown.ravel()[0]) / self.information, 0.0)

    def at(self, levels: Sequence[int], suppressed: Mask) -> float:
        """The loss at one node with some classes of the search suppressed."""
        owner = self.table.merged(self._own(levels))
        classes, own, records = self.pairs
        gone = np.bincount(owner[own], weights=records * suppressed[classes])
        bits, sizes = self._information_of(owner), np.bincount(owner, weights=self.table.sizes)
        return self.floor(levels) + float((bits * gone / sizes).sum()) / self.information

    def _information_of(self, owner: Integers) -> Floats:
        """n D(p(x | y) || p(x)) of each group of the need's classes."""
        cells, share = self.table.cells[0], self.table.targets[0].share
        group = np.repeat(owner, np.diff(cells.start))
        place = np.unique(group * len(share) + cells.value, return_inverse=True)[1]
        first = np.unique(place, return_index=True)[1]
        inside = np.bincount(group[first], weights=xlog2x(np.bincount(place, weights=cells.times)))
        expected = np.bincount(group, weights=cells.times * np.log2(share[cells.value]))
        sizes = np.bincount(owner, weights=self.table.sizes)
        return np.maximum(inside - xlog2x(sizes) - expected, 0.0)

    def _own(self, levels: Sequence[int]) -> tuple[int, ...]:
        return tuple(0 if place < 0 else levels[place] for place in self.places)


@dataclass(frozen=True, eq=False)
class NeedLosses:
    """What several needs lose on average."""

    parts: tuple[NeedLoss, ...]
    shape: tuple[int, ...]

    def floor(self, levels: Sequence[int]) -> float:
        """The loss of a node before anything is suppressed; merging groups never lowers it."""
        return sum(one.floor(levels) for one in self.parts) / len(self.parts)

    def floors(self) -> Floats:
        """The same for every node."""
        found: Floats = sum((one.floors(self.shape) for one in self.parts), np.zeros(self.shape))
        return found.ravel() / len(self.parts)

    def at(self, levels: Sequence[int], suppressed: Mask) -> float:
        """The loss of a node with some classes suppressed."""
        return sum(one.at(levels, suppressed) for one in self.parts) / len(self.parts)


def asked_loss(name: str, needs: object, predict: str | None) -> Loss:
    """The loss of that name, with what it reads given, and nothing that it does not read."""
    loss = loss_named(name)
    if loss.of_records != (needs is not None):
        raise ParameterError(
            f"The loss '{name}' reads no needs." if needs is not None else "No need is given to be kept.",
            hint="Write --loss need --need need.toml.",
        )
    if (loss.of_target is not None) != (predict is not None):
        raise ParameterError(
            f"The loss '{name}' predicts no attribute."
            if predict is not None
            else "No attribute is named that is to be predicted.",
            hint="Write --loss classification --predict ATTRIBUTE.",
        )
    return loss


def predicted_target(name: str, data: Data) -> tuple[str]:
    """An attribute to be predicted from quasi-identifiers, refused where a release would change it."""
    data.schema.check([name])
    if name in (*data.schema.quasi_identifiers, *data.schema.identifiers):
        raise ParameterError(
            f"{name} is to be predicted, and a release recodes it or leaves it out.",
            hint="Give it another role, or predict another attribute.",
        )
    return (name,)


def need_losses(needs: Sequence[Need], data: Data, table: GeneralizationTable) -> NeedLosses:
    """What needs lose on a table, refused where the search would not change what they read."""
    return NeedLosses(tuple(_need_loss(need, data, table) for need in needs), table.shape)


def _need_loss(need: Need, data: Data, table: GeneralizationTable) -> NeedLoss:
    by_name = {one.name: place for place, one in enumerate(table.attributes)}
    _refuse(need, data, by_name)
    found = [
        _joined(table.attributes[by_name[name]], need.partitions.get(name))
        for name in need.keys
        if name in by_name
    ]
    staying = [name for name in need.keys if name not in by_name]
    if staying:
        found.append(_staying(data, staying, need.partitions))
    targets = {name: one for name, one in need.partitions.items() if name == need.target}
    own = generalization_table(replace(data, weights=None), found, [(need.target,)], targets)
    places = tuple(by_name.get(one.name, -1) for one in own.attributes)
    both, place = np.unique(
        table.class_of.astype(np.int64) * len(own.keys) + own.class_of, return_inverse=True
    )
    records = np.bincount(place, weights=data.times).astype(np.int64)
    loss = NeedLoss(own, places, (both // len(own.keys), both % len(own.keys), records))
    if own.nodes > MOST_NODES:
        raise ParameterError(f"The keys of the need '{need.name}' have too many levels.", hint="Name fewer.")
    if loss.information <= 1e-9 * data.records:
        raise ParameterError(
            f"The keys of the need '{need.name}' and {need.target} are unrelated, so nothing can be lost.",
            hint="Name other keys.",
        )
    return loss


def _refuse(need: Need, data: Data, by_name: Mapping[str, int]) -> None:
    data.schema.check([*need.keys, need.target])
    if need.target in by_name or need.target in data.schema.identifiers:
        raise ParameterError(
            f"The need '{need.name}' is about {need.target}, which a release recodes or leaves out.",
            hint="Give it another role, or name another target.",
        )
    named = [name for name in need.keys if name in data.schema.identifiers]
    if named:
        raise ParameterError(
            f"The need '{need.name}' reads {listing(named)}, which a release leaves out.",
            hint="Leave identifiers out of its keys.",
        )
    if not any(name in by_name for name in need.keys):
        raise ParameterError(
            f"The need '{need.name}' reads no quasi-identifier, so that no transformation changes it.",
            hint="Name one among its keys, or choose another loss.",
        )


def _joined(one: AttributeLevels, partition: Partition | None) -> AttributeLevels:
    """An attribute at its levels in the groups of a need, those that a released one spans taken together."""
    if partition is None:
        return one
    names = [name for name in one.names[0] if name is not None]
    placed = partition.apply(Codes.of(names), attribute=one.name).codes.astype(np.int64)
    wanted = np.zeros(len(one.names[0]), np.int64)  # the need's group of each value, missing by itself
    wanted[[place for place, name in enumerate(one.names[0]) if name is not None]] = placed + 1
    groups = [_together(wanted, level) for level in one.groups]
    sizes = [np.bincount(level, weights=one.counts[0]).astype(np.int64) for level in groups]
    leaves = tuple(np.ones(len(size), np.int64) for size in sizes)
    return replace(
        one, place=groups[0][one.place], groups=_nested(groups), leaves=leaves, counts=tuple(sizes)
    )


def _together(one: Integers, other: Integers) -> Integers:
    """The finest groups that hold the groups of both whole, numbered from 0 on."""
    found = one.copy()
    while True:
        before = found
        for groups in (other, one):
            least = np.full(int(groups.max()) + 1, np.iinfo(np.int64).max)
            np.minimum.at(least, groups, found)
            found = least[groups]
        if np.array_equal(found, before):
            return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _nested(groups: Sequence[Integers]) -> tuple[Integers, ...]:
    """Groups of values by level as groups of those of the first level."""
    first = np.unique(groups[0], return_index=True)[1]
    return tuple(level[first] for level in groups)


def _staying(data: Data, names: Sequence[str], partitions: Mapping[str, Partition]) -> AttributeLevels:
    """The keys that no transformation changes, together as an attribute without levels."""
    columns = [
        partitions[name].apply(data.column(name), attribute=name) if name in partitions else data.column(name)
        for name in names
    ]
    rows = len(columns[0].codes)
    codes = np.unique(packed(coded(columns), rows), return_inverse=True)[1].astype(np.int64)
    counts = np.bincount(codes).astype(np.int64)
    called = tuple(str(place) for place in range(len(counts)))
    return AttributeLevels(
        "",
        codes,
        np.arange(len(counts)),
        (np.arange(len(counts)),),
        (np.ones(len(counts), np.int64),),
        (counts,),
        len(counts),
        (called,),
    )
