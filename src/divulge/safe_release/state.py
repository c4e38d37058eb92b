"""What has left, as counts, under the rules it is held to; and how exposed that leaves the targets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.counting.counts import JointCounts
from divulge.errors import ParameterError, Undefined
from divulge.measures.information import discrimination_rate, itpr
from divulge.safe_release import kernels, leaving
from divulge.safe_release.baseline import Baseline
from divulge.safe_release.critical import Critical
from divulge.safe_release.domain import Cell, Domain, HolderTable
from divulge.safe_release.exposure import ExposedSet, Exposure
from divulge.safe_release.kernels import Outside, TestLimits
from divulge.safe_release.leaving import GuardedSet
from divulge.safe_release.rules import FORMS, MERGING, SEQ, TESTS, Rules

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Guard:
    """A guarded dependency X ~> Y: its baseline, its rules and the critical values.

    >>> from divulge.safe_release import table_of
    >>> guard = Guard.of(table_of([[50, 40], [50, 60]]), "mis", 0.05)
    >>> State.start(guard).records
    0
    """

    baseline: Baseline
    rules: Rules
    _known: list[TestLimits] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.critical.check()

    @classmethod
    def of(cls, table: Any, tests: Any, alpha: float, **options: Any) -> Guard:
        """A guard whose baseline is that of a table."""
        return cls(Baseline.of(table), Rules.of(tests, alpha, **options))

    @cached_property
    def critical(self) -> Critical:
        return Critical(self.baseline, self.rules)

    @cached_property
    def _expected_places(self) -> tuple[list[bool], list[bool]]:
        """Which values and which targets the baseline expects at all, by their places."""
        return (self.baseline.shares > 0).tolist(), (self.baseline.target_shares > 0).tolist()

    @property
    def domain(self) -> Domain:
        return self.baseline.domain

    @property
    def name(self) -> str:
        """The dependency as people write it."""
        return f"{','.join(self.domain.x)}:{','.join(self.domain.y)}"

    @property
    def parts(self) -> tuple[Guard, ...]:
        """The dependencies that are guarded."""
        return (self,)

    def state(self, counts: IntArray) -> State:
        """What has left, by value of X (rows) and target (columns), held to this guard."""
        return State.of(self, counts)

    def start(self) -> State:
        """Nothing has left."""
        return self.state(np.zeros(self.domain.shape, np.int64))

    def cell(self, record: Mapping[str, Any]) -> Cell:
        """Where a record given by its attributes is."""
        return self.domain.cell(record)

    def held_to(self, rules: Rules, version: int) -> Guard:
        """The same expectations under other rules."""
        return Guard(self.baseline.numbered(version), rules)

    def following(self, table: HolderTable, version: int) -> Guard:
        """The same rules, and expectations after the holder's table."""
        return Guard(self.baseline.following(table).numbered(version), self.rules)

    def including(self, table: HolderTable, version: int) -> Guard:
        """The same rules and expectations, with what they lack of a table to be decided about."""
        return self.held_to(self.rules, version)

    def lacks(self, table: HolderTable) -> bool:
        """Whether a table has kinds of records that have to be added before they can be decided about."""
        return False

    def drawn(self, rng: np.random.Generator, records: int) -> IntArray:
        """Cells of records as the baseline expects them, their targets at random."""
        xs = rng.choice(len(self.baseline.shares), size=records, p=self.baseline.shares)
        ys = rng.choice(len(self.baseline.target_shares), size=records, p=self.baseline.target_shares)
        found: IntArray = xs * self.domain.shape[1] + ys
        return found

    def limits(self, records: int) -> TestLimits:
        """What compiled loops hold a release of up to so many records to."""
        known = self._known[-1] if self._known else None
        if known is None or records > known.reach:
            known = self._limits(records)  # what is handed back is one's own, whatever other threads ask for
            self._known[:] = [known]
        return known

    def _limits(self, records: int) -> TestLimits:
        critical, rules = self.critical, self.rules
        with np.errstate(divide="ignore"):
            bits = -np.log2(self.baseline.shares)
        return TestLimits(
            shape=self.domain.shape,
            tests=sum(1 << TESTS.index(test) for test in rules.tests),
            shares=self.baseline.shares,
            bits=bits,
            **critical.covering(records),
            small=critical.small,
            joint=critical.joint,
            by_degrees=critical.by_degrees,
            degrees=self.baseline.expected[0] - 1,
            ratios=critical.ratios,
            merging=MERGING.index(rules.merging),
            present=rules.degrees == "present",
            form=FORMS.index(rules.form),
            counts_known=rules.known_counts,
            **self._likelihood_ratios(),
        )

    def _likelihood_ratios(self) -> dict[str, FloatArray]:
        """The tables of the sequential test, where it is asked for."""
        if SEQ not in self.rules.tests:
            return dict.fromkeys(("nats", "priors", "wholes", "known", "odds"), np.zeros(1))
        tables, known = self.critical.priors, np.zeros(1)
        if tables.known is not None:
            known = np.append(tables.known, tables.known.sum())
        return {
            "nats": tables.nats,
            "priors": tables.values.ravel(),
            "wholes": tables.wholes,
            "known": known,
            "odds": np.array([math.log(self.critical.odds)]),
        }


