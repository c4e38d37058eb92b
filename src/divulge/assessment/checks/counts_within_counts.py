"""What several checks say of people may not leave a few between one count and another that contains it."""

from __future__ import annotations

from collections.abc import Sequence

from divulge._support.small_counts import bound_beside, hidden_part
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import Check

AnyCheck = Check | TableCheck


def leaving_no_few(checks: Sequence[AnyCheck]) -> list[AnyCheck]:
    """The checks, of which a later one says a bound where its count beside an earlier one would leave a few.

    So 8 people in groups smaller than 3 are not said beside 6 who are unique: the others are two.
    """
    found, said = list[AnyCheck](), list[AnyCheck]()
    for check in checks:
        bound = _bound(check, said)
        found.append(check.saying(bound) if bound else check)
        said += [] if bound else [check]
    return found


def _bound(check: AnyCheck, said: Sequence[AnyCheck]) -> str | None:
    if not check.concerned or not isinstance(hidden_part(check.concerned, of=check.counted), int):
        return None
    if check.bound_said is not None:
        return check.bound_said
    return bound_beside(check.concerned, [one.concerned or 0 for one in said if _related(one, check)])


def _related(one: AnyCheck, other: AnyCheck) -> bool:
    """Whether the people of one check may be among those of the other, of the same records.

    Who is in a small group by some attributes is in one by more of them too, and there are few values in
    small groups; bounds of one measure contain each other.
    """
    if one.counted != other.counted or not ({*one.keys} <= {*other.keys} or {*other.keys} <= {*one.keys}):
        return False
    if _of_sizes(one) and _of_sizes(other):
        return True
    if isinstance(one, TableCheck) and isinstance(other, TableCheck):
        return False
    kinds = _kind(one), _kind(other)
    alike = kinds[0] == kinds[1] and one.target == other.target
    return (
        alike
        or (_of_sizes(one) and kinds[1] == "diversity")
        or (_of_sizes(other) and kinds[0] == "diversity")
    )


def _of_sizes(check: AnyCheck) -> bool:
    """Whether a check counts people in small groups."""
    if isinstance(check, TableCheck):
        return bool(check.singled_out)
    return check.measure.family == "class_size"


def _kind(check: AnyCheck) -> str:
    return "" if isinstance(check, TableCheck) else check.measure.family
