"""Every check of a table: who is named or singled out, what is learned, what measures read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from divulge._support.small_counts import bound_beside, hidden_part
from divulge.assessment.checks.figure_checks import figure_checks
from divulge.assessment.checks.gaps.values_declared_missing import values_declared_missing
from divulge.assessment.checks.identifiers import identifiers
from divulge.assessment.checks.incomplete_records import incomplete_records
from divulge.assessment.checks.learned import learned
from divulge.assessment.checks.linked import without_original
from divulge.assessment.checks.measured import gaps_of_release, measured
from divulge.assessment.checks.singled_out import singled_out
from divulge.assessment.checks.suppressed_records import suppressed_records
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import Check, evaluate
from divulge.assessment.scope import Scope
from divulge.policy import USUAL, Demands, FigureThreshold, Learning, Policy, SinglingOut, Threshold

AnyCheck = Check | TableCheck


def every_check(
    scope: Scope, policy: Policy | None, *, proposed: bool = False, called: Collection[str] = ()
) -> list[AnyCheck]:
    """The checks in the order in which they are said; ``called`` are attributes whose role someone chose."""
    demands = USUAL if policy is None else policy.demands
    thresholds = () if policy is None else policy.thresholds
    given = called if policy is None else policy.attributes
    figures = () if policy is None else policy.figures
    suppressed = suppressed_records(demands, thresholds, scope)
    known = known_by([*demands.singled_out, *demands.learned, *thresholds, *figures], scope)
    found = [
        identifiers(demands, scope, given),
        *_of_records(demands, thresholds, scope),
        *suppressed,
        *values_declared_missing(scope, known),
        *figure_checks(figures, scope),
        *without_original(demands.linked, scope.keys, scope.people),
        measured(
            demands,
            scope,
            proposed=proposed,
            given=given,
            unasked=unasked(demands, thresholds, scope),
            grouped=bool(suppressed),
            known=known,
        ),
    ]
    return _leaving_no_few(found)


def known_by(
    asked: Sequence[SinglingOut | Learning | Threshold | FigureThreshold], scope: Scope
) -> list[str]:
    """What an attacker is taken to know: the quasi-identifiers, and the keys of each check."""
    return [*dict.fromkeys([*scope.keys, *(key for one in asked for key in one.keys or ())])]


def unasked(demands: Demands, thresholds: Sequence[Threshold], scope: Scope) -> list[str]:
    """What a policy does not ask, in words: who can be singled out, and what is learned.

    Bounds on the size of classes ask the first, bounds on the values in them the second; averages do not.
    """
    if not scope.keys:
        return []
    sizes = [one for one in thresholds if one.measure.family == "class_size"]
    found = _not_by_all("whether people can be singled out", [*demands.singled_out, *sizes], scope)
    values = [one for one in thresholds if one.measure.family in ("diversity", "closeness")]
    for target in scope.sensitive:
        asked: list[Learning | Threshold] = [*demands.learned, *values]
        about = [one for one in asked if one.target is None or target in one.target]
        found += _not_by_all(f"what is learned about {target}", about, scope)
    return found


def _not_by_all(
    question: str, asked: Sequence[SinglingOut | Learning | Threshold], scope: Scope
) -> list[str]:
    """A question that is not asked by all quasi-identifiers together, or not at all."""
    if any(not one.keys or set(one.keys) >= set(scope.keys) for one in asked):
        return []
    return [f"{question} by all quasi-identifiers together" if asked else f"{question} (not asked)"]


def of_people(demands: Demands, scope: Scope) -> list[TableCheck]:
    """Who is singled out, and what is learned about whom."""
    return [*singled_out(demands.singled_out, scope), *learned(demands.learned, scope)]


def _of_records(demands: Demands, thresholds: Sequence[Threshold], scope: Scope) -> list[AnyCheck]:
    """What the people and groups of a table are held to, and those who are left out of these counts."""

    def ask(changed: Scope) -> list[AnyCheck]:
        return [*of_people(demands, changed), *evaluate(thresholds, changed)]

    found = ask(scope)
    return [*found, *incomplete_records(ask, scope, found)]


def by_level(checks: Sequence[AnyCheck], demands: Demands, scope: Scope) -> list[AnyCheck]:
    """The same checks, those that hold people against several levels once for each level.

    What fails and what only warns can then be told apart, and compared with another table.
    """
    several = {one.name for one in checks if isinstance(one, TableCheck) and one.levels > 1}
    if not several:
        return list(checks)
    singled = singled_out(demands.singled_out, scope, apart=True)
    told = learned(demands.learned, scope, apart=True)
    found = list[AnyCheck]()
    for check in checks:
        own = [one for one in (*singled, *told) if one.name == check.name] if check.name in several else []
        found += own or [check]
    return _leaving_no_few(found)


def held_to(
    demands: Demands,
    thresholds: Sequence[Threshold],
    scope: Scope,
    suspected: Collection[str] = (),
    added: Collection[str] = (),
    *,
    apart: Collection[str] = (),
    restated: Sequence[tuple[str, str, bool]] = (),
) -> list[AnyCheck]:
    """The checks of a release beside its original, in which ``suspected`` attributes looked like names.

    ``added`` are the attributes that the original does not have; ``apart`` are those, and others with new
    values, that were not compared with what it has, as records are not matched; ``restated`` are those that
    say much of one of its attributes, beside it.
    """
    known = known_by([*demands.singled_out, *demands.learned, *thresholds], scope)
    found = [
        identifiers(demands, scope, (), suspected),
        *_of_records(demands, thresholds, scope),
        *suppressed_records(demands, thresholds, scope),
        *values_declared_missing(scope, known),
        *gaps_of_release(demands, scope, known, added, apart=apart, restated=restated),
    ]
    return _leaving_no_few(found)


def _leaving_no_few(checks: Sequence[AnyCheck]) -> list[AnyCheck]:
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
