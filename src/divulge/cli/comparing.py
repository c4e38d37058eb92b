"""The compare command: from options to releases side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from divulge.chance import SEED
from divulge.cli.delivering import deliver, refuse_outputs, report_path
from divulge.cli.progress import progress
from divulge.cli.reading import DataRequest, described, pairs, policed, split
from divulge.comparison import compare
from divulge.data import Data, read
from divulge.engines.out_of_core.budget import parsed
from divulge.policy import Policy
from divulge.report.comparison import page
from divulge.report.comparison_markdown import markdown
from divulge.report.comparison_text import text
from divulge.wording import flattened


@dataclass(frozen=True)
class Compare(DataRequest):
    """What was asked of the compare command; the file is the original."""

    releases: Sequence[str]
    policy: str | None
    by: Sequence[str] | None
    columns: Sequence[str] | None
    partitions: Sequence[str] | None
    need: str | None
    population: str | None
    outside: str | None
    tables: int
    mining: bool
    report: str | None
    no_report: bool
    as_json: bool
    markdown: str | None
    show_values: bool
    exact_counts: bool
    seed: int | None


def run_compare(asked: Compare) -> None:
    policy = None if asked.policy is None else Policy.read(asked.policy)
    report = report_path(asked, "comparison")
    read_from = (asked.file, *asked.releases, asked.policy, asked.need, asked.population, asked.outside)
    refuse_outputs(report, asked.markdown, inputs=read_from)
    if asked.memory is not None:  # each table has its share
        beside = [one for one in (*asked.releases, asked.population, asked.outside) if one is not None]
        asked = replace(asked, memory=str(parsed(asked.memory) // (1 + len(beside))))
    with progress("Reading") as stage:
        original = policed(asked, policy)
        found = compare(
            original,
            *(_beside(asked, original, file) for file in asked.releases),
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
            seed=SEED if asked.seed is None else asked.seed,
            stage=stage,
        )
        document = found.document
        if report is not None:
            stage("Drawing")
        plain = flattened(document)
        drawn = {} if report is None else {report: page(plain)}

    def shown(landed: Mapping[Path, Path]) -> str:
        return text(plain, report=None if report is None else str(landed[report]))

    deliver(document, asked, text=shown, markdown=lambda one: markdown(flattened(one)), files=drawn)


def _beside(asked: Compare, original: Data, file: str) -> Data:
    """Another table, its odd values meaning what they mean in the original."""
    return read(
        file,
        missing=original.missing,
        missing_values=tuple(original.missing_values),
        suppressed=original.suppressed,
        **described(asked),
    )


def _named(given: Sequence[str] | None) -> dict[str, str]:
    """Partitions by their names; a file without a name is called as it is."""
    found = {}
    for text_given in given or ():
        name, equals, file = text_given.partition("=")
        found[name if equals else Path(text_given).stem] = file if equals else text_given
    return found
