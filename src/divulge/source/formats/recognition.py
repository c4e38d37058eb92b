"""Which formats are read: how each is told, what opens it, and what that needs."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from divulge.source.dialect import encoding_of, is_separated
from divulge.source.files import DataFile, read_head
from divulge.source.foreign import is_json, refuse_binary, refuse_foreign_bytes
from divulge.source.formats.packing import ENDINGS, member_names
from divulge.source.options import DEFAULTS, SourceOptions

_OLD_STATA = re.compile(rb"[\x68-\x73][\x01\x02]\x01\x00")
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_SAS = bytes.fromhex("c2ea8160b31411cfbd920800")  # from byte 12 on
_SEPARATED = (".csv", ".tsv", ".tab")  # endings that only text with separators has
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True)
class Format:
    """A kind of file: what it is called, how it is told, and the module and function that open it.

    ``begins`` says whether it is one from its first bytes, and goes before its ending. ``takes`` are options
    that not every file has. ``later`` is true where columns are read from the file when they are asked for.
    """

    called: str
    endings: tuple[str, ...]
    begins: Callable[[bytes], bool]
    opener: tuple[str, str]
    needs: tuple[str, str] | None = None  # a package, and the extra that brings it
    takes: frozenset[str] = frozenset()
    later: bool = False


def _starting(*beginnings: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(beginnings)


def _is_spss(head: bytes) -> bool:
    return head.startswith((b"$FL2", b"$FL3")) or b"ASCII SPSS PORT FILE" in head[:512]


def _is_stata(head: bytes) -> bool:
    return head.startswith(b"<stata_dta>") or _OLD_STATA.match(head) is not None


def _is_sas(head: bytes) -> bool:
    return head.startswith(b"HEADER RECORD*******LIB") or head[12:24] == _SAS


def _is_spreadsheet(head: bytes) -> bool:
    if head.startswith(OLE):  # or another document of old Office, as calamine will find out
        return True
    names = member_names(head) if head.startswith(b"PK\x03\x04") else []
    sheets = any(name.startswith(b"xl/") and not name.endswith(b".bin") for name in names)
    return sheets or (b"mimetype" in names and b"opendocument.spreadsheet" in head[:128])


def _is_orc(head: bytes) -> bool:
    return head.startswith(b"ORC") and _NOT_TEXT.search(head, 0, 64) is not None


def _is_json(head: bytes) -> bool:
    marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return is_json(head[:4096].decode("utf-16" if marked else "utf-8", "ignore"))


PARQUET = Format(
    "a Parquet file",
    (".parquet", ".pq"),
    _starting(b"PAR1"),
    ("divulge.source.parquet", "open_parquet"),
    later=True,
)
TEXT = Format(
    "a CSV file",
    (),
    lambda head: True,
    ("divulge.source.text", "open_text"),
    takes=frozenset({"no_header", "names", "skip", "comment"}),
)
LAYOUT = Format(
    "a file of fixed width",
    (),
    lambda head: False,
    ("divulge.source.formats.layout", "open_layout"),
    takes=frozenset({"layout", "skip", "comment"}),
)


def _statistical(called: str, endings: tuple[str, ...], begins: Callable[[bytes], bool]) -> Format:
    opener = ("divulge.source.formats.statistical", "open_statistical")
    return Format(called, endings, begins, opener, ("pyreadstat", "statistical"))


def _batches(called: str, endings: tuple[str, ...], begins: Callable[[bytes], bool]) -> Format:
    opener = ("divulge.source.formats.arrow_batches", "open_batches")
    return Format(called, endings, begins, opener, ("pyarrow", "arrow"), later=True)


#: Every kind of file that is read, beside text that a layout describes; whatever is left is CSV.
FORMATS = (
    PARQUET,
    _statistical("an SPSS file", (".sav", ".zsav", ".por"), _is_spss),
    _statistical("a Stata file", (".dta",), _is_stata),
    _statistical("a SAS file", (".sas7bdat", ".xpt"), _is_sas),
    _batches(
        "an Arrow or Feather file",
        (".feather", ".arrow", ".ipc", ".arrows"),
        _starting(b"ARROW1", b"\xff\xff\xff\xff"),
    ),
    _batches("an ORC file", (".orc",), _is_orc),
    Format(
        "an Excel or OpenDocument spreadsheet",
        (".xlsx", ".xlsm", ".xls", ".ods"),
        _is_spreadsheet,
        ("divulge.source.formats.spreadsheet", "open_spreadsheet"),
        ("python_calamine", "excel"),
        frozenset({"table", "no_header", "names", "skip"}),
    ),
    Format(
        "a file of JSON or JSON lines",
        (".json", ".jsonl", ".ndjson"),
        _is_json,
        ("divulge.source.formats.json_records", "open_json"),
    ),
)


def recognised(file: DataFile, options: SourceOptions) -> Format:
    """What kind of file it is: by its first bytes, or else by its ending; what is not read is refused.

    A layout makes text a file of fixed width, and nothing else.
    """
    found = next((one for one in FORMATS if one.begins(file.head)), None)
    if found is None:
        refuse_foreign_bytes(file.name, file.suffix, file.head)
        found = next((one for one in FORMATS if file.suffix in one.endings), TEXT)
    if found is TEXT and file.head.startswith(b"SQLite format 3\0"):
        from divulge.source.formats.sqlite_file import sqlite_refusal

        raise sqlite_refusal(file.path, file.name, options.table)
    if found is TEXT and options.encoding is None:
        refuse_binary(file.name, file.head)
    return LAYOUT if found is TEXT and options.layout is not None else found


def fitting_options(options: SourceOptions, place: str, of: str | None = None) -> SourceOptions:
    """What is said of how one file is written, as far as it can be true of the file at another place.

    A layout does not hold for an ending of CSV files, unless the file ``of`` which it was said has it too,
    nor for a text that is one; neither does what else was said of that file.

    >>> laid_out = SourceOptions(layout="a.rda", encoding="latin-1")
    >>> [fitting_options(laid_out, name, "a.asc").given() for name in ("b.csv", "b.dat")]
    [{}, {'encoding': 'latin-1', 'layout': 'a.rda'}]
    """
    ending = _ending(place)
    form = next((one for one in FORMATS if ending in one.endings), None)
    said = options.given("file")
    if form is not None:
        left = said.keys() - form.takes - {"labels"}
    else:
        other = ending in _SEPARATED and (of is None or ending != _ending(of))
        other = other or (options.layout is not None and ending == ".txt" and _is_csv(place))
        left = set(said) if options.layout is not None and other else set()
    return replace(options, **{name: DEFAULTS[name] for name in left})


def _is_csv(place: str) -> bool:
    """Whether a text that is there has values with separators."""
    if not (path := Path(place).expanduser()).is_file():
        return False
    head = read_head(path, path.name)
    text = codecs.getincrementaldecoder(encoding_of(head, None))("replace").decode(head)
    lines = [line for line in text.splitlines() if line.strip()]
    return is_separated(lines[:-1] or lines)


def _ending(place: str) -> str:
    """What the name of a file ends in, before the ending of what packed it."""
    endings = [one.lower() for one in Path(place).suffixes]
    return next((one for one in reversed(endings) if one not in ENDINGS), "")
