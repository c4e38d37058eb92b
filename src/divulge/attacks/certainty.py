"""How many people's target value is certain to someone who knows all their keys."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.attacks.questions import AttackQuestion
from divulge.counting.counts import Counts
from divulge.counting.statistics import DISTINCT
from divulge.table.packing import coded, combinations


def certain_people(
    asked: AttackQuestion, counts: Counts, ruled_out: int = 0, *, in_company: bool = False
) -> int:
    """People with a record in a class that has at most so many values besides the right one.

    ``counts`` are those of the question, or made of them. A person of several records counts once, and if
    one of them is certain. ``in_company`` leaves those out who are alone in their class.
    """
    certain = counts.statistic(DISTINCT) <= ruled_out + 1
    if in_company:
        certain &= counts.people > 1
    subject = asked.question.subject
    if subject is None:
        return int(counts.add_up(certain * counts.members))
    return len(np.unique(subject.codes[certain[_class_of_rows(asked)]]))


def everyone(asked: AttackQuestion) -> int:
    """All people, those among them whose keys are all suppressed."""
    return asked.of if asked.question.subject is None else asked.question.data.people


def _class_of_rows(asked: AttackQuestion) -> npt.NDArray[np.int64]:
    """The class of each row that is counted, in the order in which classes are counted."""
    columns = [asked.question.column(key) for key in asked.keys]
    return combinations(coded(columns), len(columns[0].codes)).number
