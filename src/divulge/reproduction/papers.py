"""The papers whose experiments are made anew; the experiments of one are imported when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

from divulge.errors import ParameterError, not_among
from divulge.reproduction.experiment import Experiment, Paper

#: A kind with its numbers, "tables 2.3 to 2.5 and 3"; and each number, or range of numbers, of a list.
NAMED = re.compile(r"(figure|table|example|equation)s? ([\d.]*\d(?:(?:, | and | to )[\d.]*\d)*)")
LISTED = re.compile(r"([\d.]*\d)(?: to ([\d.]*\d))?")

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


def covered(where: str) -> set[str]:
    """The figures, tables, examples and equations that a place in a paper names, as items.

    >>> sorted(covered("Tables 2.3 to 2.5, figure 4 and section 3"))
    ['figure-4', 'table-2.3', 'table-2.4', 'table-2.5']
    """
    found = set()
    for kind, listed in NAMED.findall(where.lower()):
        for first, last in LISTED.findall(listed):
            chapter, _, begin = first.rpartition(".")
            end = (last or first).rpartition(".")[2]
            found |= {
                f"{kind}-{chapter}{'.' if chapter else ''}{number}"
                for number in range(int(begin), int(end) + 1)
            }
    return found


def experiments(name: str | None = None, item: str | None = None) -> Iterator[Experiment]:
    """The experiments of all papers, of one, or one of them; an item may also be a figure that one covers."""
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
        there = [one for one in chosen if item in covered(one.where)]
        if there:
            yield from there
            return
        message, hint = not_among(item, [one.item for one in chosen], f"experiment of '{name}'")
        raise ParameterError(message, hint=hint)
    yield chosen[item]
