"""The release check command: from released records and their table to whether the tests are passed."""

from __future__ import annotations

import sys

import typer

from divulge.cli.commands.release.dependency import dependencies_of, guards_of, table_of
from divulge.cli.exit_codes import FAILED
from divulge.cli.progress import progress
from divulge.cli.requests.release import ReleaseCheckRequest
from divulge.cli.tables import distinct_names, records_to_release
from divulge.cli.verbosity import opened
from divulge.documents import as_json as written
from divulge.report.release.check_text import check_text
from divulge.safe_release import check_set
from divulge.safe_release.several.tables import tabulate_all
from divulge.table.partition_files import as_partitions


def run_check(asked: ReleaseCheckRequest) -> None:
    with progress("Reading"):
        data = opened(table_of(asked))
        dependencies = dependencies_of(asked, data.schema.attributes)
        groups = as_partitions(asked.partitions)
        guards = guards_of(asked, tabulate_all(data, dependencies, groups))
        given = records_to_release(asked.released, asked.source, asked.orders)
        released = tabulate_all(given, dependencies, groups)
        found = [check_set(one, guard) for one, guard in zip(released, guards, strict=True)]
        names = distinct_names([asked.released, asked.file])
        document, *others = (one.to_dict(*names, show_values=asked.show_values) for one in found)
    shown = check_text(document) + "".join(f"\n{check_text(one)}" for one in others)
    if others:
        document["also"], document["passes"] = others, all(one.passes for one in found)
    sys.stdout.write(written(document) if asked.as_json else shown)
    if not all(one.passes for one in found):
        raise typer.Exit(FAILED)
