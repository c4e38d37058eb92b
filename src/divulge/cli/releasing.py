"""The simulation of releases at work: from a table to what would leave."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.cli.progress import progress
from divulge.cli.reading import plain, split
from divulge.data import Data
from divulge.partitions import as_partitions
from divulge.release import Baseline, Guard, Rules, Table, occurrences, tabulate
from divulge.release import simulation as simulations
from divulge.release.printable import printable
from divulge.report.release import page
from divulge.report.release_text import text
from divulge.report.saving import as_json as written
from divulge.report.writing import write
from divulge.small_counts import exact_counts


@dataclass(frozen=True)
class Simulated:
    """What was asked of a simulation."""

    file: str
    x: Sequence[str] | None
    y: Sequence[str] | None
    tests: Sequence[str] | None
    alpha: float
    familywise: bool
    runs: int
    requests: int | None
    seed: int
    each: bool
    partitions: str | None
    baseline: str | None
    degrees: Any
    merging: Any
    samples: int
    reach: int
    report: str | None
    as_json: bool
    show_values: bool
    exact_counts: bool
    missing: Any
    missing_values: Sequence[str] | None
    orders: Sequence[str] | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None

    def rules(self) -> Rules:
        return Rules.of(
            list(self.tests or ["mis"]),
            self.alpha,
            degrees=self.degrees,
            merging=self.merging,
            samples=self.samples,
            reach=self.reach,
            familywise=self.familywise,
        )

    def data(self, file: str) -> Data:
        """A table, read as asked."""
        return plain(self, file)

    def held(self) -> tuple[Table, Guard]:
        """The table to release from, and what holds it."""
        data = self.data(self.file)
        x, y = (split(given, data.schema.attributes) for given in (self.x, self.y))
        groups = as_partitions(self.partitions)
        table = tabulate(data, x, y, groups)
        if self.baseline is None:
            return table, Guard(Baseline.of(table), self.rules())
        groups = {name: group for name, group in groups.items() if name in x}
        expected = occurrences(self.data(self.baseline), x, groups)
        return table, Guard(Baseline.reference(table, expected), self.rules())


def run_simulate(asked: Simulated) -> None:
    with progress("Reading") as say:
        table, guard = asked.held()
        say("Simulating")
        options: dict[str, Any] = {"runs": asked.runs, "requests": asked.requests, "seed": asked.seed}
        source = Path(asked.file).name
        document = simulations.simulate(table, guard, **options).to_dict(source)
        if asked.each:
            alone = simulations.each(table, guard, **options)
            document["each"] = [one.to_dict(source) for one in alone]
        with exact_counts(asked.exact_counts):
            document = printable(document, show_values=asked.show_values)
        if asked.report is not None:
            say("Drawing")
            write(Path(asked.report), page(document))
    sys.stdout.write(written(document) if asked.as_json else text(document))
    if asked.report is not None:
        print(f"Report: {asked.report}", file=sys.stderr)
