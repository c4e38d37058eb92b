"""The command as it was typed, as far as a report may repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from divulge._support.addresses import ADDRESS, is_address

if TYPE_CHECKING:
    from divulge.anonymization import Anonymization
    from divulge.assessment import Assessment
    from divulge.comparison import Comparison

Found = TypeVar("Found", "Assessment", "Comparison", "Anonymization")
_OF_RECORDS = ("--order", "--missing-value", "--suppressed", "--seed")  # a seed undoes the order of rows
_OF_ATTRIBUTES = (
    *("--identifiers", "--quasi-identifiers", "--sensitive", "--by", "--column", "--names", "--weights"),
    *("--keys", "--target", "--row-key", "--importance", "--threshold"),
)
_OF_FILES = ("--hierarchy", "--partitions")  # NAME=FILE
_TYPED: ContextVar[tuple[str, ...] | None] = ContextVar("typed", default=None)


@contextmanager
def typed(arguments: Sequence[str]) -> Iterator[None]:
    """Within, these are the arguments that were typed after the program's name."""
    before = _TYPED.set(tuple(arguments))
    try:
        yield
    finally:
        _TYPED.reset(before)


def typed_command() -> str | None:
    """The command that was typed, without what tells of people and passwords; None where none was."""
    arguments = _TYPED.get()
    return None if arguments is None else shlex.join(["divulge", *repeated(arguments)])


def with_command(found: Found) -> Found:
    """What was found, which now knows the command that asked for it."""
    if found.provenance is None:
        return found
    return replace(found, provenance=replace(found.provenance, command=typed_command()))


def repeated(arguments: Sequence[str]) -> Iterator[str]:
    """Arguments as a report may repeat them: without values of records, folders and addresses.

    >>> [*repeated(["a/b.csv", "--order", "x=low,high", "--policy=/tmp/a.toml", "--sensitive", "a/b"])]
    ['b.csv', '--order', '...', '--policy=a.toml', '--sensitive', 'a/b']
    """
    option = ""  # whose value the next argument is
    for argument in arguments:
        if argument.startswith("--"):
            option, equals, value = argument.partition("=")
            yield option + equals + _repeated_value(value, option)
            option = "" if equals else option
        else:
            yield _repeated_value(argument, option)
            option = ""


def _repeated_value(value: str, option: str) -> str:
    if option in _OF_RECORDS and value:
        return "..."
    if is_address(value):
        return ADDRESS
    if option in _OF_ATTRIBUTES:
        return value
    name, equals, file = value.partition("=") if option in _OF_FILES else ("", "", value)
    return name + equals + (Path(file).name or file)
