"""Of a single attribute, its smallest group says how many have its rarest value, and its rates nearly so.

A document that hides how many these are would say it elsewhere: so the value is not listed, and rates of the
attribute alone have two digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.small_counts import FEW, SMALL, exact_counts_asked, two_digits

_RATES = ("discrimination_rate", "itpr")


def without_named_few(
    values: Sequence[Mapping[str, Any]], combinations: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The values and combinations of a document, neither of which says what the other hides.

    >>> subset = {"keys": ["age"], "k": 4, "discrimination_rate": 0.2512, "itpr": 0.5031, "targets": {}}
    >>> found = {"subsets": [subset], "by_size": [], "map": [[1, 0.2512, None], [2, 0.6123, None]]}
    >>> lines = [{"records": "<5"}, {"records": 60}]
    >>> told = without_named_few([{"attribute": "age", "lines": lines}], found)
    >>> told["values"], told["combinations"]["map"]
    ([{'attribute': 'age', 'lines': [{'records': 60}]}], [[1, 0.25, None], [2, 0.6123, None]])
    """
    subsets = [] if combinations is None else combinations["subsets"]
    few = {one["keys"][0] for one in subsets if len(one["keys"]) == 1 and 0 < one["k"] < SMALL}
    if not few or combinations is None or exact_counts_asked():
        return {"values": list(values), "combinations": combinations}
    listed = [_without_few(one) if one["attribute"] in few else dict(one) for one in values]
    return {
        "values": [one for one in listed if one["lines"]],
        "combinations": {
            **combinations,
            "subsets": [_blurred(one) if few.issuperset(one["keys"]) else one for one in subsets],
            "by_size": [
                {**one, "discrimination_rate": [_two(rate) for rate in one["discrimination_rate"]]}
                if one["size"] == 1
                else one
                for one in combinations["by_size"]
            ],
            "map": [
                [size, _two(rate) if size == 1 else rate, *more] for size, rate, *more in combinations["map"]
            ],
        },
    }


def _without_few(block: Mapping[str, Any]) -> dict[str, Any]:
    return {**block, "lines": [one for one in block["lines"] if one["records"] != FEW]}


def _blurred(subset: Mapping[str, Any]) -> dict[str, Any]:
    if len(subset["keys"]) > 1:
        return dict(subset)
    rates = {name: _two(subset[name]) for name in _RATES}
    targets = {
        name: {rate: _two(value) for rate, value in of.items()} for name, of in subset["targets"].items()
    }
    return {**subset, **rates, "targets": targets}


def _two(rate: float | None) -> float | None:
    return None if rate is None else two_digits(rate)
