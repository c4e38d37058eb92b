"""The command as it was typed, as far as a report may repeat it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from divulge._support.addresses import without_addresses

if TYPE_CHECKING:
    from divulge.assessment import Assessment
    from divulge.comparison import Comparison

Found = TypeVar("Found", "Assessment", "Comparison")
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
    """The command without folders and addresses, which tell of people and passwords, where one was typed."""
    arguments = _TYPED.get()
    return None if arguments is None else shlex.join(["divulge", *map(without_folders, arguments)])


def with_command(found: Found) -> Found:
    """What was found, which now knows the command that asked for it."""
    if found.provenance is None:
        return found
    return replace(found, provenance=replace(found.provenance, command=typed_command()))


def without_folders(argument: str) -> str:
    """An argument that names a file by its name alone; others stay as they are.

    >>> without_folders("--policy=/tmp/a.toml"), without_folders("income/month"), without_folders("age,sex")
    ('--policy=a.toml', 'income/month', 'age,sex')
    """
    before, equals, value = argument.partition("=") if "=" in argument else ("", "", argument)
    if "://" in value:
        return before + equals + without_addresses(value)
    path = Path(value)
    if os.sep in value and path.name and path.expanduser().parent.is_dir():
        value = path.name
    return before + equals + value
