"""What an account of an attacker found, in sentences that the page and the terminal share."""

from __future__ import annotations

from divulge._support.wording import enumerated, many, number, one_line, percent
from divulge.report.shared.formats import clipped
from divulge.report.shared.tables import Document


def verdict(document: Document) -> str:
    """How good the best guess is with the observation, and without it.

    >>> told = {"secret": "income", "observed": ["age", "sex"], "distortion": "hamming", "guesses": 1}
    >>> verdict({**told, "tolerance": None, "abstain": None, "privacy": {"average": 0.247, "prior": 0.249}})
    'Knowing age and sex, the best guess of income is right 75.3% of the time; without them, 75.1%.'
    """
    with_it, without = (document["privacy"][case] for case in ("average", "prior"))
    other = "them" if len(document["observed"]) > 1 else "it"
    known = enumerated([clipped(one_line(name), 40) for name in document["observed"]])
    wanted = clipped(one_line(document["secret"]), 60)
    if document["abstain"] is not None:
        said = f"the best guess of {wanted}, or no guess, costs {short(with_it)} on average"
        return f"Knowing {known}, {said}; without {other}, {short(without)}."
    if counts_wrong_guesses(document):
        guesses = document["guesses"]
        guess = "the best guess" if guesses == 1 else f"one of the {guesses} best guesses"
        said = f"{guess} of {wanted} is {_right(document)} {percent(1 - with_it)} of the time"
        return f"Knowing {known}, {said}; without {other}, {percent(1 - without)}."
    off = f"the best estimate of {wanted} is off by {short(with_it)} ({document['error_unit']}) on average"
    return f"Knowing {known}, {off}; without {other}, {short(without)}."


def repeated(document: Document) -> list[str]:
    """How good the best guess is after many observations of the same secret.

    >>> told = {"distortion": "hamming", "tolerance": None, "abstain": None, "error_unit": ""}
    >>> repeated({**told, "repeated": [{"observations": 3, "average": 0.15625, "error": 0.0}]})
    ['After 3 observations of the same secret it is right 84.4% of the time.']
    """
    if not document["repeated"]:
        return []
    last = document["repeated"][-1]
    after = f"After {many(last['observations'])} observations of the same secret it is"
    if last["observations"] == 1:
        after = "After 1 observation it is"
    drawn = "" if not last["error"] else f" (standard error {number(last['error'])}, from random sequences)"
    if counts_wrong_guesses(document):
        return [f"{after} right {percent(1 - last['average'])} of the time{drawn}."]
    return [f"{after} off by {short(last['average'])} ({document['error_unit']}) on average{drawn}."]


def confidence(document: Document) -> str:
    """How long the attacker's list of likely values is, before and after observing.

    >>> found = {"mass": 0.95, "prior": 3, "least": 1, "average": 1.5, "most": 2, "error": 0.0}
    >>> confidence({"confidence": found})
    'Values with 95% of the probability: 3 before; after 1 to 2, on average 1.5'
    """
    found = document["confidence"]
    least, most = many(found["least"]), many(found["most"])
    after = least if least == most else f"{least} to {most}, on average {number(found['average'])}"
    share = percent(found["mass"])
    return f"Values with {share} of the probability: {many(found['prior'])} before; after {after}"


BELIEVED = {
    "error": "error of their estimates",
    "believed_error": "error they expect",
    "uncertainty": "uncertainty, bits (0: certain)",
    "inaccuracy": "distance from the true posterior, 0 to 1",
    "incorrectness": "distance of the truth from their belief",
}


def believed(document: Document) -> list[str]:
    """How much an attacker who believes another prior gets wrong, beside one who knows the true one."""
    found = document["believed"]
    if found is None:
        return []
    wrong, right = (short(one) for one in (found["error"]["average"], found["right"]))
    return [
        f"An attacker who believes the other prior has an error of {wrong} instead of {right}, and expects "
        f"{short(found['believed_error']['average'])}."
    ]


def short(value: float) -> str:
    """A number with three digits that matter.

    >>> short(1.4979), short(0.0), short(1234.5)
    ('1.5', '0', '1234.5')
    """
    return number(value) if abs(value) >= 1000 else f"{value:.3g}"


def counts_wrong_guesses(document: Document) -> bool:
    """Whether the error is the probability of a wrong guess, and not a distance or a cost."""
    wrong = document["distortion"] == "hamming" or document.get("tolerance") is not None
    return bool(wrong and document.get("abstain") is None)


def error_title(document: Document) -> str:
    """What the attacker's error is counted in, as the title of an axis."""
    if counts_wrong_guesses(document):
        return "probability of a wrong guess"
    return f"attacker's error ({document['error_unit']})"


def error_format(document: Document) -> str:
    """How the attacker's error is written at an axis."""
    return "~%" if counts_wrong_guesses(document) else ".3~g"


def _right(document: Document) -> str:
    tolerance = document["tolerance"]
    return "right" if tolerance is None else f"within {number(tolerance)} of it"


def sampled(document: Document) -> list[str]:
    """What is exact for this table, what may be true of the population, what unrelated columns give."""
    found = document["sampled"]
    if found is None:
        return []
    if found["undefined"] is not None:
        return [f"Discrimination rate: undefined, since {found['undefined']}"]
    test = found["test"]
    rate = "undefined" if found["rate"] is None else f"{number(found['rate'])} of what there is to know"
    sentences = [
        f"Discrimination rate, this table: {rate} (exact)",
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
    """The information in a sample of this size, as far as a correction can say."""
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
        return f"unknown, since {found['reason']}"
    between = f"between {_rounded(found['low'])} and {_rounded(found['high'])}"
    if found["estimate"] is None:
        return f"{between} ({found['reason']})"
    return f"about {_rounded(found['estimate'])}, {between} (95% interval)"


def _rounded(rate: float) -> str:
    return number(round(rate, 3))
