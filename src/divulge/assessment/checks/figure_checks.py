"""Thresholds on figures of the population: who is unique there, and how sure a match is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from divulge._support.rounding import above, below
from divulge._support.wording import enumerated, many, number, percent
from divulge.assessment.checks.table_check import CheckAnswer, Outcome, TableCheck, answered_once
from divulge.assessment.population.beyond_table import beyond_table
from divulge.assessment.population.figures import NO_TABLE, NOT_DECLARED, FigureReading, figure_reading
from divulge.assessment.scope import Scope
from divulge.measures.population_figures import PopulationFigure
from divulge.policy import FigureThreshold

DECLARE = {
    NOT_DECLARED: "Say what the table is a sample of: --population with a number or a table, --fraction, "
    "--weights, or [population] in the policy.",
    NO_TABLE: "Give a table of the population: --population FILE, or source under [population].",
}


@dataclass(frozen=True, eq=False, repr=False)
class FigureAnswer(CheckAnswer):
    """What was found of a figure, and whether the number would tell how few people it is about."""

    remark: str = ""
    few_people: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class FigureCheck(TableCheck):
    """A figure of the population held against a bound, which may be a least or a largest value."""

    threshold: FigureThreshold | None = None

    @property
    def held_to(self) -> FigureThreshold:
        assert self.threshold is not None
        return self.threshold

    @property
    def read(self) -> FigureAnswer:
        assert isinstance(self.answer, FigureAnswer)
        return self.answer

    @property
    def outcome(self) -> Outcome:
        worse = bool((self.baseline or {}).get("worse"))
        return self.held_to.severity if worse and self.answer.outcome == "pass" else self.answer.outcome

    @property
    def severity(self) -> Literal["fail", "warn"]:
        return self.held_to.severity

    @property
    def found_text(self) -> str:
        return self.answer.text or "not evaluated"

    @property
    def sentence(self) -> str:
        return self.answer.sentence

    @property
    def concerns(self) -> str:
        return self.read.remark

    def holds(self, found: float | None) -> bool:
        """Whether a figure is within the bound."""
        return found is not None and self.held_to.keeps(found)

    def worse(self, one: float, *, than: float) -> bool:
        """Whether one figure is riskier than another, beyond rounding."""
        return bool(below(one, than) if self.held_to.min is not None else above(one, than))

    def to_dict(self) -> dict[str, Any]:
        said = self.found is not None and not self.read.few_people
        return {
            **super().to_dict(),
            "min": self.held_to.min,
            "max": self.held_to.max,
            "found": self.found if said else None,
        }


def figure_checks(thresholds: Sequence[FigureThreshold], scope: Scope) -> list[FigureCheck]:
    """A check for each threshold."""
    return [_check(one, scope) for one in thresholds]


def _check(threshold: FigureThreshold, scope: Scope) -> FigureCheck:
    figure, keys = threshold.measure, tuple(threshold.keys or scope.keys)
    by = f" by {enumerated(keys)}" if threshold.keys else ""
    name, asked = f"{figure.title}{by}", _required(threshold)

    @answered_once
    def ask(changed: Scope) -> CheckAnswer:
        known = [key for key in threshold.keys or changed.keys if key not in changed.given_up]
        if not known:
            return FigureAnswer("pass", _harmless(figure), None, 0, f"{name}: no attribute is left.")
        at_once = None if changed is scope else threshold.bound
        read = figure_reading(figure.name, beyond_table(changed, known), at_once)
        return _answer(read, threshold, name, asked)

    answer = ask(scope)
    why = figure.why.format(keys=enumerated(keys))
    return FigureCheck(
        *(figure.name, name, keys, (), asked, threshold.bound, why, ask, answer),
        fix=next((fix for reason, fix in DECLARE.items() if reason in (answer.undefined or "")), ""),
        threshold=threshold,
    )


def _answer(read: FigureReading, threshold: FigureThreshold, name: str, asked: str) -> FigureAnswer:
    found = read.value
    keeps = found is not None and threshold.keeps(found)
    if not keeps and read.undefined is not None:  # only a bound is known, which does not show that it passes
        found = read.at_least
        if found is None or threshold.keeps(found):
            said = f"{name} could not be evaluated: {read.undefined}."
            return FigureAnswer("not evaluated", None, None, 0, said, undefined=read.undefined)
    assert found is not None
    outcome: Outcome = "pass" if keeps else threshold.severity
    inside = "at most " if keeps == (threshold.min is None) else "at least "
    side = "" if read.undefined is None else inside
    text = _side(threshold, keeps) if read.few else f"{side}{_said(found, threshold.measure)}"
    remark = "fewer than five people are concerned, or are not" if read.few else read.remark
    sentence = f"{name}: {text} (required: {asked}){f'; {remark}' if remark else ''}."
    return FigureAnswer(outcome, found, None, 0, sentence, text=text, remark=remark, few_people=read.few)


def _said(value: float, figure: PopulationFigure) -> str:
    if figure.bounds == (0.0, 1.0):
        return percent(value)
    return many(round(value)) if value >= 10 else number(round(value, 1))


def _required(threshold: FigureThreshold) -> str:
    side = "at most" if threshold.min is None else "at least"
    return f"{side} {_said(threshold.bound, threshold.measure)}"


def _side(threshold: FigureThreshold, keeps: bool) -> str:
    """On which side of the bound a figure is that is not said."""
    inside, outside = ("at most", "above") if threshold.min is None else ("at least", "below")
    return f"{inside if keeps else outside} {_said(threshold.bound, threshold.measure)}"


def _harmless(figure: PopulationFigure) -> float:
    """What a figure is where nothing is known."""
    return figure.bounds[0 if figure.riskier == "higher" else 1]
