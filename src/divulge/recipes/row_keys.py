"""The file that says which original row each released record was."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from divulge.engines.opening import open_source
from divulge.errors import ParameterError
from divulge.table.codes import as_number

ROW = "row"


def key_rows(path: str | os.PathLike[str], records: int, originals: int) -> npt.NDArray[np.int64]:
    """The rows of a key file, from 0 on, in the order of the released records."""
    source = open_source(path)
    if source.attributes != (ROW,):
        raise ParameterError(
            f"{source.name} is no key: it has other columns than '{ROW}'.",
            hint="Give the file that divulge transform --write-key wrote.",
        )
    numbers = np.asarray([as_number(value) for value in source.encode([ROW])[ROW].values_of()])
    if len(numbers) != records:
        raise ParameterError(
            f"{source.name} does not have as many rows as the release has records.",
            hint="Give the key that was written with this release.",
        )
    rows = np.nan_to_num(numbers, nan=0.0)
    whole = not (rows % 1).any() and len(np.unique(rows)) == records
    if not whole or rows.min(initial=1) < 1 or rows.max(initial=1) > originals:
        raise ParameterError(
            f"{source.name} does not name a row of the original for each record, each once.",
            hint="Give the original that the release was made from, and its key.",
        )
    return np.asarray(rows, np.int64) - 1
