"""Options that several commands share, beside those of every table."""

from __future__ import annotations

from functools import partial

from divulge.cli.completion import attributes
from divulge.cli.help_sections import OUTPUT, ROLES
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

FILE = "A file or folder, - for standard input, or a database URL with --table."
file = partial(argument, "FILE", FILE)
file_or_policy = partial(argument, "FILE", f"{FILE} Default: the source that the policy names.", None)

# -- what is said about tables ----------------------------------------------------------------------

_AFTER_THE_URL = "Write #table at the end of the database URL."
_IN_THE_POLICY = [name for name, one in OPTIONS.items() if one.concerns == "values"]
AS_THEY_ARRIVE = "Records are counted as they arrive."
_ONE_BY_ONE = "An anatomy does not say whose a sensitive value is."
of_several_tables = partial(
    table_options, table=f"Several tables are read. {_AFTER_THE_URL}", anatomy="Several tables are read."
)
of_observed_records = partial(
    table_options,
    anatomy=_ONE_BY_ONE,
    table=f"Here --table names the file. {_AFTER_THE_URL}",
    weights="Each record counts once here.",
)
under_policy = partial(
    table_options, **dict.fromkeys(_IN_THE_POLICY, "Write it into the policy, under [data].")
)
of_records_that_leave = partial(
    table_options,
    anatomy=_ONE_BY_ONE,
    weights="Records are released one at a time, and each counts once.",
    suppressed="A suppressed cell is released like any other value.",
)

# -- roles and conventions --------------------------------------------------------------------------

_role = partial(option, section=ROLES)
_attributes = partial(_role, autocompletion=attributes)
identifiers = partial(_attributes, "A,B", "Attributes that name a person.")
quasi_identifiers = partial(_attributes, "A,B", "Attributes that an attacker may know.")
sensitive = partial(_attributes, "X", "Attributes that nobody should learn.")
hierarchies = partial(
    _role, "X=FILE", "Hierarchy of an attribute's values; may be repeated.", called="--hierarchy"
)
orders = partial(_role, "X=a,b,c", "Order of an attribute's values; may be repeated.", called="--order")
partitions = partial(option, "FILE.toml", "Groups in which values are counted.")
population = partial(
    option, "N|FILE", "What the table is a sample of: a number of people, or a table of all of them."
)
fraction = partial(option, "F", "Share of the population in the table, such as 0.05.")
household = partial(
    option, "A", "Attribute that people of one household share.", autocompletion=attributes, section=ROLES
)
seed = partial(option, "N", "Seed of the random shuffles, 0 or more.", min=0)
policy = partial(option, "FILE.toml", "Policy with roles and thresholds.")

# -- what comes out ---------------------------------------------------------------------------------

_out = partial(option, section=OUTPUT)
_file_out = partial(_out, callback=_writable)
_print = partial(flag, section=OUTPUT)
as_json = partial(_print, "Print one JSON document.", called="--json")
markdown = partial(_file_out, "OUT.md", "Write a summary for a pull request; - prints it.")
junit = partial(_file_out, "OUT.xml", "Write the checks for the test view of a pipeline.")
plan_records = partial(_file_out, "FILE.csv", "Write which records the plan leaves out or suppresses.")
write_recipe = partial(
    _file_out,
    "OUT.toml",
    "Write the plan as a recipe, with a file of its records where needed.",
)
readings_csv = partial(_file_out, "OUT.csv", "Write the readings as CSV; - prints them.")
csv_file = _file_out
csv_folder = partial(_out, "FOLDER")
records = partial(
    _file_out,
    "OUT.parquet",
    "Write the risk of each record, as .parquet or .csv. The file has facts about single people: keep it "
    "with the data.",
)
record_file = partial(_file_out, "OUT.csv", "Write the risk of each record; keep it with the data.")
row_key = partial(
    _out,
    "X",
    "With --records: name records by the values of this attribute, not by their number.",
    autocompletion=attributes,
)
overwrite = partial(_print, "With --records or --write-recipe: replace a file that exists.")
report = partial(_file_out, "OUT.html", "Where to write the report.")
no_report = partial(_print, "Write no report.")
by_value = partial(_print, "Print one line for each key value or combination.")
show_values = partial(_print, "Show values of records in the output. Counts below 5 stay hidden.")
exact_counts = partial(_print, "Print counts of people below 5 as they are.")
strict = partial(flag, "Count a warning as a failure.")
quiet = partial(
    _print, "Print only errors, and what --json or - asks for. No progress. Files are written.", short="-q"
)
verbose = partial(_print, "Also print what is read, the engine, and the time of each stage.", short="-v")
