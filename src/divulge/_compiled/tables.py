"""Tables of all combinations of codes, filled by a compiled loop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
MOST = 1 << 32


def fill(columns: Sequence[Array], sizes: Sequence[int], table: Array) -> None:
    """Add every record to a table of all combinations of codes, the last column's next to each other."""
    records = len(columns[0])
    if math.prod(sizes) != len(table) or max(len(table), records) >= MOST:
        raise ValueError(f"a loop was given {len(table)} cells for combinations of {list(sizes)} codes")
    for column, size in zip(columns, sizes, strict=True):
        if column.dtype.kind != "u" or column.itemsize > 4:
            raise ValueError(f"a loop was given {column.dtype} for codes")
        within(column, size)
    given = np.array([address(one, one.dtype, records) for one in columns], np.int64)
    bytes_each = np.array([one.itemsize for one in columns], np.int64)
    strides = np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], np.int64)
    many = len(columns)
    function("tables_fill", "pppiip")(
        *(address(one, np.int64, many) for one in (given, bytes_each, strides)),
        *(many, records, address(table, np.uint32, len(table), write=True)),
    )
