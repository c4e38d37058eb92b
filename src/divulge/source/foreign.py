"""Files that are no table of text: told by their first bytes or their shape, and refused by name.

Read as CSV, the first record of such a file would pass for names of attributes and be printed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import takewhile

from divulge.errors import SourceError

_CSV = "Save the table as CSV or Parquet first."
_FRAME = "Read it with pandas and give the frame to divulge in Python, or save it as CSV or Parquet."
_UNPACK = "Unpack it first, and give the CSV or Parquet file inside."
_WITH_NAMES = "Save it as CSV, with the names of the columns in the first line."
_LAYOUT = "Say where its columns are with --layout FILE.rda, or save it as CSV, with their names first."


@dataclass(frozen=True)
class Foreign:
    """A form that is not read: what it is called, and what to do."""

    called: str
    hint: str


# Longer beginnings stand before shorter ones that they contain.
_BEGINNINGS: tuple[tuple[bytes, Foreign], ...] = (
    (b"PK\x03\x04", Foreign("an Office document, but not an .xlsx or .ods spreadsheet", _CSV)),
    (b"RDX2\n", Foreign("an R data file", _CSV)),
    (b"RDX3\n", Foreign("an R data file", _CSV)),
    (b"X\n\0\0\0", Foreign("an R data file", _CSV)),
    (b"FEA1", Foreign("a Feather file of version 1", _FRAME)),
    (b"Obj\x01", Foreign("an Avro file", "Save the table as Parquet first.")),
    (b"\x89HDF\r\n\x1a\n", Foreign("an HDF5 file", _FRAME)),
    (b"\x93NUMPY", Foreign("a NumPy file", "Load it and give a dictionary of columns to divulge in Python.")),
    (b"\0\x01\0\0Standard ", Foreign("an Access database", _CSV)),
    (b"PGDMP", Foreign("a dump of a PostgreSQL database", "Load it, and give the database's URL.")),
    (b"\x04\x22\x4d\x18", Foreign("compressed by LZ4", _UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", Foreign("a 7-Zip archive", _UNPACK)),
    (b"Rar!\x1a\x07", Foreign("a RAR archive", _UNPACK)),
    (b"%PDF-", Foreign("a PDF document", _CSV)),
    (b"{\\rtf", Foreign("a document in rich text", _CSV)),
    (b"-----BEGIN ", Foreign("encrypted or signed text", "Decrypt it first.")),
)
_OLD_R = re.compile(rb"(?:RDA[23]\n)?A\n[23]\n\d{6}\n")
_OLD_PICKLE = re.compile(
    rb"\([dl]p\d+\n|\([ISVFL]['\d]|[\]}]q\0|c(?:copy_?reg|__builtin__|builtins|pandas|numpy|__main__)[\w.]*\n"
)
_PICKLED = {".pkl", ".pickle", ".joblib"}
_ONE_BYTE_CONTROLS = bytes({*range(32)} - {*b"\t\n\r\f\v\x1b"})

_SHAPES: tuple[tuple[str, Foreign], ...] = (
    (
        r"(?:<[?!][^<]*)*<(?:!doctype\s+html|html|head|body|table|div|span|meta|script|style|h[1-6]|p|br|ul)\b",
        Foreign("an HTML page", _CSV),
    ),
    (r"<[?!a-z]", Foreign("an XML file", _CSV)),
    (r"@relation\s", Foreign("an ARFF file", "Save the table as CSV first: names, then records.")),
    (
        r"--\s|/\*|(?:insert\s+into|create\s+table|drop\s+table)\s|copy\s.+\sfrom\s|set\s\w+\s*=",
        Foreign("a file of SQL statements", "Load it into a database, and give the database's URL."),
    ),
    (r"MSH\|\^~\\&", Foreign("a file of HL7 messages", _CSV)),
    (r"UN[AB][:+]|ISA\*\d\d\*", Foreign("a file of EDI messages", _CSV)),
    (r"BEGIN:V", Foreign("a file of vCards or calendar entries", _CSV)),
    (r"%YAML|---\s*(?:$|\n)", Foreign("a YAML file", _CSV)),
)
_JSON = re.compile(r"\{(?!\\)|\[\s*(?:[\[{\"'\d\]-]|true\b|false\b|null\b)")
_LABELLED = re.compile(r"\s*\[[^\[\],;]+\]\s*$|\s*(?:- )?[\"']?[\w][\w .-]{0,60}[\"']?\s*(?::\s|:$|=)")
_RULE = re.compile(r"[\s|+:=-]*(?:--|==)[\s|+:=-]*")


def refuse_foreign_bytes(name: str, suffix: str, head: bytes) -> None:
    """Stop before a file that its first bytes tell to be something else is taken for text."""
    found = next((form for start, form in _BEGINNINGS if head.startswith(start)), None)
    if head[:1] == b"\x80" and head[1:2] <= b"\x05" and len(head) > 1:
        found = Foreign("pickled by Python", _FRAME)
    if suffix.lower() in _PICKLED or _OLD_PICKLE.match(head):
        found = Foreign("pickled by Python", _FRAME)
    if _OLD_R.match(head):
        found = Foreign("an R data file", _CSV)
    if head[257:262] == b"ustar":
        found = Foreign("a tar archive", _UNPACK)
    if found is not None:
        raise refusal(name, found)


def is_json(text: str) -> bool:
    """Whether a text begins like JSON."""
    return _JSON.match(text.lstrip("\ufeff \t\r\n")) is not None


def refuse_foreign_text(name: str, text: str) -> None:
    """Stop before text of another shape, such as JSON, is taken for CSV."""
    begun = text.lstrip("\ufeff \t\r\n")
    if is_json(text):
        raise refusal(name, _json(begun))
    found = next((form for shape, form in _SHAPES if re.match(shape, begun, re.IGNORECASE)), None)
    lines = [line for line in begun.splitlines()[:200] if line.strip()]
    if found is None and len(lines) > 1 and _RULE.fullmatch(lines[1]):
        found = Foreign("a table drawn with lines", _WITH_NAMES)
    if found is None and _is_labelled(begun.splitlines()[:200]):
        found = Foreign("a file of labels and values, such as YAML, settings or an e-mail", _CSV)
    if found is not None:
        raise refusal(name, found)


def _is_labelled(lines: list[str]) -> bool:
    """Whether all lines, or those above the first blank one, are a label and its value, in sections or not.

    >>> _is_labelled(["[Ann]", "age=34"]), _is_labelled(["From: Ann", "To: Bo", "", "Hello"])
    (True, True)
    >>> _is_labelled(["name,age", "x=1,34"])
    False
    """
    blocks = (list(takewhile(str.strip, lines)), list(filter(str.strip, lines)))
    return any(len(block) > 1 and all(map(_LABELLED.match, block)) for block in blocks)


def refuse_one_column(name: str, lines: list[str]) -> None:
    """Stop before lines of several fields with nothing between them are taken for one column."""
    lines = [line.rstrip("\r\n") for line in lines if line.strip()][:200]
    if is_fixed_width(lines):
        raise refusal(name, Foreign("in columns of fixed width", _LAYOUT))
    if lines and len(lines[0].split()) > 7:
        raise refusal(name, Foreign("running text, not a table", _WITH_NAMES))


def is_fixed_width(lines: list[str]) -> bool:
    """Whether lines have blanks at the same places, with words on both sides, and line up at their ends.

    Two lines of running text often have a blank at the same place.

    >>> is_fixed_width(["name   age", "Ann     34", "Robert   7"]), is_fixed_width(["Ann Lee", "Bo Li"])
    (True, False)
    """
    if len(lines) < 2:
        return False
    longest = max(map(len, lines))
    padded = [line.ljust(longest) for line in lines]
    blank = [all(line[place] == " " for line in padded) for place in range(longest)]
    gaps = [place for place in range(1, longest - 1) if blank[place] and not blank[place - 1]]
    wide = any(blank[place] and blank[place + 1] for place in gaps)
    aligned = len({len(line) for line in lines}) == 1
    many = 2 * len(gaps) >= min(len(line.split()) for line in lines) - 1
    return bool(gaps) and (wide or (len(lines) > 2 and (aligned or (many and len(gaps) > 1))))


def refuse_binary(name: str, head: bytes) -> None:
    """Stop before a file that is not text is taken for one."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", codecs.BOM_UTF32_BE)):
        return
    if b"\0" in head:
        hint = "Give a CSV or Parquet file."
        if head[8:12] == b"DUCK":
            hint = "It is a DuckDB database: connect to it in Python, and name a table."
        elif head.count(0) > 0.6 * len(head):
            order = "le" if head[3::4].count(0) > head[::4].count(0) else "be"
            hint = f"It may be written in UTF-32: name the encoding, with --encoding utf-32-{order}."
        elif head[1::2].count(0) > 0.4 * len(head) or head[::2].count(0) > 0.4 * len(head):
            order = "le" if head[1::2].count(0) > head[::2].count(0) else "be"
            hint = f"It may be written in UTF-16: name the encoding, with --encoding utf-16-{order}."
        raise SourceError(f"{name} looks like a binary file, not like text.", hint=hint)
    if len(head) - len(head.translate(None, _ONE_BYTE_CONTROLS)) > 0.02 * len(head):
        raise SourceError(
            f"{name} looks like a binary file, not like text.", hint="Give a CSV or Parquet file."
        )


def refusal(name: str, form: Foreign) -> SourceError:
    """The error for a file of another form, which quotes nothing of it."""
    return SourceError(f"{name} is {form.called}, which is not read as a table.", hint=form.hint)


def _json(begun: str) -> Foreign:
    first, _, rest = begun.partition("\n")
    whole = first.rstrip().endswith(("}", "]")) and rest.lstrip().startswith(("{", "["))
    return Foreign("a file of JSON lines" if whole else "a JSON file", _FRAME)
