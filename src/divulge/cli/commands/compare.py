"""The compare command: from options to releases side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from divulge._support.wording import flattened
from divulge.cli.command_line import with_command
from divulge.cli.commands.need import run_need
from divulge.cli.outputs import deliver, refuse_outputs, report_path
from divulge.cli.progress import progress
from divulge.cli.requests.tables import CompareRequest
from divulge.cli.table_files import csv_files, folder_files
from divulge.cli.tables import pairs, refuse_number, seed_of, sharing_memory, split, table_under
from divulge.cli.verbosity import opened
from divulge.comparison import compare
from divulge.comparison.frames import PARTS
from divulge.errors import ParameterError
from divulge.policy import Policy
from divulge.questions.data import Data, read
from divulge.recipes.recipe import Recipe
from divulge.recipes.row_keys import key_rows
from divulge.report.comparison.markdown import markdown
from divulge.report.comparison.page import page
from divulge.report.comparison.text import text
from divulge.source.formats.recognition import fitting_options
from divulge.source.options import READING
from divulge.source.origin import remember_rows


def run_compare(asked: CompareRequest) -> None:
    if asked.need is not None and not asked.releases and not asked.recipes:
        run_need(asked)
        return
    refuse_number(asked.population, "check of each release")
    policy = None if asked.policy is None else Policy.read(asked.policy)
    report = report_path(asked, asked.file, None, "comparison")
    given = asked.releases or []
    recipes = [Recipe.read(file) for file in asked.recipes or ()]
    if not given and not recipes:
        raise ParameterError(
            "No release was given.",
            hint="Name a released table, --recipe FILE.toml, or what the data are for: --need NEED.toml.",
        )
    tables = [file for file in (asked.file, *given, asked.population, asked.outside) if file]
    folder = folder_files(asked.csv, PARTS)
    files_read = (*tables, asked.policy, asked.need, *(asked.recipes or ()), *(asked.keys or ()))
    refuse_outputs(report, asked.markdown, *folder, inputs=files_read)
    asked = replace(asked, source=sharing_memory(asked.source, len(tables)))
    with progress("Reading") as stage:
        original = opened(table_under(policy, asked))
        found = compare(
            original,
            *_released(asked, original, given),
            *recipes,
            policy=policy,
            by=split(asked.by, original.schema.attributes),
            columns=pairs(asked.columns, "--column", original.schema.attributes),
            population=None if asked.population is None else _beside(asked, original, asked.population),
            outside=None if asked.outside is None else _beside(asked, original, asked.outside),
            needs=asked.need,
            partitions=_named(asked.partitions),
            tables=asked.tables,
            mining=asked.mining,
            show_values=asked.show_values,
            seed=seed_of(asked.seed),
            stage=stage,
        )
        document = with_command(found).document
        if report is not None:
            stage("Drawing")
        plain = flattened(document)
        drawn = {} if report is None else {report: page(plain)}
        written = csv_files(asked.csv, {part: found.columns(part) for part in PARTS} if asked.csv else {})

    def shown(landed: Mapping[Path, Path]) -> str:
        said = [f"Table: {landed[path]}\n" for path in written]
        return "".join([text(plain, report=None if report is None else str(landed[report])), *said])

    files = {**drawn, **written}
    deliver(document, asked, text=shown, markdown=lambda one: markdown(flattened(one)), files=files)


def _released(asked: CompareRequest, original: Data, files: Sequence[str]) -> list[Data]:
    """The released tables, with the rows that key files say their records were."""
    found = [_beside(asked, original, file) for file in files]
    if asked.keys is None:
        return found
    if len(asked.keys) != len(found):
        raise ParameterError(
            f"--key was given {len(asked.keys)} times, and there are {len(found)} released tables.",
            hint="Give --key once for each RELEASED, in the same order.",
        )
    for table, file in zip(found, asked.keys, strict=True):
        remember_rows(table.source, key_rows(file, table.records, original.records))
    return found


def _beside(asked: CompareRequest, original: Data, file: str) -> Data:
    """Another table, its odd values meaning what they mean in the original.

    What is said of how the original is written holds as far as it can be true of another file.
    """
    said = asked.source if "://" in file else fitting_options(asked.source, file, asked.file)
    return opened(
        read(
            file,
            missing=original.missing,
            missing_values=tuple(original.missing_values),
            suppressed=original.suppressed,
            **said.given(*READING),
        )
    )


def _named(given: Sequence[str] | None) -> dict[str, str]:
    """Partitions by their names; a file without a name is called as it is."""
    found = {}
    for text_given in given or ():
        name, equals, file = text_given.partition("=")
        found[name if equals else Path(text_given).stem] = file if equals else text_given
    return found
