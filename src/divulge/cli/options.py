"""Options that several commands share, beside those of every table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from divulge.cli.completion import attributes
from divulge.cli.help_sections import OUTPUT, ROLES
from divulge.cli.parameters import argument, flag, option, table_options
from divulge.source.options import OPTIONS


def _ending(*endings: str) -> Callable[[str | None], str | None]:
    """An output with another ending, or that cannot be written, is refused while the options are read.

    What is made anew replaces a file that is there. The ending keeps it from replacing one of another kind.
    """

    def writable(path: str | None) -> str | None:
        if path is not None and path != "-":
            from pathlib import Path

            from divulge.report.shared.writing import refuse_ending, refuse_unwritable

            refuse_unwritable(Path(path))
            refuse_ending(Path(path), endings)
        return path

    return writable


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
by = partial(_attributes, "A,B", "Attributes that say whose record it is in both.")
columns = partial(_role, "A=B", "Attribute A of the original is B in the release.", called="--column")


def keys(more: str = "", default: Any = None) -> Any:
    """The attributes that an attacker knows, and what is meant where none are named."""
    return _attributes("A,B", f"Attributes that an attacker knows.{more}", default)


hierarchies = partial(
    _role, "X=FILE", "Hierarchy of an attribute's values; may be repeated.", called="--hierarchy"
)
orders = partial(_role, "X=a,b,c", "Order of an attribute's values; may be repeated.", called="--order")
partitions = partial(option, "FILE.toml", "Groups in which values are counted.")
population = partial(
    option, "N|FILE", "What the table is a sample of: a number of people, or a table of all of them."
)
population_table = partial(
    option,
    "FILE",
    "What the table is a sample of: a table of all people. A number does not say who is alike.",
)


def as_fraction(given: str) -> float:
    """A share of a population as a number: 0.05, or 5%; what is no number is refused by its options.

    >>> as_fraction("5%"), as_fraction("0.05")
    (0.05, 0.05)
    """
    return float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)


fraction = partial(
    option, "F", "Share of the population in the table, such as 0.05 or 5%.", parser=as_fraction
)
household = partial(
    option, "A", "Attribute that people of one household share.", autocompletion=attributes, section=ROLES
)
need = partial(option, "NEED.toml", "What the data are needed for.")
policy = partial(option, "FILE.toml", "Policy with roles and thresholds.")


def seed(otherwise: str = "the same each time") -> Any:
    """The seed of what is drawn, and what it is where none is given."""
    return option("N", f"Seed of what is drawn, 0 or more. Default: {otherwise}.", min=0)


def target(otherwise: str) -> Any:
    """What an attacker would learn, and what is meant where nothing is named."""
    said = "Attribute to be learned; several count as one, and @record is re-identification."
    return _attributes("X", said + otherwise)


SECRET = "one nobody can guess"  # the seed of what goes out

# -- what comes out ---------------------------------------------------------------------------------

_out = partial(option, section=OUTPUT)
_file_out = partial(_out, callback=_ending())
_csv_out = partial(_out, callback=_ending(".csv"))
_print = partial(flag, section=OUTPUT)
as_json = partial(_print, "Print one JSON document.", called="--json")
markdown = partial(
    _out,
    "OUT.md",
    "Write a summary for a pull request; - prints it.",
    callback=_ending(".md", ".markdown", ".txt"),
)
junit = partial(
    _out, "OUT.xml", "Write the checks for the test view of a pipeline.", callback=_ending(".xml")
)
plan_records = partial(_csv_out, "FILE.csv", "Write which records the plan leaves out or suppresses.")
readings_csv = partial(_csv_out, "OUT.csv", "Write the readings as CSV; - prints them.")
csv_file = _csv_out


def csv_folder(*tables: str) -> Any:
    """A folder for tables, which are named."""
    files = [f"{one}.csv" for one in tables]
    said = f"Write tables to a folder: {', '.join(files[:-1])} and {files[-1]}."
    return _out("FOLDER", said, called="--csv-folder")


records = partial(
    _file_out,
    "OUT.csv",
    "Write the risk of each record, as .csv or .parquet. The file has facts about single people: keep it "
    "with the data.",
)
row_key = partial(
    _out,
    "X",
    "With --records: name records by the values of this attribute, not by their number.",
    autocompletion=attributes,
)
overwrite = partial(_print, "Replace files that exist.")


def write_recipe(more: str) -> Any:
    """A file for a recipe, and what is special about it."""
    return _out("OUT.toml", f"Write a recipe. {more}", callback=_ending(".toml"))


def out(what: str, default: Any = None, **more: Any) -> Any:
    """Where the result goes, and what it may be."""
    return _out("OUT", f"Where to write the result: {what}", default, **more)


report = partial(
    _out,
    "OUT.html",
    "Where to write the report. Another report of divulge is replaced.",
    callback=_ending(".html", ".htm"),
)
report_of_any_form = partial(
    _file_out, "OUT.html", "Where to write the report. Another report of divulge is replaced."
)  # as its ending says
no_report = partial(_print, "Write no report.")
by_value = partial(_print, "Print one line for each key value or combination.")
show_values = partial(_print, "Show values of records in the output. Counts below 5 stay hidden.")
exact_counts = partial(_print, "Print counts of people below 5 as they are.")
strict = partial(flag, "Count a warning as a failure.")
quiet = partial(
    _print, "Print only errors, and what --json or - asks for. No progress. Files are written.", short="-q"
)
verbose = partial(_print, "Also print what is read, the engine, and the time of each stage.", short="-v")
