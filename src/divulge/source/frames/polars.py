"""Codes of Polars columns."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from divulge.source.base import Columns, check_names, not_a_value
from divulge.source.dictionary import encode_objects
from divulge.source.frames.numpy import encode_array
from divulge.source.integers import Span, all_missing
from divulge.table.codes import MISSING, Codes, code_type, narrow


def open_polars(data: Any, name: str = "a Polars frame") -> Columns:
    """A source over a frame, or over a lazy one, which is collected."""
    frame: pl.DataFrame = data.collect() if isinstance(data, pl.LazyFrame) else data
    names = tuple(frame.columns)
    check_names(name, names)
    return Columns(name, names, frame.height, lambda attribute: encode_series(attribute, frame[attribute]))


def encode_series(attribute: str, series: pl.Series) -> Codes:
    """Codes of one column, without Python objects but for its different values."""
    kind = series.dtype
    if series.null_count() == len(series):
        return all_missing(len(series))
    if str(kind).endswith("128"):  # wider than any of NumPy's
        return encode_objects(attribute, series.to_list())
    if kind.is_integer():
        span = Span(int(series.min()), int(series.max()))  # type: ignore[arg-type]
        if span.is_dense(len(series)):
            codes = span.room(len(series))
            _fill(span, codes, series)
            return span.codes(codes)
    if isinstance(kind, pl.Enum):
        return Codes(_shifted(series, len(kind.categories)), kind.categories.to_list())
    if kind.is_decimal():
        codes_of_text = encode_series(attribute, series.cast(pl.String))
        return Codes(codes_of_text.codes, [Decimal(str(text)) for text in codes_of_text.values])
    if kind == pl.String or kind == pl.Categorical:
        return _categories(series.cast(pl.Categorical) if kind == pl.String else series)
    if kind.is_nested():
        raise not_a_value(attribute, f"values of type {kind}")
    if kind.is_numeric() or kind == pl.Boolean:
        missing = series.is_null().to_numpy() if series.null_count() else None
        filled = series.fill_null(False if kind == pl.Boolean else 0)
        return encode_array(attribute, filled.to_numpy(), missing)
    if kind.is_temporal():
        numbers = _compact(encode_series(attribute, series.to_physical()))
        return Codes(numbers.codes, _moments(numbers.values, kind))
    return encode_objects(attribute, series.to_list())


def _fill(span: Span, codes: Any, series: pl.Series) -> None:
    at = 0
    for chunk in series.get_chunks():
        missing = chunk.is_null().to_numpy() if chunk.null_count() else None
        part = codes[at : at + len(chunk)]
        span.fill(part, (chunk if missing is None else chunk.fill_null(span.low)).to_numpy(), missing)
        at += len(chunk)


def _shifted(series: pl.Series, values: int) -> Any:
    """Physical numbers from 0, missing among them, as codes from 1."""
    physical = series.to_physical().cast(pl.Int64)
    return narrow((physical + 1).fill_null(MISSING).to_numpy(), values)


def _categories(series: pl.Series) -> Codes:
    # Categories are numbered for the whole process, so this column's own may lie far apart.
    firsts = series.drop_nulls().unique(maintain_order=True)
    numbers = firsts.to_physical().to_numpy()
    table = np.zeros(int(numbers.max()) + 2, dtype=code_type(len(numbers)))
    table[numbers] = np.arange(1, len(numbers) + 1)
    physical = series.to_physical()
    if series.null_count():
        physical = physical.cast(pl.Int64).fill_null(len(table) - 1)
    return Codes(table[physical.to_numpy()], firsts.cast(pl.String).to_list())


def _compact(codes: Codes) -> Codes:
    """The codes without values that no record has: days in between are not worth making dates of."""
    seen = np.zeros(codes.cardinality, dtype=bool)
    seen[codes.codes] = True
    seen[MISSING] = False
    table = np.where(seen, np.cumsum(seen), MISSING)
    return codes.recode(table, codes.values_of(np.flatnonzero(seen)))


def _moments(numbers: Sequence[object], kind: Any) -> list[object]:
    """Dates, times and spans from the integers behind them; as text where Python's own are too coarse."""
    physical = pl.Series(list(numbers), dtype=pl.Int64)
    moments = physical.cast(pl.Int32).cast(kind) if kind == pl.Date else physical.cast(kind)
    fine = (kind == pl.Time or getattr(kind, "time_unit", None) == "ns") and (physical % 1000 != 0).any()
    if fine and kind == pl.Time:
        return moments.dt.to_string("%H:%M:%S%.9f").to_list()
    return (moments.cast(pl.String) if fine else moments).to_list()
