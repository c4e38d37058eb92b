"""Which forms a release can be written in: the ending that says it, what writes it, and what that needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from divulge._support.wording import capitalized
from divulge.errors import MissingLibrary, ParameterError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.packing import PACKINGS, opened, refuse_packing

Write = Callable[[WorkingTable, Path], None]
_HERE = "divulge.recipes.outputs"


@dataclass(frozen=True)
class OutputForm:
    """A form of a file: its endings, the module and function that write it, and the package that needs.

    What is written in blocks can be compressed on its way.
    """

    called: str
    endings: tuple[str, ...]
    module: str
    function: str
    needs: tuple[str, str] | None = None  # a package, and the extra that brings it
    blocks: bool = False
    laid_out: bool = False  # by the layout of the original

    def load(self) -> Callable[..., Any]:
        """The function that writes it; a sentence where its library is not installed."""
        if self.needs is not None and find_spec(self.needs[0]) is None:
            raise MissingLibrary(self.called, *self.needs, doing="Writing")
        found: Callable[..., Any] = getattr(import_module(f"{_HERE}.{self.module}"), self.function)
        return found


_ARROW, _STATISTICAL = ("pyarrow", "arrow"), ("pyreadstat", "statistical")
FORMS = (
    OutputForm("a CSV file", (".csv", ".tsv", ".tab", ".txt"), "csv_lines", "csv_lines", blocks=True),
    OutputForm("a Parquet file", (".parquet", ".pq"), "parquet", "write"),
    OutputForm(
        "a Feather or Arrow file", (".feather", ".arrow", ".ipc"), "arrow_files", "write_feather", _ARROW
    ),
    OutputForm("a stream of Arrow", (".arrows",), "arrow_files", "write_stream", _ARROW),
    OutputForm("an ORC file", (".orc",), "arrow_files", "write_orc", _ARROW),
    OutputForm("a JSON file", (".json",), "json_records", "json_list", blocks=True),
    OutputForm("a file of JSON lines", (".jsonl", ".ndjson"), "json_records", "json_lines", blocks=True),
    OutputForm("an Excel workbook", (".xlsx",), "spreadsheets", "write_xlsx"),
    OutputForm("an OpenDocument spreadsheet", (".ods",), "spreadsheets", "write_ods"),
    OutputForm("an SPSS file", (".sav",), "statistical", "write_sav", _STATISTICAL),
    OutputForm("an SPSS file", (".zsav",), "statistical", "write_zsav", _STATISTICAL),
    OutputForm("a Stata file", (".dta",), "statistical", "write_dta", _STATISTICAL),
    OutputForm("a SAS transport file", (".xpt",), "statistical", "write_xpt", _STATISTICAL),
    OutputForm("a file of fixed width", (".asc", ".dat", ".fwf"), "fixed_width", "write", laid_out=True),
)
ENDINGS = tuple(ending for form in FORMS for ending in form.endings)
#: Endings of forms that are read and not written, and what to write instead.
_READ_ONLY = {".xls": ".xlsx", ".xlsm": ".xlsx", ".sas7bdat": ".xpt", ".por": ".sav"}


def is_laid_out(out: str) -> bool:
    """Whether a release with this name is written by a layout."""
    return any(form.laid_out and out.lower().endswith(form.endings) for form in FORMS)


def writer_for(path: Path, layout: str | None = None) -> Write:
    """What writes a file with this ending; a sentence where nothing does, or its library is missing."""
    packing = path.suffix.lower() if path.suffix.lower() in PACKINGS else ""
    member = path.name.removesuffix(path.suffix) if packing else path.name
    ending = Path(member).suffix.lower()
    form = next((one for one in FORMS if ending in one.endings), None)
    if form is None:
        instead = _READ_ONLY.get(ending)
        if not ending:
            inside = path / "released.csv" if path.is_dir() else path.with_name(f"{path.name}.csv")
            raise ParameterError(
                f"{path.name} has no ending, which says in what form a release is written.",
                hint=f"Name a file such as {inside}.",
            )
        raise ParameterError(
            f"The ending of {path.name} is of no form that a release is written in.",
            hint=f"Write {instead}." if instead else f"Possible: {', '.join(ENDINGS)}; text also .gz.",
        )
    if packing and not form.blocks:
        raise ParameterError(
            f"{capitalized(form.called)} is not compressed as a whole.",
            hint=f"Leave out {packing}, or write a CSV file.",
        )
    refuse_packing(packing)
    write = form.load()
    if form.blocks:
        more = {"separator": "\t"} if ending in (".tsv", ".tab") else {}
        return partial(_stream, partial(write, **more), packing, member)
    return partial(write, layout=layout) if form.laid_out else write


def _stream(
    blocks: Callable[[WorkingTable], Any], packing: str, member: str, table: WorkingTable, path: Path
) -> None:
    with opened(path, packing, member) as file:
        for block in blocks(table):
            file.write(block)
