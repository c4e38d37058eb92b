"""Which records a plan is about: a row for each that is left out, or has a cell suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from divulge.assessment.remedies.changes import Change
from divulge.assessment.scope import Scope
from divulge.errors import ParameterError
from divulge.mechanisms.suppression.listed import LEAVE_OUT, SUPPRESS
from divulge.questions.data import Data


class RecordChange(NamedTuple):
    """What is to be done to a record; records are numbered from 1 on, in the order of the table."""

    record: int
    action: str
    attribute: str | None = None


def refuse_unlisted(data: Data) -> None:
    """Refuse to list records where there is no row for each."""
    if not data.has_each_record() or data.missing == "wildcard":
        raise ParameterError(
            "The records of a plan cannot be listed if they are counted elsewhere, or if missing values fit "
            "any value.",
            hint="Read the table into memory, and count missing values as a value.",
        )


def record_changes(scope: Scope, changes: Sequence[Change]) -> list[RecordChange]:
    """What changes do to single records, in their order; a record that is left out is named once."""
    refuse_unlisted(scope.data)
    about = [change for change in changes if change.rows is not None]
    out = np.zeros(scope.data.records, bool)
    for change in about:
        if change.action == "records" and change.rows is not None:
            out |= change.rows
    found = [RecordChange(row + 1, LEAVE_OUT) for row in np.flatnonzero(out).tolist()]
    for change in about:
        if change.action == "cells" and change.rows is not None:
            rows = np.flatnonzero(change.rows & ~out).tolist()
            found += [RecordChange(row + 1, SUPPRESS, change.attribute) for row in rows]
    return sorted(found, key=lambda one: one.record)
