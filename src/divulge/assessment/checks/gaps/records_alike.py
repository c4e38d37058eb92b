"""Records alike far more often than their attributes explain: one person may have several."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from divulge._support.wording import enumerated
from divulge.assessment.checks.identifiers import called_in_words
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined
from divulge.questions.data import Data
from divulge.roles.observed import ObservedColumn
from divulge.table.schema import Role

GROUPS = 50  # of records alike, from which on it is asked
LONE = 0.05  # of the records that may be alike with no other
TIMES = 20  # more pairs of records alike than independent attributes would give
UNGROUPED = 0.8  # values of an attribute for each group of records alike
FINE = 2  # attributes at least that are neither one value nor nearly as good as all together


def several_in_words(scope: Scope) -> Iterator[str]:
    """A question whether records alike on all quasi-identifiers are one person's, where they look so.

    Grouped releases look alike too: it is asked only where a date or a number has nearly as many values as
    there are groups, and hardly anyone is unique.
    """
    data = scope.data
    if len(scope.keys) < FINE or data.schema.identifiers or data.weights is not None:
        return
    fine = [name for name in scope.keys if name not in scope.partitions and _measured(data, name)]
    most = max((data.summary(name).distinct for name in fine), default=0)
    if most < GROUPS or 2 * most > data.records:
        return
    try:
        counts = scope.question(scope.keys).counts
    except (EmptySource, Undefined):
        return
    sizes = counts.size
    groups, records = int(counts.add_up(np.ones(len(sizes)))), counts.records
    alone, alike = counts.add_up(sizes == 1), counts.add_up(sizes * (sizes - 1.0))
    if most < UNGROUPED * groups or alone > LONE * records:
        return
    expected = records * (records - 1.0) * math.prod(_alike(scope, name) for name in scope.keys)
    if alike >= TIMES * max(expected, 1.0):
        by = enumerated([called_in_words(data, name) for name in scope.keys])
        yield (
            f"Records are alike on {by} far more often than chance explains, and hardly any is unique. Are "
            "they several records of one person? Then give the identifier: without it, a person's own "
            "records count as others."
        )


def _measured(data: Data, name: str) -> bool:
    """Whether an attribute is a date or a number, and no postcode or other code."""
    column = ObservedColumn.of(data, name)
    return column.kind != "text" and column.pattern(Role.IDENTIFIER) is None


def _alike(scope: Scope, name: str) -> float:
    """How likely two records have the same value of an attribute; where all of it is suppressed, certain."""
    counts = scope.question((name,)).with_everyone_alike().counts
    sizes = counts.size.astype(np.float64)
    return float(counts.add_up(sizes * sizes)) / max(counts.records, 1) ** 2
