"""The papers whose experiments are made anew; the experiments of one are imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from divulge.errors import ParameterError, not_among
from divulge.reproduction.experiment import Experiment, Paper

#: Every paper by its short name: the module whose `PAPER` holds its experiments.
MODULES = {
    "itpr": "divulge.reproduction.itpr",
    "sedr": "divulge.reproduction.semantic_rate",
    "thesis": "divulge.reproduction.thesis",
    "estimation": "divulge.reproduction.estimation_error",
    "release": "divulge.reproduction.release",
    "together": "divulge.reproduction.together",
}


def paper(name: str) -> Paper:
    """A paper with its experiments."""
    if name not in MODULES:
        message, hint = not_among(name, [*MODULES], "paper")
        raise ParameterError(message, hint=hint)
    found: Paper = import_module(MODULES[name]).PAPER
    return found


def experiments(name: str | None = None, item: str | None = None) -> Iterator[Experiment]:
    """The experiments of all papers, of one, or one of them."""
    if name is None:
        for one in MODULES:
            yield from paper(one)
        return
    chosen = paper(name)
    if item is None:
        yield from chosen
        return
    elsewhere = [one for one in chosen if item in one.shown]
    if item not in chosen and elsewhere:
        yield from elsewhere
        return
    if item not in chosen:
        message, hint = not_among(item, [one.item for one in chosen], f"experiment of '{name}'")
        raise ParameterError(message, hint=hint)
    yield chosen[item]
