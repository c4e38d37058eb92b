"""A released table as the kind of frame that came in; what no step touched keeps its type exactly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.column_kinds import Kind, kind_of
from divulge.recipes.outputs.csv_lines import spelled
from divulge.table.codes import MISSING, Codes

Untouched = Collection[str]
Make = Callable[[Any, WorkingTable, Untouched], Any]


def is_frame(data: object) -> bool:
    """Whether a release of it is a frame again: of pandas, Polars, Arrow or DuckDB, or columns by name."""
    return _family(data) in _FRAMES or isinstance(data, Mapping)


def frame_like(data: Any, table: WorkingTable, untouched: Untouched = ()) -> Any:
    """The table as pandas, Polars, Arrow or DuckDB where the original was that, or else as columns by name.

    Rows have no labels: those of the original would say whose they are.
    """
    made: Make = _FRAMES.get(_family(data), _columns)
    return made(data, table, untouched if table.rows is not None else ())


def _family(data: object) -> str:
    return type(data).__module__.partition(".")[0].lstrip("_")


# -- pandas -------------------------------------------------------------------------------------------


def _pandas(data: Any, table: WorkingTable, untouched: Untouched) -> Any:
    import pandas as pd

    places = {str(name): place for place, name in enumerate(data.columns)}
    columns = {}
    for name, column in table.columns.items():
        before = data.iloc[:, places[name]] if name in places else None
        label = name if before is None else before.name
        if before is not None and name in untouched:
            columns[label] = _kept(before.iloc[table.rows].reset_index(drop=True))
        else:
            columns[label] = _pandas_column(column, None if before is None else before.dtype)
    return pd.DataFrame(columns)


def _kept(column: Any) -> Any:
    """A column that nothing was done to; categories that no record has any more would tell who left."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.remove_unused_categories()
    if isinstance(column.dtype, pd.ArrowDtype):
        found = _arrow_kept(column.array.__arrow_array__())
        return pd.Series(pd.arrays.ArrowExtensionArray(found), name=column.name)
    return column


def _pandas_column(column: Codes, before: Any) -> Any:
    """A column in the type that it had, where its values still fit, or else in the one that suits them."""
    import pandas as pd

    if isinstance(before, pd.CategoricalDtype):
        codes = column.codes.astype(np.int64) - 1
        return _kept(pd.Series(pd.Categorical.from_codes(codes, categories=list(column.values))))
    kind, missing = kind_of(column), bool((column.codes == MISSING).any())
    suits: dict[Kind, Any] = {
        "integer": "Int64" if missing else "int64",
        "float": "float64",
        "boolean": "boolean" if missing else "bool",
        "moment": "datetime64[us]",
        "text": "str",
    }
    found = pd.Series(_objects(column, kind), dtype=suits.get(kind, "object"))
    if before is None or before == found.dtype or kind not in ("integer", "float", "boolean", "moment"):
        return found
    try:
        same = found.astype(before)
    except (TypeError, ValueError, OverflowError):
        return found
    alike = same.isna().equals(found.isna()) and bool((same.dropna() == found.dropna()).all())
    narrower = kind == "float" and before.kind == "f"
    return same if alike or narrower else found


def _objects(column: Codes, kind: Kind) -> Any:
    """The value of each record as an object; texts where values have nothing else in common."""
    values = np.empty(column.cardinality, object)
    values[MISSING] = None
    for place, value in enumerate(column.values, 1):
        values[place] = spelled(value) if kind == "text" else value
    return values[column.codes]


# -- Polars -------------------------------------------------------------------------------------------


def _polars(data: Any, table: WorkingTable, untouched: Untouched) -> Any:
    import polars as pl

    lazy = isinstance(data, pl.LazyFrame)
    frame = data.collect() if lazy else data
    columns = [
        _polars_kept(frame[name][table.rows])
        if name in untouched
        else _polars_column(name, column, frame.schema.get(name))
        for name, column in table.columns.items()
    ]
    found = pl.DataFrame(columns)
    return found.lazy() if lazy else found


