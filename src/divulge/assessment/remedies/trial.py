"""A change tried on data that are held to checks: what they read then, and what is lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from divulge._support.small_counts import blurred, hidden_part, two_digits
from divulge._support.threads import ahead, cached_property, cores, run
from divulge._support.wording import enumerated, percent
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.unmet import OpenNeed, Unmet
from divulge.assessment.drivers.class_company import average_risk, smallest_class, unique
from divulge.assessment.drivers.nested_counts import said_by_checks, unique_at_most
from divulge.assessment.remedies.changes import MECHANISM, Change, coarser
from divulge.assessment.remedies.information_loss import CellInformation
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.errors import Undefined, counted
from divulge.measures import get

GAPS = "gaps in what was measured"
_TOLD = (("uniqueness", "the unique records"), ("average_risk", "the average risk"))


@dataclass(frozen=True, eq=False)
class Remedy:
    """One change, with readings before and after, and what it loses."""

    change: Change
    before: dict[str, Any]
    after: dict[str, Any]
    found: tuple[float | None, ...]  # what each check would find
    failing: int
    failing_before: int
    loss: float  # share of the information in the quasi-identifiers
    bits_lost: float  # the same in bits per record
    gaps: int = 0  # checks that no change is made for, and that do not pass after it
    about_gaps: str = GAPS  # what these checks are about
    open_gaps: tuple[str, ...] = ()  # what these checks find
    unsaid: bool = False  # whether the unique records before and what checks say would leave a few

    @property
    def left(self) -> int:
        """The checks that do not pass after the change, whatever they are about."""
        return self.failing + self.gaps

    @property
    def attribute(self) -> str | None:
        return self.change.attribute

    @property
    def does(self) -> str:
        """The change as the beginning of a sentence."""
        return self.change.words[0].upper() + self.change.words[1:]

    @property
    def matters(self) -> bool:
        """Whether more checks pass; or as many, and no risk that is told is higher and one is lower."""
        if self.failing != self.failing_before:
            return self.failing < self.failing_before
        told = [(self.before[name], self.after[name]) for name, _ in _TOLD]
        told = [pair for pair in told if None not in pair]
        changed = [after < before for before, after in told if percent(before) != percent(after)]
        return all(changed) and (bool(changed) or self.before["k"] != self.after["k"])

    @property
    def sentence(self) -> str:
        """What the change does to the checks, then to the risk, and what is lost."""
        said = [outcome(self.failing, self.gaps, len(self.found), about=self.about_gaps)]
        if self.failing:
            said += [
                f"takes {what} from {percent(self.before[name])} to {percent(after)}"
                for name, what in _TOLD
                if (after := self._said_after[name]) is not None
                and percent(self.before[name]) != percent(after)
                and not self._few(name)
            ]
        return f"{self.does} {enumerated([*said, *losing(self.said_loss)])}."

    @property
    def said_loss(self) -> float:
        """The loss; where a change is to few records, to the nearest hundredth, or it would count them."""
        return self._beside_records(self.loss)

    def _beside_records(self, value: float) -> float:
        return two_digits(value) if isinstance(self.change.shown, str) else value

    @property
    def _said_after(self) -> dict[str, Any]:
        """The readings after the change; where it is to few records, not so exactly that they say how few."""
        if not isinstance(self.change.shown, str):
            return self.after
        return {name: _blurred(value, self.before["people"]) for name, value in self.after.items()}

    def _few(self, name: str) -> bool:
        """Whether shares of unique records would say how few they are, before the change or after it."""
        shares = [(self.before[name], self.before["people"]), (self.after[name], self.after["people"])]
        return name == "uniqueness" and (
            self.unsaid
            or any(isinstance(hidden_part(round(share * people), people), str) for share, people in shares)
        )

    def to_dict(self) -> dict[str, Any]:
        change = self.change
        return {
            "action": change.action,
            "mechanism": MECHANISM[change.action],
            "attribute": change.attribute,
            "level": change.level,
            "detail": change.detail,
            "change": change.words,
            "sentence": self.sentence,
            "before": _without_people(self.before),
            "after": _without_people(self._said_after),
            "failing": self.left,
            "matters": self.matters,
            "loss": self.said_loss,
            "bits_lost": self._beside_records(self.bits_lost),
            "records_lost": change.shown if change.action == "records" else 0,
            "records_changed": change.shown or None,
        }


def outcome(failing: int, gaps: int, checks: int, *, together: bool = False, about: str = GAPS) -> str:
    """What becomes of the checks, as the verb of a sentence about one change or several together.

    ``gaps`` are those, of the checks, that do not pass and that no change is made for.

    >>> outcome(0, 0, 3), outcome(0, 1, 3)
    ('makes all checks pass', 'makes every check pass except the one on gaps in what was measured')
    """
    s = "" if together else "s"
    if failing:
        return f"leave{s} {failing + gaps} of {counted(checks, 'check')} not passed"
    if gaps:
        return f"make{s} every check pass except {'the one' if gaps == 1 else 'those'} on {about}"
    return f"make{s} the check pass" if checks == 1 else f"make{s} all checks pass"


def losing(loss: float, *, together: bool = False) -> list[str]:
    """What is lost, as the verb of a sentence; nothing where nothing is."""
    said = f"lose{'' if together else 's'} {percent(loss)} of the information in the quasi-identifiers"
    return [said] if loss else []


class Trial:
    """Changes tried on data that are held to checks."""

    def __init__(self, scope: Scope, checks: Sequence[AnyCheck]) -> None:
        self.scope, self.checks = scope, checks
        self.information = CellInformation(scope)
        self.failing_before = sum(not check.holds(check.found) for check in checks)
        self.looks = 0  # times that it was asked what the checks need
        self._coarser: dict[str, list[Change]] = {}

    def coarser(self, attribute: str) -> list[Change]:
        """An attribute in ever wider groups, and left out."""
        if attribute not in self._coarser:
            self._coarser[attribute] = coarser(self.scope, attribute)
        return self._coarser[attribute]

    @cached_property
    def before(self) -> dict[str, Any]:
        return state(self.scope)

    @cached_property
    def said(self) -> list[int]:
        """What checks say of how many people are in small classes."""
        return said_by_checks(self.scope, self.checks)

    @cached_property
    def _unsaid(self) -> bool:
        return unique_at_most(self.scope, self.said) is not None

    def need(self, scope: Scope, most: float = 1.0, enough: int | None = None) -> OpenNeed:
        """What the checks need after some changes.

        Where the rows of one check are more than a share of all, of the others it is only asked whether
        they pass; and not even that once more than ``enough`` do not.
        """
        self.looks += 1
        found, many, slow = list[Unmet](), False, self._slow(scope)
        for check in self.checks:
            if many and enough is not None and len(found) > enough:
                break
            if not many and self.reaches(check, scope):
                if check in slow:  # only now, since the checks before may be about too many
                    _ask_at_once(slow, scope)
                    slow = []
                one = check.unmet(scope, most) if isinstance(check, TableCheck) else check.unmet(scope)
            else:
                one = None if check.holds(self._again(check, scope)) else Unmet(1.0)
            if one is not None:
                found.append(one)
                over = one.rows is not None and most < 1 and scope.share(one.rows) > most
                many = many or over or one.too_many
        return OpenNeed(found, many)

    def _slow(self, scope: Scope) -> list[TableCheck]:
        """What takes long and is soonest asked by several threads: what is learned about each target."""
        able = [one for one in self.checks if isinstance(one, TableCheck) and one.glance and one.mendable]
        able = [one for one in able if self.reaches(one, scope)]
        return able if len(able) > 1 and scope.threads_pay and cores() > 1 else []

    def count_ahead(self, scopes: Sequence[Scope]) -> None:
        """Count several scopes by each sensitive attribute, by several threads: it is read of all in turn."""
        jobs = [(scope, name) for scope in scopes for name in scope.sensitive if scope.threads_pay]
        for _ in ahead(lambda job: _rate(*job), jobs):
            pass

    def _again(self, check: AnyCheck, scope: Scope) -> float | None:
        if not self.reaches(check, scope):
            return check.found
        found, bare = check.again(scope), by_record(scope)
        if bare is None or not check.holds(found):
            return found
        held = check.again(bare)
        return found if check.holds(held) else held

    def remedy(self, change: Change, of: Scope | None = None, made: Scope | None = None) -> Remedy:
        """What a change does, to the data as they are or as earlier changes left them.

        ``made`` is what becomes of these, where that is known: what was read of it is not read again.
        """
        scope = change.apply(self.scope if of is None else of) if made is None else made
        scope.count_targets()
        found = tuple(self._again(check, scope) for check in self.checks)
        failing = sum(not check.holds(value) for check, value in zip(self.checks, found, strict=True))
        loss = self.information.loss(scope)
        before, bits = (self.before if of is None else state(of)), loss * self.information.total
        now, gaps = state(scope), self.gaps(scope)
        about = enumerated([f"{name[0].lower()}{name[1:]}" for name in gaps]) if gaps else GAPS
        return Remedy(
            change,
            before,
            now,
            found,
            failing,
            self.failing_before,
            loss,
            bits,
            len(gaps),
            about,
            tuple(gaps.values()),
            self._unsaid,
        )

    def gaps(self, scope: Scope) -> dict[str, str]:
        """What checks find that no change is made for and that do not pass after it, by their names."""
        asked = [one for one in self.checks if isinstance(one, TableCheck) and not one.mendable]
        bare = by_record(scope)
        tables = [*([] if bare is None else [bare]), scope]
        answers = [(one.name, one.ask(made)) for one in asked for made in tables]
        return {name: answer.sentence for name, answer in answers if answer.outcome != "pass"}

    def reaches(self, check: AnyCheck, scope: Scope) -> bool:
        """Whether a check can be read again: of rows that were brought over, other attributes were not."""
        known = {*scope.data.source.attributes, RECORD}
        return {*check.keys, *check.target} - scope.given_up <= known


def _ask_at_once(checks: Sequence[TableCheck], scope: Scope) -> None:
    """Have checks asked by several threads."""
    _ = scope.rows  # which all of them look at
    run(lambda check: check.ask(scope), checks)


def by_record(scope: Scope) -> Scope | None:
    """The table as it is counted once identifiers are left out that said whose records are whose.

    People have several records all the same, so a change has to do for them and for records: nobody who
    has the release counts people. None where nothing is counted differently.
    """
    schema = scope.data.schema
    gone = scope.given_up.intersection(schema.identifiers)
    if not gone or scope.data.people == scope.data.records:
        return None
    if "by record" not in scope.answers:
        data = scope.data
        for name in gone:
            data = data.without(name)
        scope.answers["by record"] = replace(scope, data=data, _asked={}, _read=True)
    bare: Scope = scope.answers["by record"]
    return bare


def gain(trial: Trial, change: Change) -> tuple[float, float]:
    """The average risk that a change takes away for what it loses; then whether it loses little."""
    changed = change.apply(trial.scope)
    lost = trial.information.loss(changed)
    won = average_risk(trial.scope) - average_risk(changed)
    if lost <= 0:
        return math.inf if won > 0 else -1.0, -lost
    return won / lost, -lost


def _blurred(found: Any, people: int) -> Any:
    """Rates to as many digits as hold for one person more or less; other readings as they are."""
    if isinstance(found, dict):
        return {name: _blurred(value, people) for name, value in found.items()}
    return blurred(found, people) if isinstance(found, float) else found


def _without_people(readings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in readings.items() if name != "people"}


def state(scope: Scope) -> dict[str, Any]:
    """The readings that a change is judged by, and of how many people they are."""
    alone, people = unique(scope)
    return {
        "k": smallest_class(scope),
        "uniqueness": alone / people,
        "people": people,
        "average_risk": average_risk(scope),
        "discrimination_rate": _rate(scope, None),
        "targets": {name: _rate(scope, name) for name in scope.sensitive},
    }


def _rate(scope: Scope, target: str | None) -> float | None:
    question = scope.question(scope.keys) if target is None else scope.question(scope.keys, target)
    try:
        return get("discrimination_rate").compute(question.counts)
    except Undefined:
        return None
