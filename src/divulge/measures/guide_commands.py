"""The command that prints a measure which the guide names, with names to fill in."""

from __future__ import annotations

from divulge.measures import MEASURES
from divulge.measures.population_figures import FIGURES

OF_RECORDS = {  # the secret is whose record it is
    "k_anonymity",
    "reidentification_risk",
    "uniqueness",
    "average_class_size",
    "class_count",
    "class_size_difference",
}
KNOWN_POPULATION = {"k_map", "delta_presence"}
#: What a channel is, by what is released or observed.
CHANNELS = {
    "table": "divulge attacker --file FILE --keys A,B --target X",
    "communication": "divulge attacker CHANNEL.csv",
    "location": "divulge attacker CHANNEL.csv",
    "other": "divulge attacker CHANNEL.csv",
}
#: What the degrees of anonymity of a posterior include.
DEGREES = {f"information.entropy.{name}_entropy" for name in ("hartley", "shannon", "min", "renyi")}
GOALS = {"worst": "worst", "average": "average", "best": "average"}
OPTIONS = {
    "information.entropy.confidence_set": " --confidence 0.95",
    "information.entropy.renyi_entropy": " --renyi 0.5,3",
}


def command_for(
    measure: str, domain: str, case: str, distortion: str = "hamming", several: bool = False
) -> str:
    """What to run for a measure of the registry, of a population or of an attacker.

    ``distortion`` is hamming, or the distance is known or unknown; ``several`` observations are a sequence.

    >>> command_for("information.entropy.renyi_entropy", "location", "average")
    'divulge attacker CHANNEL.csv --renyi 0.5,3'
    """
    if measure in MEASURES:
        target = "" if measure in OF_RECORDS else " --target X"
        return f"divulge measure FILE --keys A,B{target} --measure {measure}"
    if measure in FIGURES:
        beside = "--population FILE" if measure in KNOWN_POPULATION else "--fraction F"
        special = " --special" if measure == "dis_suda" else ""
        return f"divulge uniqueness FILE --keys A,B {beside}{special}"
    if measure == "mechanisms.optimal.optimal_mechanism":
        given = "--file FILE --attribute X" if domain == "table" else "PRIOR.csv"
        goal = "information" if distortion == "unknown" else GOALS[case]
        return f"divulge attacker optimize {given} --budget D --goal {goal}{_distance(distortion)}"
    return _of_sequence(measure, domain, distortion) or _of_channel(measure, domain, distortion, several)


def _of_sequence(measure: str, domain: str, distortion: str) -> str | None:
    """What to run for a measure of a sequence; None for any other."""
    by = _distance(distortion)
    if measure == "attackers.traces.HiddenMarkov":
        return f"divulge attacker trace CHANNEL.csv --moves P.csv --observed A,B{by}"
    if measure == "attackers.typical.conditionally_typical_set":
        return "divulge attacker typical --channel CHANNEL.csv --observed A,B"
    if measure == "attackers.sequences.privacy_after":
        released = "divulge attacker --file FILE --recipe FILE.toml --attribute X"
        return f"{released if domain == 'table' else CHANNELS[domain]} --observations N{by}"
    return None


def _of_channel(measure: str, domain: str, distortion: str, several: bool) -> str:
    if domain == "communication" and measure in DEGREES:
        return f"divulge attacker degrees POSTERIOR.csv{OPTIONS.get(measure, '')}"
    if several and measure.startswith("information.entropy."):
        return "divulge attacker typical PRIOR.csv --length N"
    if measure == "channels.privacy.privacy" and domain == "location":
        name = "hamming" if distortion == "hamming" else "NAME"  # its default is a distance
        return f"divulge attacker location --noise laplace --noise-scale S --distortion {name}"
    return f"{CHANNELS[domain]}{OPTIONS.get(measure, _distance(distortion))}"


def _distance(distortion: str) -> str:
    """The option that names a distance which is known; right or wrong is the default."""
    return " --distortion NAME" if distortion == "known" else ""
