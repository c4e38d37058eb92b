"""Attacks on a release: what someone with certain knowledge can learn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from divulge.attacks.background import background_knowledge
from divulge.attacks.homogeneity import homogeneity
from divulge.attacks.identity import identity_black_box, identity_grey_box, identity_white_box
from divulge.attacks.outcome import AttackReading, Outcome, ValueLine
from divulge.attacks.risks import journalist, marketer, prosecutor
from divulge.attacks.similarity import similarity
from divulge.attacks.skewness import skewness
from divulge.attacks.summary import summary

if TYPE_CHECKING:
    from divulge.attacks.linked_records import linked_distance, linked_interval, linked_probability

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

# Imported when first used: most that needs an attack links no records.
_LINKED = ("linked_distance", "linked_interval", "linked_probability")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LINKED:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(import_module(f"{__name__}.linked_records"), name)
