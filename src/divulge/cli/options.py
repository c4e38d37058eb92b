"""Options that several commands share, beside those of every table."""

from __future__ import annotations

from typing import Annotated

import typer

from divulge.cli.parameters import Without
from divulge.source.options import OPTIONS, SourceOptions


def _writable(path: str | None) -> str | None:
    """An output that cannot be written is refused while the options are read, before the work begins."""
    if path is not None and path != "-":
        from pathlib import Path

        from divulge.report.shared.writing import refuse_unwritable

        refuse_unwritable(Path(path))
    return path


Names = list[str] | None

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A file or folder, - for standard input, or a database URL with --table."
    ),
]

# -- what is said about tables ----------------------------------------------------------------------

_AFTER_THE_URL = "Write #table at the end of the database URL."
OfSeveralTables = Annotated[SourceOptions, Without({"table": f"Several tables are read. {_AFTER_THE_URL}"})]
OfObservedRecords = Annotated[
    SourceOptions,
    Without(
        {
            "table": f"Here --table names the file. {_AFTER_THE_URL}",
            "weights": "Observations are told by how many records make them, and each record counts once.",
        }
    ),
]
_IN_THE_POLICY = [name for name, option in OPTIONS.items() if option.concerns == "values"]
UnderPolicy = Annotated[
    SourceOptions, Without(dict.fromkeys(_IN_THE_POLICY, "Write it into the policy, under [data]."))
]
OfRecordsThatLeave = Annotated[
    SourceOptions,
    Without(
        {
            "weights": "Records leave one at a time, and each counts once.",
            "suppressed": "A mark of suppression leaves like any other value.",
        }
    ),
]

# -- roles and conventions --------------------------------------------------------------------------

Identifiers = Annotated[
    Names, typer.Option("--identifiers", metavar="A,B", help="Attributes that name a person.")
]
QuasiIdentifiers = Annotated[
    Names,
    typer.Option("--quasi-identifiers", metavar="A,B", help="Attributes that may single a person out."),
]
Sensitive = Annotated[Names, typer.Option("--sensitive", metavar="X", help="Attributes not to be learned.")]
Hierarchies = Annotated[
    Names,
    typer.Option(
        "--hierarchy", metavar="X=FILE", help="Hierarchy of an attribute's values; may be repeated."
    ),
]
Orders = Annotated[
    Names,
    typer.Option("--order", metavar="X=a,b,c", help="Order of an attribute's values."),
]
Partitions = Annotated[
    str | None,
    typer.Option("--partitions", metavar="FILE.toml", help="Ranges or domains in which values are counted."),
]
Population = Annotated[
    int | None,
    typer.Option("--population", metavar="N", min=1, help="People that the table is a sample of."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, help="Seed of the shuffles, a whole number from 0 on."),
]
Policy = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE.toml", help="Roles and thresholds to hold the data to."),
]

# -- what comes out ---------------------------------------------------------------------------------

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
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
Report = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="OUT.html",
        callback=_writable,
        help="Where to write the report.",
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report.")]
ByValue = Annotated[
    bool, typer.Option("--by-value", help="Print one line for each key value or combination.")
]
ShowValues = Annotated[
    bool,
    typer.Option("--show-values", help="Name values of records in the output; counts below 5 stay hidden."),
]
ExactCounts = Annotated[
    bool, typer.Option("--exact-counts", help="Print counts of people below 5 as they are.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Count a warning as a failure.")]
