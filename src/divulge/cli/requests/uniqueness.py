"""What may be asked about who is unique."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, flag, option, table_options
from divulge.cli.requests.tables import SpokenRequest
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class UniquenessRequest(SpokenRequest):
    """Count unique people, here and in the population.

    In the table, in the population it was drawn from by several models, and the records that few attributes
    make unique (special uniques).
    """

    file: str = options.file()
    keys: Names = options.keys(default=REQUIRED)
    identifiers: Names = options.identifiers()
    population: str | None = options.population()
    fraction: float | None = options.fraction()
    models: Names = option(
        "NAME", "Model to use; may be repeated. Default: all, or none with --population.", called="--model"
    )
    special: bool = flag("Find special uniques: minimal sets of attributes that make a record unique.")
    largest: int | None = option("N", "Attributes of the largest sets searched. Default: all.", min=1)
    scores: str = option("WORD", "SUDA scores: published, or scaled as in sdcMicro.", "published")
    household: str | None = options.household()
    records: str | None = options.records()
    overwrite: bool = options.overwrite()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    source: SourceOptions = table_options(anatomy="Give the first table alone.")
