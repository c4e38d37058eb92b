"""From requests to data: a table opened as asked, names checked, roles and conventions set."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from divulge._support.addresses import ADDRESS, is_address
from divulge._support.seeds import SEED
from divulge.cli.parameters import flag_of
from divulge.cli.requests.exploring import ExploreRequest
from divulge.cli.requests.tables import (
    AuditRequest,
    CheckRequest,
    CompareRequest,
    MeasureRequest,
    RolesRequest,
)
from divulge.counting.counts import RECORD
from divulge.engines.opening import open_source
from divulge.engines.out_of_core.budget import parsed
from divulge.errors import ParameterError, UnknownAttribute
from divulge.policy import Policy
from divulge.questions.data import Data, read
from divulge.source.files import STANDARD_INPUT
from divulge.source.options import OPTIONS, READING, TAB, SourceOptions, joined_names

if TYPE_CHECKING:
    from divulge.cli.requests.linkage import LinkRequest
    from divulge.cli.requests.making import AnonymizeRequest
    from divulge.cli.requests.uniqueness import UniquenessRequest

_GROUPED = re.compile(r"\d{1,3}([.,' ]\d{3})+")  # a whole number with marks between its thousands
_SQLITE = "sqlite:///"


def table_with_roles(
    asked: AuditRequest | CompareRequest | MeasureRequest | LinkRequest | AnonymizeRequest | ExploreRequest,
) -> Data:
    """The table of a request, with the roles that it names."""
    source = open_source(asked.file, asked.source)
    attributes = source.attributes
    return read(
        source,
        identifiers=_once(split(asked.identifiers, attributes)),
        quasi_identifiers=_once(split(asked.quasi_identifiers, attributes)),
        sensitive=_once(split(asked.sensitive, attributes)),
        hierarchies=pairs(asked.hierarchies, "--hierarchy", attributes),
        orders=orders(asked.orders, attributes),
        **asked.source.given("values"),
    )


def table_with_identifiers(asked: UniquenessRequest) -> Data:
    """The table of a request that names identifiers alone."""
    source = open_source(asked.file, asked.source)
    identifiers = split(asked.identifiers, source.attributes)
    return read(source, identifiers=_once(identifiers), **asked.source.given("values"))


def _once(given: Sequence[str]) -> tuple[str, ...]:
    """Attributes of a role, whose option may be repeated and may name one again."""
    return tuple(dict.fromkeys(given))


def table_under(policy: Policy | None, asked: AuditRequest | CompareRequest | ExploreRequest) -> Data:
    """The table of a request, as its options describe it, or as the policy does."""
    if policy is None:
        return table_with_roles(asked)
    twice = [flag_of(one) for one in fields(RolesRequest) if getattr(asked, one.name) is not None]
    twice += [OPTIONS[name].flag for name in asked.source.given("values")]
    if twice:
        raise ParameterError(
            f"{', '.join(twice)} cannot be given together with --policy, which sets it.",
            hint=f"Set it in {policy.name}, or leave out --policy.",
        )
    return policy.open(asked.file, **asked.source.given(*READING))


def reading_of(asked: AuditRequest | AnonymizeRequest, policy: Policy | None) -> SourceOptions:
    """What has to be said of the table of a request to read it, by its options or by the policy."""
    if policy is None:
        return asked.source
    said = policy.data if asked.file is None else policy.data.fitting(asked.file)
    return replace(said, **asked.source.given(*READING))


def refuse_number(population: str | None, elsewhere: str) -> None:
    """Refuse a number of people where only a table of them says who is alike."""
    if population is not None and population.lstrip("-").isdecimal():
        raise ParameterError(
            "--population takes a table of all people here, since a number does not say who is alike.",
            hint=f"Give a number of people to divulge {elsewhere}.",
        )


def population_file(asked: AuditRequest | CheckRequest | ExploreRequest | UniquenessRequest) -> str | None:
    """The table of the population that a request names; None where it gives a number, or nothing."""
    said = asked.population
    if said is None or said.lstrip("-").isdecimal():
        return None
    if _GROUPED.fullmatch(said) and not Path(said).exists():
        plain = re.sub(r"\D", "", said)
        raise ParameterError(
            f"--population {said} is neither a whole number nor a file.", hint=f"Write {plain}."
        )
    return said


def population_of(asked: AuditRequest | CheckRequest, data: Data) -> int | Data | None:
    """What the table of a request is a sample of: how many people, or a table, read as the other one is."""
    file = population_file(asked)
    if file is None:
        return None if asked.population is None else int(asked.population)
    return read(
        file,
        missing=data.missing,
        missing_values=tuple(data.missing_values),
        suppressed=data.suppressed,
        **asked.source.given("file"),
    )


def records_to_release(file: str, source: SourceOptions, ordered: Sequence[str] | None) -> Data:
    """A table whose records leave one at a time, nothing in it taken for suppressed."""
    opened = open_source(file, source)
    values = replace(source, suppressed=None).given("values")
    return read(opened, orders=orders(ordered, opened.attributes), **values)


def sharing_memory(source: SourceOptions, tables: int) -> SourceOptions:
    """The options of one of several tables that are read together: each has its share of the memory."""
    return source if source.memory is None else replace(source, memory=parsed(source.memory) // tables)


def seed_of(given: int | None) -> int:
    """The seed of the shuffles: the usual one unless another was given."""
    return SEED if given is None else given


def file_name(given: str) -> str:
    """What a report calls a file: its name alone, since folders and URLs tell of people and passwords.

    >>> file_name("/home/ann/clinic.csv"), file_name("postgresql://ann:secret@host/db#visits")
    ('clinic.csv', 'DATABASE_URL')
    """
    return ADDRESS if is_address(given) else Path(given).name or given


def file_in_command(given: str, table: str | None) -> str:
    """A table as a command that is written down names it: a path from here, or a name alone, and no address.

    >>> file_in_command("my clinic.xlsx", "visits"), file_in_command("postgresql://ann:secret@host/db", "t")
    ("'my clinic.xlsx' --table visits", "'DATABASE_URL#t'")
    >>> file_in_command("sqlite:////home/ann/clinic.db", "visits")
    "'sqlite:///clinic.db#visits'"
    """
    if is_address(given):
        address, named = database_file(given), table or given.partition("#")[2]
        place = ADDRESS if address is None else _without_root(address)
        return shlex.quote(f"{place}#{named}" if named else place)
    path = shlex.quote(Path(given).name if Path(given).is_absolute() else given)
    return path if table is None else f"{path} --table {shlex.quote(table)}"


def database_file(address: str) -> str | None:
    """The address of a file of SQLite, which has no password in it, without its table; None of others."""
    address = address.partition("#")[0]
    path = address.removeprefix(_SQLITE)
    return None if path in ("", address) or "?" in path or is_address(path) else address


def _without_root(address: str) -> str:
    path = Path(address.removeprefix(_SQLITE))
    return f"{_SQLITE}{path.name}" if path.is_absolute() else address


def source_in_command(given: str, options: SourceOptions) -> str:
    """A table with what has to be said of it, as a command that is written down names both.

    >>> source_in_command("a.asc", SourceOptions(layout="/home/ann/a.rda", skip=1))
    'a.asc --skip 1 --layout a.rda'
    """
    said = {OPTIONS[name].flag: value for name, value in options.given("file").items()}
    if options.layout is not None:
        path = Path(options.layout)
        said["--layout"] = path.name if path.is_absolute() else options.layout
    if options.separator == "\t":
        said["--separator"] = TAB[0]
    if options.names:
        said["--names"] = joined_names(options.names)
    words = [
        word for flag, value in said.items() for word in ((flag,) if value is True else (flag, str(value)))
    ]
    return " ".join([file_in_command(given, options.table), *map(shlex.quote, words)])


def distinct_names(files: Sequence[str]) -> list[str]:
    """The names of files, with as many of their folders as tell them apart.

    >>> distinct_names(["/a/x.csv", "/b/x.csv", "/b/y.csv"])
    ['a/x.csv', 'b/x.csv', 'b/y.csv']
    """
    if any(map(is_address, files)):
        return [file_name(file) for file in files]
    parts = [Path(file).parts for file in files]
    for deep in range(1, max(map(len, parts), default=1) + 1):
        names = [str(Path(*part[-deep:])) for part in parts]
        if len(set(names)) == len({Path(file).resolve() for file in files}):
            break
    return [
        "standard input" if file == STANDARD_INPUT else name for file, name in zip(files, names, strict=True)
    ]


def split(given: Sequence[str] | None, attributes: Sequence[str]) -> tuple[str, ...]:
    """Names from repeated options, each one name or several with commas between; quotes hold a comma.

    >>> split(['"zip, old",age', "zip, old"], ["age", "zip, old"])
    ('zip, old', 'age', 'zip, old')
    """
    named: list[str] = []
    for text in given or ():
        if not text.strip() and text not in attributes:
            raise ParameterError(
                "An option that names attributes is empty.", hint="Name one, or leave the option out."
            )
        parts = [text] if text in attributes else [part.strip() for part in text.split(",") if part.strip()]
        if '"' in text and not set(parts) <= {*attributes}:
            parts = [part.strip() for part in next(csv.reader([text], skipinitialspace=True))]
        for part in parts:
            if part not in attributes:
                raise UnknownAttribute(part, [name for name in attributes if name != RECORD])
            named.append(part)
    return tuple(named)


def pairs(given: Sequence[str] | None, option: str, attributes: Sequence[str] | None) -> dict[str, str]:
    """NAME=VALUE from repeated options."""
    named: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ParameterError(f"{option} takes NAME=VALUE, not '{text}'.")
        if attributes is not None and name not in attributes:
            raise UnknownAttribute(name, attributes)
        named[name] = value
    return named


def orders(given: Sequence[str] | None, attributes: Sequence[str]) -> dict[str, list[str]]:
    """The values of attributes in their order, from repeated options."""
    said = pairs(given, "--order", attributes)
    return {name: [value.strip() for value in values.split(",")] for name, values in said.items()}
