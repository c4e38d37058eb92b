"""Tables about one value, protected by one of the methods, and what attackers then find of them."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from divulge.errors import ParameterError, counted
from divulge.tabulation.attackers.programs import Clock, Known
from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.joint_cells import TOO_MANY
from divulge.tabulation.layout.linked import Flags, Label, Numbers
from divulge.tabulation.perturbation.adjustment import adjusted
from divulge.tabulation.perturbation.cell_key import by_cell_key
from divulge.tabulation.perturbation.noise import noisy
from divulge.tabulation.perturbation.rounding import controlled_rounding, random_rounding
from divulge.tabulation.risk.rules import CellRisk, CellRules, cell_risk
from divulge.tabulation.suppression.auditing import CellAudit, Outcome, audit, worked_out
from divulge.tabulation.suppression.exact import SuppressionPattern
from divulge.tabulation.suppression.problem import Problem
from divulge.tabulation.suppression.protecting import problem_of, suppressed
from divulge.tabulation.table_policy import Protection

TWICE = "To publish the tables again with other lots lets their mean undo them."
Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class ProtectedTables:
    """Tables as they may go out, and the audit of them.

    ``released`` has the numbers of each table by its name, as they add up (a mean is divided when it is
    written). ``lower`` and ``upper`` are what an outsider knows of each cell. ``not_audited`` says in words
    what the audit does not cover, ``cautions`` what of that forbids a plain pass.
    """

    built: BuiltTables
    risk: CellRisk
    problem: Problem
    protection: Protection
    released: Mapping[str, Numbers]
    suppressed: Flags
    audited: list[CellAudit]
    lower: Numbers
    upper: Numbers
    pattern: SuppressionPattern | None = None
    not_audited: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seed: int | None = field(default=None, repr=False)
    cautions: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Fails where any cell at risk does; not evaluated where any of them is not; warns with a caution."""
        found = {one.outcome for one in self.audited}
        if "fail" in found:
            return "fail"
        return "not evaluated" if "not evaluated" in found else "warn" if self.cautions else "pass"


def protected(
    built: BuiltTables,
    rules: CellRules,
    protection: Protection,
    *,
    seed: int | None = None,
    family: int = 0,
    stage: Stage = lambda _: None,
) -> ProtectedTables:
    """The tables protected as asked; nothing is changed where no cell is at risk and nothing is random.

    ``family`` numbers the values that a policy has tables of: each has lots of its own, also with one seed.
    """
    risk = cell_risk(built.facts, rules, counts=built.counts)
    problem = problem_of(built, risk, protection, rules.zeros, rules=rules)
    stage("Protecting")
    if protection.method in ("suppression", "none"):
        return _by_suppression(built, risk, problem, protection, stage)
    if protection.method != "adjustment" and built.statistic == "mean":
        raise ParameterError(
            f"Means are protected by suppression or adjustment, not by {protection.method}.",
            hint="Publish counts and sums instead.",
        )
    used = secrets.randbits(63) if seed is None else seed
    if protection.method == "cell key" and protection.largest is None:
        protection = replace(protection, largest=max(3, (rules.minimum_frequency or 0) - 1))
    lots = np.random.default_rng([used, family] if family else used)
    return _changed(built, risk, problem, protection, used, lots, rules.minimum_frequency or 1, stage)


def _by_suppression(
    built: BuiltTables, risk: CellRisk, problem: Problem, protection: Protection, stage: Stage
) -> ProtectedTables:
    clock, pattern = Clock.of(protection.time), None
    hidden = np.zeros(problem.shown, np.bool_)
    if protection.method == "suppression":
        pattern = suppressed(built, problem, protection, stage)
        hidden = pattern.suppressed
    return _audited(built, risk, problem, protection, hidden, pattern, clock, stage)


def _audited(
    built: BuiltTables,
    risk: CellRisk,
    problem: Problem,
    protection: Protection,
    hidden: Flags,
    pattern: SuppressionPattern | None,
    clock: Clock,
    stage: Stage,
) -> ProtectedTables:
    audited = audit(problem, hidden, clock=clock, stage=stage)
    bounds = problem.known(problem.with_unseen(hidden))[: len(hidden)]
    for one in audited:
        bounds[one.cell] = one.lower, one.upper
    gaps = not_covered(built, problem, hidden)
    if pattern is not None and not pattern.finished:
        gaps.append("The search for suppressions was stopped before it was done.")
    return ProtectedTables(
        built, risk, problem, protection, _same(built, built.additive), hidden, audited, bounds[:, 0],
        bounds[:, 1], pattern, tuple(gaps), given_together(problem, hidden),
        cautions=tuple(cautions_of(built, problem, hidden)),
    )  # fmt: skip


