"""What a query is estimated to give on a table with coarser values, as on the two tables of an anatomy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from divulge.engines.opening import open_source
from divulge.errors import SourceError, UnknownAttribute
from divulge.table.packing import coded, combinations

Reading = Literal["uniform", "one of the group"]


def generalized_estimate(
    released: object,
    sensitive: str,
    value: object,
    where: Mapping[str, Callable[[Any], bool]],
    stands_for: Mapping[str, Mapping[str, Sequence[Any]]],
    reading: Reading = "uniform",
) -> float:
    """How many people have a sensitive value and keys of a kind, as estimated from coarser keys.

    ``stands_for`` has, for each key that is asked about, the original values that a released one may stand
    for. In each group that shares these keys the value is counted, times the share that is taken to fit.
    ``uniform`` takes every value that a released one may stand for to be as likely: the share of those that
    fit. ``one of the group`` is how section 2.5.4 of Sondeck's thesis computes 2/5: of a group that may fit,
    one record is taken to, whatever the values; it is kept to check the number, not for use.

    >>> table = {"age": ["<= 32", "> 32", "> 32"], "disease": ["flu", "aids", "flu"]}
    >>> ages = {"age": {"<= 32": range(18, 33), "> 32": range(33, 43)}}
    >>> generalized_estimate(table, "disease", "aids", {"age": lambda age: age >= 35}, ages)
    0.8
    """
    source = open_source(released)
    for name in (sensitive, *where):
        if name not in source.attributes:
            raise UnknownAttribute(name, source.attributes, source.name)
    columns = source.encode([sensitive, *where])
    keys = [columns[name] for name in where]
    groups = combinations(coded(keys), source.records)
    sizes = np.bincount(groups.number)
    share = np.ones(len(sizes))
    for (name, test), column in zip(where.items(), keys, strict=True):
        fits = _fitting(column.values, test, stands_for.get(name, {}), name)
        share *= np.asarray([0.0, *fits])[column.codes[groups.first]]
    if reading == "one of the group":
        share = (share > 0) / sizes
    asked = [one is not None and str(one) == str(value) for one in columns[sensitive].values_of()]
    return float(np.bincount(groups.number, asked) @ share)


def _fitting(
    values: Sequence[object], test: Callable[[Any], bool], known: Mapping[str, Sequence[Any]], name: str
) -> list[float]:
    """For each released value, the share of what it may stand for that fits."""
    lacking = sum(str(value) not in known for value in values)
    if lacking:
        raise SourceError(
            f"It is not said what some values of '{name}' stand for.",
            hint="List the original values behind each released one in stands_for.",
        )
    return [float(np.mean([bool(test(one)) for one in known[str(value)]])) for value in values]
