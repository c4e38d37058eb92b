"""Codes of pandas columns, read by position: the index plays no part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from divulge.source.base import Columns, check_names
from divulge.source.dictionary import encode_objects
from divulge.source.frames.numpy import encode_array
from divulge.table.codes import Codes, narrow

# Kinds of object columns in which Python's equality merges nothing that should stay apart.
_ALIKE = {"string", "bytes", "integer", "boolean", "decimal", "date"}


def open_pandas(frame: Any, name: str = "a pandas frame") -> Columns:
    """A source over a pandas frame."""
    names = tuple(map(str, frame.columns))
    check_names(name, names)
    columns = {attribute: frame.iloc[:, place] for place, attribute in enumerate(names)}
    return Columns(name, names, len(frame), lambda attribute: encode_series(attribute, columns[attribute]))


def encode_series(attribute: str, series: Any) -> Codes:
    """Codes of one column, by whatever its array already offers."""
    kind, array = series.dtype, series.array
    if isinstance(kind, pd.SparseDtype):
        series = pd.Series(np.asarray(array))
        kind, array = series.dtype, series.array
    if isinstance(kind, pd.CategoricalDtype):
        return _recoded(array.codes, kind.categories)
    if isinstance(kind, pd.ArrowDtype) or getattr(kind, "storage", None) == "pyarrow":
        return _arrow(attribute, array.__arrow_array__())
    if isinstance(kind, np.dtype):
        values = series.to_numpy()
        return _objects(attribute, values) if kind.kind == "O" else encode_array(attribute, values)
    if hasattr(kind, "numpy_dtype") and kind.kind in "biuf":  # the nullable types
        values = array.to_numpy(kind.numpy_dtype, na_value=kind.type(0))
        return encode_array(attribute, values, np.asarray(array.isna()))
    return _recoded(*pd.factorize(array))


def _arrow(attribute: str, chunks: Any) -> Codes:
    import pyarrow

    from divulge.source.frames.arrow import encode_chunks

    whole = isinstance(chunks, pyarrow.ChunkedArray)
    return encode_chunks(attribute, chunks if whole else pyarrow.chunked_array([chunks]))


def _objects(attribute: str, values: Any) -> Codes:
    if pd.api.types.infer_dtype(values, skipna=True) in _ALIKE:
        return _recoded(*pd.factorize(values))
    return encode_objects(attribute, values.tolist())


def _recoded(places: Any, values: Any) -> Codes:
    """pandas counts from 0 and calls missing -1; as codes both are one higher."""
    codes = np.asarray(places)
    if len(values) >= np.iinfo(codes.dtype).max:
        codes = codes.astype(np.int64)
    return Codes(narrow(codes + codes.dtype.type(1), len(values)), _natives(values))


def _natives(values: Any) -> list[object]:
    if not isinstance(values, pd.DatetimeIndex | pd.arrays.DatetimeArray):
        return [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]
    moments = pd.DatetimeIndex(values)
    if moments.nanosecond.any():  # finer than Python's datetime: as text they stay apart
        return [str(moment) for moment in moments]
    return list(moments.to_pydatetime())
