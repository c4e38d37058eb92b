"""The values that a release under differential privacy may have, which must not depend on the records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden
from divulge._support.wording import in_words
from divulge.mechanisms.mechanism import Step
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import MISSING
from divulge.table.partition import Partition

MOST_CELLS = 2_000_000
DOMAINS = Parameter(
    "domains",
    "table",
    "The values each attribute can have, known without looking at the records.",
    example='{ sex = ["f", "m"] }',
)
OTHER = "other"  # what a value outside of its domain is counted as


def private_codes(
    table: WorkingTable, attribute: str, step: Step
) -> tuple[npt.NDArray[np.int64], list[object]]:
    """The place of each record's value in its domain, and the domain; others, and missing, are 'other'."""
    given: Mapping[str, Sequence[object]] = step["domains"]
    if attribute not in given:
        raise step.error(
            "domains",
            f"'{attribute}' has no domain.",
            "List the values it can have, from what is public: values taken from the records would be told.",
        )
    domain = given[attribute]
    if not isinstance(domain, list | tuple) or not domain or len(set(map(str, domain))) < len(domain):
        raise step.error(
            "domains", f"the domain of '{attribute}' is no list of different values.", DOMAINS.hint
        )
    partition = Partition({str(place): (value,) for place, value in enumerate(domain)})
    column = table.column(attribute)
    table_of_places = np.full(column.cardinality, len(domain), np.int64)
    for code, value in enumerate(column.values, MISSING + 1):
        table_of_places[code] = int(partition.domain_of(value) or len(domain))
    return table_of_places[column.codes], [*domain, OTHER]


def check_cells(sizes: Sequence[int], step: Step) -> int:
    """How many combinations there are; refused if too many to have noise each."""
    cells = math.prod(sizes)
    if cells > MOST_CELLS:
        raise step.error(
            "domains",
            f"there are {in_words(hidden(cells))} combinations, and the limit is {MOST_CELLS:,}.",
            "Take fewer attributes or coarser values.",
        )
    return cells