@dataclass(frozen=True, eq=False)
class State:
    """The released records at one time. A state never changes; a release makes the next."""

    guard: Guard
    outside: Outside
    records: int  # outside
    exposed: int  # targets that exceed the limits that every target has; some after a change of baseline

    @classmethod
    def start(cls, guard: Guard) -> State:
        """Nothing has left."""
        return cls.of(guard, np.zeros(guard.domain.shape, np.int64))

    @classmethod
    def of(cls, guard: Guard, counts: IntArray) -> State:
        """What has left, by value of X (rows) and target (columns)."""
        counts = np.array(counts, dtype=np.int64, order="C")
        if counts.shape != guard.domain.shape or (counts < 0).any():
            raise ParameterError(
                f"The released counts must be whole numbers of at least 0, for {guard.domain.shape[0]} "
                f"values and {guard.domain.shape[1]} targets."
            )
        records = int(counts.sum())
        limits = guard.limits(records + 1)
        outside = Outside.of(counts, limits.tests)
        kernels.read_all(outside, limits)
        return cls(guard, outside, records, kernels.count_exposed(outside, limits))

    @property
    def counts(self) -> IntArray:
        return self.outside.counts

    @property
    def parts(self) -> tuple[State, ...]:
        """What has left, by the cells of each dependency."""
        return (self,)

    def unknown(self, cell: Cell) -> str | None:
        """Whether the baseline never expects a record's target or its value, the first that applies."""
        values, targets = self.guard._expected_places
        x, y = cell
        if not (0 <= y < len(targets) and targets[y]):
            return "target"
        return None if 0 <= x < len(values) and values[x] else "value"

    def joined_by(self, cell: Cell) -> State | None:
        """The state with one more record, if it passes every test then."""
        # what was copied for a record that may not leave is as it was, and serves for the next; who uses
        # it takes it away, so that no other thread does
        following = self.__dict__.pop("_spare", None) or self.scratch()
        if kernels.leave(following, self.limits, *cell, self.exposed) != 0:
            self.__dict__["_spare"] = following
            return None
        return State(self.guard, following, self.records + 1, 0)

    def never(self) -> BoolArray:
        """Cells that can never leave, since the baseline does not expect their targets."""
        return np.tile(self.guard.baseline.target_shares <= 0, (self.counts.shape[0], 1))

    def of_targets(self) -> list[list[BoolArray]]:
        """By dependency, the cells of each target of its baseline; none of one it does not expect."""
        expected = self.guard.baseline.target_shares > 0
        return [[self._of_target(y) & bool(there) for y, there in enumerate(expected)]]

    def _of_target(self, y: int) -> BoolArray:
        found = np.zeros(self.counts.shape, np.bool_)
        found[:, y] = True
        return found

    def first_to_leave(self, heads: IntArray, blocked: BoolArray) -> int:
        """The cell that came first among those whose records may leave, as one number; -1 for none."""
        return leaving.first_to_leave([GuardedSet(self.scratch(), self.limits, None, blocked)], heads)

    def run(self, asked: IntArray) -> IntArray:
        """Of records of some cells, asked for one after the other, those that leave."""
        limits = self.guard.limits(self.records + len(asked))
        return leaving.run([GuardedSet(self.scratch(), limits)], asked, self.counts.size)

    @property
    def limits(self) -> TestLimits:
        return self.guard.limits(self.records + 1)

    @cached_property
    def safe(self) -> bool:
        """Whether what is outside passes every test."""
        return kernels.is_safe(self.outside, self.limits)

    def scratch(self) -> Outside:
        """A copy that loops may write to."""
        return self.outside.copy()

    def after(self, cell: Cell, records: int = 1) -> State:
        """The state after records of a cell have left."""
        if min(cell) < 0:
            raise ParameterError("A record outside the domain has no cell to be counted in.")
        following = self.scratch()
        limits = self.guard.limits(self.records + records)
        kernels.put(following, limits, cell.x, cell.y, records)
        exposed = kernels.count_exposed(following, limits)
        return State(self.guard, following, self.records + records, exposed)

    def under(self, guard: Guard) -> State:
        """The same records outside, held to another baseline or other rules."""
        return guard.state(guard.domain.moved(self.counts, self.guard.domain))

    def exposures(self) -> tuple[Exposure, ...]:
        """What every test reads: one for all targets, or one for each target outside."""
        return self._exposed_by.every()

    def worst(self) -> tuple[Exposure, ...]:
        """For each test the exposure that is nearest to its limit."""
        return self._worst

    @cached_property
    def _worst(self) -> tuple[Exposure, ...]:
        return self._exposed_by.worst()

    @property
    def _exposed_by(self) -> ExposedSet:
        return ExposedSet(self.outside, self.limits, self.records, self.guard.critical)

    @cached_property
    def readings(self) -> dict[str, float | None]:
        """What the values outside tell about the targets; None where it is undefined."""
        return {"discrimination_rate": self._read(discrimination_rate), "itpr": self._read(itpr)}

    def _read(self, measure: Any) -> float | None:
        if not self.records:
            return None
        try:
            return float(measure(JointCounts.of_table(self.counts)))
        except Undefined:
            return None
