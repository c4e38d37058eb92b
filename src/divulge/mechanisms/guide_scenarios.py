"""What hides messages, places and other secrets that are no table, with the command that measures it."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.measures.guide_fits import Advice


@dataclass(frozen=True)
class ScenarioFit:
    """What hides messages, places or another secret, against whom it helps, and why."""

    mechanism: str  # where it is in divulge.estimation
    title: str
    domains: str
    cases: str
    distortions: str
    why: str
    reference: str
    command: str

    @property
    def advice(self) -> Advice:
        return Advice(f"estimation.{self.mechanism}", self.title, self.why, self.reference, self.command)


SCENARIO_FITS = (
    ScenarioFit(
        "scenarios.crowds.Crowd",
        "Crowds",
        "communication",
        "worst average best",
        "hamming unknown",
        "Users pass messages on to each other, so that the one who submits is seldom the one who started.",
        "reiterrubin1998",
        "divulge attacker crowds --users N --submit P",
    ),
    ScenarioFit(
        "scenarios.mixes.threshold_mix",
        "A mix that waits for messages",
        "communication",
        "worst average best",
        "hamming unknown",
        "Messages leave together and in random order; a pool that stays inside mixes several rounds.",
        "serjantov2002",
        "divulge attacker mix --messages N --batch N --pool N",
    ),
    ScenarioFit(
        "scenarios.mixes.timed_mix",
        "A mix that sends at regular times",
        "communication",
        "average",
        "hamming unknown",
        "Nobody waits longer than the interval, but few messages at a time hide little.",
        "serjantov2002",
        "divulge attacker mix --times T,T --period D --pool N",
    ),
    ScenarioFit(
        "scenarios.location.PlanarLaplace",
        "Laplace noise on a map",
        "location",
        "worst average",
        "hamming known unknown",
        "It bounds epsilon for each unit of distance, whatever the attacker knows.",
        "andres2013",
        "divulge attacker location --noise laplace --noise-scale S",
    ),
    ScenarioFit(
        "scenarios.location.Gaussian",
        "Normal noise on a map",
        "location",
        "average",
        "known",
        "Reported places are off by a known spread.",
        "rebollo2013",
        "divulge attacker location --noise gaussian --noise-scale S --distortion squared",
    ),
    ScenarioFit(
        "mechanisms.optimal.optimal_mechanism",
        "The best mechanism within a budget",
        "communication location other",
        "worst",
        "hamming",
        "No other rule for what is shown leaves the attacker more error at the same loss.",
        "rebollo2013",
        "divulge attacker optimize PRIOR.csv --budget D --goal worst",
    ),
    ScenarioFit(
        "mechanisms.optimal.optimal_mechanism",
        "The best mechanism within a budget",
        "communication location other",
        "average",
        "hamming",
        "No other rule for what is shown leaves the attacker more error at the same loss.",
        "rebollo2013",
        "divulge attacker optimize PRIOR.csv --budget D --goal average",
    ),
)
