"""Codes cut to their beginning, and values put into named groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import PartitionError
from divulge.mechanisms.mechanism import RECODING_LAWS, MechanismLaw, Step, recoding
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition, recoded
from divulge.table.partition import Partition


@recoding(
    name="prefix",
    title="Prefixes of codes",
    takes="any values",
    parameters=(
        Parameter("keep", "whole number", "How many characters are kept.", least=0, example="3"),
        Parameter("fill", "text", "What stands for each character that is cut off; '' for nothing.", "*"),
    ),
    laws=RECODING_LAWS | {MechanismLaw.IDEMPOTENT},
    example="47677 with keep = 3: 476**",
    reference="sweeney2002",
)
def prefix(values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step) -> Transition:
    """Keep the first characters of every value, as of postcodes, and replace the others by a sign."""
    keep, fill = step["keep"], step["fill"]

    def cut(value: object) -> str:
        text = str(value)
        return text[:keep] + fill * max(0, len(text) - keep)

    return recoded(values, cut)


@recoding(
    name="groups",
    title="Recoding into groups",
    takes="any values",
    parameters=(
        Parameter(
            "groups",
            "table",
            "The values of each group by its name.",
            example='{ cancer = ["lung cancer", "colon cancer"] }',
            secret=True,  # it lists values
        ),
        Parameter("others", "text", "What other values become; without it they stay as they are.", None),
    ),
    example='lung cancer with cancer = ["lung cancer", "colon cancer"]: cancer',
    reference="sondeck2017",
)
def groups(values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step) -> Transition:
    """Replace values by the name of the group that lists them; other values stay, or become one."""
    try:
        partition = Partition.of(step["groups"], attribute=attribute)
    except PartitionError as error:
        raise step.error("groups", error.message, error.hint or "") from None
    rest = step["others"]
    return recoded(values, lambda value: partition.domain_of(value) or (value if rest is None else rest))
