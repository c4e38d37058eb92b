"""A release with records alike held once: what checks read of it takes its groups, and not its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.figure_checks import FigureCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import Check
from divulge.assessment.checks.unmet import Mask
from divulge.assessment.people.copies import never_copied
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD, Integers

FEWEST = 100_000  # records from which on it pays
PAYS = 0.5  # rows for each record up to which it does


@dataclass(frozen=True, eq=False)
class CondensedRelease:
    """The scope of a release with records alike held once, and where each record is held."""

    scope: Scope
    place: Integers

    def rows(self, held: Mask) -> Mask:
        """The records that some of the rows stand for."""
        found: Mask = held[self.place]
        return found


def condensed_release(scope: Scope, checks: Sequence[AnyCheck], share: float) -> CondensedRelease | None:
    """A release with records alike held once, where checks find the same; None where they may not.

    They are alike on all that is left of the quasi-identifiers, on sensitive attributes, and on what checks
    are about. At most a ``share`` of the records may be left out of it later.
    """
    data = scope.data
    if data.records < FEWEST or data.engine.kind != "memory" or not data.has_each_record():
        return None
    rows = scope.rows
    plain = rows is not None and rows.person is None and data.weights is None and scope.stands_for is None
    plain = plain and not scope.stars_fit and scope.everyone is None and scope.household is None
    if not plain or data.missing == "wildcard" or not all(_by_groups(one, checks) for one in checks):
        return None
    asked = [name for one in checks for name in (*one.keys, *one.target) if name not in scope.given_up]
    about = dict.fromkeys([*scope.keys, *scope.sensitive, *asked])
    named = [name for name in about if name != RECORD and name not in data.schema.identifiers]
    if not scope.keys or not never_copied(data, share):
        return None
    grouped = {name: part for name, part in scope.partitions.items() if name not in scope.sensitive}
    found = data.condensed(named, grouped, int(PAYS * data.records))
    if found is None:
        return None
    held, place = found
    return CondensedRelease(replace(scope, data=held, _asked={}, _read=True), place)


def _by_groups(check: AnyCheck, checks: Sequence[AnyCheck]) -> bool:
    """Whether a check finds the same, and is about the same records, with those alike held once.

    Shuffles deal single records. Where some people may be singled out, single records are picked who may
    stay; unless another level asks at least as much of everyone.
    """
    if isinstance(check, Check):
        return not check.threshold.adjusted
    if isinstance(check, FigureCheck):
        return False
    strict = [one for check in checks if isinstance(check, TableCheck) for one in check.singled_out]
    return all(
        level.max == 0 or any(one.max == 0 and one.k >= level.k and one.keys == level.keys for one in strict)
        for level in check.singled_out
    )
