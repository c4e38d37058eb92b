"""What groups say about a sensitive attribute whose values were changed, held against the people's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import above, below
from divulge._support.special_functions import beta_reached
from divulge._support.wording import capitalized, number, some_of
from divulge.assessment.checks.learned import learned
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.scope import Scope
from divulge.attacks.counted_outcomes import Judge
from divulge.policy import Learning
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.packing import coded, combinations

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
SEVERITY = {"fail": 0, "not evaluated": 1, "warn": 2, "pass": 3}
MOSTLY = 0.5  # of the people, whose released values have to be their own for an audit to be about them


@dataclass(frozen=True, eq=False)
class Claims:
    """For each person, the value that most of the released group have, and whether it is the person's own."""

    share: Floats  # of the group
    overall: Floats  # of all originals that have the value
    right: Mask
    beyond: Mask  # whether so many would hardly have it by chance

    def learned(self, level: Learning) -> Mask:
        """Whose own value the group makes so likely, where it is not common anyway."""
        news = below(self.overall, 1 - level.gain)
        sure = ~below(self.share, np.maximum(level.certain, self.overall + level.gain))
        return np.asarray(news & sure & self.beyond & self.right)


def learned_of_changed(
    check: TableCheck, levels: Sequence[Learning], judge: Judge, scope: Scope
) -> CheckAnswer:
    """What an audit of the release finds, where it is right about the people, or what groups show of values.

    Numbers may be the people's own in another unit or with a little noise: no group then shows an original
    value, and ranges are revealed all the same.
    """
    target = check.target[0]
    exact = learned_from_groups(target, levels, judge)
    if check.outcome == "pass" or exact.outcome == "fail":
        return exact
    about = judge.corresponding(target)
    if check.outcome == "not evaluated":
        return check.answer if about.right.mean() >= MOSTLY else exact
    found = [_of_the_people(one, level, judge, scope) for level, one in _each(check, levels, scope)]
    unmet = [one for one in found if one is not None]
    return min([exact, *unmet], key=lambda one: (SEVERITY[one.outcome], -(one.found or 0.0)))


def _each(
    check: TableCheck, levels: Sequence[Learning], scope: Scope
) -> Iterator[tuple[Learning, TableCheck]]:
    for level in levels:
        [found] = learned([replace(level, target=check.target)], scope)
        yield level, found


def _of_the_people(check: TableCheck, level: Learning, judge: Judge, scope: Scope) -> CheckAnswer | None:
    """What one level finds of a release, counted where it is right; None where it is allowed or chance."""
    answer, about = check.answer, judge.corresponding(check.target[0])
    if answer.outcome not in ("fail", "warn"):
        return None
    rows = None if answer.whom is None else answer.whom()
    alignment = judge.truth.alignment
    assert alignment.rows is not None
    if rows is None or len(rows) != alignment.released.records:
        return answer if about.right.mean() >= MOSTLY else None
    theirs = rows[alignment.rows[1]]
    counted, right = int(theirs.sum()), int((theirs & about.right).sum())
    if not right or not _beyond_chance(right / counted, counted, about.chance):
        return None
    groups = np.unique(_groups(alignment.released)[0][alignment.rows[1]][theirs]).size
    if right < MOSTLY * counted and not _beyond_chance(right / counted, groups, about.chance):
        return None  # people of a group are right or wrong together
    share = (answer.found or 0.0) * right / counted
    if not above(share, level.max):
        return None
    people = round(share * answer.counted)
    said = f" It is the person's own, or near it, for {some_of(people, answer.counted)} people."
    return replace(
        answer,
        found=share,
        concerned=people,
        sentence=answer.sentence if right == counted else answer.sentence + said,
    )


def _beyond_chance(share: float, of: int, chance: float) -> bool:
    """Whether a share of so many is more than chance gives in all but one of 20 tables."""
    some = round(share * of)
    return some > 0 and float(beta_reached(some, of - some + 1, 0.05)) > chance


def learned_from_groups(target: str, levels: Sequence[Learning], judge: Judge) -> CheckAnswer:
    """The people whose group shows their own value; what chance explains is nothing learned."""
    claims = group_claims(target, judge)
    people = len(claims.share)
    found = [(level, int(claims.learned(level).sum())) for level in levels]
    unmet = [(level, some) for level, some in found if above(some / people, level.max)]
    level, some = min(unmet or found, key=lambda one: (one[0].severity, -one[1]))
    if not some:
        least = number(100 * min(level.certain for level in levels))
        said = (
            f"No group shows a person's own {target} with {least}% or more, beyond what is common and what "
            "chance explains."
        )
        return CheckAnswer("pass", 0.0, 0, people, said)
    said = (
        f"{capitalized(some_of(some, people))} people have the {target} that {number(100 * level.certain)}% "
        f"or more of their group show{'' if unmet else ', which is allowed'}."
    )
    return CheckAnswer(level.severity if unmet else "pass", some / people, some, people, said)


def group_claims(target: str, judge: Judge) -> Claims:
    """What released groups on all quasi-identifiers show of an attribute, for each aligned person."""
    alignment = judge.truth.alignment
    assert alignment.rows is not None
    released, (_, theirs) = alignment.released, alignment.rows
    name = next(here for here, there in alignment.columns.items() if there == target)
    group, keys = _groups(released)
    column = released.column(target)
    cells = combinations(coded([*keys, column]), released.records)
    size, count = np.bincount(group), np.bincount(cells.number)
    order = np.lexsort((-count, group[cells.first]))
    first = np.searchsorted(group[cells.first][order], np.arange(len(size)))
    top = order[first]  # the largest cell of each group
    shown = column.codes[cells.first[top]]
    original, _ = alignment.pair(name)
    shares = original.frequencies() / max(len(original.codes), 1)
    places = {str(value): code for code, value in enumerate(original.values, 1)}
    own_code = np.asarray([0, *(places.get(str(value), -1) for value in column.values)])[shown]
    mine = group[theirs]
    overall = np.where(own_code >= 0, shares[np.maximum(own_code, 0)], 0.0)
    often = (column.frequencies() / released.records)[shown]
    beyond = _beyond(count[top], size, often)
    return Claims((count[top] / size)[mine], overall[mine], original.codes == own_code[mine], beyond[mine])


def _groups(released: Data) -> tuple[Integers, list[Codes]]:
    """The group that each released record is in, and the quasi-identifiers that it is made of."""
    keys = [released.column(key) for key in released.schema.quasi_identifiers]
    return combinations(coded(keys), released.records).number, keys


def _beyond(some: Integers, size: Integers, share: Floats) -> Mask:
    """Whether so many of a group would have a value by chance in hardly one of 20 tables with such groups."""
    more = some > size * share
    found = np.zeros(len(some), bool)
    a, b = some[more], size[more] - some[more] + 1
    found[more] = beta_reached(a, b, 0.05 / len(some)) > share[more]
    return found
