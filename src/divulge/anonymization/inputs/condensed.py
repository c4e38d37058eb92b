"""A table that stays where it is as the search reads it: combinations of values, with how many records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from divulge.engines.opening import engine_for
from divulge.errors import ParameterError
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.questions.data import Data


def searched_attributes(data: Data, policy: Policy, also: Iterable[str] = ()) -> list[str]:
    """All that the policy is about, and some more attributes."""
    schema = data.schema
    asked = {*schema.quasi_identifiers, *schema.sensitive, *policy.attributes, *also}
    asked |= {name for one in policy.thresholds for name in (*(one.target or ()), *(one.keys or ()))}
    return [name for name in schema.attributes if name in asked and name not in schema.identifiers]


def condensed(data: Data, names: Sequence[str], most: int) -> Data | None:
    """The combinations of some attributes, each a row; None where they have more than ``most`` cells."""
    if data.engine.kind == "database" and data.distinct(names) * len(names) > most:
        return None  # a cluster looks itself whether there are few
    held = data.at_hand(names)
    if held is None or held.source.records * len(names) > most:
        return None
    columns = {name: held.engine.column(name) for name in held.source.attributes}
    rows = np.arange(held.source.records)
    table = WorkingTable(columns, rows, original=columns, name=data.source.name, times=held.times)
    return replace(held, engine=engine_for(table))


def refuse_staying(data: Data, *, local: bool, keep_order: bool) -> None:
    """Refuse what needs each record of a table that stays where it is."""
    if data.people < data.records:
        raise ParameterError(
            f"People of {data.source.name} have several records, and groups of people are not searched where "
            "the records are.",
            hint="Write one record for each person, or the attributes that are needed to a file.",
        )
    if local:
        raise ParameterError(
            f"{data.source.name} stays where it is, where groups are not recoded each by itself.",
            hint="Leave out --local, --mondrian and --suppress-cells.",
        )
    if keep_order:
        raise ParameterError(
            f"The records of {data.source.name} have no order that could be kept.",
            hint="Leave out --keep-order.",
        )
