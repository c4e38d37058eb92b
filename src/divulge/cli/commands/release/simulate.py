"""The release simulate command: from a table to what would leave."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from divulge.cli.commands.release.dependency import guard_of, table_of
from divulge.cli.progress import progress
from divulge.cli.requests.release import SimulateRequest
from divulge.cli.table_files import csv_rows
from divulge.cli.tables import distinct_names, split
from divulge.cli.verbosity import opened
from divulge.documents import as_json as written
from divulge.report.release.page import page
from divulge.report.release.text import text
from divulge.report.shared.writing import write
from divulge.safe_release import Guard, HolderTable, tabulate
from divulge.safe_release import simulation as simulations
from divulge.safe_release.printable import printable, released_by_cell
from divulge.table.partition_files import as_partitions


def run_simulate(asked: SimulateRequest) -> None:
    with progress("Reading") as say:
        table, guard = _held(asked)
        say("Simulating")
        options: dict[str, Any] = {"runs": asked.runs, "requests": asked.requests, "seed": asked.seed}
        [source] = distinct_names([asked.file])
        found = simulations.simulate(table, guard, **options)
        document = found.to_dict(source)
        if asked.each:
            alone = simulations.each(table, guard, **options)
            document["each"] = [one.to_dict(source, pictures=False) for one in alone]
        document = printable(document, show_values=asked.show_values)
        if asked.report is not None:
            say("Drawing")
            write(Path(asked.report), page(document))
        if asked.released is not None:
            rows = released_by_cell(found, show_values=asked.show_values)
            write(Path(asked.released), csv_rows(rows))
    sys.stdout.write(written(document) if asked.as_json else text(document))
    if asked.report is not None:
        print(f"Report: {asked.report}", file=sys.stderr)
    if asked.released is not None:
        print(f"Released records: {asked.released}", file=sys.stderr)


def _held(asked: SimulateRequest) -> tuple[HolderTable, Guard]:
    """The table to release from, and what holds it."""
    data = opened(table_of(asked))
    x, y = (split(given, data.schema.attributes) for given in (asked.x, asked.y))
    table = tabulate(data, x, y, as_partitions(asked.partitions))
    return table, guard_of(asked, table)
