"""Files of SPSS, Stata and SAS, through pyreadstat: value labels, and codes that mean missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from divulge.limits.sizes import MOST_MEMORY
from divulge.source.base import Columns, check_names, check_width
from divulge.source.beside.unread import Unread, note_unread, of_texts
from divulge.source.dictionary import Dictionary
from divulge.source.files import DataFile, unreadable_as
from divulge.source.formats.own_process import read_apart
from divulge.source.options import SourceOptions
from divulge.table.codes import Codes

_CELL = 48  # bytes for a value as an object of Python
_EXACT = 2**53  # beyond it a number with a point may stand for several whole ones
_BEGINNINGS = {
    b"$FL2": "read_sav",
    b"$FL3": "read_sav",
    b"<stata_dta>": "read_dta",
    b"HEADER RECORD*******LIB": "read_xport",
}
_READERS = {"an SPSS file": "read_sav", "a Stata file": "read_dta", "a SAS file": "read_sas7bdat"}
_OTHERS = {".por": "read_por", ".xpt": "read_xport"}


def open_statistical(file: DataFile, options: SourceOptions, called: str) -> Columns:
    """A file of SPSS, Stata or SAS, held as codes."""
    if _is_cut(file):
        raise unreadable_as(file.name, called, "EOFError")
    columns, labels, coded, written = read_apart(
        file, called, "statistical", _reader(file, called), str(MOST_MEMORY // _CELL)
    )
    check_names(file.name, tuple(columns))
    check_width(file.name, len(columns))
    known = {} if options.labels == "ignore" else labels
    codes = {
        name: _coded(name, values, places, distinct_labels(known.get(name, {}), values))
        for name, (values, places) in columns.items()
    }
    records = len(next(iter(codes.values())).codes)
    left = (
        ["value labels" if options.labels == "ignore" else "codes with labels (the labels are values)"]
        if labels
        else []
    )
    left += ["labels of variables"] if written["label of a variable"] else []
    left += ["codes that mean missing"] if coded else []
    source = Columns(file.name, tuple(codes), records, codes.__getitem__, labels, left=tuple(left))
    values = {name: set() if options.labels == "ignore" else {*found} for name, (found, _) in columns.items()}
    note_unread(source, _unread(labels, values, written))
    return source


def _unread(
    labels: Mapping[str, Mapping[Any, str]],
    values: Mapping[str, set[Any]],
    written: Mapping[str, Sequence[str]],
) -> Iterator[Unread]:
    """The labels that are not read as values, and what else is written in the file."""
    for name, own in labels.items():
        unused = [str(label) for code, label in own.items() if code not in values.get(name, ())]
        yield from of_texts("value label", "listed", unused, of=name)
    yield from of_texts("note", "written", written["note"])
    for what in ("value label", "label of a variable"):
        yield from of_texts(what, "listed", written[what])


def _reader(file: DataFile, called: str) -> str:
    """The function of pyreadstat for a file, by its first bytes, or else by its name."""
    if b"ASCII SPSS PORT FILE" in file.head[:512]:
        return "read_por"
    begun = next((reader for start, reader in _BEGINNINGS.items() if file.head.startswith(start)), None)
    return begun or _OTHERS.get(file.suffix) or _READERS[called]


def _is_cut(file: DataFile) -> bool:
    """Whether the end is missing where the library would take what there is for all."""
    with file.path.open("rb") as opened:
        size = opened.seek(0, 2)
        opened.seek(max(0, size - 64))
        end = opened.read().rstrip(b"\0\r\n ")
    if file.head.startswith(b"<stata_dta>"):
        return not end.endswith(b"</stata_dta>")
    return file.head.startswith(b"HEADER RECORD*******LIB") and size % 80 > 0


def distinct_labels(labels: Mapping[Any, str], values: Iterable[Any]) -> dict[Any, str]:
    """Labels by code; where codes share one, or a value without a label reads like it, the code is added.

    >>> distinct_labels({1.0: "male", 2.0: "female"}, [1.0, 2.0])
    {1.0: 'male', 2.0: 'female'}
    >>> distinct_labels({1: "other", 2: "other", 3: "other (1)"}, [1, 2, 3])
    {1: 'other (1) (1)', 2: 'other (2)', 3: 'other (1)'}
    """
    times = Counter([*labels.values(), *(value for value in values if value not in labels)])
    found = {}
    for code, label in labels.items():
        apart = label
        while times[apart] > (apart == label):
            apart = f"{apart} ({whole(code)})"
        times[apart] += apart != label
        found[code] = apart
    return found


def whole(value: Any) -> Any:
    """A number without a fraction as a whole number: these files have no other, or only some.

    >>> whole(35.0), whole(35.5), whole("35")
    (35, 35.5, '35')
    """
    exact = isinstance(value, float) and value.is_integer() and abs(value) < _EXACT
    return int(value) if exact else value


def _coded(attribute: str, values: Sequence[Any], places: bytes, labels: Mapping[Any, str]) -> Codes:
    """Codes of a column; an empty text is missing, since these files have no other mark for one."""
    dictionary = Dictionary(attribute)
    table = dictionary.codes([None if value == "" else labels.get(value, whole(value)) for value in values])
    return dictionary.gather([table[np.frombuffer(places, dtype=np.uint32)]])
