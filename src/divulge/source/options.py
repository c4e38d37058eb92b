"""What may be said about a table beside its roles, each option declared once.

The command line makes its flags of these fields, a policy its keys of [data], ``read`` its keywords; the
engines read the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, get_args

from divulge.errors import SchemaError, SourceError, not_among

Missing = Literal["value", "drop", "wildcard"]
Concern = Literal["file", "database", "engine", "values"]  # what an option speaks about
READING: tuple[Concern, ...] = ("file", "database", "engine")  # those that say how to get at the records
SUPPRESSED = "*"
TAB = ("tab", "\\t")  # how a tab may be written where it cannot be typed


@dataclass(frozen=True)
class SourceOption:
    """An option as users meet it; ``noun`` is what its words are, where it takes only a few."""

    flag: str
    metavar: str
    help: str
    concerns: Concern
    choices: tuple[str, ...] = ()
    noun: str = ""


def _described(
    flag: str, metavar: str, text: str, concerns: Concern, *, choices: tuple[str, ...] = (), noun: str = ""
) -> dict[str, SourceOption]:
    return {"option": SourceOption(flag, metavar or "|".join(choices), text, concerns, choices, noun)}


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """How a table is written, where it is counted, and what its odd values mean.

    >>> SourceOptions(separator="tab", missing="drop").given()
    {'separator': '\\t', 'missing': 'drop'}
    """

    table: str | None = field(
        default=None, metadata=_described("--table", "NAME", "Table to read from a database URL.", "database")
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
    engine: str | None = field(
        default=None,
        metadata=_described(
            "--engine",
            "",
            "Engine to count with. Default: the data decide. spark reads a path or a table of Spark.",
            "engine",
            choices=("local", "database", "spark"),
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
            "Meaning of a missing value: a value of its own, a reason to drop the record, or any value.",
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

    def given(self, *concerns: Concern) -> dict[str, Any]:
        """The options that differ from their default, all or those that concern something."""
        return {
            name: value
            for name, option in OPTIONS.items()
            if (value := getattr(self, name)) != DEFAULTS[name]
            and (not concerns or option.concerns in concerns)
        }

    def only(self, *concerns: Concern) -> SourceOptions:
        """The same options as far as they concern something, the others at their default."""
        return SourceOptions(**self.given(*concerns))


#: The options by their names, in the order in which help lists them; and their defaults.
OPTIONS: Mapping[str, SourceOption] = MappingProxyType(
    {one.name: one.metadata["option"] for one in fields(SourceOptions)}
)
DEFAULTS: Mapping[str, Any] = MappingProxyType({one.name: one.default for one in fields(SourceOptions)})
