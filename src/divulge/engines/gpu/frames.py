"""Columns that are on the card already, of CuPy or handed over by DLPack: no value is copied."""

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
        codes, values = encode(card.xp, arrays[attribute])
        column = Codes(fetched(card.xp, codes), values)
        card.hold(column, codes)
        return column

    return Columns("a dictionary of columns", names, lengths.pop(), encoder)


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
