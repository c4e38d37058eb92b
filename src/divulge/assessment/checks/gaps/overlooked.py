"""Attributes without a role that may identify people all the same: no check counts them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from divulge._support.wording import records
from divulge.assessment.checks.identifiers import called_in_words, differing_attributes
from divulge.assessment.scope import Scope
from divulge.errors import counted
from divulge.policy import Demands
from divulge.roles.proposal import propose
from divulge.table.schema import Role

UNIQUE = 0.05  # of the records, from which on an attribute that is alone on them identifies people
MOST_SAID = 5


@dataclass(frozen=True)
class Overlooked:
    """An attribute that is not measured, and why it may identify; ``declared`` is one called other."""

    attribute: str
    reason: str
    declared: bool


def overlooked_attributes(demands: Demands, scope: Scope, given: Collection[str]) -> list[Overlooked]:
    """Attributes without a role that are known to others, or by which alone many records are unique.

    One of the ``given``, whose role someone chose, may be known to others by that choice. Those that name
    people or differ in nearly every record have a check of their own.
    """
    data = scope.data
    weight = scope.population.weight if scope.population else None
    apart = {scope.household, weight, *demands.allowed, *differing_attributes(data, ())}
    free = [name for name in scope.others if name in data.released_attributes and name not in apart]
    found = list[Overlooked]()
    for looks in propose(data, free) if free else ():
        if looks.role is Role.IDENTIFIER or looks.shared:
            continue
        name, declared = looks.attribute, looks.attribute in given
        shown, unique = called_in_words(data, name), data.summary(name).lone
        if unique and unique >= UNIQUE * data.records:
            said = f"{records(unique, of=data.records)} are unique by '{shown}' alone"
        elif looks.role is Role.QUASI_IDENTIFIER and looks.sure and not declared:
            said = f"'{shown}' may identify people, since {looks.reasons[0]}"
        else:
            continue
        found.append(Overlooked(name, said, declared))
    return found


def in_words_of(found: Sequence[Overlooked]) -> Iterator[str]:
    """What these attributes leave open and what to do, in words; those called other apart."""
    for declared, what in ((False, "without a role"), (True, "with the role other")):
        own = [each.reason for each in found if each.declared is declared]
        if own:
            one = len(own) == 1
            said = "; ".join(
                [*own[:MOST_SAID], *([f"and {len(own) - MOST_SAID} more"] if own[MOST_SAID:] else [])]
            )
            yield (
                f"{counted(len(own), 'attribute')} {what} {'was' if one else 'were'} not measured: {said}. "
                f"Give {'it' if one else 'each'} {'another' if declared else 'a'} role, or leave it out."
            )
