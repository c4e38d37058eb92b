"""Tables of results as frames of pandas or Polars, whichever the data came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.errors import ParameterError, installing

Kind = Literal["pandas", "polars"]
KINDS: tuple[Kind, ...] = ("pandas", "polars")
CAME_AS: dict[str, Kind] = {"a pandas frame": "pandas", "a Polars frame": "polars"}  # by a source's name
# Of people, as an output may say it: numbers, and texts such as "<5" or "<0.01".
COUNT, SHARE = "count", "share"
_PANDAS = {str: "string", int: "Int64", float: "Float64", bool: "boolean"}


class FrameColumn(NamedTuple):
    """The type of a column, or COUNT or SHARE, and its values; None where there is none."""

    type: Any
    values: Sequence[Any] | npt.NDArray[Any]
    missing: npt.NDArray[np.bool_] | None = None  # of an array, whose values there say nothing


def picked(entries: Sequence[Mapping[str, Any]], types: Mapping[str, Any]) -> dict[str, FrameColumn]:
    """Columns from entries of a document: the named ones, lists of names as one text."""
    return {
        name: FrameColumn(type, [_text(one.get(name)) for one in entries]) for name, type in types.items()
    }


def frame(columns: Mapping[str, FrameColumn], source: str, kind: Kind | None = None) -> Any:
    """A frame of the kind asked for, else of the kind that the source was, else of pandas, else of Polars.

    A hidden count is missing, and the column after it, named ``..._hidden``, has what is said instead.
    """
    chosen = _chosen(source, kind)
    shown = handed_out(columns)
    if chosen == "pandas":
        import pandas

        made = {name: pandas.array(one.values, dtype=_PANDAS[one.type]) for name, one in shown.items()}
        for name, one in shown.items():
            if one.missing is not None:
                made[name][one.missing] = pandas.NA
        return pandas.DataFrame(made)
    import polars

    types = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
    columns_made = []
    for name, one in shown.items():
        texts = isinstance(one.values, np.ndarray) and one.values.dtype == object
        series = polars.Series(name, list(one.values) if texts else one.values, dtype=types[one.type])
        kept = None if one.missing is None else polars.Series(~one.missing)
        columns_made.append(
            series if kept is None else polars.select(polars.when(kept).then(series)).to_series()
        )
    return polars.DataFrame(columns_made)


def handed_out(columns: Mapping[str, FrameColumn]) -> dict[str, FrameColumn]:
    """Columns as a table has them, each of one type: a column of counts is two."""
    return {name: column for given, one in columns.items() for name, column in _split(given, one)}


def _chosen(source: str, kind: Kind | None) -> Kind:
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"'{kind}' is not a kind of frame.", hint=f"Use {' or '.join(KINDS)}.")
    wanted = kind or CAME_AS.get(source)
    found = next((one for one in ((wanted,) if wanted else KINDS) if find_spec(one) is not None), None)
    if found is None:
        raise ParameterError(
            f"A frame needs the package '{wanted or KINDS[0]}', which is not installed.",
            hint=f"Install the extra 'frames' with: {installing('frames')}",
        )
    return found


def _split(name: str, column: FrameColumn) -> list[tuple[str, FrameColumn]]:
    """A column as it is handed out: of counts or shares two, one of numbers and one of what is hidden."""
    if column.type not in (COUNT, SHARE):
        return [(name, column)]
    numbers = [None if isinstance(one, str) else one for one in column.values]
    words = [one if isinstance(one, str) else None for one in column.values]
    number = int if column.type == COUNT else float
    return [(name, FrameColumn(number, numbers)), (f"{name}_hidden", FrameColumn(str, words))]


def _text(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