def _polars_kept(series: Any) -> Any:
    """A column that nothing was done to, without a list of values that records had who left."""
    import polars as pl

    held = isinstance(series.dtype, pl.Categorical | pl.Enum)
    return series.cast(pl.String).cast(pl.Categorical) if held else series


def _polars_column(name: str, column: Codes, before: Any) -> Any:
    import polars as pl

    kind = kind_of(column)
    values = [spelled(one) if kind == "text" else one for one in column.values]
    listed = pl.Series(name, [None, *values], strict=False)
    if kind == "integer" and before is not None and before.is_integer():
        listed = _cast(listed, before)
    elif kind in ("integer", "float") and before is not None and before.is_float():
        listed = listed.cast(before)
    elif isinstance(before, pl.Categorical | pl.Enum):
        listed = listed.cast(pl.String).cast(pl.Categorical)
    return listed.gather(column.codes.astype(np.int64))


def _cast(series: Any, kind: Any) -> Any:
    """The series in a type of integers, unless a number does not fit."""
    cast = series.cast(kind, strict=False)
    return cast if cast.null_count() == series.null_count() else series


# -- Arrow --------------------------------------------------------------------------------------------


def _arrow(data: Any, table: WorkingTable, untouched: Untouched) -> Any:
    import pyarrow as pa

    columns = {
        name: _arrow_kept(data.column(name).take(pa.array(table.rows)))
        if name in untouched
        else _arrow_column(column, data.schema.field(name).type if name in data.schema.names else None)
        for name, column in table.columns.items()
    }
    if isinstance(data, pa.RecordBatch):
        return pa.RecordBatch.from_pydict(columns)
    return pa.table(columns)


def _arrow_kept(column: Any) -> Any:
    """A column that nothing was done to, without a dictionary of values that records had who left."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    return column.cast(column.type.value_type).dictionary_encode().cast(column.type)


def _arrow_column(column: Codes, before: Any) -> Any:
    import pyarrow as pa

    from divulge.recipes.outputs.arrow_files import arrow_column

    found = arrow_column(column)
    if before is not None and pa.types.is_dictionary(before):
        return found.dictionary_encode()
    numbers = before is not None and (pa.types.is_integer(before) or pa.types.is_floating(before))
    if numbers and (pa.types.is_integer(found.type) or pa.types.is_floating(found.type)):
        try:
            return found.cast(before, safe=not pa.types.is_floating(before))
        except pa.ArrowInvalid:
            return found
    return found


# -- DuckDB, and columns by name ----------------------------------------------------------------------


def _duckdb(data: Any, table: WorkingTable, untouched: Untouched) -> Any:
    """A relation of the same connection where a relation came in, or else of one of its own."""
    from divulge.recipes.outputs.parquet import row_values
    from divulge.source import duck

    kinds = {}
    if hasattr(data, "types"):
        kinds = {name: str(kind) for name, kind in zip(data.columns, data.types, strict=True)}
    arrays, terms = {}, []
    for place, (name, column) in enumerate(table.columns.items()):
        arrays[f"c{place}"], term = row_values(column, place)
        cast = f"CAST({term} AS {kinds[name]})" if name in untouched and name in kinds else term
        terms.append(f"{cast} AS {duck.quoted(name)}")
    query = f"SELECT {', '.join(terms)} FROM arrays"
    return data.query("original", query) if kinds else duck.connect().sql(query)


def _columns(data: Any, table: WorkingTable, untouched: Untouched) -> dict[str, Any]:
    """Lists by name; an array where the original was one."""
    before = {str(name): held for name, held in data.items()} if isinstance(data, Mapping) else {}
    found: dict[str, Any] = {}
    for name, column in table.columns.items():
        array = before.get(name)
        if isinstance(array, np.ndarray) and name in untouched:
            found[name] = array[table.rows]
        elif isinstance(array, np.ndarray):
            values = column.values_of()
            plain = np.array(values)
            found[name] = plain if plain.ndim == 1 and None not in values else np.array(values, object)
        else:
            found[name] = column.values_of()
    return found


_FRAMES: dict[str, Make] = {
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _arrow,
    "duckdb": _duckdb,
}
