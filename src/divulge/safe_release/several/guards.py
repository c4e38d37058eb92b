"""A record leaves only if every dependency stays safe with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.release import NEVER
from divulge._support.threads import cached_property
from divulge.errors import ParameterError
from divulge.safe_release import leaving
from divulge.safe_release.domain import NOWHERE, Cell, Domain, HolderTable
from divulge.safe_release.exposure import Exposure, worst_of
from divulge.safe_release.leaving import GuardedSet
from divulge.safe_release.rules import Rules
from divulge.safe_release.several.tables import ALL, JointTable
from divulge.safe_release.state import Guard, State

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
NO_KINDS = Domain((), (ALL,), (), (ALL,))


@dataclass(frozen=True, eq=False)
class JointGuard(Guard):
    """Several dependencies under the same rules; its domain are the kinds of records.

    Its baseline is that of the first dependency. Two that are identical behave as one.
    """

    dependencies: tuple[Guard, ...] = ()
    kinds: Domain = field(default=NO_KINDS)

    @classmethod
    def over(cls, kinds: Domain, dependencies: Sequence[Guard]) -> JointGuard:
        """What holds records of these kinds."""
        first = dependencies[0]
        return cls(first.baseline, first.rules, dependencies=tuple(dependencies), kinds=kinds)

    @property
    def domain(self) -> Domain:
        return self.kinds

    @property
    def name(self) -> str:
        return ", ".join(one.name for one in self.dependencies)

    @property
    def parts(self) -> tuple[Guard, ...]:
        return self.dependencies

    @cached_property
    def cells(self) -> tuple[IntArray, ...]:
        """The cell of each kind in each dependency, as one number; nowhere if its domain lacks it."""
        return tuple(
            self.cells_of(self.kinds, one.domain, place) for place, one in enumerate(self.dependencies)
        )

    @staticmethod
    def cells_of(kinds: Domain, domain: Domain, place: int) -> IntArray:
        """The cell of each kind in the dependency at a place, whose domain is given."""
        parts: list[Any] = [_tuple(value)[2 * place : 2 * place + 2] for value in kinds.values]
        x, y = zip(*parts, strict=True) if parts else ((), ())
        rows, columns = map(np.asarray, domain.places_or_nowhere(Domain(domain.x, domain.y, x, y)))
        there = (rows != NOWHERE) & (columns != NOWHERE)
        return np.where(there, rows * domain.shape[1] + columns, NOWHERE).astype(np.int64)

    @cached_property
    def unexpected(self) -> BoolArray:
        """Kinds that never leave, since a baseline does not expect their value or target."""
        found = np.zeros(len(self.kinds.values), np.bool_)
        for one, cells in zip(self.dependencies, self.cells, strict=True):
            known = one.baseline.shares[:, None] * one.baseline.target_shares > 0
            found |= (cells == NOWHERE) | ~known.ravel()[cells]
        return found

    def state(self, counts: IntArray) -> State:
        return JointState.of_kinds(self, np.asarray(counts, np.int64))

    def cell(self, record: Mapping[str, Any]) -> Cell:
        wanted = [one.cell(record) for one in self.dependencies]
        flat = [
            NOWHERE if min(cell) < 0 else cell.x * one.domain.shape[1] + cell.y
            for cell, one in zip(wanted, self.dependencies, strict=True)
        ]
        same = np.all([cells == cell for cells, cell in zip(self.cells, flat, strict=True)], axis=0)
        kinds = np.flatnonzero(same)
        return Cell(int(kinds[0]), 0) if len(kinds) and NOWHERE not in flat else Cell(NOWHERE, 0)

    def held_to(self, rules: Rules, version: int) -> Guard:
        return JointGuard.over(self.kinds, [one.held_to(rules, version) for one in self.dependencies])

    def following(self, table: HolderTable, version: int) -> Guard:
        parts = _parts(table, len(self.dependencies))
        followed = [one.following(part, version) for one, part in zip(self.dependencies, parts, strict=True)]
        return JointGuard.over(table.domain.including(self.kinds), followed)

    def including(self, table: HolderTable, version: int) -> Guard:
        same = [one.held_to(one.rules, version) for one in self.dependencies]
        return JointGuard.over(self.kinds.including(table.domain), same)

    def lacks(self, table: HolderTable) -> bool:
        return NOWHERE in self.kinds.places_or_nowhere(table.domain)[0]

    def drawn(self, rng: np.random.Generator, records: int) -> IntArray:
        weights = np.where(self.unexpected, 0.0, 1.0)
        for one, cells in zip(self.dependencies, self.cells, strict=True):
            weights *= np.outer(one.baseline.shares, one.baseline.target_shares).ravel()[cells]
        return rng.choice(len(weights), size=records, p=weights / weights.sum())


@dataclass(frozen=True, eq=False)
class JointState(State):
    """The released records at one time, by kind, and by the cells of each dependency."""

    states: tuple[State, ...] = ()
    tally: IntArray = field(default_factory=lambda: np.zeros((0, 1), np.int64))

    @classmethod
    def of_kinds(cls, guard: JointGuard, counts: IntArray) -> JointState:
        """What has left, by kind."""
        counts = np.array(counts, np.int64)
        if counts.shape != guard.domain.shape or (counts < 0).any():
            raise ParameterError(
                f"The released counts must be whole numbers of at least 0, for {guard.domain.shape[0]} kinds."
            )
        states = []
        for one, cells in zip(guard.dependencies, guard.cells, strict=True):
            known = cells != NOWHERE
            if counts[~known].any():
                raise ParameterError("Released records are in no cell of a dependency.")
            size = one.domain.shape[0] * one.domain.shape[1]
            flat = np.bincount(cells[known], weights=counts[known, 0], minlength=size)
            states.append(State.of(one, flat.astype(np.int64).reshape(one.domain.shape)))
        return cls._of(guard, tuple(states), counts)

    @classmethod
    def _of(cls, guard: Guard, states: tuple[State, ...], counts: IntArray) -> JointState:
        exposed = max(one.exposed for one in states)
        return cls(guard, states[0].outside, int(counts.sum()), exposed, states=states, tally=counts)

    @property
    def joint(self) -> JointGuard:
        assert isinstance(self.guard, JointGuard)
        return self.guard

    @property
    def counts(self) -> IntArray:
        return self.tally

    @property
    def parts(self) -> tuple[State, ...]:
        return self.states

    @cached_property
    def safe(self) -> bool:
        return all(one.safe for one in self.states)

    def _cells(self, kind: int) -> list[Cell]:
        """Where a kind of records is in each dependency."""
        sized = zip(self.joint.dependencies, self.joint.cells, strict=True)
        return [Cell(*divmod(int(cells[kind]), one.domain.shape[1])) for one, cells in sized]

    def unknown(self, cell: Cell) -> str | None:
        if min(cell) < 0 or cell.x >= len(self.tally):
            return "value"
        if any(int(cells[cell.x]) == NOWHERE for cells in self.joint.cells):
            return "value"
        found = {one.unknown(place) for one, place in zip(self.states, self._cells(cell.x), strict=True)}
        return "target" if "target" in found else "value" if "value" in found else None

    def joined_by(self, cell: Cell) -> State | None:
        following = []
        for one, place in zip(self.states, self._cells(cell.x), strict=True):
            after = one.joined_by(place)
            if after is None:
                return None
            following.append(after)
        return self._of(self.guard, tuple(following), self._tally(cell, 1))

    def after(self, cell: Cell, records: int = 1) -> State:
        states = [
            one.after(place, records) for one, place in zip(self.states, self._cells(cell.x), strict=True)
        ]
        return self._of(self.guard, tuple(states), self._tally(cell, records))

    def _tally(self, cell: Cell, records: int) -> IntArray:
        found = self.tally.copy()
        found[cell] += records
        return found

    def never(self) -> BoolArray:
        return self.joint.unexpected.reshape(-1, 1)

    def of_targets(self) -> list[list[BoolArray]]:
        found = []
        for one, cells in zip(self.joint.dependencies, self.joint.cells, strict=True):
            expected = one.baseline.target_shares > 0
            kinds = [(cells != NOWHERE) & (cells % len(expected) == y) for y in range(len(expected))]
            found.append(
                [here.reshape(-1, 1) & bool(there) for here, there in zip(kinds, expected, strict=True)]
            )
        return found

    def first_to_leave(self, heads: IntArray, blocked: BoolArray) -> int:
        waiting = np.where(blocked | self.never(), NEVER, heads).ravel()
        return leaving.first_to_leave(self._sets(1), waiting)

    def run(self, asked: IntArray) -> IntArray:
        return leaving.run(self._sets(len(asked)), asked, len(self.tally))

    def _sets(self, more: int) -> list[GuardedSet]:
        return [
            GuardedSet(one.scratch(), one.guard.limits(one.records + more), np.maximum(cells, 0))
            for one, cells in zip(self.states, self.joint.cells, strict=True)
        ]

    def exposures(self) -> tuple[Exposure, ...]:
        return tuple(exposure for one in self.states for exposure in one.exposures())

    @cached_property
    def _worst(self) -> tuple[Exposure, ...]:
        every = [exposure for one in self.states for exposure in one.worst()]
        return tuple(worst_of(every, test) for test in self.guard.rules.tests)

    @cached_property
    def readings(self) -> dict[str, float | None]:
        """Of the dependency that tells most about its targets."""
        found = [one.readings for one in self.states]
        return {
            name: max((one[name] for one in found if one[name] is not None), default=None)  # type: ignore[type-var]
            for name in found[0]
        }


def _tuple(value: object) -> tuple[object, ...]:
    assert isinstance(value, tuple)
    return value


def _parts(table: HolderTable, number: int) -> tuple[HolderTable, ...]:
    if not isinstance(table, JointTable) or len(table.parts) != number:
        raise ParameterError(f"The table has to be read by its {number} dependencies.")
    return table.parts
