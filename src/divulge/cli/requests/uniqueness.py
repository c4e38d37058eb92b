"""What may be asked about who is unique."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.completion import attributes
from divulge.cli.help_sections import ROLES
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
    keys: Names = option(
        "A,B", "Attributes that an attacker knows.", REQUIRED, autocompletion=attributes, section=ROLES
    )
    identifiers: Names = options.identifiers()
    population: str | None = option("FILE", "A table of the whole population.")
    population_size: int | None = option("N", "People the table was drawn from.", min=1)
    fraction: float | None = options.fraction()
    models: Names = option("NAME", "Model to use; may be repeated. Default: all.", called="--model")
    special: bool = flag("Find special uniques: minimal sets of attributes that make a record unique.")
    largest: int | None = option("N", "Attributes of the largest sets searched. Default: all.", min=1)
    household: str | None = options.household()
    records: str | None = options.record_file()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    source: SourceOptions = table_options(anatomy="Give the first table alone.")
