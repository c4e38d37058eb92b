"""Codes of NumPy arrays, masked ones among them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import SourceError
from divulge.source.base import MANY_RECORDS
from divulge.source.dictionary import encode_objects
from divulge.source.integers import Span, all_missing
from divulge.table.codes import Codes, code_type

Array = npt.NDArray[Any]


def encode_array(attribute: str, array: Array, missing: Array | None = None) -> Codes:
    """Codes of one array; ``missing`` marks records without a value beside NaN, NaT and masked ones."""
    if array.ndim != 1:
        raise SourceError(f"The attribute '{attribute}' has {array.ndim} dimensions; a column has one.")
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array)
        missing = masked if missing is None else missing | masked
        array = array.data
    if array.dtype.kind in "OV" or array.dtype.kind not in "biufMmUS":
        return _objects(attribute, array, missing)
    if array.dtype.kind in "fMm":
        absent = np.isnan(array) if array.dtype.kind == "f" else np.isnat(array)
        missing = absent if missing is None else missing | absent
    if missing is not None and not missing.any():
        missing = None
    present = array if missing is None else array[~missing]
    if not len(present):
        return all_missing(len(array))
    if array.dtype.kind == "b":
        return _integers(array.view(np.uint8), missing, Span(0, 1), (False, True))
    if array.dtype.kind in "iu":
        span = Span(int(present.min()), int(present.max()))
        if span.is_dense(len(array)):
            return _integers(array, missing, span, range(span.low, span.high + 1))
    values, places = _distinct(present)
    codes = np.zeros(len(array), dtype=code_type(len(values)))
    codes[slice(None) if missing is None else ~missing] = places
    return Codes(codes, native(values))


def native(values: Array) -> list[Any]:
    """The values as Python's own, moments as datetimes unless that would merge two of them."""
    if values.dtype.kind not in "Mm":
        return list(values.tolist())
    if values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] in "YMWD":
        return list(values.astype("M8[D]").tolist())
    coarse = values.astype(f"{values.dtype.kind}8[us]")
    if (coarse.astype(values.dtype) == values).all() and all(type(v) is not int for v in coarse.tolist()):
        return list(coarse.tolist())
    return list(values.astype(str).tolist())


def _objects(attribute: str, array: Array, missing: Array | None) -> Codes:
    values = array.tolist()
    if missing is not None:
        for row in np.flatnonzero(missing).tolist():
            values[row] = None
    return encode_objects(attribute, values)


def _integers(array: Array, missing: Array | None, span: Span, values: Any) -> Codes:
    codes = span.room(len(array))
    span.fill(codes, array, missing)
    return Codes(codes, values)


def _distinct(array: Array) -> tuple[Array, Array]:
    """The different values in ascending order, and for each element its place among them, from 1."""
    if array.dtype.kind == "f":
        array = array + array.dtype.type(0)  # makes -0.0 into 0.0
    # Arrow hashes where NumPy sorts: ten times faster on few values.
    if len(array) >= MANY_RECORDS and array.dtype.kind in "iuf" and find_spec("pyarrow"):
        import pyarrow

        encoded = pyarrow.array(array).dictionary_encode()
        values = encoded.dictionary.to_numpy(zero_copy_only=False)
        order = np.argsort(values)
        rank = np.empty(len(values), dtype=code_type(len(values)))
        rank[order] = np.arange(1, len(values) + 1)
        return values[order], rank[encoded.indices.to_numpy()]
    values, inverse = np.unique(array, return_inverse=True)
    return values, inverse + 1