def without_shown_zeros(found: list[ProtectedTables], stage: Stage = lambda _: None) -> list[ProtectedTables]:
    """Tables of several values, where an empty cell that one of them leaves out is left out of all.

    A count of 0 says that the sum is 0 too. Leaving more out makes nothing easier to find.
    """
    empty = {
        label
        for one in found
        for label, hidden, people in zip(
            one.built.tables.labels, one.suppressed, one.built.facts.contributors, strict=True
        )
        if hidden and not people
    }
    return [_also_suppressed(one, empty, stage) for one in found]


def _also_suppressed(one: ProtectedTables, labels: set[Label], stage: Stage) -> ProtectedTables:
    places = [place for label, place in one.built.tables.places.items() if label in labels]
    hidden = one.suppressed.copy()
    hidden[places] |= one.built.facts.contributors[places] == 0
    if one.pattern is None or (hidden == one.suppressed).all():
        return one
    cost = one.problem.suppressed_cost(one.problem.with_unseen(hidden))
    pattern = replace(one.pattern, suppressed=hidden, cost=cost)
    clock = Clock.of(one.protection.time)
    return _audited(one.built, one.risk, one.problem, one.protection, hidden, pattern, clock, stage)


def given_together(problem: Problem, hidden: Flags) -> tuple[str, ...]:
    """Why cells fail whose total is given away, in words."""
    exposed = problem.exposed(hidden)
    together = sum(not one.minor for one in exposed)
    cells = {int(one.cells[0]) for one in exposed if one.minor}
    said = []
    if together:
        said.append(
            f"In {counted(together, 'sum')} the suppressed cells fail together: one contributor is in "
            "several of them, and what is published gives their total away."
        )
    if cells:
        said.append(
            f"{counted(len(cells), 'cell')} at risk {'fails' if len(cells) == 1 else 'fail'} because "
            "somebody who has parts of the other suppressed cells of a sum comes too close."
        )
    return tuple(said)


def not_covered(built: BuiltTables, problem: Problem, hidden: Flags) -> list[str]:
    """What the audit of suppressed cells does not cover, in words."""
    gaps = []
    if not problem.sums.number:
        gaps.append(
            "The tables have no margins, so nothing ties their cells. An attacker who has totals from "
            "elsewhere may work out suppressed cells: that is not audited."
        )
    if int(hidden.sum()) > worked_out(hidden):
        gaps.append(
            f"Intervals are worked out for {worked_out(hidden)} of {int(hidden.sum()):,} suppressed cells. "
            "Of the others at risk it is checked that they are wide enough."
        )
    if not built.counts and hidden.any():
        gaps.append(
            (
                "Contributors who have more than half of a suppressed cell are tried with all sums together, "
                "others with every sum by itself. Several who work together are not tried."
                if problem.tries_insiders
                else "Contributors are tried with every sum by itself. Several who work together are not."
            )
            if problem.shares is not None
            else "What contributors learn by taking their own amount off is held to the rules, not audited."
        )
    if built.statistic == "mean":
        gaps.append("Means are audited as sums, for an attacker who knows how many records each cell has.")
    return gaps


def cautions_of(built: BuiltTables, problem: Problem, hidden: Flags) -> list[str]:
    """What is not audited though it may give suppressed cells away, so that the tables do not simply pass."""
    if not hidden.any():
        return []
    found = built.tables.without_totals if problem.sums.number else []
    if built.ring and not problem.unseen:
        found.append(TOO_MANY)
    if not problem.tries_insiders:
        found.append(
            "Contributors who have more than half of a cell are many. Each was tried with every sum by "
            "itself, not with all sums together."
        )
    return found


def _same(built: BuiltTables, numbers: Numbers) -> dict[str, Numbers]:
    return {one.name: numbers for one in built.tables.layouts}


