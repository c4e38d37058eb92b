"""Options that several commands share, beside those of every table."""

from __future__ import annotations

from functools import partial

from divulge.cli.parameters import argument, flag, option, table_options
from divulge.source.options import OPTIONS


def _writable(path: str | None) -> str | None:
    """An output that cannot be written is refused while the options are read, before the work begins."""
    if path is not None and path != "-":
        from pathlib import Path

        from divulge.report.shared.writing import refuse_unwritable

        refuse_unwritable(Path(path))
    return path


Names = list[str] | None

file = partial(argument, "FILE", "A file or folder, - for standard input, or a database URL with --table.")

# -- what is said about tables ----------------------------------------------------------------------

_AFTER_THE_URL = "Write #table at the end of the database URL."
_IN_THE_POLICY = [name for name, one in OPTIONS.items() if one.concerns == "values"]
of_several_tables = partial(table_options, table=f"Several tables are read. {_AFTER_THE_URL}")
of_observed_records = partial(
    table_options,
    table=f"Here --table gives the file. {_AFTER_THE_URL}",
    weights="Observations are counted in records, and each record counts once.",
)
under_policy = partial(
    table_options, **dict.fromkeys(_IN_THE_POLICY, "Write it into the policy, under [data].")
)
of_records_that_leave = partial(
    table_options,
    weights="Records are released one at a time, and each counts once.",
    suppressed="A suppressed cell is released like any other value.",
)

# -- roles and conventions --------------------------------------------------------------------------

identifiers = partial(option, "A,B", "Attributes that identify a person directly.")
quasi_identifiers = partial(option, "A,B", "Attributes that may single a person out.")
sensitive = partial(option, "X", "Attributes that should not be learned.")
hierarchies = partial(
    option, "X=FILE", "Hierarchy of an attribute's values; may be repeated.", called="--hierarchy"
)
orders = partial(option, "X=a,b,c", "Order of an attribute's values.", called="--order")
partitions = partial(option, "FILE.toml", "Ranges or domains in which values are counted.")
population = partial(option, "N", "People that the table is a sample of.", min=1)
seed = partial(option, "N", "Seed of the random shuffles.", min=0)
policy = partial(option, "FILE.toml", "Roles and thresholds, as a TOML file.")

# -- what comes out ---------------------------------------------------------------------------------

as_json = partial(flag, "Print one JSON document.", called="--json")
markdown = partial(option, "OUT.md", "Write a summary for a pull request; - prints it.", callback=_writable)
junit = partial(option, "OUT.xml", "Write the checks as JUnit XML for a pipeline.", callback=_writable)
plan_records = partial(option, "FILE.csv", "Write which records the plan changes.", callback=_writable)
report = partial(option, "OUT.html", "Where to write the report.", callback=_writable)
no_report = partial(flag, "Write no report.")
by_value = partial(flag, "Print one line for each group of records.")
show_values = partial(flag, "Show values of records; counts below 5 stay hidden.")
exact_counts = partial(flag, "Print counts of people below 5 as they are.")
strict = partial(flag, "Count a warning as a failure.")
