"""Where what was found goes: a report, a summary, a document or a page."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from divulge._support.wording import number
from divulge.cli.requests.tables import OutputRequest, ReportRequest
from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.report.shared.writing import elsewhere, land, refuse_replacing, refuse_unwritable
from divulge.source.files import STANDARD_INPUT

PRINTED = "-"  # a file name that means standard output
Form = Callable[[Mapping[str, Any]], str]


def number_or_dash(value: float | str | None) -> str:
    """A number of a table on the terminal, or the bound that stands for it; a dash where there is none."""
    return "-" if value is None else value if isinstance(value, str) else number(value)


def report_path(asked: ReportRequest, file: str, table: str | None, ending: str) -> Path | None:
    """The file of a report on a table; printing a document, nothing is written unless asked for."""
    if asked.as_json and asked.markdown == PRINTED:
        raise ParameterError("--json and --markdown - cannot both be printed.", hint="Name a file for one.")
    if asked.report is not None:
        if asked.no_report:
            raise ParameterError("--report and --no-report contradict each other.")
        return Path(asked.report)
    if asked.no_report or asked.as_json or asked.markdown == PRINTED:
        return None
    path = Path(f"{Path(table).stem if table else called(file)}-{ending}.html")
    if not asked.overwrite:
        refuse_replacing(path, Path(file).name if os.path.isfile(file) else None)
    return path


def called(file: str) -> str:
    """What a report on a file is called, without an ending.

    >>> [called(one) for one in ("a/b.csv", "-", "sqlite:///a.db", "a/*.csv", "b.xlsx#Sheet 1.2")]
    ['b', 'standard-input', 'database', 'a', 'b']
    """
    if "://" in file or file == STANDARD_INPUT:
        return "database" if "://" in file else "standard-input"
    if not os.path.exists(file):
        parts = [part for part in Path(file.partition("#")[0]).parts if not glob.has_magic(part)]
        file = parts[-1] if parts else "files"
    return Path(file).stem


def refuse_outputs(*outputs: str | Path | None, inputs: Iterable[str | None] = ()) -> None:
    """Stop before the work begins if an output cannot be written, or would replace an input or output."""
    written = set[str]()
    read = {os.path.realpath(name) for name in inputs if name is not None and "://" not in name}
    for output in outputs:
        if output is None or str(output) == PRINTED:
            continue
        path = Path(output)
        place = os.path.realpath(path)
        if place in {*read, *written} and (path.is_file() or not path.exists()):
            which = "one of the files that are read" if place in read else "another output"
            raise ParameterError(f"{path} is already {which}.", hint="Name another file.")
        written.add(place)
        refuse_unwritable(path)


def deliver(
    document: Mapping[str, Any],
    asked: OutputRequest,
    *,
    text: Callable[[Mapping[Path, Path]], str],
    markdown: Form,
    files: Mapping[Path, str],
    private: Collection[Path] = (),
) -> None:
    """Write and print what was asked for: the page unless something else is printed.

    ``files`` are to be written, those of ``private`` for their owner only; ``text`` is given where each of
    them is in the end. What had to go elsewhere is an error, but only when everything is written and printed.
    """
    written = dict(files)
    if asked.markdown is not None and asked.markdown != PRINTED:
        written[Path(asked.markdown)] = markdown(document)
    landed = {path: land(path, content, private=path in private) for path, content in written.items()}
    if asked.as_json:
        sys.stdout.write(as_json(document))
    else:
        sys.stdout.write(markdown(document) if asked.markdown == PRINTED else text(landed))
    moved = {path: place for path, place in landed.items() if path != place}
    if moved:
        raise elsewhere(moved)
