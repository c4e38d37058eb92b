"""What may be said about a table beside its roles, each option declared once.

The command line makes its flags of these fields, a policy its keys of [data], ``read`` its keywords; the
engines read the same object.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, get_args

from divulge.errors import SchemaError, SourceError, not_among

Labels = Literal["use", "ignore"]
Missing = Literal["value", "drop", "wildcard"]
Concern = Literal["file", "database", "pair", "engine", "values"]  # what an option speaks about
READING: tuple[Concern, ...] = ("file", "database", "pair", "engine")  # how to get at the records
SUPPRESSED = "*"
TAB = ("tab", "\\t")  # how a tab may be written where it cannot be typed


@dataclass(frozen=True)
class SourceOption:
    """An option as users meet it.

    ``noun`` is what its words are, where it takes only a few; ``only`` is the kind of data it is for.
    """

    flag: str
    metavar: str | None  # None where it is said or not
    help: str
    concerns: Concern
    choices: tuple[str, ...] = ()
    noun: str = ""
    only: str = "a CSV file"


def _described(
    flag: str, metavar: str | None, text: str, concerns: Concern, choices: tuple[str, ...] = (), **more: str
) -> dict[str, SourceOption]:
    words = "|".join(choices) if choices else metavar
    return {"option": SourceOption(flag, words, text, concerns, choices, **more)}


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """How a table is written, where it is counted, and what its odd values mean.

    >>> SourceOptions(separator="tab", missing="drop").given()
    {'separator': '\\t', 'missing': 'drop'}
    """

    table: str | None = field(
        default=None,
        metadata=_described(
            "--table",
            "NAME",
            "Table of a database URL, or sheet of an Excel file.",
            "database",
            only="a database or an Excel file",
        ),
    )
    separator: str | None = field(
        default=None,
        metadata=_described(
            "--separator", "TEXT", "Separator of a CSV file, such as ';' or tab. Default: detected.", "file"
        ),
    )
    quote: str | None = field(
        default=None,
        metadata=_described("--quote", "CHAR", "Quotation mark of a CSV file. Default: detected.", "file"),
    )
    encoding: str | None = field(
        default=None,
        metadata=_described("--encoding", "NAME", "Encoding of a CSV file. Default: detected.", "file"),
    )
    no_header: bool = field(
        default=False,
        metadata=_described(
            "--no-header", None, "The first line is a record, not names.", "file", only="a CSV or Excel file"
        ),
    )
    names: Sequence[str] = field(
        default=(),
        metadata=_described(
            "--names",
            "A,B",
            "Names of the columns, for those in the file.",
            "file",
            only="a CSV or Excel file",
        ),
    )
    skip: int = field(
        default=0,
        metadata=_described(
            "--skip", "N", "Lines before the header that are left out.", "file", only="a CSV or Excel file"
        ),
    )
    comment: str | None = field(
        default=None,
        metadata=_described(
            "--comment", "TEXT", "Lines of a CSV file that begin with it are left out, such as '#'.", "file"
        ),
    )
    layout: str | None = field(
        default=None,
        metadata=_described(
            "--layout",
            "FILE.rda",
            "Where the columns of a fixed-width file are.",
            "file",
            only="a file of fixed width",
        ),
    )
    labels: Labels = field(
        default="use",
        metadata=_described(
            "--labels",
            "",
            "Value labels of SPSS and Stata: use them as values, or ignore them and keep the codes.",
            "file",
            choices=get_args(Labels),
            noun="way to treat labels",
            only="an SPSS, Stata or SAS file",
        ),
    )
    anatomy: Any = field(
        default=None,
        metadata=_described(
            "--anatomy",
            "FILE",
            "Second table of an anatomy: how often each group has each sensitive value. Read as one.",
            "pair",
        ),
    )
    engine: str | None = field(
        default=None,
        metadata=_described(
            "--engine",
            "",
            "Engine to count with. Default: the data decide. gpu counts on an NVIDIA card; spark reads a "
            "path or a table of Spark.",
            "engine",
            choices=("local", "gpu", "database", "spark"),
            noun="engine",
        ),
    )
    master: str | None = field(
        default=None,
        metadata=_described(
            "--master",
            "URL",
            "Spark master, or sc://host for Spark Connect. Default: this machine.",
            "engine",
        ),
    )
    memory: str | int | None = field(
        default=None,
        metadata=_described(
            "--memory", "4GB", "Most memory to use. What needs more is counted on disk.", "engine"
        ),
    )
    weights: str | None = field(
        default=None, metadata=_described("--weights", "W", "Attribute with record weights.", "values")
    )
    missing: Missing = field(
        default="value",
        metadata=_described(
            "--missing",
            "",
            "Meaning of a missing value: a separate value, a reason to drop the record, or any value.",
            "values",
            choices=get_args(Missing),
            noun="way to treat missing values",
        ),
    )
    missing_values: tuple[str, ...] = field(
        default=(),
        metadata=_described(
            "--missing-value", "TEXT", "Text that means missing, such as '?'; may be repeated.", "values"
        ),
    )
    suppressed: str | None = field(
        default=SUPPRESSED,
        metadata=_described(
            "--suppressed", "TEXT", "Text that marks a suppressed cell; '' for none.", "values"
        ),
    )

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if option.choices and value is not None and value not in option.choices:
                message, hint = not_among(str(value), option.choices, option.noun)
                kind = SchemaError if option.concerns == "values" else SourceError
                raise kind(message, hint=hint)
        object.__setattr__(self, "separator", "\t" if self.separator in TAB else self.separator)
        object.__setattr__(self, "suppressed", self.suppressed or None)
        object.__setattr__(self, "names", split_names(self.names))
        object.__setattr__(self, "layout", None if self.layout is None else str(self.layout))
        if isinstance(self.anatomy, os.PathLike):
            object.__setattr__(self, "anatomy", os.fspath(self.anatomy))
        if self.skip < 0:
            raise SourceError("skip is a number of lines, from 0 on.")

    def given(self, *concerns: Concern) -> dict[str, Any]:
        """The options that differ from their default, all or those that concern something."""
        return {
            name: value
            for name, option in OPTIONS.items()
            if _said(value := getattr(self, name), DEFAULTS[name])
            and (not concerns or option.concerns in concerns)
        }

    def only(self, *concerns: Concern) -> SourceOptions:
        """The same options as far as they concern something, the others at their default."""
        return SourceOptions(**self.given(*concerns))


def _said(value: Any, default: Any) -> bool:
    """Whether an option is not at its default; a frame would compare cell by cell."""
    return value is not None if default is None else bool(value != default)


def split_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names of columns from a list, or from a text with commas between them; quotes hold a comma.

    >>> split_names('age,"name, first",zip'), split_names(["a,b", "c"])
    (('age', 'name, first', 'zip'), ('a,b', 'c'))
    """
    return tuple(next(csv.reader([given]), ())) if isinstance(given, str) else tuple(given)


def joined_names(names: Sequence[str]) -> str:
    """Names of columns in one text, from which :func:`split_names` makes them again.

    >>> joined_names(("age", "name, first"))
    'age,"name, first"'
    """
    to = io.StringIO()
    csv.writer(to, lineterminator="").writerow(names)
    return to.getvalue()


#: The options by their names, in the order in which help lists them; and their defaults.
OPTIONS: Mapping[str, SourceOption] = MappingProxyType(
    {one.name: one.metadata["option"] for one in fields(SourceOptions)}
)
DEFAULTS: Mapping[str, Any] = MappingProxyType({one.name: one.default for one in fields(SourceOptions)})
