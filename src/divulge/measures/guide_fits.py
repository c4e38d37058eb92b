"""Which measures fit which attacker, with the reason and the command that prints them.

The attacker's remaining error is the yardstick; each measure is that error, or bounds it, under
assumptions about the attacker (rebollo2013, sections V and VII).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from divulge.measures import MEASURES
from divulge.measures.guide_commands import command_for
from divulge.measures.population_figures import FIGURES

Domain = Literal["table", "communication", "location", "other"]
Occurrences = Literal["single", "multiple"]
Case = Literal["worst", "average", "best"]


@dataclass(frozen=True)
class Advice:
    """A measure that fits, and why."""

    measure: str  # its name in the registry, or where it is: estimation.information.entropy.min_entropy
    title: str
    why: str
    reference: str  # a key of divulge._support.references
    command: str  # what to run, with names to fill in


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
        return self.advice_in("table" if "table" in self.domains else "other", min(self.distortions))

    def advice_in(self, domain: Domain, distortion: str) -> Advice:
        """The measure, with the command for what is released or observed, and how estimates are judged."""
        several = "multiple" in self.occurrences
        command = command_for(self.measure, domain, self.case, distortion, several)
        registered = MEASURES.get(self.measure) or FIGURES.get(self.measure)
        if registered is not None:
            return Advice(self.measure, registered.title, self.why, registered.reference, command)
        title, reference = ELSEWHERE[self.measure]
        return Advice(f"estimation.{self.measure}", title, self.why, reference, command)


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
    # -- the other measures of a table, right or wrong --
    _fit(
        *("alpha_k_anonymity", "worst", "hamming", "single", "table"),
        "The same as the worst posterior, under the name that is used with k-anonymity.",
    ),
    _fit(
        *("recursive_cl_diversity", "worst", "hamming", "single", "table"),
        "Whether the most frequent value of a group still dominates once l - 1 others are ruled out.",
    ),
    _fit(
        *("occurrence_difference", "worst", "hamming", "single", "table"),
        "How unevenly values occur inside a group: where they are even, a guess is as bad as it can be.",
    ),
    _fit(
        *("entropy_l_diversity", "worst", "hamming", "single", "table"),
        "The effective number of values in the least varied group, if the whole distribution matters.",
    ),
    _fit(
        *("entropy_l_diversity_risk", "worst", "hamming", "single", "table"),
        "One over that number, so that 1 is the riskiest.",
    ),
    _fit(
        *("itpr", "worst", "hamming", "single", "table"),
        "How far the most revealing key value determines the target, to compare attributes of different "
        "size.",
    ),
    _fit(
        *("entropy_drop", "worst", "hamming", "single", "table"),
        "How much less uncertain the least varied group is than the table, in bits.",
    ),
    _fit(
        *("normalized_entropy_drop", "worst", "hamming", "single", "table"),
        "The same as a share of what there is to know.",
    ),
    _fit(
        *("class_size_difference", "worst", "hamming", "single", "table"),
        "How unevenly large groups are, which is what ITPR on identities goes by.",
    ),
    _fit(
        *("attacker_error", "average", "hamming", "single", "table"),
        "The error itself: how often the best guess with the keys is wrong, over records.",
    ),
    _fit(
        *("discrimination_rate", "average", "hamming", "single", "table"),
        "The mutual information as a share of what there is to know, so that attributes can be compared.",
    ),
    _fit(
        *("normalized_conditional_entropy", "average", "hamming", "single", "table"),
        "One minus the discrimination rate: the share that stays unknown.",
    ),
    _fit(
        *("conditional_privacy", "average", "hamming", "single", "table"),
        "How much smaller the effective number of values becomes by knowing the keys.",
    ),
    _fit(
        *("entropy", "average", "hamming", "single", "table"),
        "What there is to know before any key is known; compare the others with it.",
    ),
    _fit(
        *("uniqueness", "average", "hamming", "single", "table"),
        "If the secret is whose record it is: the share of people who are alone with their keys.",
    ),
    _fit(
        *("average_class_size", "average", "hamming", "single", "table"),
        "If the secret is whose record it is: among how many people one is hidden, over groups.",
    ),
    _fit(
        *("class_count", "average", "hamming", "single", "table"),
        "Its inverse but for the number of records: an attacker who guesses everybody is right once for "
        "each group.",
    ),
    _fit(
        *("best_attacker_error", "best", "hamming", "single", "table"),
        "The error itself in the group that reveals least.",
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
    _fit(
        *("population_unique", "average", "hamming", "single", "table"),
        "If the table is a sample: how many of its people are unique in the population as well.",
    ),
    _fit(
        *("expected_reidentifications", "average", "hamming", "single", "table"),
        "If the table is a sample: how many matches with the population are right, if everyone is tried.",
    ),
    _fit(
        *("k_map", "worst", "hamming", "single", "table"),
        "If the population is known: the fewest people there who are like someone in the table.",
    ),
    _fit(
        *("delta_presence", "worst", "hamming", "single", "table"),
        "If it is a secret that someone is in the table: how sure an attacker can become of it.",
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
        *("beta_likeness", "worst", "unknown", "single multiple", "table"),
        "How much more likely any value becomes in any group; becoming less likely does not count.",
    ),
    _fit(
        *("maximum_information_leakage", "worst", "unknown", "single multiple", "table"),
        "How many bits the most revealing key value gives about the target, whatever the distance.",
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
