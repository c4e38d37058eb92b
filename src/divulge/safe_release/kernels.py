"""Whether one more record keeps a released set safe.

What is outside is a table of counts and, for each target, numbers that depend on that target's counts
alone. They are worked out anew from the counts whenever a record of the target leaves, so that a decision
is a function of the counts and of nothing that came before. Compiled loops decide where they were built;
what is said here in Python decides the same, to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled import release as loops
from divulge._compiled.release import LimitTables
from divulge._support.threads import cached_property
from divulge.safe_release.statistics.likelihood_ratios import PRIORS, PriorTables, mixed, stepped
from divulge.safe_release.statistics.merging import UNMERGED, pearson

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
MIS, KLD, CST, DQT, SEQ = 1, 2, 4, 8, 16  # bits of the tests that are asked for
EACH, MEAN, JOINT = range(3)  # likelihood ratios are held to a limit by target, on average, or as a product
LONGEST = 1 << 22  # records of the largest release whose limits fit chance; beyond they follow chi-square
TIE = 1e-9  # a value so near to its limit, in parts of it, has reached it
SAME = 1e-13  # distances in bits no further apart, beside TIE, are the same but for rounding
FAR = 1e-6  # an estimate so far beyond a limit needs no second look
ROUNDING = 1e-13  # how much further for each record, since logarithms of large numbers are rounded


@dataclass(frozen=True, eq=False)
class Outside:
    """What has left: counts by value and target, and by target what the tests read, in one array."""

    memory: IntArray
    shape: tuple[int, int]  # values of X and targets

    @classmethod
    def of(cls, counts: IntArray, tests: int) -> Outside:
        """Counts of which nothing has been read yet, with room for what these tests read."""
        values, targets = counts.shape
        numbers = 4 + (PRIORS + 1 if tests & SEQ else 0)
        room = np.zeros(numbers * targets, np.int64)
        return cls(np.concatenate([counts.ravel(), room]), (values, targets))

    def copy(self) -> Outside:
        return Outside(self.memory.copy(), self.shape)

    @cached_property
    def place(self) -> int:
        """Where it begins, as compiled loops take it."""
        return loops.place(self.memory)

    @cached_property
    def counts(self) -> IntArray:
        """Records, by value of X (rows) and target (columns)."""
        return self.memory[: self.shape[0] * self.shape[1]].reshape(self.shape)

    @cached_property
    def totals(self) -> IntArray:
        """Records by target."""
        return self._of_targets(0)

    @cached_property
    def bins(self) -> IntArray:
        """Values left after merging, by target."""
        return self._of_targets(1)

    @cached_property
    def surprise(self) -> FloatArray:
        """n times the distance from the baseline, in bits, by target."""
        return self._of_targets(2).view(np.float64)

    @cached_property
    def fit(self) -> FloatArray:
        """Pearson's statistic by target."""
        return self._of_targets(3).view(np.float64)

    @cached_property
    def evidence(self) -> FloatArray:
        """ln of the likelihood ratio by target, where it is asked for."""
        return self._of_targets(4).view(np.float64)

    @cached_property
    def parts(self) -> FloatArray:
        """The same by target and prior."""
        values, targets = self.shape
        return self.memory[(values + 5) * targets :].view(np.float64).reshape(targets, PRIORS)

    def _of_targets(self, place: int) -> IntArray:
        values, targets = self.shape
        return self.memory[(values + place) * targets : (values + place + 1) * targets]


