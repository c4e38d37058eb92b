"""Records are taken in as they come, and every while it is said how things stand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from divulge import documents
from divulge._support.small_counts import hidden
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.provenance import utc_now
from divulge.documents.fields import Outcome
from divulge.errors import SourceError
from divulge.streams.arrivals import Arrivals, Arrived
from divulge.streams.stream_assessment import StreamAssessment
from divulge.streams.window import Window

PATIENCE = 0.25  # seconds that a source is waited for at a time
FEW = 1000  # records below which there is no verdict, unless the window has fewer
_WORST: tuple[Outcome, ...] = ("fail", "not evaluated", "warn", "pass")


@dataclass(frozen=True)
class StreamReading:
    """How things stand at a moment."""

    source: str
    assessment: StreamAssessment
    checks: tuple[AnyCheck, ...]
    arrived: int
    malformed: int
    judged: bool
    said: tuple[str, ...]
    ended: bool
    time: str = field(default_factory=utc_now)

    @property
    def outcome(self) -> Outcome:
        """The worst of the outcomes; none while there are too few records."""
        outcomes = {check.outcome for check in self.checks}
        if not self.judged or not outcomes:
            return "not evaluated"
        return next(one for one in _WORST if one in outcomes)

    @property
    def gaps(self) -> list[TableCheck]:
        """The check of what was not measured, where all checks were read already."""
        asked = (one for one in self.checks if isinstance(one, TableCheck))
        return [one for one in asked if one.measure_name == "measured"]

    def to_dict(self) -> dict[str, Any]:
        policy, window = self.assessment.policy, self.assessment.window
        entries = [one.to_dict() for one in self.checks]
        kept = ("measure", "title", "target", "severity", "outcome", "asked", "found", "found_text")
        content = {
            "source": self.source,
            "policy": {"name": policy.name, "digest": policy.digest},
            "time": self.time,
            "window": in_words(window),
            "records": hidden(self.assessment.records),
            "arrived": hidden(self.arrived),
            "malformed": hidden(self.malformed),
            "outside": hidden(self.assessment.outside),
            "judged": self.judged,
            "outcome": self.outcome,
            "checks": [{name: one.get(name) for name in (*kept, "undefined", "sentence")} for one in entries],
            "notes": [one.answer.note for one in self.gaps],
            "said": list(self.said),
            "ended": self.ended,
        }
        return documents.headed("watch", content)


def in_words(window: Window) -> str:
    """Which records are assessed.

    >>> in_words(Window(last=100_000)), in_words(Window(span=3600.0))
    ('the last 100,000 records', 'the records of the last 3,600 s')
    """
    if window.last is not None:
        return f"the last {window.last:,} records"
    return f"the records of the last {window.span or 0.0:,.0f} s"


@dataclass
class Watch:
    """Takes records in and reads the checks of a policy.

    ``least`` is how many records there have to be for a verdict. What the policy asks beyond what is followed
    is read at every reading; all of it, who is named among it, at the first with a verdict and at the end.
    What was not measured then is said at every reading.
    """

    source: Arrivals
    assessment: StreamAssessment
    every: float
    least: int | None = None
    fail_fast: bool = False
    strict: bool = False
    clock: Callable[[], float] = time.time
    arrived: int = 0
    malformed: int = 0

    def __post_init__(self) -> None:
        self._said: list[str] = []
        self._read_all = False
        self._since = time.monotonic()
        self._settled_at: dict[str, Any] | None = None

    @property
    def settled(self) -> bool:
        """Whether all that was read is in the window, and nothing else.

        It is not where an interrupt or a line that is no record came between reading and counting.
        """
        return self._settled_at is not None and self._settled_at == self.source.position

    def readings(self) -> Iterator[StreamReading]:
        """A reading every while, one where a threshold is crossed if that ends it, and one at the end."""
        while True:
            patience = max(min(PATIENCE, self._since + self.every - time.monotonic()), 0.0)
            arrived = self.source.poll(patience)
            self._settled_at = None
            self._take(arrived)
            self._settled_at = self.source.position
            due = time.monotonic() - self._since >= self.every
            crossed = self.fail_fast and self.judged and self._crossed()
            if due or crossed or arrived.ended:
                yield self._reading(ended=arrived.ended)
                self._since = time.monotonic()
            if arrived.ended:
                return

    @property
    def judged(self) -> bool:
        """Whether there are enough records for a verdict."""
        window = self.assessment.window.last
        least = (FEW if window is None else window) if self.least is None else self.least
        return self.assessment.records >= least

    def _take(self, arrived: Arrived) -> None:
        self._said += arrived.said
        self.malformed += arrived.malformed
        if arrived.malformed and self.strict:
            raise SourceError(
                f"{self.source.name} has a line that is no record, after {hidden(self.arrived)} records.",
                hint="Leave out --all-lines to count such lines and go on.",
            )
        self.arrived += len(next(iter(arrived.columns.values()), []))
        if arrived.columns or self.assessment.window.span is not None:
            empty: dict[str, list[Any]] = {name: [] for name in self.source.attributes}
            self.assessment.add(arrived.columns or empty, self.clock())

    def _crossed(self) -> bool:
        return any(check.outcome == "fail" for check in self.assessment.followed())

    def _reading(self, *, ended: bool) -> StreamReading:
        all_of_it = self._reads_all(ended)
        checks = self.assessment.everything() if all_of_it else self.assessment.followed_and_gaps()
        said, self._said = tuple(self._said), []
        judged = self.judged or (ended and self.least is None and self.assessment.records > 0)
        return StreamReading(
            self.source.name,
            self.assessment,
            tuple(checks),
            self.arrived,
            self.malformed,
            judged,
            said,
            ended,
        )

    def _reads_all(self, ended: bool) -> bool:
        """Whether all is read anew from the records of the window."""
        if not self.assessment.records:
            return False
        first = self.judged and not self._read_all
        self._read_all |= first
        return self.assessment.asks_more or first or ended
