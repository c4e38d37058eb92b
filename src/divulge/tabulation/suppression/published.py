"""A table as it was published, attacked: what its own sums say of the cells that have a mark."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from divulge.errors import SourceError
from divulge.tabulation.attackers.programs import Clock, Known
from divulge.tabulation.layout.joint_cells import TOO_MANY, joint_cells, ring
from divulge.tabulation.layout.linked import Flags, Numbers
from divulge.tabulation.layout.published_files import PublishedTable
from divulge.tabulation.layout.published_statistic import GIVE_RECORDS, MEANS
from divulge.tabulation.risk.rules import CellRules
from divulge.tabulation.suppression.auditing import CellAudit, Outcome
from divulge.tabulation.suppression.problem import Problem


@dataclass(frozen=True, eq=False)
class PublishedAudit:
    """What an attacker finds of the marked cells, and what could not be audited, in words."""

    cells: list[CellAudit]
    lower: Numbers
    upper: Numbers
    not_audited: tuple[str, ...]
    cautions: tuple[str, ...]
    notes: tuple[str, ...]
    marked: Flags

    @property
    def outcome(self) -> Outcome:
        found = {one.outcome for one in self.cells}
        if "fail" in found:
            return "fail"
        if self.not_audited or "not evaluated" in found:
            return "not evaluated"
        return "warn" if self.cautions else "pass"


def attack_published(
    table: PublishedTable,
    rules: CellRules,
    *,
    counts: bool,
    clock: Clock = Clock(),  # noqa: B008
    stage: Callable[[str], None] = lambda _: None,
) -> PublishedAudit:
    """The interval of every cell that is not published, from all that is.

    A marked count is at least 1 where empty cells are published, and a marked sum at least 0, unless the sums
    do not allow that.
    """
    if table.nothing.any():
        said = "are taken to be 0, since others have a mark."
        try:
            attacked = attack_published(_with_nothing(table), rules, counts=counts, clock=clock, stage=stage)
        except SourceError:
            marked = replace(table, nothing=np.zeros(len(table.nothing), np.bool_))
            attacked = attack_published(marked, rules, counts=counts, clock=clock, stage=stage)
            said = "count as marked: the sums do not allow them to be 0."
        return replace(attacked, notes=(f"Cells with a dash or without a text {said}", *attacked.notes))
    notes = []
    off = refuse_sums_that_are_off(table, exact=counts)
    slack = np.where(table.suppressed, 0.0, table.roundings) if off else np.zeros(len(table.value))
    if off:
        notes.append("Sums are off by rounding, so every number may be off by half of its last digit.")
    tried = ((1.0, 0.0) if rules.zeros == "published" else (0.0,)) if counts else (0.0, -math.inf)
    for least in tried:
        lower, upper, possible = _intervals(table, least, slack, clock, stage, whole=counts and not off)
        if possible:
            break
    if not possible and not clock.over:
        raise SourceError(
            "The table does not add up: no numbers of its marked cells fit those that are published.",
            hint="Check that groups and totals are named as such, and that nothing was rounded or perturbed.",
        )
    if least != tried[0]:
        what = "empty" if counts else "below 0"
        notes.append(f"The sums say that some marked cells are {what}, so any of them may be.")
    most = said_at_most(table, whole=counts)
    found = [
        CellAudit(
            cell,
            float(lower[cell]),
            float(upper[cell]),
            _outcome(float(lower[cell]), float(upper[cell]), rules, counts=counts)
            if most[cell] == math.inf
            else _beyond(float(lower[cell]), float(upper[cell]), least, float(most[cell])),
        )
        for cell in np.flatnonzero(table.suppressed).tolist()
    ]
    if counts:
        found += _few(table, rules.minimum_frequency or 0)
    notes += _unknown(table, counts=counts)
    gaps = _gaps(table, counts=counts)
    cautions = table.tables.without_totals if table.suppressed.any() and not gaps else []
    if table.suppressed.any() and (tied := ring(table.tables)) and joint_cells(tied, upper <= 0) is None:
        cautions.append(TOO_MANY)
    return PublishedAudit(found, lower, upper, tuple(gaps), tuple(cautions), tuple(notes), table.suppressed)


def _with_nothing(table: PublishedTable) -> PublishedTable:
    """Dashes beside other marks read as nothing."""
    return replace(
        table,
        value=np.where(table.nothing, 0.0, table.value),
        suppressed=table.suppressed & ~table.nothing,
        nothing=np.zeros(len(table.nothing), np.bool_),
    )


def _intervals(
    table: PublishedTable,
    least: float,
    slack: Numbers,
    clock: Clock,
    stage: Callable[[str], None],
    *,
    whole: bool,
) -> tuple[Numbers, Numbers, bool]:
    """The ends of every cell if marked ones are at least so much, and whether such a table is possible."""
    numbers = np.where(table.suppressed, 0.0, np.round(table.value / table.unit))
    open_from = np.where(table.absent, min(least, 0.0), least / table.unit)  # an absent cell may be empty
    shown_from = np.maximum(numbers - slack, np.where(numbers < 0, -math.inf, 0.0))
    lower = np.where(table.suppressed, open_from, shown_from)
    upper = np.where(table.suppressed, said_at_most(table, whole=whole) / table.unit, numbers + slack)
    sums, unseen = table.tables.sums, 0
    joint = joint_cells(ring(table.tables), upper <= 0)
    if joint is not None:
        sums, unseen = joint.added(sums, len(lower)), len(joint)
    known = Known(
        sums,
        np.append(lower, np.full(unseen, min(least, 0.0))),
        np.append(upper, np.full(unseen, math.inf)),
        whole and table.unit == 1,
        None,
        clock,
        unseen,
    )
    possible = True
    for number, cell in enumerate(np.flatnonzero(table.suppressed).tolist()):
        if number % 20 == 0:
            stage(f"Attacking ({number} cells)")
        lower[cell], upper[cell] = known.interval(cell)
        possible &= clock.over or not math.isnan(lower[cell])
    return lower * table.unit, upper * table.unit, possible


def refuse_sums_that_are_off(table: PublishedTable, *, exact: bool) -> bool:
    """Whether sums are off by rounding; refused where they are off by more, of counts by anything."""
    numbers = np.round(table.value / table.unit)
    rounded = False
    for above, below in table.tables.sums.sides:
        if table.suppressed[above].any() or table.suppressed[below].any():
            continue
        off = abs(numbers[above].sum() - numbers[below].sum())
        if off > (0 if exact else table.roundings[[*above, *below]].sum()):
            if _as_means(table):
                raise SourceError(MEANS, hint=GIVE_RECORDS)
            first = table.tables.said(int(above[0]))
            raise SourceError(
                f"The table does not add up: {first} is not the sum of its {len(below)} parts."
                if len(above) == 1
                else f"The tables do not add up: {first} and others are not the sum of those of another.",
                hint="If cells were rounded to a base or perturbed, sums say nothing about marked cells. "
                "Check that groups and totals are named as such.",
            )
        rounded = rounded or off > 0
    return rounded


def _as_means(table: PublishedTable) -> bool:
    """Whether every total lies among its parts."""
    for above, below in table.tables.sums.sides:
        if len(above) > 1 or table.suppressed[above].any() or table.suppressed[below].any():
            continue
        parts = table.value[below]
        if not parts.min() <= table.value[above].item() <= parts.max():
            return False
    return True


def _outcome(low: float, high: float, rules: CellRules, *, counts: bool) -> Outcome:
    """Too tight: the number itself, a count that is below the minimum, a magnitude to within p %."""
    if math.isnan(low) or math.isnan(high):
        return "not evaluated"
    if math.isfinite(high - low) and high - low <= 1e-6 * max(abs(high), 1.0):
        return "fail"
    if counts:
        return "fail" if high < (rules.minimum_frequency or 0) else "pass"
    share = (rules.p_percent or 10.0) / 100
    return "fail" if math.isfinite(high - low) and high - low < share * max(abs(low), abs(high)) else "pass"


def held_to_marks(problem: Problem, most: Numbers) -> Problem:
    """The problem where marks such as <5 say what cells are at most: nobody asks for more than the mark."""
    room = np.append(
        np.maximum(most - problem.value[: problem.shown], 0.0), np.full(problem.unseen, math.inf)
    )
    return replace(
        problem,
        room_up=np.minimum(problem.room_up, room),
        left_up=np.minimum(problem.left_up, room),
        up=np.minimum(problem.up, room),
    )


def said_at_most(table: PublishedTable, *, whole: bool) -> Numbers:
    """What marks such as <5 say that cells are at most; infinite where they say nothing."""
    below = np.ceil(table.below) - 1 if whole else table.below
    return np.where(table.suppressed, np.minimum(below, table.up_to), math.inf)


def _beyond(low: float, high: float, least: float, most: float) -> Outcome:
    """A mark that says how much a cell is at most fails where the sums say more than the mark."""
    if math.isnan(low) or math.isnan(high):
        return "not evaluated"
    near = 1e-6 * max(most, 1.0)
    return "fail" if low > max(least, 0.0) + near or high < most - near else "pass"


def _few(table: PublishedTable, minimum: int) -> list[CellAudit]:
    """Counts below the minimum that are published as they are."""
    shown = ~table.suppressed & (table.value > 0) & (table.value < minimum)
    return [
        CellAudit(cell, float(table.value[cell]), float(table.value[cell]), "fail")
        for cell in np.flatnonzero(shown).tolist()
    ]


def _gaps(table: PublishedTable, *, counts: bool) -> list[str]:
    """What a published table alone does not allow to audit, so that it cannot pass."""
    if table.suppressed.any() and not table.tables.sums.number:
        return [
            "The table has no margins, so its own sums say nothing. An attacker who has totals from "
            "elsewhere may work out marked cells: that is not audited."
        ]
    if not counts and not table.suppressed.any():
        return ["No cell has a mark, and the table does not say who contributes: no rule can be checked."]
    return []


def _unknown(table: PublishedTable, *, counts: bool) -> list[str]:
    """What only the records would say."""
    found = []
    if table.absent.any():
        found.append(
            f"{int(table.absent.sum()):,} cells are not in the file. They count as not published; an "
            "attacker who has them finds more."
        )
    if not counts:
        found.append(
            "The table does not say who contributes, so what contributors learn of each other is not audited."
        )
    return found
