"""Which release to prefer, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from divulge.wording import enumerated, percent

AXES = {"risk": "average re-identification risk", "utility": "share of the information kept"}


@dataclass(frozen=True)
class Candidate:
    """A release as far as the choice depends on it."""

    name: str
    risk: float | None
    utility: float | None
    unmet: int | None  # checks that fail or could not be evaluated; None where nothing could be checked
    checks: int
    unmeasured: str | None = None  # why there is no risk
    beyond: float = 0.0  # shares of people concerned, summed over the checks that are not met

    @property
    def admitted(self) -> bool:
        return self.unmet == 0 and self.risk is not None


@dataclass(frozen=True)
class Recommendation:
    """The release to prefer, or None, with reasons."""

    release: str | None
    sentences: list[str]


def recommend(candidates: Sequence[Candidate]) -> Recommendation:
    """Of the releases whose checks hold, the one that keeps most; of none, say which comes nearest.

    Nearest is the one that misses the fewest checks, of these the one whose misses concern the fewest people.

    >>> one = Candidate("a.csv", 0.1, 0.6, 0, 3)
    >>> other = Candidate("b.csv", 0.2, 0.8, 1, 3)
    >>> recommend([one, other]).release
    'a.csv'
    """
    admitted = [one for one in candidates if one.admitted]
    if not admitted:
        return Recommendation(None, _none(candidates))
    best = max(admitted, key=lambda one: (one.utility or 0.0, -(one.risk or 0.0)))
    kept = "" if best.utility is None else f" It keeps {percent(best.utility)} of the information"
    risk = f"the average risk is {percent(best.risk or 0.0)}"
    holds = {0: "no check fails", 1: "its check holds"}.get(best.checks, f"its {best.checks} checks hold")
    sentences = [f"Prefer {best.name}: {holds}.{kept and f'{kept}; {risk}.'}"]
    if len(admitted) > 1:
        others = enumerated([one.name for one in admitted if one is not best])
        sentences.append(f"The checks hold for {others} too, with less kept or more risk.")
    failing = [one.name for one in candidates if one.unmet != 0]
    if failing:
        sentences.append(f"They do not hold for {enumerated(failing)}.")
    return Recommendation(best.name, [*sentences, *_unmeasured(candidates)])


def _none(candidates: Sequence[Candidate]) -> list[str]:
    known = [one for one in candidates if one.unmet is not None]
    if not known:
        return ["Prefer none: on no release could anything be checked."]
    said = _unmeasured(candidates)
    measured = [one for one in known if one.risk is not None]
    if not measured:
        return ["Prefer none: the risk of no release was measured.", *said]
    nearest = min(measured, key=lambda one: (one.unmet, one.beyond, one.risk, -(one.utility or 0.0)))
    return [
        f"Prefer none: no release meets all checks. Nearest comes {nearest.name}, "
        f"with {nearest.unmet} of {nearest.checks} unmet.",
        *said,
    ]


def _unmeasured(candidates: Sequence[Candidate]) -> list[str]:
    """Whose risk is not known, and why: that is no low risk, so such a release is never preferred."""
    return [
        f"{one.name} cannot be preferred, as its risk was not measured: {one.unmeasured.rstrip('.')}."
        for one in candidates
        if one.risk is None and one.unmeasured is not None
    ]
