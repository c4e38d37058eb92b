"""How many people a query counts, as far as a release says it: coarser values, two tables of an anatomy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge.errors import SourceError
from divulge.questions.data import Data, read
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations

Test = Callable[[Any], bool]
GroupReading = Literal["uniform", "one of the group"]
Floats = npt.NDArray[np.float64]


def estimated_count(
    released: object,
    where: Mapping[str, Test],
    stands_for: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    reading: GroupReading = "uniform",
) -> float:
    """How many people fit conditions on several attributes, each record by how likely it does.

    ``stands_for`` has, for an attribute with coarser values, the original values that each may stand for; of
    other attributes values are themselves. ``uniform`` takes every value that a released one may stand for to
    be as likely. ``one of the group`` is how section 2.5.4 of Sondeck's thesis computes 2/5: of a group of
    coarser values that may fit, one record is taken to, whatever the values; it is kept to check the number.
    Records weigh what their weights say: in an anatomy (``read(keys, anatomy=sensitive)``) the share of the
    group that has the value.

    >>> asked = {"age": lambda age: age >= 35, "disease": lambda one: one == "aids"}
    >>> table = {"age": ["<= 32", "> 32", "> 32"], "disease": ["flu", "aids", "flu"]}
    >>> ages = {"age": {"<= 32": range(18, 33), "> 32": range(33, 43)}}
    >>> estimated_count(table, asked, ages)
    0.8
    >>> keys = {"age": [22, 45, 40], "group": [1, 2, 2]}
    >>> ill = {"group": [1, 2, 2], "disease": ["flu", "aids", "flu"], "count": [1, 1, 1]}
    >>> estimated_count(read(keys, anatomy=ill), {**asked, "age": lambda age: age >= 42})
    0.5
    """
    data = (released if isinstance(released, Data) else read(released)).one_by_one()
    data.load([*where])
    known = stands_for or {}
    columns = {name: data.column(name) for name in where}
    chance = {name: _chances(columns[name], test, known.get(name), name) for name, test in where.items()}
    each = np.ones(data.records)
    for name in where:
        each *= chance[name]
    if reading == "one of the group" and known:
        groups = combinations(coded([columns[name] for name in where if name in known]), data.records).number
        each = (each > 0) / np.bincount(groups)[groups]
    weights = data.record_weights()
    return float(each.sum() if weights is None else each @ weights)


def _chances(column: Codes, test: Test, known: Mapping[str, Sequence[Any]] | None, attribute: str) -> Floats:
    """For each record, how likely its value fits; what is missing does not."""
    table = np.zeros(column.cardinality)
    for code in column.used().tolist():
        if code != MISSING:
            value = column.values[code - 1]
            behind = [value] if known is None else known.get(str(value), ())
            if not len(behind):
                raise SourceError(
                    f"It is not said what some values of '{attribute}' stand for.",
                    hint="List the original values behind each released one in stands_for.",
                )
            table[code] = np.mean([bool(test(one)) for one in behind])
    return table[column.codes]
