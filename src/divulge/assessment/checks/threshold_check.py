"""Thresholds held against readings: what was asked, what was found, whom it concerns and why it matters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import said_share
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, in_words, number, quantity, records_among
from divulge.assessment.checks.unmet import Unmet
from divulge.assessment.checks.whole_table import question_about
from divulge.assessment.people.candidate_sets import candidate_sets
from divulge.assessment.scope import Scope
from divulge.attacks.questions import AttackQuestion
from divulge.attacks.suppressed_readings import Fitted, fitted
from divulge.counting.counts import RECORD, Counts
from divulge.counting.statistics import ALONE, DISTINCT
from divulge.errors import Undefined
from divulge.measures import Measure
from divulge.policy import Threshold
from divulge.questions.question import Question
from divulge.readings.beyond_chance import cannot_tell
from divulge.readings.chance import PERMUTATIONS

SHUFFLED = 50_000  # records up to which a check may take 199 shuffles

Outcome = Literal["pass", "warn", "fail", "not evaluated"]

#: Why a reading matters, by what the measure is about.
WHY = {
    "class_size": "An attacker who knows {keys} of a person can narrow the table down to the records with "
    "the same values. The smaller this group, the surer the match.",
    "who": "It is the share of the information needed to identify someone that {keys} give.",
    "diversity": "Where a group has few values of {target}, knowing that someone is in it is enough to "
    "learn the value. Nobody has to be singled out.",
    "closeness": "Where {target} is distributed differently in a group than in the whole table, being in "
    "the group reveals something about a person.",
    "information": "An attacker who knows {keys} of a person is that much less uncertain about {target}.",
}


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """A threshold held against what was read on one target."""

    threshold: Threshold
    keys: tuple[str, ...]
    target: tuple[str, ...]
    found: float | None
    undefined: str | None
    counted: int
    concerned: int | None  # records the reading is about
    concerns: str
    fix: str = ""
    baseline: dict[str, Any] | None = None
    many: str = ""  # how many records it is about, in the words of ``concerns``
    bound_said: str | None = None  # instead of their number, beside that of another check

    @property
    def measure(self) -> Measure:
        return self.threshold.measure

    @property
    def severity(self) -> Literal["fail", "warn"]:
        return self.threshold.severity

    @property
    def target_name(self) -> str:
        return ", ".join(self.target)

    @property
    def sentence(self) -> str:
        """What was found beside what was asked, and whom it concerns."""
        if self.found is None:
            return f"{self.name} could not be evaluated: {self.undefined}."
        said = f"{self.name}: {self.found_text} (required: {self.asked})"
        return f"{said}; {self.concerns}." if self.concerns and self.outcome != "pass" else f"{said}."

    @property
    def name(self) -> str:
        """What distinguishes this check from others, in words."""
        about = "" if self.target == (RECORD,) else f" of {self.target_name}"
        kind = " ".join(str(value) for value in self.threshold.parameters.values())
        by = f" by {enumerated(self.keys)}" if self.threshold.keys else ""
        return f"{self.measure.title}{f' ({kind})' if kind else ''}{about}{by}"

    @cached_property
    def outcome(self) -> Outcome:
        if self.found is None:
            return "not evaluated"
        if self.holds(self.found) and not (self.baseline or {}).get("worse"):
            return "pass"
        return self.threshold.severity

    def __repr__(self) -> str:
        return f"Check({self.name}: {self.outcome}, {self.found_text})"

    def holds(self, found: float | None) -> bool:
        """Whether a reading is within the bounds."""
        return found is not None and bool(self.threshold.keeps(found))

    def worse(self, one: float, *, than: float) -> bool:
        """Whether one reading is riskier than another, beyond rounding."""
        return self.measure.worse(one, than=than)

    def again(self, scope: Scope) -> float | None:
        """What the same check finds when something about the data is changed."""
        keys = [key for key in self.keys if key not in scope.given_up]
        if not keys:
            return self._harmless
        return _found(self.threshold, question_about(self.threshold, scope, keys, self.target), scope)[0]

    def unmet(self, scope: Scope) -> Unmet | None:
        """What keeps it from passing when something about the data is changed; None where it passes."""
        found = self.again(scope)
        if self.holds(found):
            return None
        rows = self._rows(scope)
        share = scope.share(rows) if rows is not None and _by_class(self.measure) else self._off(found)
        return Unmet(share, rows)

    def _rows(self, scope: Scope) -> npt.NDArray[np.bool_] | None:
        """The rows at hand that it is about, as ``concerned`` counts them."""
        keys = [key for key in self.keys if key not in scope.given_up]
        question = question_about(self.threshold, scope, keys, self.target)
        if scope.at_hand is None or question.rows_at_hand is None or scope.data.missing == "wildcard":
            return None
        try:
            fits = _overlapping(self.threshold, question, scope)
            about = _classes(self.threshold, question.classes if fits is None else fits.counts, fits)
        except Undefined:
            return None
        rows = question.rows_in(about)
        return rows if len(rows) == scope.at_hand.source.records else None

    def _off(self, found: float | None) -> float:
        """How far a reading is from the bound: 1 if as far as before any change."""
        bound = self.threshold.max if self.threshold.min is None else self.threshold.min
        if found is None or self.found is None or bound is None or self.found == bound:
            return 1.0
        off = abs(found - bound) / abs(self.found - bound)
        return min(off, 1.0) if math.isfinite(off) else 1.0

    @property
    def _harmless(self) -> float:
        """What is read when no key is known."""
        if self.threshold.adjusted:
            return 0.0
        return self.measure.bounds[0 if self.measure.riskier == "higher" else 1]

    @property
    def asked(self) -> str:
        low, high, unit = self.threshold.min, self.threshold.max, self.measure.unit
        bounds = [f"at least {number(low)}"] if low is not None else []
        bounds += [f"at most {number(high)}"] if high is not None else []
        beyond = "beyond chance" if self.threshold.adjusted else ""
        return " ".join(filter(None, [" and ".join(bounds), unit, beyond]))

    @property
    def found_text(self) -> str:
        if self.found is None:
            return "not evaluated"
        side = "<" if self.few else ">" if self.nearly_all else ""
        return f"{side}{quantity(self._shown or 0.0, self.measure.unit)}"

    @property
    def few(self) -> bool:
        """Whether a share is of so few people that their number is not said."""
        return str(self._said).startswith("<")

    @property
    def nearly_all(self) -> bool:
        """Whether a share is of all but so few people that their number is not said."""
        return str(self._said).startswith(">")

    @property
    def _said(self) -> float | str | None:
        if self.found is None or not self.measure.counts_people:
            return self.found
        if self.bound_said is not None:
            return f"<{min(int(self.bound_said[1:]) / self.counted, 1):g}"
        return said_share(self.found, self.counted)

    @property
    def _shown(self) -> float | None:
        """What was found; where few people are concerned, or few are not, a bound."""
        return float(self._said[1:]) if isinstance(self._said, str) else self.found

    def saying(self, bound: str) -> Check:
        """The same check that says a bound instead of how many records it is about."""
        concerns = self.concerns.replace(self.many, f"{in_words(bound)} records", 1)
        return replace(self, bound_said=bound, concerns=concerns)

    @property
    def why(self) -> str:
        family = self.measure.family
        if family == "information" and self.target == (RECORD,):
            family = "who"
        return WHY[family].format(keys=enumerated(self.keys), target=self.target_name)

    def to_dict(self) -> dict[str, Any]:
        threshold, known = self.threshold, self.found is not None and math.isfinite(self.found)
        about_people = self.measure.counts_people
        return {
            "measure": self.measure.name,
            "title": self.name,
            "parameters": dict(threshold.parameters),
            "keys": list(self.keys),
            "target": self.target_name,
            "severity": threshold.severity,
            "outcome": self.outcome,
            "adjusted": threshold.adjusted,
            "min": threshold.min,
            "max": threshold.max,
            "asked": self.asked,
            "found": self._shown if known else None,
            **({"found_is_below": self.few, "found_is_above": self.nearly_all} if about_people else {}),
            "found_text": self.found_text,
            "undefined": self.undefined if self.found is None else None if known else self.measure.infinite,
            "records": self.bound_said or self.concerned,
            "share": None if self.concerned is None or self.bound_said else self.concerned / self.counted,
            "sentence": self.sentence,
            "concerns": "" if self.outcome == "pass" else self.concerns,
            "why": self.why,
            "fix": self.fix,
            "baseline": self.baseline,
        }


def evaluate(thresholds: Sequence[Threshold], scope: Scope) -> list[Check]:
    """Every threshold on every target it is about."""
    return [_check(one, target, scope) for one in thresholds for target in _targets(one, scope)]


def _targets(threshold: Threshold, scope: Scope) -> Sequence[tuple[str, ...]]:
    if threshold.target is not None:
        return [threshold.target]
    if not threshold.measure.reads_target:
        return [(RECORD,)]
    return [(name,) for name in scope.sensitive]


def _check(threshold: Threshold, target: tuple[str, ...], scope: Scope) -> Check:
    keys = threshold.keys or scope.keys
    question = question_about(threshold, scope, keys, target)
    found, undefined = _found(threshold, question, scope)
    concerned, many, concerns = (
        _concerned(threshold, question, scope) if found is not None else (None, "", "")
    )
    fits = _overlapping(threshold, question, scope)
    counted = question.records if fits is None or fits.known is None else fits.of
    return Check(threshold, tuple(keys), target, found, undefined, counted, concerned, concerns, many=many)


def _found(threshold: Threshold, question: Question, scope: Scope) -> tuple[float | None, str | None]:
    """The number that is held against the bound, or why there is none."""
    try:
        fits = _fits(threshold, question, scope)
        if fits is not None:
            return fits.value(threshold.measure, threshold.parameters), None
    except Undefined as undefined:
        return _overstated(threshold, question), undefined.message
    # Held against shuffles, a reading has enough of them, unless records are very many.
    times = PERMUTATIONS if threshold.adjusted and question.records <= SHUFFLED else None
    reading = scope.reading(threshold.measure, question, threshold.parameters, times)
    if reading.value is None or not threshold.adjusted:
        return reading.value, reading.undefined
    if reading.adjusted is None:
        return None, reading.at_chance.reason or "chance alone already gives the riskiest reading there is"
    unsure = cannot_tell(reading, threshold.max, scope.compared)
    return (reading.adjusted, None) if unsure is None else (None, unsure)


def _fits(threshold: Threshold, question: Question, scope: Scope) -> Fitted | None:
    """The readings where suppressed cells fit any value; None where they count as a value.

    How large classes are is read by the original values where these are known.
    """
    if not scope.stars_fit or threshold.adjusted:
        return None
    known = None
    if scope.rows is not None and threshold.measure.family == "class_size":
        known = candidate_sets(scope.rows, question.keys)
    if known is None:
        found = fitted(question)
    else:
        repeated = scope.data.people < scope.data.records
        found = Fitted(AttackQuestion(question), known.counts(repeated))
    return found if found is not None and found.reads(threshold.measure, threshold.parameters) else None


def _overstated(threshold: Threshold, question: Question) -> float | None:
    """The size of classes with the mark for a value, which is too small, where even that is enough."""
    if threshold.measure.family != "class_size":
        return None
    found = threshold.measure.compute(question.counts, threshold.parameters)
    return found if threshold.keeps(found) else None


def _concerned(threshold: Threshold, question: Question, scope: Scope) -> tuple[int | None, str, str]:
    """How many records the reading is about, that in words, and in which way; or why it is not known."""
    measure, fits = threshold.measure, _overlapping(threshold, question, scope)
    counts = question.counts if fits is None else fits.counts
    try:
        about = _classes(threshold, counts, fits)
    except Undefined as undefined:
        return None, "", f"how many records it concerns is not known: {undefined.message}"
    concerned = int(counts.add_up(about * counts.members))
    said = records_among(concerned, counts.records, scope.data.records)
    if _by_class(measure):
        below = "smaller than" if measure.family == "class_size" else "below"
        side = f"above {number(threshold.max or 0.0)}"  # a threshold has one bound
        return (
            concerned,
            said,
            f"{said} in groups {side if threshold.min is None else f'{below} {number(threshold.min)}'}",
        )
    if counts.about_records or not measure.reads_target:
        return concerned, said, f"{said} unique"
    return concerned, said, f"{counts.target} is certain for {said}"


def _by_class(measure: Measure) -> bool:
    return measure.case == "worst" and measure.by_class is not None


def _overlapping(threshold: Threshold, question: Question, scope: Scope) -> Fitted | None:
    """The readings of classes that overlap because suppressed cells fit any value; None where none does."""
    try:
        fits = _fits(threshold, question, scope)
    except Undefined:
        return None
    if fits is None or (fits.known is None and not question.fitting.overlapping):
        return None
    return fits


def _classes(threshold: Threshold, counts: Counts, fits: Fitted | None) -> npt.NDArray[np.bool_]:
    """The classes whose own value is beyond the bound; of an average, those alone or of one target value."""
    measure, given = threshold.measure, threshold.parameters
    if not _by_class(measure):
        unique = counts.about_records or not measure.reads_target
        return counts.statistic(ALONE) > 0 if unique else counts.statistic(DISTINCT) <= 1
    values = measure.classes(counts, given) if fits is None else fits.classes(measure, given)
    return ~np.asarray(threshold.keeps(values))
