"""A place that counts query by query: small tables are put there, and results are kept there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.counting.statistics_sql import SqlDialect
from divulge.engines.external.table import ExternalTable
from divulge.engines.external.workplace import Workplace

Columns = Mapping[str, npt.NDArray[Any]]


class CountingPlace(Workplace):
    """Where records are counted for a search: nothing is written that is still there after ``close``."""

    statistics: SqlDialect

    @abstractmethod
    def put(self, columns: Columns) -> str:
        """A small table of numbers put there: what stands behind FROM for it."""

    @abstractmethod
    def hold(self, query: str) -> str:
        """The rows of a query kept there: what stands behind FROM for them."""

    @abstractmethod
    def drop(self, held: str) -> None:
        """Let go of rows that were kept."""

    @abstractmethod
    def numbers(self, query: str) -> list[npt.NDArray[Any]]:
        """The columns of a query that gives numbers."""

    @abstractmethod
    def released(self, query: str, columns: Mapping[str, str]) -> ExternalTable:
        """Columns of a query, each under its name, as a table to be counted there."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""


def as_columns(rows: list[Any]) -> list[npt.NDArray[Any]]:
    """Rows of numbers as columns: whole numbers stay whole."""
    found = []
    for column in zip(*rows, strict=True):
        whole = all(one is None or isinstance(one, int) for one in column)
        numbers = [0 if one is None else one for one in column]
        found.append(np.asarray(numbers, np.int64 if whole else np.float64))
    return found
