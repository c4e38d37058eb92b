"""The release simulate command: from a table to what would leave."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.cli.commands.release.dependency import dependencies_of, guards_of, table_of
from divulge.cli.progress import progress
from divulge.cli.requests.release import SimulateRequest
from divulge.cli.table_files import csv_rows
from divulge.cli.tables import distinct_names
from divulge.cli.verbosity import opened
from divulge.documents import as_json as written
from divulge.errors import ParameterError
from divulge.report.release.page import page
from divulge.report.release.text import text
from divulge.report.shared.writing import write
from divulge.safe_release import Guard, HolderTable
from divulge.safe_release import simulation as simulations
from divulge.safe_release.printable import printable, released_by_cell
from divulge.safe_release.several.guards import JointGuard
from divulge.safe_release.several.simulation import simulate_together
from divulge.safe_release.several.tables import joint_table, tabulate_all
from divulge.safe_release.simulation import Simulation
from divulge.table.partition_files import as_partitions


def run_simulate(asked: SimulateRequest) -> None:
    with progress("Reading") as say:
        tables, guards = _held(asked)
        say("Simulating")
        options: dict[str, Any] = {
            "runs": asked.runs,
            "requests": asked.requests,
            "seed": 1 if asked.seed is None else asked.seed,
        }
        [source] = distinct_names([asked.file])
        found, *others = _simulated(tables, guards, options)
        document = found.to_dict(source)
        if others:
            document["also"] = [one.to_dict(source, pictures=False) for one in others]
        if asked.each:
            alone = simulations.each(tables[0], guards[0], **options)
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


def _held(asked: SimulateRequest) -> tuple[list[HolderTable], list[Guard]]:
    """The table to release from, by the cells of each dependency, and what holds it."""
    if asked.each and asked.also:
        raise ParameterError(
            "--each runs one dependency under every test.", hint="Leave one of --each and --also out."
        )
    data = opened(table_of(asked))
    dependencies = dependencies_of(asked, data.schema.attributes)
    tables = tabulate_all(data, dependencies, as_partitions(asked.partitions))
    return tables, guards_of(asked, tables)


def _simulated(
    tables: Sequence[HolderTable], guards: Sequence[Guard], options: Mapping[str, Any]
) -> list[Simulation]:
    """The runs, as each dependency counts them."""
    if len(guards) == 1:
        return [simulations.simulate(tables[0], guards[0], **options)]
    table = joint_table(tables)
    return simulate_together(table, JointGuard.over(table.domain, guards), **options)
