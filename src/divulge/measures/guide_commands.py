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
    "table": "divulge attacker --table FILE --keys A,B --target X",
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


def command_for(measure: str, domain: str, case: str, several: bool = False) -> str:
    """What to run for a measure of the registry, of a population or of an attacker.

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
    return _of_attacker(measure, domain, case, several)


def _of_attacker(measure: str, domain: str, case: str, several: bool) -> str:
    if measure == "mechanisms.optimal.optimal_mechanism":
        given = "--table FILE --attribute X" if domain == "table" else "PRIOR.csv"
        return f"divulge attacker optimize {given} --budget D --goal {GOALS[case]}"
    if measure == "attackers.traces.HiddenMarkov":
        return "divulge attacker trace CHANNEL.csv --moves P.csv --observed A,B"
    if measure == "attackers.typical.conditionally_typical_set":
        return "divulge attacker typical --channel CHANNEL.csv --observed A,B"
    if measure == "attackers.sequences.privacy_after":
        released = "divulge attacker --table FILE --recipe FILE.toml --attribute X"
        return f"{released if domain == 'table' else CHANNELS[domain]} --observations N"
    if domain == "communication" and measure in DEGREES:
        return f"divulge attacker degrees POSTERIOR.csv{OPTIONS.get(measure, '')}"
    if several and measure.startswith("information.entropy."):
        return "divulge attacker typical PRIOR.csv --length N"
    if measure == "channels.privacy.privacy" and domain == "location":
        return "divulge attacker location --noise laplace --scale S --distortion euclidean"
    return f"{CHANNELS[domain]}{OPTIONS.get(measure, '')}"
