"""The experiments of the thesis."""

from divulge.reproduction.thesis import (
    attacks,
    differential_privacy,
    identifiers,
    mechanisms,
    semantic_rates,
    uniqueness,
    utility,
)
from divulge.reproduction.thesis.adult import closeness, identity
from divulge.reproduction.thesis.adult import utility as adult_utility
from divulge.reproduction.thesis.paper import PAPER
from divulge.reproduction.thesis.stars import tables

__all__ = [
    "PAPER",
    "adult_utility",
    "attacks",
    "closeness",
    "differential_privacy",
    "identifiers",
    "identity",
    "mechanisms",
    "semantic_rates",
    "tables",
    "uniqueness",
    "utility",
]
