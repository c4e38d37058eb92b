"""What groups say about a sensitive attribute whose values were changed, held against the people's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above, below
from divulge._support.special_functions import beta_reached
from divulge._support.wording import capitalized, number, some_of
from divulge.assessment.checks.table_check import CheckAnswer
from divulge.attacks.counted_outcomes import Judge
from divulge.policy import Learning
from divulge.table.packing import coded, combinations

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Claims:
    """For each person, the value that most of the released group have, and whether it is the person's own."""

    share: Floats  # of the group
    overall: Floats  # of all originals that have the value
    right: Mask
    beyond: Mask  # whether so many would hardly have it by chance

    def learned(self, level: Learning) -> Mask:
        """Whose own value the group makes so likely, where it is not common anyway."""
        news = below(self.overall, 1 - level.gain)
        sure = ~below(self.share, np.maximum(level.certain, self.overall + level.gain))
        return np.asarray(news & sure & self.beyond & self.right)


def learned_from_groups(target: str, levels: Sequence[Learning], judge: Judge) -> CheckAnswer:
    """The people whose group shows their own value; what chance explains is nothing learned."""
    claims = group_claims(target, judge)
    people = len(claims.share)
    found = [(level, int(claims.learned(level).sum())) for level in levels]
    unmet = [(level, some) for level, some in found if above(some / people, level.max)]
    level, some = min(unmet or found, key=lambda one: (one[0].severity, -one[1]))
    if not some:
        least = number(100 * min(level.certain for level in levels))
        said = (
            f"No group shows a person's own {target} with {least}% or more, beyond what is common and what "
            "chance explains."
        )
        return CheckAnswer("pass", 0.0, 0, people, said)
    said = (
        f"{capitalized(some_of(some, people))} people have the {target} that {number(100 * level.certain)}% "
        f"or more of their group show{'' if unmet else ', which is allowed'}."
    )
    return CheckAnswer(level.severity if unmet else "pass", some / people, some, people, said)


def group_claims(target: str, judge: Judge) -> Claims:
    """What released groups on all quasi-identifiers show of an attribute, for each aligned person."""
    alignment = judge.truth.alignment
    assert alignment.rows is not None
    released, (_, theirs) = alignment.released, alignment.rows
    name = next(here for here, there in alignment.columns.items() if there == target)
    keys = [released.column(key) for key in released.schema.quasi_identifiers]
    column = released.column(target)
    group = combinations(coded(keys), released.records).number
    cells = combinations(coded([*keys, column]), released.records)
    size, count = np.bincount(group), np.bincount(cells.number)
    order = np.lexsort((-count, group[cells.first]))
    first = np.searchsorted(group[cells.first][order], np.arange(len(size)))
    top = order[first]  # the largest cell of each group
    shown = column.codes[cells.first[top]]
    original, _ = alignment.pair(name)
    shares = original.frequencies() / max(len(original.codes), 1)
    places = {str(value): code for code, value in enumerate(original.values, 1)}
    own_code = np.asarray([0, *(places.get(str(value), -1) for value in column.values)])[shown]
    mine = group[theirs]
    overall = np.where(own_code >= 0, shares[np.maximum(own_code, 0)], 0.0)
    often = (column.frequencies() / released.records)[shown]
    beyond = _beyond(count[top], size, often)
    return Claims((count[top] / size)[mine], overall[mine], original.codes == own_code[mine], beyond[mine])


def _beyond(some: Integers, size: Integers, share: Floats) -> Mask:
    """Whether so many of a group would have a value by chance in hardly one of 20 tables with such groups."""
    more = some > size * share
    found = np.zeros(len(some), bool)
    a, b = some[more], size[more] - some[more] + 1
    found[more] = beta_reached(a, b, 0.05 / len(some)) > share[more]
    return found
