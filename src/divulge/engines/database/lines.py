"""Rows of PostgreSQL that come as lines of text, one for each row: compiled loops make codes of them.

A driver makes an object of every cell. Here the database writes the cells of a row side by side, as it writes
them for a driver, and the driver's own loaders see each different text once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from divulge._compiled import library
from divulge._compiled.reading import LineReader
from divulge.source.dictionary import Dictionary
from divulge.table.codes import Codes, code_type, narrow

Array = npt.NDArray[Any]
_SEPARATOR = "\x1f"
_MOST_COLUMNS = 90  # a function of PostgreSQL takes a hundred arguments
_YES = ord("t")


def come_as_lines(connection: Any, columns: int) -> bool:
    """Whether rows of so many columns can be asked for as lines, in an encoding in which bytes are plain."""
    dialect = connection.dialect
    if (dialect.name, dialect.driver) != ("postgresql", "psycopg") or not library.built():
        return False
    encoding = connection.connection.dbapi_connection.info.encoding
    return encoding == "utf-8" and 0 < columns <= _MOST_COLUMNS


def line(columns: Sequence[Any], times: Any) -> Any:
    """A row as one text: which cells are missing, if any, then the cells, and how often the row stands.

    A missing cell is empty in the text. Neither end of a line is empty, so that a cell which holds one
    makes more lines and does not go unnoticed.
    """
    plain = [one.element if isinstance(one, sa.Label) else one for one in columns]
    missing = sa.case((sa.func.num_nulls(*plain) > 0, sa.func.concat(*(one.is_(None) for one in plain))))
    form = sa.literal(_SEPARATOR.join(["%s"] * (len(plain) + 2)), sa.Text)
    return sa.func.format(form, missing, *plain, times)


def codes_of_lines(
    connection: Any, kinds: Sequence[int], names: Sequence[str], blocks: Iterable[list[tuple[Any, ...]]]
) -> tuple[dict[str, Codes], Array] | None:
    """Columns as codes, and how often each row stands; None where a cell holds what ends cells or lines.

    ``kinds`` are the types of the columns, as the database numbers them.
    """
    reader = LineReader(len(names) + 2, _SEPARATOR.encode(), b"")
    none = np.zeros(0, np.uint8)  # rows there may be none of
    parts: list[list[Array]] = [[none] for _ in range(reader.width)]
    for rows in blocks:
        codes = reader.read(bytearray("\n".join([text for (text,) in rows]).encode()), len(rows))
        if codes is None or codes.shape[1] != len(rows):
            return None
        for part, column in zip(parts, codes, strict=True):
            part.append(column.astype(code_type(int(column.max()))))
    missing, *cells, times = (np.concatenate(part) for part in parts)
    patterns, *texts, numbers = (_texts(reader, place) for place in range(reader.width))
    driver = connection.connection.dbapi_connection
    found = {}
    for place, name in enumerate(names):
        absent = np.array([False, *(pattern[place] == _YES for pattern in patterns)])
        gone = absent[missing] if absent.any() else None
        found[name] = _values(name, cells[place], gone, texts[place], _loader(driver, kinds[place]))
    return found, np.array([0, *map(int, numbers)], np.int64)[times]


def _values(name: str, codes: Array, gone: Array | None, texts: Sequence[bytes], load: Any) -> Codes:
    """A column whose texts become values as a driver makes them; an empty text is one that is not gone."""
    dictionary = Dictionary(name)
    table = np.zeros(len(texts) + 1, np.uint32)
    table[1:] = dictionary.codes([load(text) for text in texts])
    empty = codes == 0
    if (empty if gone is None else empty & ~gone).any():
        table[0] = dictionary.codes([load(b"")])[0]
    places = narrow(table, len(dictionary.values))[codes]
    if gone is not None:
        places[gone] = 0
    return Codes(places, dictionary.values)


def _texts(reader: LineReader, column: int) -> list[bytes]:
    texts = reader.texts(column)
    whole = texts.text.tobytes()
    return [whole[a:b] for a, b in pairwise([0, *np.cumsum(texts.length).tolist()])]


def _loader(driver: Any, kind: int) -> Any:
    """What makes a value of a text of this type: what is not known stays text."""
    from psycopg.pq import Format

    adapters = driver.adapters
    loader = adapters.get_loader(kind, Format.TEXT) or adapters.get_loader(0, Format.TEXT)
    return loader(kind, driver).load
