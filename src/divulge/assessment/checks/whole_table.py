"""The table that groups are compared with: all its records, those whose keys are suppressed among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from divulge.assessment.scope import Scope
from divulge.counting.counts import Beside
from divulge.policy import Threshold
from divulge.questions.question import Question

ALL = "all records of this table, suppressed ones among them"


def question_about(
    threshold: Threshold, scope: Scope, keys: Sequence[str], target: Sequence[str]
) -> Question:
    """The question that a threshold is held against.

    A record whose keys are all suppressed is in no group, but its sensitive value is there to be read. So a
    measure that compares groups with the table counts it in the table. Who knows only what is suppressed for
    everyone knows nothing, and all records are one group to them.
    """
    question = scope.question(keys, target).with_everyone_alike()
    plain = len(target) == 1 and not question.about_records and question.beside is None
    if not (threshold.measure.against_table and plain and scope.data.weights is None):
        return question
    if question.rows_at_hand is None or not question.suppressed_records or scope.data.missing == "drop":
        return question
    return replace(question, beside=all_records(scope, target[0]))


def all_records(scope: Scope, target: str) -> Beside:
    """The values of a target in all records, suppressed ones among them."""
    column, often = scope.data.frequencies(target)
    if target in scope.partitions:
        partition = scope.partitions[target]
        names: list[str | None] = [None, *partition.domains]
        places = [0, *partition.locate(column, attribute=target).tolist()]
    else:
        names = [None, *map(str, column.values)]
        places = list(range(len(names)))
    weights = dict[str | None, float]()
    for place, times in zip(places, often.tolist(), strict=True):
        if times:
            weights[names[place]] = weights.get(names[place], 0.0) + times
    return Beside(ALL, weights)
