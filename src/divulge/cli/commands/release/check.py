"""The release check command: from released records and their table to whether the tests are passed."""

from __future__ import annotations

import sys

import typer

from divulge.cli.commands.release.dependency import guard_of, table_of
from divulge.cli.progress import progress
from divulge.cli.requests.release import ReleaseCheckRequest
from divulge.cli.tables import distinct_names, records_to_release, split
from divulge.cli.verbosity import opened
from divulge.documents import as_json as written
from divulge.report.release.check_text import check_text
from divulge.safe_release import check_set, tabulate
from divulge.table.partition_files import as_partitions


def run_check(asked: ReleaseCheckRequest) -> None:
    with progress("Reading"):
        data = opened(table_of(asked))
        x, y = (split(given, data.schema.attributes) for given in (asked.x, asked.y))
        groups = as_partitions(asked.partitions)
        table = tabulate(data, x, y, groups)
        guard = guard_of(asked, table)
        released = tabulate(records_to_release(asked.released, asked.source, asked.orders), x, y, groups)
        found = check_set(released, guard)
        names = distinct_names([asked.released, asked.file])
        document = found.to_dict(*names, show_values=asked.show_values)
    sys.stdout.write(written(document) if asked.as_json else check_text(document))
    if not found.passes:
        raise typer.Exit(1)
