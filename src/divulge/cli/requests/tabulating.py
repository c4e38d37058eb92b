"""What may be asked about published tables."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.completion import attributes
from divulge.cli.help_sections import OUTPUT, ROLES
from divulge.cli.options import Names
from divulge.cli.parameters import argument, flag, option, table_options
from divulge.cli.requests.tables import OutputRequest
from divulge.source.options import SourceOptions


@dataclass(frozen=True, kw_only=True)
class TabulateRequest(OutputRequest):
    """Protect and audit published tables.

    Builds tables with their margins, finds the cells at risk, protects them, and attacks the result by linear
    programming. A table that was published can be read and attacked as it is. Exit codes: 0 passed, 1 a cell
    fails, 2 the data or the policy cannot be used, 3 something could not be audited.
    """

    file: str | None = argument("FILE", "The records: a file, a database URL, or - for standard input.", None)
    by: Names = option("A,B", "Attributes of the table.", autocompletion=attributes)
    value: str | None = option("X", "Attribute to add up.", autocompletion=attributes)
    sum: bool = flag("Publish sums of the value. This is the default with --value.")
    count: bool = flag("Publish counts of records. This is the default without --value.")
    mean: bool = flag("Publish means of the value.")
    policy: str | None = option("FILE.toml", "Tables, rules and protection.")
    published: Names = option(
        "FILE.csv", "A published table to attack, or with FILE to audit; repeat it for linked tables."
    )
    protect: str | None = option(
        "METHOD",
        "How: suppression, none, controlled rounding, random rounding, adjustment, cell key or noise.",
    )
    contributor: str | None = option(
        "A", "Attribute that says to whom a record belongs.", autocompletion=attributes, section=ROLES
    )
    hierarchies: Names = options.hierarchies()
    out: str | None = options.out("the protected table, if it passes; several as OUT-NAME.csv.")
    steward: str | None = option(
        "OUT.csv", "Write it with the reason of each mark; keep it with the data.", section=OUTPUT
    )
    report: str | None = options.report()
    seed: int | None = options.seed(options.SECRET)
    overwrite: bool = options.overwrite()
    show_values: bool = options.show_values()
    exact_counts: bool = options.exact_counts()
    source: SourceOptions = table_options(anatomy="A table is made of the original.")