@dataclass(frozen=True, eq=False)
class TestLimits:
    """What the tests hold it to."""

    shape: tuple[int, int]  # values of X and targets
    tests: int
    shares: FloatArray  # P(X)
    bits: FloatArray  # -log2 P(X)
    mutual: FloatArray  # limits of n times the mutual information, by n
    distance: FloatArray  # limits of n times the distance of one target, by n
    fits: FloatArray  # limits of Pearson's statistic on values that are not merged, by n
    small: int  # the largest release whose limits of information are by n
    joint: FloatArray  # chi-square limits of the mutual information: one, or by degrees of freedom
    by_degrees: FloatArray  # chi-square limits by degrees of freedom
    degrees: int  # of one target
    ratios: FloatArray  # Dixon's limits by number of different distances
    merging: int
    present: bool  # degrees of freedom count what is outside, not the domain
    form: int  # of likelihood ratios
    counts_known: bool  # observers know how often each value occurs in the table
    nats: FloatArray  # -ln P(X)
    priors: FloatArray  # ln Gamma(c p) by value and prior
    wholes: FloatArray  # ln Gamma(c) by prior
    known: FloatArray  # how often each value occurs in the table, and their sum
    odds: FloatArray  # ln of the limit of likelihood ratios

    @cached_property
    def tables(self) -> LimitTables:
        """As compiled loops take them."""
        return LimitTables.of(self, self.shape)

    @cached_property
    def ratios_of(self) -> PriorTables:
        """What likelihood ratios need."""
        return PriorTables(self.shares, self.known[:-1] if self.counts_known else None)

    @cached_property
    def reach(self) -> float:
        """The largest release that limits are there for; there is no end where none goes by its records."""
        mutual, distance = self.tests & MIS, self.tests & KLD
        by_records = [(self.mutual, self.small)] if mutual else []
        by_records += [(self.distance, self.small)] if distance else []
        by_records += [(self.fits, LONGEST)] if self.unmerged else []
        return min((len(limits) - 1 for limits, most in by_records if len(limits) <= most), default=math.inf)

    @property
    def unmerged(self) -> bool:
        """Whether Pearson's statistic is asked for on values that are not merged."""
        return bool(self.tests & CST) and self.merging == UNMERGED

    @property
    def drawn_together(self) -> bool:
        """Whether the records of all targets are drawn from the same known counts."""
        return self.counts_known and self.form == JOINT


def weight(count: int) -> float:
    return count * math.log2(count) if count > 1 else 0.0


def _read_evidence(outside: Outside, limits: TestLimits, y: int) -> None:
    """Work out the likelihood ratios of a target, from its counts."""
    counts = outside.counts[:, y].tolist()
    outside.parts[y] = limits.ratios_of.log_ratios(counts, drawn=not limits.drawn_together)
    outside.evidence[y] = mixed(outside.parts[y].tolist())


def _step_evidence(outside: Outside, limits: TestLimits, x: int, y: int) -> None:
    """The same with one more record, which is not counted yet, from those without it."""
    here, records = int(outside.counts[x, y]), int(outside.totals[y])
    share = float(limits.shares[x])
    expected = 1.0 if limits.drawn_together else share
    if limits.counts_known and not limits.drawn_together:
        left = float(limits.known[-1]) - records
        expected = (float(limits.known[x]) - here) / left if left > 0 else 0.0
    outside.parts[y] = stepped(outside.parts[y].tolist(), share, expected, here, records)
    outside.evidence[y] = mixed(outside.parts[y].tolist())


def evidence_of(outside: Outside, limits: TestLimits, y: int) -> float:
    """ln of the likelihood ratio held to a limit when a record of a target leaves: its own, or of all."""
    if limits.form == EACH:
        return float(outside.evidence[y])
    if limits.form == MEAN:
        return mixed(outside.evidence.tolist(), outside.shape[1])
    drawn = limits.ratios_of.against(outside.counts.sum(axis=1).tolist()) if limits.counts_known else 0.0
    totals = [drawn] * PRIORS
    for parts in outside.parts.tolist():
        totals = [total + part for total, part in zip(totals, parts, strict=True)]
    return mixed(totals)


def odds_below(evidence: float, limits: TestLimits) -> bool:
    """Whether a likelihood ratio stays below its limit, both by their logarithms."""
    return evidence < float(limits.odds[0]) - TIE


