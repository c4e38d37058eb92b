"""What measures read where cells are suppressed: a star fits any value, so that no reading gets riskier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.attacks.questions import AttackQuestion
from divulge.attacks.suppression.least_risk import least_mean, least_risks
from divulge.attacks.suppression.suppressed_cells import FloatArray
from divulge.counting.counts import JointCounts
from divulge.counting.statistics import RISK, TOP_SHARE
from divulge.errors import DivulgeError, Undefined
from divulge.measures import Measure, get
from divulge.measures.registry import Law
from divulge.questions.question import Question

NOT_COMPARED = "suppressed cells fit too many records, so who fits is not counted"
NOT_DEFINED = "suppressed cells fit any value, so groups of records overlap and it is not defined"
NO_CHANCE = "suppressed cells fit any value, so groups of records overlap and chance is not measured"


def fitted(question: Question) -> Fitted | None:
    """The readings of a question where some keys of some records are suppressed, or None."""
    if question.rows_at_hand is None:
        return None
    try:
        overlapping = question.counts.overlapping
    except DivulgeError:
        return None
    return None if overlapping or not _stars(question) else Fitted(AttackQuestion(question))


def _stars(question: Question) -> bool:
    """Whether some record has a suppressed cell among the keys."""
    codes = question.suppressed_codes()
    return any(np.isin(question.column(key).codes, marks).any() for key, marks in codes.items())


def average_risk(question: Question) -> float | None:
    """The share of all records that linking them names right: what the marketer gets."""
    try:
        counts = question.counts if question.rows_at_hand is None else question.fitting
        return counts.over_records(RISK) / (counts.records + question.suppressed_records)
    except Undefined:
        return None


@dataclass(frozen=True, eq=False)
class Fitted:
    """Readings in which a record is in company with all who fit it.

    A class reveals the least that is possible, over all choices of its members. Its members before cells
    were suppressed are one such choice, so suppressing a cell never makes a reading riskier. Records whose
    keys are all suppressed count among all, and nothing is learned about them. ``known`` has the counts of
    all who fit the original values of each record, where these are known.
    """

    asked: AttackQuestion
    known: JointCounts | None = None

    @cached_property
    def counts(self) -> JointCounts:
        """The counts of classes with all who fit them; Undefined where these are too many."""
        if self.known is not None:
            return self.known
        if self._starred and not self.asked.overlaps:
            raise Undefined(NOT_COMPARED)
        return self.asked.question.fitting

    @cached_property
    def _starred(self) -> bool:
        """Whether some record has a suppressed cell among its keys."""
        return _stars(self.asked.question)

    def reads(self, measure: Measure, parameters: Mapping[str, Any]) -> bool:
        """Whether a measure has a reading where classes overlap."""
        return (measure.name, parameters.get("kind")) in MEANS or self._by_class(measure, parameters)

    def value(self, measure: Measure, parameters: Mapping[str, Any]) -> float:
        """The measure's value; raises Undefined with the reason when it has none.

        It is the riskiest over all keys and over ever fewer of them, those with fewest suppressed cells: none
        of these is riskier than all keys were before suppression.
        """
        parts = [Fitted(part) for part in self.asked.parts] if self.known is None else [self]
        values = [part._alone_value(measure, parameters) for part in parts]
        return max(values) if measure.riskier == "higher" else min(values)

    def _alone_value(self, measure: Measure, parameters: Mapping[str, Any]) -> float:
        """The value for an attacker who uses these keys and no fewer."""
        mean = MEANS.get((measure.name, parameters.get("kind")))
        if mean is not None:
            return mean(self)
        values = self.classes(measure, parameters)
        worst: float = (values.max() if measure.riskier == "higher" else values.min()).item()
        return worst

    def classes(self, measure: Measure, parameters: Mapping[str, Any]) -> npt.NDArray[Any]:
        """The value of every class; raises Undefined where the measure has none."""
        wide = self.counts
        if not self._by_class(measure, parameters):
            raise Undefined(NOT_DEFINED)
        found = measure.classes(wide, parameters)
        sizes = measure.family == "class_size" or measure.name == "distinct_l_diversity"
        if sizes or wide.cells is None or not self._starred:
            return found
        sign = 1.0 if measure.riskier == "higher" else -1.0
        toward = self._table if measure.against_table else np.ones(len(wide.target_values))
        return sign * least_risks(
            wide, self.asked.cells, toward, lambda counts: sign * measure.classes(counts, parameters)
        )

    def _by_class(self, measure: Measure, parameters: Mapping[str, Any]) -> bool:
        """Whether a measure reads one class at a time, by the worst of them, and merging never harms."""
        worst = measure.case == "worst" and measure.reads_overlap and Law.COARSENING in measure.laws
        equal = parameters.get("ground", "equal") == "equal" and not parameters.get("enhanced", False)
        return worst and equal

    @property
    def _table(self) -> FloatArray:
        """How often the table that classes are compared with has each target value."""
        wide = self.counts
        if wide.compared is None:
            return wide.target_weight
        if wide.compared.undefined is not None:
            raise Undefined(wide.compared.undefined)
        found: FloatArray = wide.compared.weight
        return found

    # -- means over records ---------------------------------------------------------------------

    @property
    def named(self) -> float:
        """The records that guessing among all who fit would name right."""
        return self.counts.over_records(RISK)

    @property
    def of(self) -> int:
        """All records."""
        return self.asked.of if self.known is None else self.known.records

    @property
    def classes_of_records(self) -> float:
        """How many classes there are, each record counted as its part of all that fit it."""
        return float((self.counts.members / self.counts.size).sum())

    @property
    def alone(self) -> float:
        """The share of all records that nobody else fits."""
        return float((self.counts.members * (self.counts.people == 1)).sum()) / self.of

    @property
    def told(self) -> float:
        """Bits that these keys tell about the target."""
        return self.asked.told_of(lambda counts: counts)

    @property
    def unknown(self) -> float:
        """Bits that are unknown about the target before any key is known."""
        wide = self.counts
        found = float(np.log2(self.asked.of)) if wide.cells is None else wide.entropy
        if found == 0:
            raise Undefined("the target has one value only, so there is nothing to learn: H(X) = 0")
        return found

    @property
    def wrong(self) -> float:
        """How often the best guess of the target is wrong."""
        wide = self.counts
        if wide.cells is None:
            return 1 - self.named / wide.records
        exact, even = self.asked.question.classes, np.ones(len(wide.target_values))
        return 1 - least_mean(exact, wide, self.asked.cells, even, TOP_SHARE)


#: Measures that are no worst case, with their kind where they have one.
MEANS: dict[tuple[str, str | None], Callable[[Fitted], float]] = {
    ("class_count", None): lambda fitted: fitted.classes_of_records,
    ("average_class_size", None): lambda fitted: fitted.of / fitted.classes_of_records,
    ("uniqueness", None): lambda fitted: fitted.alone,
    ("reidentification_risk", "average"): lambda fitted: fitted.named / fitted.of,
    ("mutual_information", None): lambda fitted: fitted.told,
    ("conditional_entropy", None): lambda fitted: fitted.unknown - fitted.told,
    ("normalized_conditional_entropy", None): lambda fitted: 1 - fitted.told / fitted.unknown,
    ("conditional_privacy", None): lambda fitted: 1 - 2.0**-fitted.told,
    ("discrimination_rate", None): lambda fitted: fitted.told / fitted.unknown,
    ("attacker_error", None): lambda fitted: fitted.wrong,
    ("attacker_error", "average"): lambda fitted: fitted.wrong,
    ("attacker_error", "worst"): lambda fitted: 1 - fitted._alone_value(get("worst_posterior"), {}),
}
