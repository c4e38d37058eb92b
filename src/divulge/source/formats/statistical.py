"""Files of SPSS, Stata and SAS, through pyreadstat: value labels, and codes that mean missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from divulge.errors import DivulgeError
from divulge.limits.sizes import require_memory
from divulge.source.base import Columns, check_asked, check_names, check_table, check_width
from divulge.source.dictionary import encode_objects
from divulge.source.files import DataFile, unreadable_as
from divulge.source.options import SourceOptions
from divulge.table.codes import Codes

_CELL = 48  # bytes for a value as an object of Python
_SHORTEST = 4  # bytes of a value in a file, about, where most are short
_EXACT = 2**53  # beyond it a number with a point may stand for several whole ones
_BEGINNINGS = {b"$FL2": ".sav", b"$FL3": ".sav", b"<stata_dta>": ".dta", b"HEADER RECORD*******LIB": ".xpt"}
_READERS = {
    ".sav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


@dataclass(frozen=True, eq=False)
class Statistical:
    """A file of a statistical package: columns are read when asked for, in one pass for all of them."""

    file: DataFile
    called: str
    reader: str
    attributes: tuple[str, ...]
    labels: Mapping[str, Mapping[Any, str]] = field(repr=False)
    records: int

    @property
    def name(self) -> str:
        return self.file.name

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = check_asked(attributes, self.attributes)
        require_memory(_CELL * self.records * len(wanted), f"Reading {len(wanted)} attributes of {self.name}")
        columns, _ = read(self.file, self.called, self.reader, usecols=wanted)
        if any(len(columns[one]) != self.records for one in wanted):
            raise unreadable_as(self.name, self.called, EOFError())
        return {one: _coded(one, columns[one], self.labels.get(one, {})) for one in wanted}


def open_statistical(file: DataFile, options: SourceOptions, called: str) -> Statistical | Columns:
    """A file of SPSS, Stata or SAS, of which the description is read."""
    reader = _READERS[kind_of(file, called)]
    columns, about = read(file, called, reader, metadataonly=True)
    names = tuple(columns)
    check_names(file.name, names)
    check_width(file.name, len(names))
    labels = {} if options.labels == "ignore" else distinct_labels(about.variable_value_labels)
    if about.number_rows is None or about.number_rows < 0:  # a format that does not say
        return _whole_file(file, called, reader, labels)
    check_table(file.name, names, about.number_rows)
    return Statistical(file, called, reader, names, labels, about.number_rows)


def _whole_file(file: DataFile, called: str, reader: str, labels: Mapping[str, Mapping[Any, str]]) -> Columns:
    """All of a file that does not say how many records it has, as codes."""
    require_memory(_CELL * file.path.stat().st_size / _SHORTEST, f"Reading {file.name}")
    columns, _ = read(file, called, reader)
    codes = {one: _coded(one, column, labels.get(one, {})) for one, column in columns.items()}
    return Columns(file.name, tuple(codes), len(next(iter(columns.values()))), codes.__getitem__)


def kind_of(file: DataFile, called: str) -> str:
    """The ending that a file of this kind has, by its first bytes, or else by its name."""
    head = file.head
    for begun, kind in _BEGINNINGS.items():
        if head.startswith(begun):
            return kind
    if b"ASCII SPSS PORT FILE" in head[:512]:
        return ".por"
    fitting = {"an SPSS file": ".sav", "a Stata file": ".dta", "a SAS file": ".sas7bdat"}[called]
    return file.suffix if file.suffix in {".por", ".xpt"} else fitting


def read(file: DataFile, called: str, reader: str, **asked: Any) -> tuple[Mapping[str, list[Any]], Any]:
    """Columns as lists, and what the file says about itself; user-missing values are missing."""
    import pyreadstat

    try:
        _refuse_cut(file)
        found: Any = getattr(pyreadstat, reader)(str(file.path), output_format="dict", **asked)
        return found[0], found[1]
    except (DivulgeError, MemoryError):
        raise
    except Exception as error:
        raise unreadable_as(file.name, called, error) from None


def _refuse_cut(file: DataFile) -> None:
    """Stop where the end is missing and the library would take what there is for all."""
    with file.path.open("rb") as opened:
        size = opened.seek(0, 2)
        opened.seek(max(0, size - 64))
        end = opened.read().rstrip(b"\0\r\n ")
    stata = file.head.startswith(b"<stata_dta>") and not end.endswith(b"</stata_dta>")
    if stata or (file.head.startswith(b"HEADER RECORD*******LIB") and size % 80):
        raise EOFError


def distinct_labels(labels: Mapping[str, Mapping[Any, str]]) -> dict[str, dict[Any, str]]:
    """Labels by attribute and code; where two codes share one, the code is added and they stay apart.

    >>> distinct_labels({"sex": {1.0: "male", 2.0: "female"}, "job": {1: "other", 2: "other"}})
    {'sex': {1.0: 'male', 2.0: 'female'}, 'job': {1: 'other (1)', 2: 'other (2)'}}
    """
    found = {}
    for attribute, known in labels.items():
        times = Counter(known.values())
        found[attribute] = {
            code: label if times[label] == 1 else f"{label} ({whole(code)})" for code, label in known.items()
        }
    return found


def whole(value: Any) -> Any:
    """A number without a fraction as a whole number: these files have no other, or only some.

    >>> whole(35.0), whole(35.5), whole("35")
    (35, 35.5, '35')
    """
    exact = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return int(value) if exact else value


def _coded(attribute: str, column: list[Any], labels: Mapping[Any, str]) -> Codes:
    """Codes of a column; an empty text is missing, since these files have no other mark for one."""
    return encode_objects(
        attribute, [None if value == "" else labels.get(value, whole(value)) for value in column]
    )
