"""Records whose keys are all suppressed, as the group that they are: who fits no other is one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above, below
from divulge._support.small_counts import hidden
from divulge._support.wording import capitalized, enumerated, percent, records
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.checks.whole_table import all_records
from divulge.assessment.people.people import CodedRows
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.errors import DivulgeError, counted
from divulge.mechanisms.suppression.policy_groups import of_groups
from divulge.policy import Demands, Threshold
from divulge.table.codes import MISSING

NAME = "suppressed"
TITLE = "Suppressed records as a group"
WHY = (
    "A person whose values fit no other group is one of the suppressed records. What these have in common is "
    "learned about all of them."
)
FIX = "Leave these records out, or suppress their other values as well."
Mask = npt.NDArray[np.bool_]


def suppressed_records(demands: Demands, thresholds: Sequence[Threshold], scope: Scope) -> list[TableCheck]:
    """The check of suppressed records, where there are some and something is asked of groups."""
    bounds = [one for one in thresholds if of_groups(one, scope.keys)]
    asked = bounds or demands.singled_out or demands.learned
    if not asked or _suppressed(scope) is None:
        return []

    def ask(changed: Scope) -> CheckAnswer:
        return _answer(demands, bounds, changed)

    return [TableCheck(NAME, TITLE, scope.keys, (), "as other groups", 0.0, WHY, ask, ask(scope))]


def _suppressed(scope: Scope) -> tuple[CodedRows, Mask] | None:
    """The rows whose keys are all suppressed; None where there are none, or rows are not at hand."""
    rows = scope.rows
    hidden_cells = {} if rows is None or not scope.keys else rows.hidden(scope.keys)
    if rows is None or not scope.keys or len(hidden_cells) < len(scope.keys):
        return None
    found: Mask = np.logical_and.reduce(list(hidden_cells.values()))
    return (rows, found) if found.any() else None


def _answer(demands: Demands, bounds: Sequence[Threshold], scope: Scope) -> CheckAnswer:
    found = _suppressed(scope)
    if found is None:
        return CheckAnswer("pass", 0.0, 0, scope.people, "No record is suppressed.", text="none")
    rows, chosen = found
    together, everyone = _times(rows, chosen), max(scope.data.records, 1)
    beyond = [*_bounds_broken(bounds, scope, rows, chosen), *_questions_broken(demands, scope, rows, chosen)]
    said = f"{capitalized(records(together))} show nothing of {enumerated(scope.keys)}. As a group they"
    if not beyond:
        return CheckAnswer("pass", 0.0, 0, everyone, f"{said} meet the policy.", text="as other groups")
    sentence = f"{said} do not meet the policy: {'; '.join(beyond)}."
    text = f"{counted(len(beyond), 'requirement')} not met"
    share = together / everyone
    return CheckAnswer("warn", share, together, everyone, sentence, FIX, text=text, whom=lambda: chosen)


def _times(rows: CodedRows, chosen: Mask) -> int:
    return int(chosen.sum() if rows.data.times is None else rows.data.times[chosen].sum())


def _bounds_broken(bounds: Sequence[Threshold], scope: Scope, rows: CodedRows, chosen: Mask) -> Iterator[str]:
    """The thresholds of groups that suppressed records do not meet, where they show what it is about."""
    beside = (
        {} if rows.data.weights is not None else {name: all_records(scope, name) for name in scope.sensitive}
    )
    for threshold in bounds:
        about = [threshold.target] if threshold.target else [(name,) for name in scope.sensitive]
        for target in about if threshold.measure.reads_target else [(RECORD,)]:
            showing = chosen & _shown(scope, rows, target)
            compared = threshold.measure.against_table and (len(target) > 1 or target[0] not in beside)
            if not showing.any() or compared:
                continue
            data = replace(rows.data.taking(np.flatnonzero(showing)), suppressed=None)
            group = Scope(data, scope.partitions, beside=beside)
            try:
                [check] = evaluate([replace(threshold, target=target)], group)
            except DivulgeError:  # what it reads is not there
                continue
            if check.outcome not in ("pass", "not evaluated"):
                few = isinstance(hidden(_times(rows, showing)), str)
                value = "not met" if few else check.found_text
                yield f"{check.name} is {value} (required: {check.asked})"


def _shown(scope: Scope, rows: CodedRows, target: Sequence[str]) -> Mask:
    """The rows that show a target; of records as such, those that show anything beside their keys."""
    about_records = tuple(target) == (RECORD,)
    names = (*scope.sensitive, *scope.others) if about_records else tuple(target)
    shown = [_present(rows, name) for name in names if name in rows.data.source.attributes]
    if not shown:
        return np.zeros(rows.data.source.records, bool)
    found: Mask = (np.logical_or if about_records else np.logical_and).reduce(shown)
    return found


def _present(rows: CodedRows, name: str) -> Mask:
    codes = rows.data.column(name).codes
    mark = rows.data.suppressed_code(name)
    there: Mask = codes != MISSING
    return there if mark is None else there & (codes != mark)


def _questions_broken(demands: Demands, scope: Scope, rows: CodedRows, chosen: Mask) -> Iterator[str]:
    """Who is singled out, and what is learned, among suppressed records; questions that only warn aside."""
    everyone = max(scope.people, 1)
    together = _times(rows, chosen & _shown(scope, rows, (RECORD,)))
    for size in demands.singled_out:
        if size.severity == "fail" and 0 < together < size.k and above(together / everyone, size.max):
            yield f"they are fewer than {size.k}"
    for level in demands.learned:
        for target in scope.sensitive if level.target is None else level.target:
            if level.severity != "fail" or target in scope.given_up:
                continue
            showing = chosen & _present(rows, target)
            if not above(_times(rows, showing) / everyone, level.max):
                continue
            top, common = _most_frequent(rows, target, showing)
            if not below(top, level.certain) and below(common, 1 - level.gain):
                yield f"{percent(level.certain)} of them or more have the same {target}"


def _most_frequent(rows: CodedRows, target: str, chosen: Mask) -> tuple[float, float]:
    """The share of the most frequent value of some rows, there and in all."""
    column, times = rows.column(target), rows.data.times
    every = np.bincount(column.codes, weights=times, minlength=column.cardinality)
    inside = np.bincount(
        column.codes[chosen], weights=None if times is None else times[chosen], minlength=column.cardinality
    )
    top = int(inside.argmax())
    return float(inside[top] / inside.sum()), float(every[top] / every.sum())
