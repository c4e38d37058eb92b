"""Which measure fits which attacker: a few questions, and the measures that answer them with reasons.

The attacker's remaining error is the yardstick; each measure is that error, or bounds it, under
assumptions about the attacker. The questions ask for these assumptions (rebollo2013, sections V and VII).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from divulge._support.wording import enumerated
from divulge.errors import ParameterError
from divulge.measures import MEASURES
from divulge.measures.population_figures import FIGURES

Value = str | bool
Domain = Literal["table", "communication", "location", "other"]
Occurrences = Literal["single", "multiple"]
Case = Literal["worst", "average", "best"]


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


@dataclass(frozen=True)
class Advice:
    """A measure that fits, and why."""

    measure: str  # its name in the registry, or where it is: estimation.information.entropy.min_entropy
    title: str
    why: str
    reference: str  # a key of divulge._support.references


@dataclass(frozen=True)
class MeasureFit:
    """Where a measure fits: the answers it goes with, and the reason."""

    measure: str
    why: str
    case: Case
    distortions: frozenset[str]  # of hamming, known, unknown
    occurrences: frozenset[str]
    domains: frozenset[str]

    @property
    def advice(self) -> Advice:
        registered = MEASURES.get(self.measure) or FIGURES.get(self.measure)
        if registered is not None:
            return Advice(self.measure, registered.title, self.why, registered.reference)
        title, reference = ELSEWHERE[self.measure]
        return Advice(f"estimation.{self.measure}", title, self.why, reference)


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

#: Measures outside the registry, of `divulge.estimation`: title and reference.
ELSEWHERE = {
    "information.bounds.delta_disclosure": ("delta-disclosure of a channel", "brickell2008"),
    "information.bounds.epsilon": ("Epsilon of a channel", "rebollo2013"),
    "information.bounds.maximum_divergence": (
        "Largest divergence of a posterior from the prior",
        "rebollo2013",
    ),
    "information.entropy.average_map_error": ("Error of the most likely guess, on average", "rebollo2013"),
    "information.entropy.confidence_set": ("Size of a confidence set", "rebollo2013"),
    "information.entropy.hartley_entropy": ("Hartley entropy", "rebollo2013"),
    "information.entropy.min_entropy": ("Min-entropy", "rebollo2013"),
    "information.entropy.renyi_entropy": ("Rényi entropy", "rebollo2013"),
    "information.entropy.shannon_entropy": ("Shannon entropy", "shannon1948"),
    "information.leakage.mutual_information": ("Mutual information of a channel", "rebollo2013"),
    "mechanisms.optimal.optimal_mechanism": ("The best mechanism within a distortion budget", "rebollo2013"),
    "channels.privacy.privacy": ("The attacker's estimation error", "rebollo2013"),
    "attackers.sequences.privacy_after": ("Estimation error after many observations", "rebollo2013"),
    "attackers.traces.HiddenMarkov": ("Estimation error along a trace", "rebollo2013"),
    "attackers.typical.conditionally_typical_set": ("Size of the typical set", "rebollo2013"),
}


def _fit(measure: str, case: Case, distortions: str, occurrences: str, domains: str, why: str) -> MeasureFit:
    words = (frozenset(given.split()) for given in (distortions, occurrences, domains))
    return MeasureFit(measure, why, case, *words)


ANY, CHANNEL = "table communication location other", "communication location other"
FITS = (
    # -- right or wrong, one observation: the probability of a wrong guess, and the entropies ------
    _fit(
        *("worst_posterior", "worst", "hamming", "single", "table"),
        "An attacker with one guess names the most likely value. One minus this measure is how often they "
        "are wrong in the worst case; its negative logarithm is the min-entropy.",
    ),
    _fit(
        *("reidentification_risk", "worst", "hamming", "single", "table"),
        "The same guess when the secret is whose record it is.",
    ),
    _fit(
        *("t_closeness", "worst", "hamming", "single", "table"),
        "It bounds how much any attacker's error falls by knowing the group, also this attacker's, "
        "for whom the largest distance is 1.",
    ),
    _fit(
        *("information.entropy.min_entropy", "worst", "hamming", "single", CHANNEL),
        "An attacker with one guess names the most likely value and is wrong 1 - 2^(-Hmin) of the time. No "
        "Rényi entropy is smaller.",
    ),
    _fit(
        *("channels.privacy.privacy", "worst", "hamming", "single", ANY),
        "The error itself after each observation, with the attacker's guesses; the worst case is the "
        "smallest.",
    ),
    _fit(
        *("mutual_information", "average", "hamming", "single", "table"),
        "How much the keys lower the entropy of the target, on average over records.",
    ),
    _fit(
        *("conditional_entropy", "average", "hamming", "single", "table"),
        "It uses the attacker's whole posterior distribution, not only its largest value.",
    ),
    _fit(
        *("information.entropy.shannon_entropy", "average", "hamming", "single", CHANNEL),
        "It uses the attacker's whole posterior distribution, not only its largest value, and lies "
        "between the min-entropy and the Hartley entropy.",
    ),
    _fit(
        *("information.entropy.average_map_error", "average", "hamming", "single", ANY),
        "How often the most likely guess is wrong, averaged over observations.",
    ),
    _fit(
        *("information.entropy.renyi_entropy", "average", "hamming", "single", ANY),
        "One family for all cases: order 0 is Hartley's, 1 Shannon's, infinity the min-entropy. Orders "
        "above 1 are closer to the worst case.",
    ),
    _fit(
        *("k_anonymity", "best", "hamming unknown", "single", "table"),
        "For re-identification the error is 1 - 1/k, if everyone in the group is equally likely to the "
        "attacker. The smallest group counts, but the assumption about the attacker is the best case.",
    ),
    _fit(
        *("distinct_l_diversity", "best", "hamming unknown", "single", "table"),
        "For the sensitive value the error is 1 - 1/l, if all values of the group are equally likely "
        "to the attacker. The least varied group counts, but the assumption about the attacker is the best "
        "case.",
    ),
    _fit(
        *("information.entropy.hartley_entropy", "best", "hamming unknown", "single", CHANNEL),
        "It counts all possible values, however improbable, for an attacker who rules out nothing else.",
    ),
    _fit(
        *("information.entropy.confidence_set", "best", "hamming unknown", "single", ANY),
        "How many values have nearly all the probability: the list for an attacker who tries every "
        "candidate. With all the probability it is the Hartley entropy.",
    ),
    # -- the same of a table that is a sample --
    _fit(
        *("dis_suda", "worst", "hamming", "single", "table"),
        "If the table is a sample: how often a match with the record is right that fewest attributes make "
        "unique.",
    ),
    _fit(
        *("match_chance", "average", "hamming", "single", "table"),
        "If the table is a sample: how often a match with a unique record is right, since others outside may "
        "fit as well.",
    ),
    # -- right or wrong, a sequence ----------------------------------------------------------------
    _fit(
        *("attackers.sequences.privacy_after", "worst", "hamming known", "multiple", ANY),
        "One secret observed repeatedly: the least error over all sequences of observations.",
    ),
    _fit(
        *("information.entropy.min_entropy", "worst", "hamming", "multiple", ANY),
        "Independent secrets, one for each observation: the most likely sequence consists of the most likely "
        "values, and their min-entropies add up.",
    ),
    _fit(
        *("attackers.traces.HiddenMarkov", "worst", "hamming known", "multiple", ANY),
        "A secret that moves: how often the most likely path is wrong, and the step that the trace reveals "
        "most about.",
    ),
    _fit(
        *("information.entropy.shannon_entropy", "average", "hamming", "multiple", ANY),
        "Nearly all probability of long sequences is on 2^(nH) that are about equally likely: the entropy "
        "is the logarithm of the attacker's list, per element.",
    ),
    _fit(
        *("attackers.typical.conditionally_typical_set", "average", "hamming", "multiple", ANY),
        "How many sequences of secrets remain given the observations, counted, or bounded where they are too "
        "many.",
    ),
    _fit(
        *("attackers.sequences.privacy_after", "average", "hamming known", "multiple", ANY),
        "One secret observed repeatedly: how the error falls with their number.",
    ),
    _fit(
        *("attackers.traces.HiddenMarkov", "average", "hamming known", "multiple", ANY),
        "A secret that moves: the error at each step of a trace, in hindsight or as it happens.",
    ),
    _fit(
        *("information.entropy.hartley_entropy", "best", "hamming unknown", "multiple", ANY),
        "It counts the sequences that are possible: the Hartley entropies of independent secrets add up.",
    ),
    # -- by degrees, with a distance that is known: the error itself -------------------------------
    _fit(
        *("channels.privacy.privacy", "worst", "known", "single", ANY),
        "The expected distance of the best estimate, and its smallest value over observations. It measures "
        "directly what the attacker wants.",
    ),
    _fit(
        *("mechanisms.optimal.optimal_mechanism", "worst", "known", "single", ANY),
        "The mechanism with the largest error in the worst case, if you can still choose the mechanism.",
    ),
    _fit(
        *("channels.privacy.privacy", "average", "known", "single", ANY),
        "The expected distance of the best estimate, averaged over observations: for squared error the mean "
        "squared error.",
    ),
    _fit(
        *("mechanisms.optimal.optimal_mechanism", "average", "known", "single", ANY),
        "The mechanism with the largest error on average, if you can still choose the mechanism.",
    ),
    _fit(
        *("channels.privacy.privacy", "best", "known", "single", ANY),
        "The expected distance of the best estimate, and its largest value over observations.",
    ),
    _fit(
        *("attackers.sequences.privacy_after", "best", "known", "multiple", ANY),
        "One secret observed repeatedly: the largest error over all sequences of observations.",
    ),
    _fit(
        *("attackers.traces.HiddenMarkov", "best", "known", "multiple", ANY),
        "A secret that moves: the step that the trace reveals least about.",
    ),
    # -- by degrees, with a distance that is not known: how far beliefs move -----------------------
    _fit(
        *("t_closeness", "worst", "unknown", "single multiple", "table"),
        "Whatever the distance, an attacker's error falls by at most 2 d_max times the total variation "
        "between what they believe before and after. With the ground 'equal' this is its largest value over "
        "classes.",
    ),
    _fit(
        *("kl_closeness", "worst", "unknown", "single multiple", "table"),
        "The divergence of a group from the table bounds the total variation: looser, and easier to compute "
        "with. This is its largest value over groups.",
    ),
    _fit(
        *("delta_disclosure", "worst", "unknown", "single multiple", "table"),
        "The strictest: how much more or less likely any value becomes in any group. It bounds the "
        "divergence.",
    ),
    _fit(
        *("information.bounds.maximum_divergence", "worst", "unknown", "single multiple", CHANNEL),
        "Whatever the distance, how far beliefs move bounds the fall of the error; this is the most any "
        "observation moves them. For a sequence, apply it to the repeated channel.",
    ),
    _fit(
        *("information.bounds.delta_disclosure", "worst", "unknown", "single multiple", CHANNEL),
        "Stricter: how much more or less likely any value becomes by any observation. It bounds the "
        "divergence.",
    ),
    _fit(
        *("information.bounds.epsilon", "worst", "unknown", "single multiple", CHANNEL),
        "The strictest: how differently any two secrets appear, as in differential privacy. It needs no "
        "prior, and bounds delta-disclosure for all of them.",
    ),
    _fit(
        *("mutual_information", "average", "unknown", "single multiple", "table"),
        "How far beliefs move on average over records: the mean of the divergences whose largest is "
        "kl_closeness, and a bound on the mean square of the fall of any error.",
    ),
    _fit(
        *("information.leakage.mutual_information", "average", "unknown", "single multiple", CHANNEL),
        "How far beliefs move on average, which bounds the mean square of the fall of any error. For a "
        "sequence, apply it to the repeated channel.",
    ),
    _fit(
        *("mechanisms.optimal.optimal_mechanism", "average", "unknown", "single", ANY),
        "The mechanism of least mutual information within a distortion budget, as in rate-distortion "
        "theory, if you can still choose the mechanism.",
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
    >>> [advice.measure for advice in table]
    ['k_anonymity', 'distinct_l_diversity', 'estimation.information.entropy.confidence_set']
    """
    given = {"domain": domain, "hamming": hamming, "occurrences": occurrences, "case": case}
    for question in QUESTIONS:
        if question.name in given:
            question.check(given[question.name])
        elif question.needed(given):
            question.check(distortion_known)
    distortion = "hamming" if hamming else "known" if distortion_known else "unknown"
    return [
        fit.advice
        for fit in FITS
        if fit.case == case
        and distortion in fit.distortions
        and occurrences in fit.occurrences
        and domain in fit.domains
    ]
