"""Which measure fits which attacker: a few questions, and the measures that answer them with reasons.

The attacker's remaining error is the yardstick; each measure is that error, or bounds it, under
assumptions about the attacker. The questions ask for these assumptions (rebollo2013, sections V and VII).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from divulge._support.wording import enumerated
from divulge.errors import ParameterError
from divulge.measures.guide_fits import FITS, Advice, Case, Domain, Occurrences

Value = str | bool


@dataclass(frozen=True)
class GuideAnswer:
    """One of the answers to a question, and what it says about the attacker."""

    value: Value
    meaning: str


@dataclass(frozen=True)
class GuideQuestion:
    """Something to know about the attacker before a measure can be chosen."""

    name: str  # the parameter of `recommend`
    text: str
    why: str
    answers: tuple[GuideAnswer, ...]

    def needed(self, given: Mapping[str, Value]) -> bool:
        """Whether it is needed after other answers: Hamming distortion is known once it is named."""
        return self.name not in given and not (self.name == "distortion_known" and given.get("hamming"))

    def check(self, value: Value | None) -> None:
        """Refuse what is none of the answers."""
        allowed = [answer.value for answer in self.answers]
        if value not in allowed:
            raise ParameterError(
                f"{value!r} is not an answer to '{self.name}'.",
                hint=f"Choose from {enumerated([str(one) for one in allowed])}.",
            )


QUESTIONS = (
    GuideQuestion(
        "domain",
        "What is released or observed?",
        "Each field has its own measures; some are the same number under another name.",
        (
            GuideAnswer("table", "A table of records about people, as in statistical disclosure control."),
            GuideAnswer("communication", "Messages whose sender or receiver should stay unknown."),
            GuideAnswer("location", "Places where someone is or was."),
            GuideAnswer("other", "Anything else that a prior and a channel describe."),
        ),
    ),
    GuideQuestion(
        "hamming",
        "Is an estimate only right or wrong, with nothing in between?",
        "Then the attacker's error is a probability, and entropies measure it.",
        (
            GuideAnswer(True, "Right or wrong: an identity, a diagnosis, whether someone was at the clinic."),
            GuideAnswer(False, "By degrees: an income, a place on a map, a diagnosis of the same kind."),
        ),
    ),
    GuideQuestion(
        "distortion_known",
        "Do you know how the attacker measures the distance between estimate and truth?",
        "Then the error can be computed. If not, only a bound on how much it falls.",
        (
            GuideAnswer(True, "Known: metres for places, money for incomes, or a matrix of distances."),
            GuideAnswer(False, "Not known, except the largest possible distance."),
        ),
    ),
    GuideQuestion(
        "occurrences",
        "Does the attacker see one observation or a sequence?",
        "Many observations together may reveal what one does not.",
        (
            GuideAnswer("single", "One: a release, a message, a place."),
            GuideAnswer(
                "multiple", "Several: many messages of one person, a trace of places, repeated releases."
            ),
        ),
    ),
    GuideQuestion(
        "case",
        "Which case do you want to measure?",
        "A mechanism that is best in the worst case is not best on average, and vice versa.",
        (
            GuideAnswer(
                "worst",
                (
                    "The worst case: the attacker guesses the most likely value after the most revealing "
                    "observation."
                ),
            ),
            GuideAnswer("average", "The average over everything the attacker may observe."),
            GuideAnswer("best", "The best case: the attacker only knows what is possible."),
        ),
    ),
)


def recommend(
    *,
    domain: Domain,
    hamming: bool,
    distortion_known: bool | None = None,
    occurrences: Occurrences,
    case: Case,
) -> list[Advice]:
    """The measures that fit an attacker, those first that fit best.

    Whether the distortion is known is left out where it is Hamming's.

    >>> table = recommend(domain="table", hamming=True, occurrences="single", case="best")
    >>> [advice.measure for advice in table[:2]]
    ['k_anonymity', 'distinct_l_diversity']
    >>> table[0].command
    'divulge measure FILE --keys A,B --measure k_anonymity'
    """
    given = {"domain": domain, "hamming": hamming, "occurrences": occurrences, "case": case}
    for question in QUESTIONS:
        if question.name in given:
            question.check(given[question.name])
        elif question.needed(given):
            question.check(distortion_known)
    distortion = "hamming" if hamming else "known" if distortion_known else "unknown"
    return [
        fit.advice_in(domain, distortion)
        for fit in FITS
        if fit.case == case
        and distortion in fit.distortions
        and occurrences in fit.occurrences
        and domain in fit.domains
    ]
