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
    table=f"Here --table names the file. {_AFTER_THE_URL}",
    weights="Observations are told by how many records make them, and each record counts once.",
)
under_policy = partial(
    table_options, **dict.fromkeys(_IN_THE_POLICY, "Write it into the policy, under [data].")
)
of_records_that_leave = partial(
    table_options,
    weights="Records leave one at a time, and each counts once.",
    suppressed="A mark of suppression leaves like any other value.",
)

# -- roles and conventions --------------------------------------------------------------------------

identifiers = partial(option, "A,B", "Attributes that name a person.")
quasi_identifiers = partial(option, "A,B", "Attributes that may single a person out.")
sensitive = partial(option, "X", "Attributes not to be learned.")
hierarchies = partial(
    option, "X=FILE", "Hierarchy of an attribute's values; may be repeated.", called="--hierarchy"
)
orders = partial(option, "X=a,b,c", "Order of an attribute's values.", called="--order")
partitions = partial(option, "FILE.toml", "Ranges or domains in which values are counted.")
population = partial(option, "N", "People that the table is a sample of.", min=1)
seed = partial(option, "N", "Seed of the shuffles, a whole number from 0 on.", min=0)
policy = partial(option, "FILE.toml", "Roles and thresholds to hold the data to.")

# -- what comes out ---------------------------------------------------------------------------------

as_json = partial(flag, "Print one JSON document.", called="--json")
markdown = partial(option, "OUT.md", "Write a summary for a pull request; - prints it.", callback=_writable)
junit = partial(option, "OUT.xml", "Write the checks for a pipeline's test view.", callback=_writable)
plan_records = partial(
    option, "FILE.csv", "Write which records the plan leaves out or suppresses.", callback=_writable
)
record_file = partial(
    option,
    "OUT.csv",
    "Write the risk of every record; for those who treat it, not to be released.",
    callback=_writable,
)
report = partial(option, "OUT.html", "Where to write the report.", callback=_writable)
no_report = partial(flag, "Write no report.")
by_value = partial(flag, "Print one line for each key value or combination.")
show_values = partial(flag, "Name values of records in the output; counts below 5 stay hidden.")
exact_counts = partial(flag, "Print counts of people below 5 as they are.")
strict = partial(flag, "Count a warning as a failure.")
