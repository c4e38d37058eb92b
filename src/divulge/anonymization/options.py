"""What may be said of a search in words: shares, times, thresholds, and these as the tables of a policy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from divulge._support.wording import percent
from divulge.errors import ParameterError
from divulge.measures import get
from divulge.questions.data import Data
from divulge.table.schema import Role

_SHARE = "Write a share such as 5% or 0.05, from 0 to 100%."
_TIME = "Write a time such as 60s, 5m or 1h."
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def policy_tables(
    data: Data, thresholds: Mapping[str, Any], hierarchies: Mapping[str, Any]
) -> dict[str, Any]:
    """What was said of data by options, as the tables of a policy."""
    schema = data.schema
    trees = {**data.hierarchies, **hierarchies}
    rules: dict[str, Any] = {}
    for name in (*schema.identifiers, *schema.quasi_identifiers, *schema.sensitive):
        role = schema.role(name)
        rule: dict[str, Any] = {"role": role.value}
        if name in trees and role is not Role.IDENTIFIER:
            rule["hierarchy"] = trees[name]
        if name in data.orders:
            rule["order"] = list(data.orders[name])
        rules[name] = rule
    said: dict[str, Any] = {"attributes": rules, "thresholds": dict(thresholds)}
    values: dict[str, Any] = {}
    if data.missing_values:
        values["missing_values"] = sorted(data.missing_values)
    if data.missing != "value":
        values["missing"] = data.missing
    if data.weights is not None:
        values["weights"] = data.weights
    if data.suppressed != "*":
        values["suppressed"] = data.suppressed or ""
    return {"data": values, **said} if values else said


def threshold_of(text: str) -> tuple[str, dict[str, Any]]:
    """A threshold from NAME=BOUND, with parameters after commas.

    >>> threshold_of("t_closeness=0.2,ground=hierarchical")
    ('t_closeness', {'max': 0.2, 'ground': 'hierarchical'})
    """
    first, *others = text.split(",")
    name, equals, bound = first.partition("=")
    hint = "Write NAME=BOUND, such as k_anonymity=5 or t_closeness=0.2,ground=ordered."
    measure = get(name.strip())
    said: dict[str, Any] = {"max" if measure.riskier == "higher" else "min": _value(bound)}
    if not equals or not isinstance(_value(bound), int | float):
        raise ParameterError(f"'{text}' has no bound that is a number.", hint=hint)
    for one in others:
        key, equals, value = one.partition("=")
        if not equals:
            raise ParameterError(f"'{one}' in '{text}' is no parameter.", hint=hint)
        said[key.strip()] = _value(value)
    return name.strip(), said


def _value(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def as_share(given: str | float) -> float:
    """A share of records from a text such as 5% or 0.05.

    >>> as_share("5%"), as_share(0.1)
    (0.05, 0.1)
    """
    text = str(given).strip()
    number = _value(text.removesuffix("%"))
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ParameterError(f"'{text}' is no share of records.", hint=_SHARE)
    share = number / 100 if text.endswith("%") else float(number)
    if not 0 <= share <= 1:
        raise ParameterError(f"{text} is {f'above {percent(1.0)}' if share > 1 else 'below 0'}.", hint=_SHARE)
    return share


def as_seconds(given: str | float) -> float:
    """A time in seconds from a number or a text such as 60s or 5m.

    >>> as_seconds("2m"), as_seconds(10)
    (120.0, 10.0)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)?\s*", str(given))
    if found is None:
        raise ParameterError(f"'{given}' is no time.", hint=_TIME)
    return float(found[1]) * _UNITS[found[2] or ""]
