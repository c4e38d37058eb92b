"""Recoding by the levels of a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import PartitionError
from divulge.mechanisms.mechanism import Step, recoding
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition
from divulge.table.codes import Codes, narrow


@recoding(
    name="recode",
    title="Full-domain recoding",
    takes="any values",
    parameters=(
        Parameter(
            "hierarchy",
            "hierarchy",
            "A file whose rows are a value and its groups, the finest first.",
            example='"zip.csv"',
        ),
        Parameter("level", "whole number", "The level whose groups replace the values.", least=0),
    ),
    example="47677 at level 1 of a hierarchy of postcodes: 476**",
    reference="sweeney2002",
)
def recode(values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step) -> Transition:
    """Replace every value of an attribute by its group at one level of a hierarchy.

    All records with a value get the same group (global recoding). Level 0 keeps the values.
    """
    hierarchy = step["hierarchy"].get(attribute)
    if hierarchy is None:
        raise step.error(
            "hierarchy", f"'{attribute}' has no hierarchy.", "Add its file, or leave the attribute out."
        )
    try:
        partition = hierarchy.level(step["level"])
        occurring = np.flatnonzero(counts)
        present = Codes(narrow(occurring, len(values)), values)
        groups = partition.apply(present, attribute=attribute)
    except PartitionError as error:
        raise step.error("level", error.message, error.hint or "") from None
    target = np.zeros(len(values) + 1, np.int64)
    target[occurring] = groups.codes
    return Transition.to(groups.values, target)
