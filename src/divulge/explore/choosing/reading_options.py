"""How a table is read: what may be said of its file and its columns, and what was said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from divulge.anonymization.made_hierarchies import ValueKind, kind_of
from divulge.documents.making.exploration import ColumnReadEntry, OpeningEntry, ReadingOptionEntry
from divulge.errors import DivulgeError, ParameterError, not_among
from divulge.questions.data import Data
from divulge.source.files import DataFile
from divulge.source.formats.packing import is_office, packing_of
from divulge.source.formats.recognition import TEXT, Format, recognised
from divulge.source.formats.statistical import whole
from divulge.source.options import DEFAULTS, OPTIONS, TAB, SourceOptions, split_names

#: What may be said on the page, by what it can be said of; a file may take some of the first two.
_TEXT = ("separator", "quote", "encoding")
_LINES = ("no_header", "names", "skip", "comment", "table")
_VALUES = ("missing_values", "missing", "suppressed")
OFFERED = (*_TEXT, *_LINES, "labels", *_VALUES)
LABELLED = ("an SPSS file", "a Stata file")  # kinds of files that have labels
SHOWN_LABELS = 40
PREVIEWED = 8  # records
MASK = "•••"


def opening_entry(
    data: Data,
    name: str,
    reading: Mapping[str, Any],
    types: Mapping[str, str],
    labels: Mapping[str, Mapping[object, str]],
    *,
    unlocked: bool,
) -> OpeningEntry:
    """The first records, with their values masked until records are unlocked, and how they are read."""
    names, rows = list(data.schema.attributes), min(PREVIEWED, data.records)
    columns = []
    for attribute in names:
        values = data.column(attribute).values_of(data.column(attribute).codes[:rows])
        columns.append([("" if one is None else str(one)) if unlocked else MASK for one in values])
    form = kind_of_file(name, reading)
    return OpeningEntry(
        names=names,
        rows=[list(row) for row in zip(*columns, strict=True)],
        columns=column_entries(data, types, labels),
        options=option_entries(form, reading),
        kind="a table" if form is None else form.called,
    )


def read_otherwise(before: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """The options of reading after some were changed on the page; one that says nothing is taken back."""
    found = dict(before)
    for name, value in said.items():
        if name not in OFFERED:
            message, hint = not_among(name, OFFERED, "option")
            raise ParameterError(message, hint=hint)
        kept = _option(name, value)
        if kept == DEFAULTS[name] or (kept in ("", [], 0) and name != "suppressed"):
            found.pop(name, None)
        else:
            found[name] = kept
    return found


def _option(name: str, value: object) -> Any:
    """What a form says of an option, as reading takes it."""
    listed = name in ("missing_values", "names")
    if listed and isinstance(value, str):
        value = [one.strip() for one in split_names(value)] if value.strip() else []
    if name == "skip" and isinstance(value, str):
        value = int(value) if value.strip().isdecimal() else (value.strip() or 0)
    if listed:
        right = isinstance(value, list) and all(isinstance(one, str) for one in value)
    else:
        wanted = {"no_header": bool, "skip": int}.get(name, str)
        right = type(value) is wanted
    if not right:
        raise ParameterError(f"{OPTIONS[name].flag} takes another kind of value.", hint=OPTIONS[name].help)
    return value


def file_options(reading: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of how the file is written, which does not hold for a release."""
    return {name: value for name, value in reading.items() if name in (*_TEXT, *_LINES, "labels", "layout")}


def kind_of_file(name: str, reading: Mapping[str, Any]) -> Format | None:
    """What kind of file a table was read from; None where it is packed, or no file."""
    said = {key: value for key, value in reading.items() if key in OPTIONS}
    try:
        file = DataFile.at(Path(name.partition("#")[0]).expanduser())
        packed = packing_of(file.head) is not None and not is_office(file.head)
        return None if packed else recognised(file, SourceOptions(**said))
    except DivulgeError:
        return None


def option_entries(form: Format | None, reading: Mapping[str, Any]) -> list[ReadingOptionEntry]:
    """What may be said of a file of this kind, with what was said."""
    of_text = form is None or form is TEXT
    taken = [
        *(_TEXT if of_text else ()),
        *(name for name in _LINES if form is None or name in form.takes),
        *(["labels"] if form is not None and form.called in LABELLED else []),
        *_VALUES,
    ]
    return [
        ReadingOptionEntry(
            name=name,
            help=OPTIONS[name].help,
            choices=list(OPTIONS[name].choices),
            flag=DEFAULTS[name] is False,
            value=_shown(name, reading.get(name, DEFAULTS[name])),
        )
        for name in taken
    ]


def _shown(name: str, value: Any) -> str:
    if value == "\t":
        return TAB[0]
    if isinstance(value, list | tuple):
        return ",".join(f'"{one}"' if "," in one else one for one in value)
    return "" if value is None or value in (False, 0) else str(value)


def column_entries(
    data: Data, types: Mapping[str, str], labels: Mapping[str, Mapping[object, str]]
) -> list[ColumnReadEntry]:
    """How each column was read, and the labels that its codes have in the file."""
    return [
        ColumnReadEntry(
            name=name,
            type=types.get(name) or detected_kind(data, name),
            detected=detected_kind(data, name),
            labels=[[str(whole(code)), label] for code, label in _first(labels.get(name, {}))],
            labelled=len(labels.get(name, {})),
        )
        for name in data.schema.attributes
    ]


def _first(labels: Mapping[object, str]) -> list[tuple[object, str]]:
    return list(labels.items())[:SHOWN_LABELS]


def detected_kind(data: Data, attribute: str) -> ValueKind:
    """What the values of an attribute are, found once."""
    memo: dict[tuple[str, ...], ValueKind] = data.memo("kind of values")
    asked = (attribute, *sorted(data.missing_values))
    if asked not in memo:
        column, often = data.frequencies(attribute)
        memo[asked] = kind_of(column.values_of(np.flatnonzero(often[1:]) + 1))
    return memo[asked]
