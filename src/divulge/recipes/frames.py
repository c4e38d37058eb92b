"""A released table as a frame of the kind that came in."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import MISSING, Codes


def frame_like(data: object, table: WorkingTable) -> Any:
    """The table as pandas, Polars or Arrow where the original was that, or else as lists by name."""
    family = type(data).__module__.partition(".")[0].lstrip("_")
    columns = {name: column.values_of() for name, column in table.columns.items()}
    if family == "pandas":
        import pandas as pd

        return pd.DataFrame(
            {name: _series(data, name, column, table) for name, column in table.columns.items()}
        )
    if family == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    if family == "pyarrow":
        import pyarrow as pa

        return pa.table(columns)
    return columns


def _series(data: Any, name: str, column: Codes, table: WorkingTable) -> Any:
    import pandas as pd

    values = np.empty(column.cardinality, object)
    values[MISSING] = None
    for place, value in enumerate(column.values, 1):
        values[place] = value
    return pd.Series(values[column.codes]).infer_objects()
