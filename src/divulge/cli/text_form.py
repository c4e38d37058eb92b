"""How a release is written as text, said where its original was written in another way."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import DivulgeError
from divulge.source.dialect import detect
from divulge.source.files import read_head
from divulge.source.options import SourceOptions

_TEXTS = {".csv": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
_CALLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def written_otherwise(original: str, options: SourceOptions, release: str) -> str:
    """That a release is in UTF-8 and how it is separated, where its original is otherwise; else nothing."""
    source, ending = Path(original).expanduser(), Path(release.removesuffix(".gz")).suffix.lower()
    if ending not in _TEXTS or source.suffix.lower() not in _TEXTS or not source.is_file():
        return ""
    try:
        dialect = detect(source.name, read_head(source, source.name), options)
    except DivulgeError:
        return ""
    separator = _TEXTS[ending]
    if dialect.is_utf8 and dialect.separator[0] == separator:
        return ""
    was = _CALLED.get(dialect.separator[0], dialect.separator[0])
    here, there = [], []
    if not dialect.is_utf8:
        here.append("in UTF-8")
        there.append(f"in {dialect.encoding}")
    if dialect.separator[0] != separator:
        here.append(f"separated by {_CALLED[separator]}")
        there.append(f"separated by {was}")
    return f"The release is {', '.join(here)}; the original is {', '.join(there)}."
