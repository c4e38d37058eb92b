"""Options that several commands share: where the data are, what roles they have, what odd values mean."""

from __future__ import annotations

from typing import Annotated, Optional

import typer


def _writable(path: str | None) -> str | None:
    """An output that cannot be written is refused while the options are read, before the work begins."""
    if path is not None and path != "-":
        from pathlib import Path

        from divulge.report.writing import refuse_unwritable

        refuse_unwritable(Path(path))
    return path


Names = Optional[list[str]]  # noqa: UP045 - what typer reads

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV or Parquet file, or a database URL with --table or #table at its end."
    ),
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", metavar="spark", help="Count FILE, a path or a table of Spark, with Spark."),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="Spark's master, or sc://host for Spark Connect. Default: this machine.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="4GB", help="The most memory to take; what needs more is counted on disk."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Identifiers = Annotated[
    Names, typer.Option("--identifiers", metavar="A,B", help="Attributes that name a person.")
]
QuasiIdentifiers = Annotated[
    Names,
    typer.Option("--quasi-identifiers", metavar="A,B", help="Attributes that may single a person out."),
]
Sensitive = Annotated[Names, typer.Option("--sensitive", metavar="X", help="Attributes not to be learned.")]
Weights = Annotated[str | None, typer.Option("--weights", metavar="W", help="Attribute with record weights.")]
Population = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--population", metavar="N", min=1, help="People that the table is a sample of."),
]
Missing = Annotated[
    str, typer.Option("--missing", metavar="value|drop|wildcard", help="What a missing value is.")
]
MissingValues = Annotated[
    Names,
    typer.Option(
        "--missing-value", metavar="TEXT", help="Text that means missing, such as '?'; may be repeated."
    ),
]
Suppressed = Annotated[
    str, typer.Option("--suppressed", metavar="TEXT", help="Text that marks a suppressed cell.")
]
Hierarchies = Annotated[
    Names,
    typer.Option(
        "--hierarchy", metavar="X=FILE", help="Hierarchy of an attribute's values; may be repeated."
    ),
]
Orders = Annotated[
    Names,
    typer.Option(
        "--order", metavar="X=a,b,c", help="Order of an attribute's values, for ordered t-closeness."
    ),
]
Seed = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffles, a whole number from 0 on."),
]
Table = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="Table, when FILE is a database URL.")
]
Separator = Annotated[
    str | None,
    typer.Option("--separator", metavar="TEXT", help="Separator of a CSV file, if not to be detected."),
]
Quote = Annotated[str | None, typer.Option("--quote", metavar="CHAR", help="Quotation mark of a CSV file.")]
Encoding = Annotated[str | None, typer.Option("--encoding", metavar="NAME", help="Encoding of a CSV file.")]
Policy = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE.toml", help="Roles and thresholds to hold the data to."),
]
Markdown = Annotated[
    str | None,
    typer.Option(
        "--markdown",
        metavar="OUT.md",
        callback=_writable,
        help="Write a summary for a pull request; - prints it.",
    ),
]
Junit = Annotated[
    str | None,
    typer.Option(
        "--junit",
        metavar="OUT.xml",
        callback=_writable,
        help="Write the checks for a pipeline's test view.",
    ),
]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Name values of records in the output; counts below 5 stay hidden."),
]
ExactCounts = Annotated[
    bool, typer.Option("--exact-counts", help="Print counts of people below 5 as they are.")
]
Strict = Annotated[bool, typer.Option("--strict", help="A warning counts as a failure.")]
Report = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="OUT.html",
        callback=_writable,
        help="Where to write the report. Default: the current folder.",
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report.")]
