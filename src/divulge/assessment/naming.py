"""Attributes that name people or may, whatever role they have: by their values, names and how they repeat."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from divulge._support.wording import records
from divulge.questions.data import Data
from divulge.roles.contacts import CONTACTS
from divulge.roles.declared_missing import as_written
from divulge.roles.decoded import decoded
from divulge.roles.observed import ObservedColumn
from divulge.roles.person_numbers import look_assigned
from divulge.roles.personal_names import DIFFERENT, given_name, given_names, like_names, looks_like_names
from divulge.roles.proposal import Proposed, propose
from divulge.roles.spelled_as_people import spelled_as_people
from divulge.roles.vocabulary import meanings
from divulge.table.schema import Role

LOOKED_AT = 1000
NEARLY_UNIQUE = 0.9  # different values per record from which on an attribute finds a record
SOME, MANY, MANY_SHARE = 20, 50, 0.05  # different values that may be names of people
FEW_CALLED, WORDS_TOO = 3, {"grace", "jan", "mark", "max"}  # given names in the names of attributes
MOST_RECORDS = 25  # of one person: values on more may be of people, wards or firms


@dataclass(frozen=True)
class Naming:
    """An attribute that names people, or that only keys records, and what role it was given instead."""

    attribute: str
    names: bool
    given: Role | None = None  # another role that someone gave it, which may be right
    contains: str = ""  # contacts inside of its texts, and in how many records
    unsure: bool = False  # names of people or of anything else, and no role
    declared: bool = False  # an identifier by the policy's own word
    shown: bool = False  # its values themselves are names, contacts or official numbers
    text: bool = False  # free text, which may name people
    differs: bool = False  # no role, and a different value in nearly every record
    often: bool = False  # unsure, since every value is on many records
    called: bool = False  # its own name is one of a person
    assigned: bool = False  # its values differ, and have the form of numbers or codes of people or places

    @property
    def keys(self) -> bool:
        """Whether it is the number of a record, or of several."""
        return not (self.names or self.unsure or self.differs or self.assigned)

    @property
    def outcome(self) -> Literal["fail", "warn"]:
        naming = self.names and (self.given is None or self.shown)
        return "fail" if self.declared or naming else "warn"


def namings(data: Data, given: Collection[str], suspected: Collection[str] = ()) -> list[Naming]:
    """The attributes that are identifiers by their role, or look like it."""
    data = as_written(data)
    found, inside = list[Naming](), dict[str, str]()
    for looks in propose(data, data.released_attributes):
        inside[looks.attribute] = looks.contains
        role = data.schema.role(looks.attribute)
        identifying = looks.role is Role.IDENTIFIER
        often = identifying and looks.names and _on_many(data, looks)
        if role is Role.IDENTIFIER:
            found.append(Naming(looks.attribute, _names(data, looks), text=looks.text))
        elif looks.shared:
            found.append(Naming(looks.attribute, False, None if role is Role.OTHER else role))
        elif often and role is Role.OTHER:
            found.append(Naming(looks.attribute, False, unsure=True, often=True))
        elif identifying and not (looks.guessed and role is Role.SENSITIVE and not looks.names):
            chosen = role is not Role.OTHER or (looks.guessed and looks.attribute in given)
            given_role = role if chosen else None
            shown = looks.shown and not often
            found.append(Naming(looks.attribute, looks.names, given_role, shown=shown, text=looks.text))
    found = [replace(one, contains=_contained(data, one.attribute, inside[one.attribute])) for one in found]
    named = {one.attribute: one.names for one in found}
    spelled = _spelled_as_people(data, named)
    found += spelled
    named |= {one.attribute: one.names for one in spelled}
    found += (called := _called_as_people(data, named))
    named |= {one.attribute: one.names for one in called}
    found += [Naming(name, False, unsure=True) for name in _like_names(data, named, suspected)]
    named |= dict.fromkeys((one.attribute for one in found), False)
    found += [Naming(name, False, differs=True) for name in differing_attributes(data, named)]
    named |= dict.fromkeys((one.attribute for one in found), False)
    found += _look_assigned(data, named)
    return [one for one in found if data.summary(one.attribute).present]


def _on_many(data: Data, looks: Proposed) -> bool:
    """Whether values look like people, but each is on more records than a person has, as wards are.

    Not where the attribute is called so, and not of texts that anything may stand in.
    """
    summary = data.summary(looks.attribute)
    called = any(one.role is Role.IDENTIFIER and one.names for one in meanings(looks.attribute)[:1])
    if looks.contains or looks.text or called:
        return False
    return summary.present > MOST_RECORDS * summary.distinct


def _spelled_as_people(data: Data, others: Collection[str]) -> list[Naming]:
    """Attributes of any role whose values are spelled as hardly anything but names is: A. Smith."""
    found = list[Naming]()
    for name in data.released_attributes:
        role = data.schema.role(name)
        summary = data.summary(name, LOOKED_AT)
        if name in others or summary.distinct < SOME:
            continue
        texts = [decoded(value) for value in summary.sample]
        if spelled_as_people(texts) or ObservedColumn.of(data, name).has_some_names:
            free = role is Role.OTHER
            found.append(Naming(name, not free, None if free else role, unsure=free))
    return found


def _called_as_people(data: Data, others: Collection[str]) -> list[Naming]:
    """Attributes with a name of a person for a name, as where each person has a column: Maria Simon."""
    ends = {name: decoded(name) for name in data.released_attributes if name not in others}
    ends = {name: text.rpartition("_")[2] if " " in text else text for name, text in ends.items()}
    given = {name: first for name, text in ends.items() if (first := given_name(text))}
    given = {name: first for name, first in given.items() if first not in WORDS_TOO}
    different = len({*given.values()})
    if different < FEW_CALLED:
        return []
    sure = different >= DIFFERENT
    return [Naming(name, sure, shown=True, unsure=not sure, called=True) for name in given]


def _contained(data: Data, attribute: str, kind: str) -> str:
    """Contacts inside of texts, with the number of records where these are at hand."""
    listed = data.all_values(attribute) if kind else None
    if listed is None:
        return kind
    column, counts = listed
    has = CONTACTS[kind]
    texts = (
        (decoded(value), int(often)) for value, often in zip(column.values, counts[1:], strict=True) if often
    )
    return f"{kind} in {records(sum(often for text, often in texts if has(text)))}"


def _like_names(data: Data, others: Mapping[str, bool], suspected: Collection[str]) -> list[str]:
    """Attributes without a role whose values are spelled like names: many, or in two attributes at once.

    ``others`` are attributes that are found already, and whether they name people: one that does counts.
    """
    found = dict[str, bool]()
    for name in data.released_attributes:
        if data.schema.role(name) is not Role.OTHER or name in others:
            continue
        summary = data.summary(name, LOOKED_AT)
        texts = [text for text in map(decoded, summary.sample) if text]
        if summary.distinct >= SOME and like_names(texts):
            many = summary.distinct >= MANY and summary.distinct > MANY_SHARE * data.records
            found[name] = many or given_names(texts) or name in suspected
    several = len(found) + any(others.values()) > 1
    return [name for name, enough in found.items() if enough or several]


def differing_attributes(data: Data, others: Collection[str]) -> list[str]:
    """Attributes without a role that differ in nearly every record: knowing one is finding the record."""
    free = [
        name
        for name in data.released_attributes
        if data.schema.role(name) is Role.OTHER and name not in others and name != data.weights
    ]
    enough = max(SOME, NEARLY_UNIQUE * data.records)
    return [name for name in free if data.summary(name).distinct >= enough]


def _look_assigned(data: Data, others: Collection[str]) -> list[Naming]:
    """Sensitive attributes and those without a role whose values differ, spelled as numbers of people are.

    Where many records are unique by what has no role, that is a gap of its own.
    """
    found = list[Naming]()
    for name in data.released_attributes:
        role, summary = data.schema.role(name), data.summary(name)
        if name in others or role not in (Role.SENSITIVE, Role.OTHER) or summary.distinct < SOME:
            continue
        alone = summary.lone >= NEARLY_UNIQUE * summary.distinct
        if role is Role.OTHER and summary.lone >= MANY_SHARE * data.records:
            continue
        differs = alone or summary.distinct >= NEARLY_UNIQUE * data.records
        if differs and look_assigned(ObservedColumn.of(data, name).sample):
            found.append(Naming(name, False, None if role is Role.OTHER else role, assigned=True))
    return found


def _names(data: Data, looks: Proposed) -> bool:
    """Whether an attribute that was called an identifier names people: unless it is clearly a key."""
    if looks.shared or (looks.role is Role.IDENTIFIER and not looks.guessed):
        return looks.names
    sample = [str(value) for value in data.summary(looks.attribute, LOOKED_AT).sample]
    return looks_like_names(sample) or not _running(sample, data.summary(looks.attribute).distinct)


def _running(sample: Sequence[str], distinct: int) -> bool:
    """Whether values are codes with digits, or whole numbers that run on nearly without gaps."""
    bare = [text.strip() for text in sample]
    if all(text.isascii() and text.isdigit() for text in bare):
        numbers = [int(text) for text in bare]
        return max(numbers, default=0) - min(numbers, default=0) < 2 * distinct
    return all(any(c.isdigit() for c in text) and len(text.split()) == 1 and "@" not in text for text in bare)
