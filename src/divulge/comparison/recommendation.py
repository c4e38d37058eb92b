"""Which release to prefer, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge._support.wording import enumerated, percent

AXES = {"risk": "people truly linked", "utility": "share of the information kept"}


@dataclass(frozen=True)
class Candidate:
    """A release as far as the choice depends on it."""

    name: str
    risk: float | None
    utility: float | None
    unmet: int | None  # checks that fail or could not be evaluated; None where nothing could be checked
    checks: int
    unmeasured: str | None = None  # why there is no risk
    warns: int = 0  # checks that only warn
    leave_out: tuple[str, ...] = ()  # attributes that match records, and are not to be published
    unevaluated: int = 0  # of the unmet checks, those that could not be evaluated
    beyond: float = 0.0  # shares of people concerned, summed over the checks that are not met
    unkept: str | None = None  # why it is not known what is kept, where records could not be compared

    @property
    def admitted(self) -> bool:
        return self.unmet == 0 and self.risk is not None and self.unkept is None


@dataclass(frozen=True)
class Recommendation:
    """The release to prefer, or None, with reasons."""

    release: str | None
    sentences: list[str]


def recommend(candidates: Sequence[Candidate]) -> Recommendation:
    """Of the releases of which no check fails, the one that keeps most; of none, say which is closest.

    Nearest is the one that misses the fewest checks, of these the one whose misses concern the fewest people.

    >>> one = Candidate("a.csv", 0.1, 0.6, 0, 3)
    >>> other = Candidate("b.csv", 0.2, 0.8, 1, 3)
    >>> recommend([one, other]).release
    'a.csv'
    """
    admitted = [one for one in candidates if one.admitted]
    if not admitted:
        return Recommendation(None, _none(candidates))
    best = max(admitted, key=_preference)
    kept = "" if best.utility is None else f" It keeps {percent(best.utility)} of the information"
    risk = f"{percent(best.risk or 0.0)} of people are truly linked"
    sentences = [f"{best.name}: {_passed(best)}.{kept and f'{kept}; {risk}.'}"]
    if best.leave_out:
        sentences.append(f"Before it is published, leave out {enumerated(list(best.leave_out))}.")
    others = [one for one in admitted if one is not best]
    equal = [one.name for one in others if _preference(one) == _preference(best)]
    worse = [one.name for one in others if one.name not in equal]
    if equal:
        it = (
            "it keeps as much, and its risk is" if len(equal) == 1 else "they keep as much, and their risk is"
        )
        sentences.append(f"No check fails for {enumerated(equal)} either; {it} the same.")
    if worse:
        sentences.append(
            f"No check fails for {enumerated(worse)} either; less is kept, or the risk is higher."
        )
    failing = [one.name for one in candidates if one.unmet != 0]
    if failing:
        sentences.append(f"Not recommended, as not all checks pass: {enumerated(failing)}.")
    return Recommendation(best.name, [*sentences, *_unmeasured(candidates)])


def _preference(one: Candidate) -> tuple[float, float]:
    """What is compared between releases of which no check fails: what is kept, then the risk."""
    return one.utility or 0.0, -(one.risk or 0.0)


def _passed(best: Candidate) -> str:
    """What became of the checks of a release of which none fails."""
    if best.warns:
        return f"of its {best.checks} checks none fails, {best.warns} warn{'s'[: best.warns == 1]}"
    return {0: "no check fails", 1: "its check passes"}.get(best.checks, f"its {best.checks} checks pass")


def _none(candidates: Sequence[Candidate]) -> list[str]:
    known = [one for one in candidates if one.unmet is not None]
    if not known:
        return ["Nothing could be checked on any release."]
    said = _unmeasured(candidates)
    measured = [one for one in known if one.risk is not None and one.unkept is None]
    if not measured:
        risky = any(one.risk is not None for one in known)
        first = "risk and what is kept could not both be" if risky else "risk could not be"
        return [f"The {first} measured for any release.", *said]
    closest = min(measured, key=lambda one: (one.unmet, one.beyond, one.risk, -(one.utility or 0.0)))
    none = "Of the releases that were measured none" if len(measured) < len(known) else "No release"
    return [
        f"{none} passes all checks. Closest: {closest.name}, {_missed(closest)}.",
        *said,
    ]


def _missed(closest: Candidate) -> str:
    """How the checks ended that do not pass, each way by its own word."""
    fails = (closest.unmet or 0) - closest.unevaluated
    said = [f"{fails or 'none'} of {closest.checks} checks fail{'s'[: fails <= 1]}"]
    if closest.warns:
        said.append(f"{closest.warns} warn{'s'[: closest.warns == 1]}")
    if closest.unevaluated:
        said.append(f"{closest.unevaluated} not evaluated")
    return ", ".join(said)


def _unmeasured(candidates: Sequence[Candidate]) -> list[str]:
    """Whose risk or utility is not known, and why: such a release is never preferred."""
    return [
        f"{one.name} cannot be recommended, as its risk was not measured: {one.unmeasured.rstrip('.')}."
        for one in candidates
        if one.risk is None and one.unmeasured is not None
    ] + [
        f"{one.name} cannot be recommended, as it is not known what it keeps: {one.unkept.rstrip('.')}."
        for one in candidates
        if one.risk is not None and one.unkept is not None
    ]