def _read_distances(outside: Outside, limits: TestLimits, y: int) -> None:
    """Work out from its counts what the tests read of a target but for likelihood ratios."""
    column, total = outside.counts[:, y], 0.0
    for count, bits in zip(column.tolist(), limits.bits.tolist(), strict=True):
        if count > 0:
            total += weight(count) + count * bits
    outside.totals[y] = records = int(column.sum())
    outside.surprise[y] = total - weight(records)
    if limits.tests & CST:
        outside.fit[y], outside.bins[y] = pearson(column, limits.shares, limits.merging)


def _read_target(outside: Outside, limits: TestLimits, y: int) -> None:
    """Work out what the tests read of a target, from its counts."""
    _read_distances(outside, limits, y)
    if limits.tests & SEQ:
        _read_evidence(outside, limits, y)


def read_all(outside: Outside, limits: TestLimits) -> None:
    """Work out what the tests read of every target."""
    if library.built():
        loops.ask(loops.READ_ALL, outside.memory, outside.shape, limits.tables)
        return
    for y in range(outside.shape[1]):
        _read_target(outside, limits, y)


def present_values(outside: Outside) -> int:
    """How many values of X are outside."""
    return int(np.count_nonzero((outside.counts > 0).any(axis=1)))


def mutual_limit(outside: Outside, limits: TestLimits, records: int) -> float:
    """What n times the mutual information has to stay below, for so many records."""
    if records <= limits.small:
        return float(limits.mutual[records]) if records < len(limits.mutual) else 0.0
    targets = np.count_nonzero(outside.totals)
    degrees = (present_values(outside) - 1) * targets if limits.present else 0
    return float(limits.joint[degrees]) / (2 * math.log(2))


def distance_limit(outside: Outside, limits: TestLimits, records: int) -> float:
    """What n times a target's distance has to stay below, for so many of its records."""
    if records <= limits.small:
        return float(limits.distance[records]) if records < len(limits.distance) else 0.0
    degrees = present_values(outside) - 1 if limits.present else limits.degrees
    return float(limits.by_degrees[degrees]) / (2 * math.log(2))


def fit_limit(outside: Outside, limits: TestLimits, y: int) -> float:
    """What Pearson's statistic of a target has to stay below."""
    if not limits.unmerged:
        return float(limits.by_degrees[outside.bins[y] - 1])
    records = int(outside.totals[y])
    if records > LONGEST:
        return float(limits.by_degrees[limits.degrees])
    return float(limits.fits[records]) if records < len(limits.fits) else 0.0


def below(value: float, limit: float) -> bool:
    """Strictly below; what cannot be told from the limit is not."""
    return value < limit * (1 - TIE)


def _target_is_safe(outside: Outside, limits: TestLimits, y: int) -> bool:
    """Whether a target by itself stays within the limits that every target has."""
    records, surprise, bins = int(outside.totals[y]), float(outside.surprise[y]), int(outside.bins[y])
    if records == 0:
        return True
    if limits.tests & KLD and not below(surprise, distance_limit(outside, limits, records)):
        return False
    by_target = limits.tests & SEQ and limits.form == EACH
    if by_target and not odds_below(float(outside.evidence[y]), limits):
        return False
    if limits.tests & CST and bins > 1:
        return below(float(outside.fit[y]), fit_limit(outside, limits, y))
    return True


def dixon(outside: Outside) -> tuple[float, int]:
    """How far the largest distance stands from the next, in parts of their range; how many differ.

    A target with a value that the baseline never expects is infinitely far, and stands out for certain.
    """
    there = outside.totals > 0
    distances = np.sort(outside.surprise[there] / outside.totals[there])
    if len(distances) and distances[-1] == np.inf:
        return math.inf, 3
    gaps = np.diff(distances)
    different = min(len(distances), 1) + int(np.count_nonzero(gaps > SAME + TIE * distances[1:]))
    if different < 3:
        return 0.0, different
    return float(gaps[-1] / (distances[-1] - distances[0])), different


