"""Where what was found goes: a report, a summary, a document or a page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from divulge.errors import ParameterError
from divulge.report.saving import as_json, write

PRINTED = "-"  # a file name that means standard output
Form = Callable[[Mapping[str, Any]], str]


class Outputs(Protocol):
    """What was said about where it goes."""

    @property
    def as_json(self) -> bool: ...
    @property
    def markdown(self) -> str | None: ...


class Reported(Outputs, Protocol):
    """The same, of a command that writes a report."""

    @property
    def file(self) -> str: ...
    @property
    def table(self) -> str | None: ...
    @property
    def report(self) -> str | None: ...
    @property
    def no_report(self) -> bool: ...


def report_path(asked: Reported, ending: str) -> Path | None:
    """The file of the report; printing a document, nothing is written unless asked for."""
    if asked.report is not None:
        if asked.no_report:
            raise ParameterError("--report and --no-report contradict each other.")
        return Path(asked.report)
    if asked.no_report or asked.as_json or asked.markdown == PRINTED:
        return None
    name = asked.table or (asked.file if "://" not in asked.file else "database")
    return Path(f"{Path(name).stem}-{ending}.html")


def deliver(document: Mapping[str, Any], asked: Outputs, *, text: str, markdown: Form) -> None:
    """Write and print what was asked for: the page unless something else is printed."""
    if asked.as_json and asked.markdown == PRINTED:
        raise ParameterError("--json and --markdown - cannot both be printed.", hint="Name a file for one.")
    if asked.markdown is not None and asked.markdown != PRINTED:
        write(Path(asked.markdown), markdown(document))
    if asked.as_json:
        sys.stdout.write(as_json(document))
    else:
        sys.stdout.write(markdown(document) if asked.markdown == PRINTED else text)
