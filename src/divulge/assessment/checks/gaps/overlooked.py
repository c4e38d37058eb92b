"""Attributes without a role that may identify people all the same: no check counts them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from divulge._support.wording import many, records
from divulge.assessment.checks.identifiers import called_in_words
from divulge.assessment.naming import differing_attributes
from divulge.assessment.people.copies import unlike_others
from divulge.assessment.people.copies_there import repeated, without_roles
from divulge.assessment.scope import Scope
from divulge.errors import counted
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.roles.observed import ObservedColumn
from divulge.roles.proposal import Proposed, given_out, propose
from divulge.table.schema import Role

UNIQUE = 0.05  # of the records, from which on an attribute that is alone on them identifies people
PERSONS, NUMBERS = 50, 100  # different texts, or whole numbers, from which on they may number people
MOST_RECORDS = 20  # of a person
MOST = 0.5  # of the records, from which on an attribute may number people who have several
NEARLY_ALL = 0.9
LARGEST = 1000  # records for each value, beyond which it is not one person whom a value is about
MOST_SAID = 5

A_PERSONS = 40  # records for each value, up to which short codes too may be of people
_CODE = re.compile(r"(?=(?:.*\d){3})(?=.{5,})[\w-]+")
_SHORT = re.compile(r"(?=(?:.*\d){2})(?=(?:.*[^\W\d]){2})[\w-]{4}")  # initials and a year: YK37


@dataclass(frozen=True)
class Overlooked:
    """Attributes that are not measured, and why they may identify; ``declared`` are those called other."""

    attributes: tuple[str, ...]
    reason: str
    declared: bool
    lasting: bool = True  # whether it is so whatever becomes of other attributes


def overlooked_attributes(
    demands: Demands, scope: Scope, given: Collection[str], only: Collection[str] | None = None
) -> list[Overlooked]:
    """Attributes without a role that are known to others, or by which many records are unique or linked.

    All of them, or ``only`` some. One of the ``given``, whose role someone chose, may be known to others by
    that choice. Those that name people or differ in nearly every record have a check of their own.
    """
    data = scope.data
    weight = scope.population.weight if scope.population else None
    apart = {scope.household, weight, *demands.allowed, *differing_attributes(data, ())}
    asked = [name for name in scope.others if only is None or name in only]
    free = [name for name in asked if name in data.released_attributes and name not in apart]
    looked = [one for one in (propose(data, free) if free else ()) if one.role is not Role.IDENTIFIER]
    looked = [one for one in looked if not one.shared]
    found = list[Overlooked]()
    for looks in looked:
        declared = looks.attribute in given
        if said := _alone(data, looks, declared):
            found.append(Overlooked((looks.attribute,), said, declared))
        elif said := _by_several_records(data, looks.attribute):
            found.append(Overlooked((looks.attribute,), said, declared, lasting=False))
    rest = [one.attribute for one in looked if one.attribute not in given]
    return found if any(not one.declared for one in found) else [*found, *_together(data, rest)]


def _alone(data: Data, looks: Proposed, declared: bool) -> str:
    """Why one attribute may identify people, in words; empty where nothing says so."""
    shown, unique = called_in_words(data, looks.attribute), data.summary(looks.attribute).lone
    if unique and unique >= UNIQUE * data.records:
        return f"{records(unique, of=data.records)} are unique by '{shown}' alone"
    if looks.role is Role.QUASI_IDENTIFIER and looks.sure and not declared:
        return f"'{shown}' may identify people, since {looks.reasons[0]}"
    if few := _on_a_few(data, looks.attribute):
        return (
            f"'{shown}' may distinguish people who have several records, as an identifier does: "
            f"{records(few, of=data.records)} share its value with at most {MOST_RECORDS - 1} others"
        )
    return ""


def _by_several_records(data: Data, attribute: str) -> str:
    """Why the records of each value of an attribute identify people, in words; empty where they do not."""
    linked = _of_several(data, attribute)
    if not linked:
        return ""
    return (
        f"'{called_in_words(data, attribute)}' may distinguish people who have several records, as an "
        f"identifier does: its values look like numbers that were given out, and for {many(linked)} of them "
        "the records together are unique by the other attributes"
    )


def _on_a_few(data: Data, attribute: str) -> int:
    """The records that share a value with a few, where most do and values may number people; otherwise 0."""
    summary, column = data.summary(attribute), ObservedColumn.of(data, attribute)
    if MOST_RECORDS * summary.distinct < MOST * data.records or summary.distinct < PERSONS:
        return 0
    if column.kind != "text" and (summary.distinct < NUMBERS or not given_out(column)):
        return 0
    sizes, often = repeated(without_roles(data), [attribute])
    few = (sizes > 1) & (sizes <= MOST_RECORDS)
    linked = int((sizes * often)[few].sum())
    return linked if linked >= MOST * data.records else 0


def _of_several(data: Data, attribute: str) -> int:
    """How many values are on so many records each that it is their records together that are unique.

    Only of codes such as C471335103: towns have many records too, which are together unlike those of others.
    """
    summary, column = data.summary(attribute), ObservedColumn.of(data, attribute)
    each = data.records / max(summary.distinct, 1)
    if summary.distinct < PERSONS or not 2 <= each <= LARGEST:
        return 0
    short = each <= A_PERSONS and not column.patterns
    numbered = given_out(column) if column.kind == "whole number" else _look_numbered(column, short)
    if not numbered or not data.has_each_record():
        return 0
    others = [name for name in data.released_attributes if name != attribute]
    found = unlike_others(data, attribute, others)
    return found if found >= NEARLY_ALL * summary.distinct else 0


def _look_numbered(column: ObservedColumn, short: bool) -> bool:
    """Whether nearly all values are codes of one or two lengths with several digits, or ``short`` ones."""
    if column.kind != "text" or not column.sample:
        return False
    codes = [text for text in column.sample if _CODE.fullmatch(text) or (short and _SHORT.fullmatch(text))]
    lengths = Counter(map(len, codes)).most_common(2)
    return sum(often for _, often in lengths) >= NEARLY_ALL * len(column.sample)


def _together(data: Data, attributes: Sequence[str]) -> Iterator[Overlooked]:
    """That many records are unique by several attributes of which none is known to identify people."""
    if len(attributes) < 2:
        return
    most = math.prod(data.summary(name).distinct + 1 for name in attributes)
    if most < UNIQUE * data.records:
        return
    sizes, often = repeated(without_roles(data), attributes)
    unique = int(often[sizes == 1].sum())
    if unique >= UNIQUE * data.records:
        said = f"{records(unique, of=data.records)} are unique by them together"
        yield Overlooked(tuple(attributes), said, False)


def in_words_of(found: Sequence[Overlooked]) -> Iterator[str]:
    """What these attributes leave open and what to do, in words; those called other apart."""
    for declared, what in ((False, "without a role"), (True, "with the role other")):
        own = [each.reason for each in found if each.declared is declared]
        if own:
            several = sum(len(each.attributes) for each in found if each.declared is declared)
            one = several == 1
            said = "; ".join(
                [*own[:MOST_SAID], *([f"and {len(own) - MOST_SAID} more"] if own[MOST_SAID:] else [])]
            )
            yield (
                f"{counted(several, 'attribute')} {what} {'was' if one else 'were'} not measured: {said}. "
                f"Give {'it' if one else 'each'} {'another' if declared else 'a'} role, or leave it out."
            )