def _changed(
    built: BuiltTables,
    risk: CellRisk,
    problem: Problem,
    protection: Protection,
    seed: int,
    lots: np.random.Generator,
    minimum: int,
    stage: Stage,
) -> ProtectedTables:
    """Tables with other numbers, and what is known of the true ones to somebody who knows the method."""
    method, clock = protection.method, Clock.of(protection.time)
    gaps, notes, cautions = [], [], []
    true, sums = built.additive, built.tables.sums
    lower, upper = np.where(true < 0, -math.inf, 0.0), np.full(len(true), math.inf)
    if built.ring and not problem.unseen and method != "noise":
        cautions.append(TOO_MANY)
    audited: list[CellAudit] = []
    used: int | None = seed
    if method in ("controlled rounding", "random rounding"):
        reach = 1
        if method == "controlled rounding":
            numbers, reach = controlled_rounding(sums, true, protection.base, lots, clock)
            if reach > 1:
                cautions.append(
                    "No table adds up in which each number goes to a multiple beside it, so some go further. "
                    "What that itself says of them is not audited."
                )
        else:
            numbers = random_rounding(true, protection.base, lots)
        notes.append(TWICE)
        off = reach * protection.base - (1 if built.whole else 0)
        lower, upper = np.maximum(lower, numbers - off), numbers + off
        audited = _audit_boxes(built, problem, lower, upper, minimum, clock, stage)
        released = _same(built, numbers)
    elif method == "cell key":
        if not built.whole or built.entries is None:
            raise ParameterError("Cell keys change counts, without weights.", hint="Take another method.")
        largest = protection.largest or 3
        numbers = by_cell_key(built.tables, built.entries, true, largest, protection.variance, seed)
        lower = np.maximum(np.minimum(numbers, 1.0), numbers - largest)  # nobody stays nobody
        upper = numbers + largest
        notes.append(
            "A cell is changed alike in all of these tables, and again with the same seed while its records "
            f"are the same, in whatever order. {TWICE}"
        )
        audited = _audit_boxes(built, problem, lower, upper, minimum, clock, stage)
        released = _same(built, numbers)
    elif method == "adjustment":
        problem = problem.of_tables(sums)  # only what is published is to add up
        numbers, gap = adjusted(problem, lots, clock)
        released = _same(built, numbers)
        moved = numbers - true
        down = problem.value if problem.whole else problem.down
        room = 1e-6 * np.maximum(problem.up, down)
        far = (moved >= problem.up - room) | ((moved <= -down + room) & (down > 0))
        audited = [
            CellAudit(cell, math.nan, math.nan, "pass" if far[cell] else "fail")
            for cell in np.flatnonzero((problem.up > 0) | (problem.down > 0)).tolist()
        ]
        gaps.append(
            "Every cell at risk is published at least its protection level away from its value. Published "
            "numbers bound no true one, so there are no intervals."
        )
        notes += [f"The changes are within {gap:.1%} of the least possible.", TWICE]
    else:
        released, spent = noisy(built, protection.epsilon, protection.bounds)
        used = None
        gaps.append("Noise has no bounds, so there are no intervals: the promise is epsilon.")
        notes += [
            f"Epsilon {spent:.4g} for one record, over all of these tables. No seed repeats the noise.",
            "Categories are those of the records: epsilon does not cover that a category occurs.",
            TWICE,
        ]
        if built.entries is not None and built.entries.named:
            notes.append("A contributor with several records is covered less: their epsilons add up.")
    return ProtectedTables(
        built, risk, problem, protection, released, np.zeros(len(true), np.bool_), audited, lower, upper,
        None, tuple(gaps), tuple(notes), used, tuple(cautions),
    )  # fmt: skip


def _audit_boxes(
    built: BuiltTables,
    problem: Problem,
    lower: Numbers,
    upper: Numbers,
    minimum: int,
    clock: Clock,
    stage: Stage,
) -> list[CellAudit]:
    """The cells at risk as sums of true numbers bound them, where each is known to lie in a range.

    Of a count as many numbers have to be possible as the minimum frequency: a rounded 0 to 4 is as open as
    "fewer than 5". A magnitude is held to its protection levels, and so is a count of several records of one
    contributor.
    """
    unseen = problem.known(np.ones(len(problem), np.bool_))[problem.shown :]
    lower, upper = np.append(lower, unseen[:, 0]), np.append(upper, unseen[:, 1])
    known = Known(problem.sums, lower, upper, problem.whole, problem.value, clock, problem.unseen)
    found = []
    at_risk = np.flatnonzero((problem.up > 0) | (problem.down > 0)).tolist()
    for number, cell in enumerate(at_risk):
        if number % 50 == 0:
            stage(f"Auditing ({number} of {len(at_risk)})")
        low, high = known.interval(cell)
        value, up, down = problem.value[cell], problem.up[cell], problem.down[cell]
        outcome: Outcome = "pass"
        if math.isnan(low) or math.isnan(high):
            outcome = "not evaluated"
        elif problem.whole and value == built.facts.contributors[cell]:
            outcome = "pass" if high - low + 1 >= minimum and high > low else "fail"
        elif high < value + up * (1 - 1e-6) or low > value - down * (1 - 1e-6):
            outcome = "fail"
        found.append(CellAudit(cell, low, high, outcome))
    return found
