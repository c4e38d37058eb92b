"""How often the values of an attribute occur, as the prior of who designs or attacks a mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge._support.small_counts import SMALL, hidden
from divulge._support.wording import value_label
from divulge.errors import ParameterError, UnknownAttribute
from divulge.estimation.channels.probabilities import FloatArray
from divulge.questions.data import Data
from divulge.table.codes import MISSING

OTHERS = f"other values (fewer than {SMALL} records each)"


@dataclass(frozen=True, eq=False)
class AttributePrior:
    """The values of an attribute, the most frequent first, and the share of records that have each."""

    names: tuple[str, ...]
    prior: FloatArray
    merged: int  # values of very few records, which are one name together


def attribute_prior(data: Data, attribute: str) -> AttributePrior:
    """The prior of an attribute; values of fewer than five records are taken together.

    A rule that was made for a value says how often it occurs. So that no rule says how few records have a
    value, rare ones are one; where even together they are few, the next rarest joins them.
    """
    if attribute not in data.schema.attributes:
        raise UnknownAttribute(attribute, data.schema.attributes)
    column, counts = data.frequencies(attribute)
    if data.missing != "value":
        counts = np.where(np.arange(len(counts)) == MISSING, 0, counts)
    codes = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code] > 0]
    names = [value_label(None if code == MISSING else column.values[code - 1]) for code in codes]
    times = [int(counts[code]) for code in codes]
    kept = len(times)
    while kept and (isinstance(hidden(times[kept - 1]), str) or isinstance(hidden(sum(times[kept:])), str)):
        kept -= 1
    if kept < len(times):
        names, times = [*names[:kept], OTHERS], [*times[:kept], sum(times[kept:])]
    if len(times) < 2:
        raise ParameterError(
            f"Attribute '{attribute}' has fewer than two values with {SMALL} or more records.",
            hint="Choose another attribute, or allow small counts with --exact-counts.",
        )
    return AttributePrior(tuple(names), np.array(times) / sum(times), len(codes) - kept)
