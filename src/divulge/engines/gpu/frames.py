"""Columns that are on the card already, of CuPy, cuDF or handed over by DLPack: no value is copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from divulge.engines.gpu.arrays import Arrays, OnCard, fetched, is_card
from divulge.engines.gpu.words import CardColumns
from divulge.errors import SourceError
from divulge.source.base import Columns, Source, check_names
from divulge.source.integers import Span
from divulge.table.codes import Codes, code_type

_CPU, _CUDA = 1, 2  # what DLPack calls them


def open_columns(data: Mapping[Any, Any], card: CardColumns) -> Source | None:
    """A source over arrays of the card, by the names of its columns; None where some are elsewhere."""
    place = _CUDA if is_card(card.xp) else _CPU
    if not data or not all(_lies_on(column, place) for column in data.values()):
        return None
    names = tuple(map(str, data))
    check_names("a dictionary of columns", names)
    arrays = {name: card.xp.from_dlpack(column) for name, column in zip(names, data.values(), strict=True)}
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype.kind not in "biuf":
            raise SourceError(
                f"The attribute '{name}' is no column of numbers or truth values.",
                hint="Give one array of one dimension for each attribute; texts are read by the processor.",
            )
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1:
        raise SourceError(f"The columns of a dictionary of columns differ in length: {sorted(lengths)}.")

    def encoder(attribute: str) -> Codes:
        return _encoded(card, arrays[attribute])

    return Columns("a dictionary of columns", names, lengths.pop(), encoder)


def _encoded(card: CardColumns, array: OnCard) -> Codes:
    """Codes that are made on the card, held there, and brought over."""
    codes, values = encode(card.xp, array)
    column = Codes(fetched(card.xp, codes), values)
    card.hold(column, codes)
    return column


def open_frame(data: Any, card: CardColumns) -> Source:
    """A source over a frame of cuDF: numbers are read on the card, anything else comes over through Arrow."""
    names = tuple(map(str, data.columns))
    check_names("a cuDF frame", names)
    columns = {name: data[label] for name, label in zip(names, data.columns, strict=True)}

    def encoder(attribute: str) -> Codes:
        column = columns[attribute]
        array = shared(card.xp, column)
        if array is not None:
            return _encoded(card, array)
        import pyarrow

        from divulge.source.frames.arrow import encode_chunks

        return encode_chunks(attribute, pyarrow.chunked_array([column.to_arrow()]))

    return Columns("a cuDF frame", names, len(data), encoder)


def shared(xp: Arrays, column: Any) -> OnCard | None:
    """The numbers of a column where they are; None where it has cells without a value, or other values."""
    try:
        said = getattr(column, "__cuda_array_interface__" if is_card(xp) else "__array_interface__", None)
    except (NotImplementedError, TypeError, ValueError):  # texts and the like
        return None
    if said is None or said.get("mask") is not None or np.dtype(said["typestr"]).kind not in "biuf":
        return None
    return xp.asarray(column)


def _lies_on(column: Any, place: int) -> bool:
    """Whether a column can be had by DLPack, and is where arrays are counted."""
    return hasattr(column, "__dlpack_device__") and column.__dlpack_device__()[0] == place


def encode(xp: Arrays, array: OnCard) -> tuple[OnCard, Any]:
    """Codes of numbers, 0 for NaN, and the values in ascending order."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8) + np.uint8(1), (False, True)
    if array.dtype.kind in "iu" and len(array):
        span = Span(int(array.min()), int(array.max()))
        if span.is_dense(len(array)):
            kind = code_type(span.high - span.low + 1)
            # Unsigned arithmetic wraps, and the code fits its type: cutting first and shifting then is exact.
            low = kind((span.low - 1) % (np.iinfo(kind).max + 1))
            return array.astype(kind) - low, range(span.low, span.high + 1)
    there = array == array  # NaN is none
    values, places = xp.unique(array[there] + array.dtype.type(0), return_inverse=True)  # -0.0 is 0.0
    codes = xp.zeros(len(array), code_type(len(values)))
    codes[there] = (places + 1).astype(codes.dtype)
    return codes, fetched(xp, values).tolist()
