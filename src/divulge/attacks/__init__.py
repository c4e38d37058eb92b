"""Attacks on a release: what someone with certain knowledge can learn."""

from divulge.attacks.background import background_knowledge
from divulge.attacks.homogeneity import homogeneity
from divulge.attacks.identity import identity_black_box, identity_grey_box, identity_white_box
from divulge.attacks.linked_records import linked_distance, linked_interval, linked_probability
from divulge.attacks.outcome import AttackReading, Outcome, ValueLine
from divulge.attacks.risks import journalist, marketer, prosecutor
from divulge.attacks.similarity import similarity
from divulge.attacks.skewness import skewness
from divulge.attacks.summary import summary

__all__ = [
    "AttackReading",
    "Outcome",
    "ValueLine",
    "background_knowledge",
    "homogeneity",
    "identity_black_box",
    "identity_grey_box",
    "identity_white_box",
    "journalist",
    "linked_distance",
    "linked_interval",
    "linked_probability",
    "marketer",
    "prosecutor",
    "similarity",
    "skewness",
    "summary",
]
