"""What a table told in an account of an attacker, and what that says about its population, in sentences."""

from __future__ import annotations

from divulge._support.wording import number
from divulge.report.shared.tables import Document


def sampled(document: Document) -> list[str]:
    """What this table tells, exactly; what may be true of the population; what unrelated columns tell."""
    found = document["sampled"]
    if found is None:
        return []
    if found["undefined"] is not None:
        return [f"Discrimination rate: none, since {found['undefined']}"]
    test = found["test"]
    told = "nothing to tell" if found["rate"] is None else f"{number(found['rate'])} of what there is to know"
    sentences = [
        f"Discrimination rate, this table: {told} (exact)",
        f"Discrimination rate, the population it was drawn from: {_population(found['interval'])}",
        _corrected(found),
    ]
    if test is not None:
        sentences.append(
            f"Unrelated columns would give {number(test['expected'])} bits "
            f"(p {number(test['p_value'])}, from {test['permutations']} shuffles)"
        )
    return sentences


def _corrected(found: Document) -> str:
    """The information that a sample of this size bears, as far as a correction can say."""
    if found["too_sparse"]:
        most = f"at most {number(found['possible'])} bits (too sparse to say more)"
        return f"Information, corrected for the sample: {most}"
    return f"Information, corrected for the sample: {number(found['estimate'])} bits"


def _population(found: Document) -> str:
    """Between what a rate lies, and how well that is known.

    >>> _population({"low": 0.01, "high": 0.25, "estimate": None, "reason": "too few records"})
    'between 0.01 and 0.25 (too few records)'
    """
    if found["low"] is None:
        return f"cannot be told, since {found['reason']}"
    between = f"between {_rounded(found['low'])} and {_rounded(found['high'])}"
    if found["estimate"] is None:
        return f"{between} ({found['reason']})"
    return f"about {_rounded(found['estimate'])}, {between} (95% interval)"


def _rounded(rate: float) -> str:
    return number(round(rate, 3))