def all_surprise(outside: Outside) -> float:
    total = 0.0
    for surprise in outside.surprise.tolist():  # one after the other, as compiled loops add
        total += surprise
    return total


def _together_is_safe(outside: Outside, limits: TestLimits) -> bool:
    """Whether all targets together stay within the limits of the tests that look at them together."""
    records = int(outside.totals.sum())
    mutual = limits.tests & MIS and records > 0
    if mutual and not below(all_surprise(outside), mutual_limit(outside, limits, records)):
        return False
    together = limits.tests & SEQ and limits.form != EACH
    if together and not odds_below(evidence_of(outside, limits, 0), limits):
        return False
    if limits.tests & DQT:
        ratio, different = dixon(outside)
        return different < 3 or below(ratio, float(limits.ratios[different]))
    return True


def is_safe(outside: Outside, limits: TestLimits) -> bool:
    """Whether a released set passes every test."""
    if library.built():
        return bool(loops.ask(loops.IS_SAFE, outside.memory, outside.shape, limits.tables))
    return count_exposed(outside, limits) == 0 and _together_is_safe(outside, limits)


def put(outside: Outside, limits: TestLimits, x: int, y: int, records: int) -> None:
    """Let so many records of a cell out, or take them back."""
    if library.built():
        loops.ask(loops.PUT, outside.memory, outside.shape, limits.tables, x, y, records)
        return
    outside.counts[x, y] += records
    _read_target(outside, limits, y)


def count_exposed(outside: Outside, limits: TestLimits) -> int:
    """How many targets exceed the limits that every target has."""
    if library.built():
        return loops.ask(loops.COUNT_EXPOSED, outside.memory, outside.shape, limits.tables)
    return sum(not _target_is_safe(outside, limits, y) for y in range(outside.shape[1]))


def leave(outside: Outside, limits: TestLimits, x: int, y: int, exposed: int, *, keep: bool = True) -> int:
    """Let one more record out if the set stays safe with it, where so many targets are exposed without it.

    0: it does; 1: its own target would not, whatever happens to others; 2: all together would not. The set
    is left as it was unless it stays safe and is to be kept; then no target is exposed.
    """
    if library.built():
        what = loops.LEAVE if keep else loops.MAY_LEAVE
        given = (outside.memory, outside.shape, limits.tables, x, y, exposed)
        return loops.ask(what, *given, place=outside.place)
    if limits.shares[x] <= 0:
        return 1
    if limits.present:
        exposed = -1  # one more value changes the limits of every target
    elif not _target_is_safe(outside, limits, y):
        exposed -= 1
    kept = outside.surprise[y], outside.fit[y], outside.bins[y]
    sequential = limits.tests & SEQ
    if sequential:
        ratios = outside.evidence[y], outside.parts[y].copy()
        unclear = FAR + ROUNDING * int(outside.totals[y])
        _step_evidence(outside, limits, x, y)
    outside.counts[x, y] += 1
    _read_distances(outside, limits, y)
    if sequential and abs(evidence_of(outside, limits, y) - float(limits.odds[0])) <= unclear:
        _read_evidence(outside, limits, y)  # an estimate settles clear cases, and nothing else
    if exposed < 0:
        verdict = 0 if is_safe(outside, limits) else 2
    elif not _target_is_safe(outside, limits, y):
        verdict = 1
    else:
        verdict = 0 if exposed == 0 and _together_is_safe(outside, limits) else 2
    if verdict != 0 or not keep:
        outside.counts[x, y] -= 1
        outside.totals[y] -= 1
        outside.surprise[y], outside.fit[y], outside.bins[y] = kept
        if sequential:
            outside.evidence[y], outside.parts[y] = ratios
    elif sequential:
        _read_evidence(outside, limits, y)
    return verdict


def may_leave(outside: Outside, limits: TestLimits, x: int, y: int, exposed: int) -> int:
    """Whether the set stays safe with one more record, by the same numbers; it is left as it was."""
    return leave(outside, limits, x, y, exposed, keep=False)
