"""Recoding of some branches of a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.errors import suggestion
from divulge.mechanisms.mechanism import RECODING_LAWS, MechanismLaw, Step, recoding
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import Transition


@recoding(
    name="recode_subtrees",
    title="Subtree recoding",
    takes="any values",
    parameters=(
        Parameter(
            "hierarchy", "hierarchy", "A file whose rows are a value and its groups, the finest first."
        ),
        Parameter(
            "groups",
            "texts",
            "Groups of the hierarchy that replace the values below them.",
            example='["476**"]',
        ),
    ),
    laws=RECODING_LAWS | {MechanismLaw.IDEMPOTENT},
    example='groups = ["476**"]: 47677 becomes 476**, and 47905 stays',
    reference="sweeney2002",
)
def recode_subtrees(
    values: Sequence[object], counts: npt.NDArray[np.int64], attribute: str, step: Step
) -> Transition:
    """Replace the values below some groups of a hierarchy by the group; other values stay as they are.

    Where one group lies within another that is named too, the larger one is taken. A value that the hierarchy
    does not have stays.
    """
    hierarchy = step["hierarchy"].get(attribute)
    if hierarchy is None:
        raise step.error("hierarchy", f"'{attribute}' has no hierarchy.", "Add its file.")
    wanted = set(step["groups"])
    known = {name for level in hierarchy.groups for name in level}
    for name in step["groups"]:
        if name not in known:
            hint = suggestion(name, known) or "Write a group as it stands in the file of the hierarchy."
            raise step.error("groups", f"the hierarchy of '{attribute}' has no group '{name}'.", hint)
    above: dict[str, str] = {}
    for level in hierarchy.groups:  # coarser ones come later and replace finer ones
        for value, name in zip(hierarchy.values, level, strict=True):
            if name in wanted:
                above[value] = name
    return Transition.relabelling(values, [None, *(above.get(str(value), value) for value in values)])
