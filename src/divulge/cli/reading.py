"""From options to data: the source opened, names checked, roles and conventions set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from divulge.counts import RECORD
from divulge.data import Data, read
from divulge.engines.opening import open_source
from divulge.errors import ParameterError, UnknownAttribute
from divulge.policy import Policy


@dataclass(frozen=True)
class DataRequest:
    """What was said on the command line about the data."""

    file: str
    identifiers: Sequence[str] | None
    quasi_identifiers: Sequence[str] | None
    sensitive: Sequence[str] | None
    weights: str | None
    missing: Any
    missing_values: Sequence[str] | None
    suppressed: str
    hierarchies: Sequence[str] | None
    orders: Sequence[str] | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None
    engine: str | None
    master: str | None
    memory: str | None

    def data(self) -> Data:
        """The data, read as asked."""
        source = open_source(self.file, **described(self))
        attributes = source.attributes
        return read(
            source,
            identifiers=split(self.identifiers, attributes),
            quasi_identifiers=split(self.quasi_identifiers, attributes),
            sensitive=split(self.sensitive, attributes),
            weights=self.weights,
            missing=self.missing,
            missing_values=list(self.missing_values or ()),
            suppressed=self.suppressed or None,
            hierarchies=pairs(self.hierarchies, "--hierarchy", attributes),
            orders={
                name: [value.strip() for value in given.split(",")]
                for name, given in pairs(self.orders, "--order", attributes).items()
            },
        )


class Written(Protocol):
    """What was said about a table of records, whose roles do not matter."""

    @property
    def missing(self) -> Any: ...
    @property
    def missing_values(self) -> Sequence[str] | None: ...
    @property
    def orders(self) -> Sequence[str] | None: ...
    @property
    def table(self) -> str | None: ...
    @property
    def separator(self) -> str | None: ...
    @property
    def quote(self) -> str | None: ...
    @property
    def encoding(self) -> str | None: ...


def plain(asked: Written, file: str) -> Data:
    """A table of records, read as asked, nothing in it taken for suppressed."""
    return DataRequest(
        file=file,
        identifiers=None,
        quasi_identifiers=None,
        sensitive=None,
        weights=None,
        missing=asked.missing,
        missing_values=asked.missing_values,
        suppressed="",
        hierarchies=None,
        orders=asked.orders,
        table=asked.table,
        separator=asked.separator,
        quote=asked.quote,
        encoding=asked.encoding,
        engine=None,
        master=None,
        memory=None,
    ).data()


def file_name(given: str) -> str:
    """What a report calls a file: its name alone, since folders and URLs tell of people and passwords.

    >>> file_name("/home/ann/clinic.csv"), file_name("postgresql://ann:secret@host/db#visits")
    ('clinic.csv', 'DATABASE_URL')
    """
    return "DATABASE_URL" if "://" in given else Path(given).name or given


def distinct_names(files: Sequence[str]) -> list[str]:
    """The names of files, with as many of their folders as tell them apart.

    >>> distinct_names(["/a/x.csv", "/b/x.csv", "/b/y.csv"])
    ['a/x.csv', 'b/x.csv', 'b/y.csv']
    """
    if any("://" in file for file in files):
        return [file_name(file) for file in files]
    parts = [Path(file).parts for file in files]
    for deep in range(1, max(map(len, parts), default=1) + 1):
        names = [str(Path(*part[-deep:])) for part in parts]
        if len(set(names)) == len({Path(file).resolve() for file in files}):
            break
    return names


def split(given: Sequence[str] | None, attributes: Sequence[str]) -> tuple[str, ...]:
    """Names from repeated options, each one name or several with commas between; a name may hold commas."""
    found: list[str] = []
    for text in given or ():
        parts = [text] if text in attributes else [part.strip() for part in text.split(",") if part.strip()]
        for part in parts:
            if part not in attributes:
                raise UnknownAttribute(part, [name for name in attributes if name != RECORD])
            found.append(part)
    return tuple(found)


def pairs(given: Sequence[str] | None, option: str, attributes: Sequence[str] | None) -> dict[str, str]:
    """NAME=VALUE from repeated options."""
    found: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ParameterError(f"{option} takes NAME=VALUE, and '{text}' has no such form.")
        if attributes is not None and name not in attributes:
            raise UnknownAttribute(name, attributes)
        found[name] = value
    return found


def unescaped(separator: str | None) -> str | None:
    return "\t" if separator in ("\\t", "tab") else separator


def policed(asked: DataRequest, policy: Policy | None) -> Data:
    """The data as the options describe them, or as the policy does."""
    if policy is None:
        return asked.data()
    said = {
        "--identifiers": asked.identifiers,
        "--quasi-identifiers": asked.quasi_identifiers,
        "--sensitive": asked.sensitive,
        "--weights": asked.weights,
        "--missing": None if asked.missing == "value" else asked.missing,
        "--missing-value": asked.missing_values,
        "--suppressed": None if asked.suppressed == "*" else asked.suppressed,
        "--hierarchy": asked.hierarchies,
        "--order": asked.orders,
    }
    twice = [option for option, given in said.items() if given is not None]
    if twice:
        raise ParameterError(
            f"{', '.join(twice)} cannot be given beside --policy, which says it already.",
            hint=f"Say it in {policy.name}, or leave the policy out.",
        )
    return policy.open(asked.file, **described(asked))


class Described(Protocol):
    """What was said about how data are written and counted."""

    @property
    def table(self) -> str | None: ...
    @property
    def separator(self) -> str | None: ...
    @property
    def quote(self) -> str | None: ...
    @property
    def encoding(self) -> str | None: ...
    @property
    def engine(self) -> str | None: ...
    @property
    def master(self) -> str | None: ...
    @property
    def memory(self) -> str | None: ...


def described(asked: Described) -> dict[str, Any]:
    """How the data are to be read, as far as that was said."""
    given = {
        "table": asked.table,
        "separator": unescaped(asked.separator),
        "quote": asked.quote,
        "encoding": asked.encoding,
        "engine": asked.engine,
        "master": asked.master,
        "memory": asked.memory,
    }
    return {name: value for name, value in given.items() if value is not None}
