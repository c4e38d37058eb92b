"""A set of records that has been released, or is about to be: does it pass the tests?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge import documents
from divulge._support.notebook import table_view
from divulge._support.small_counts import hidden, hidden_among
from divulge.documents.release import ReleaseCheckDocument
from divulge.errors import SchemaError
from divulge.safe_release.domain import HolderTable
from divulge.safe_release.printable import exposures, numbered
from divulge.safe_release.state import Guard, State

NOT_YET = "too few records for this test"
BEYOND = "beyond every limit"


@dataclass(frozen=True, eq=False)
class SetCheck:
    """What the tests say of a given set of records."""

    state: State
    unknown_values: int  # records with a value that the baseline does not expect
    unknown_targets: int  # records of a target that the baseline does not have

    @property
    def passes(self) -> bool:
        """Whether every test is passed, and nothing is there that a guard would never have released."""
        return self.state.safe and not self.unknown_values and not self.unknown_targets

    def _repr_html_(self) -> str:
        names = ("test", "target", "value", "critical", "safe")
        entries: Sequence[Mapping[str, Any]] = self.to_dict()["exposures"]
        rows = [[one[name] for name in names] for one in entries]
        note = "All tests passed." if self.passes else "Not all tests passed."
        return table_view("Release check", names, rows, note)

    def to_dict(
        self, source: str = "a set", table: str = "a table", *, show_values: bool = False
    ) -> ReleaseCheckDocument:
        """The check as a document of plain values, without counts below five."""
        guard, outside = self.state.guard, self.state.outside.totals.tolist()
        names = numbered(guard.domain.targets, show_values=show_values)
        contents = {
            "source": source,
            "table": table,
            "shows_values": show_values,
            "x": list(guard.domain.x),
            "y": list(guard.domain.y),
            "values": len(guard.domain.values),
            "records": hidden(self.state.records),
            "rules": guard.rules.to_dict(),
            "level": guard.critical.level,
            "comparisons": guard.rules.comparisons(guard.baseline.expected[1]),
            "passes": self.passes,
            "unknown_values": hidden(self.unknown_values, of=self.state.records),
            "unknown_targets": hidden(self.unknown_targets, of=self.state.records),
            "by_target": [
                {"target": names[target], "records": said}
                for target, said in zip(
                    guard.domain.targets, hidden_among(outside, sum(outside)), strict=True
                )
            ],
            "exposures": [
                {**_reasoned(one), "target": None if one["target"] is None else names[one["target"]]}
                for one in exposures(self.state)
            ],
            **self.state.readings,
            "warnings": guard.rules.warnings,
        }
        return documents.headed("release check", contents)


def check_set(released: HolderTable, guard: Guard) -> SetCheck:
    """Hold given records to a guard, whatever their order was.

    >>> from divulge.safe_release import table_of
    >>> guard = Guard.of(table_of([[50, 40], [50, 60]]), "kld", 0.2)
    >>> check_set(table_of([[9, 8], [1, 12]]), guard).passes
    False
    """
    if (released.domain.x, released.domain.y) != (guard.domain.x, guard.domain.y):
        raise SchemaError("The released records and the table have different attributes.")
    baseline = guard.baseline.covering(released.domain)
    state = State.of(Guard(baseline, guard.rules), baseline.domain.moved(released.counts, released.domain))
    values, targets = baseline.shares <= 0, baseline.target_shares <= 0
    return SetCheck(state, int(state.counts[values].sum()), int(state.counts[:, targets].sum()))


def _reasoned(exposure: dict[str, Any]) -> dict[str, Any]:
    """An exposure without figures, with the reason."""
    if exposure["value"] is not None or "undefined" in exposure:
        return exposure
    return {**exposure, "undefined": NOT_YET if exposure["critical"] is None else BEYOND}
