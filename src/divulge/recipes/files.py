"""A release written to a file that is there whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from divulge.errors import ParameterError, SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.csv_lines import csv_lines
from divulge.report.shared.writing import reason

Write = Callable[[WorkingTable, Path], None]
_BLOCK = 1 << 20


def refuse_release(path: Path, *, overwrite: bool) -> None:
    """Refuse a file for a release whose ending says no form, or that is there already."""
    form_of(path)
    if path.exists() and not overwrite:
        raise ParameterError(
            f"{path} is there already.", hint="Name another file, or allow it with --overwrite."
        )


def write_release(table: WorkingTable, path: Path) -> str:
    """Write a table and give the digest of the file; where it fails, what was at the path is there still."""
    write = form_of(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".divulge-release-") as private:
            made = Path(private, path.name)
            write(table, made)
            digest = file_digest(made)
            os.replace(made, path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint="Name another file.") from None
    return digest


def form_of(path: Path) -> Write:
    """What writes a file with this ending."""
    for ending, write in FORMS.items():
        if path.name.lower().endswith(ending):
            return write
    raise ParameterError(
        f"The ending of {path.name} says no form for a release.", hint=f"Possible: {', '.join(FORMS)}."
    )


def file_digest(path: Path) -> str:
    """The SHA-256 digest of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return f"sha256:{found.hexdigest()}"


def _write_csv(table: WorkingTable, path: Path) -> None:
    separator = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    with path.open("wb") as file:
        for block in csv_lines(table, separator):
            file.write(block)


FORMS: dict[str, Write] = {".csv": _write_csv, ".tsv": _write_csv}
