"""What may be asked about linking records."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.options import Names
from divulge.cli.parameters import argument, flag, option
from divulge.cli.requests.tables import RolesRequest, SpokenRequest
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class LinkRequest(SpokenRequest, RolesRequest):
    """Link released records with their originals.

    By distance, by intervals and by agreement; each figure is shown with what guessing at random gives.
    """

    file: str = argument("ORIGINAL", "The table before treatment: a file, or a database URL.")
    released: str = argument("RELEASED", "The data as released.")
    by: Names = options.by()
    keys: Names = options.keys(" Default: the quasi-identifiers, or all that both tables have.")
    columns: Names = options.columns()
    control: str | None = option("FILE", "People not used for the release: attacks on synthetic data.")
    scale: str = option("WORD", "Numbers by standard, rank or none; or gower.", "standard")
    one_to_one: bool = flag("Link each record at most once as well.")
    fuzzy: Names = option("A,B", "Texts that may have typing errors, compared by Splink.")
    structure: Names = option("A,B=C,D", "Related attributes of tables that share none: original=release.")
    groups: int = option("N", "With --structure: groups to divide people into.", 10)
    width: float = option("W", "Width of intervals: a share of ranks, or standard deviations.", 0.1)
    width_by: str = option("WORD", "Intervals by rank or deviation.", "rank")
    exact_counts: bool = options.exact_counts()
    as_json: bool = options.as_json()
    seed: int | None = options.seed()
    source: SourceOptions = options.of_several_tables()
