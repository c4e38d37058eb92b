"""Roles proposed for attributes nobody gave one, each with reasons a steward can check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from divulge._support.header import FirstLineName
from divulge._support.notebook import table_view
from divulge.errors import SchemaError, SourceError, counted
from divulge.questions.data import Data
from divulge.roles.contacts import has_mail
from divulge.roles.observed import FEW, NEARLY_ALL, ObservedColumn
from divulge.roles.patterns import written_number, year
from divulge.roles.personal_names import looks_like_names
from divulge.roles.vocabulary import Meaning, meanings, naming, of_free_text, of_people
from divulge.table.schema import Role

__all__ = ["Proposed", "Role", "propose", "roles_to_use"]

MOST_ATTRIBUTES = 1000  # beyond so many, somebody has to say which matter
DECADES = 40  # years from which on dates look like dates of birth
WORDS = 5  # of a value, from which on it is a text that someone wrote freely
THINGS = 100  # different values from which on numbers or names of things may identify, though they repeat


@dataclass(frozen=True)
class Proposed:
    """The role an attribute probably has, and why; reasons contain no values."""

    attribute: str
    role: Role
    reasons: tuple[str, ...]
    names: bool = False  # an identifier that leads to a person, not only to a record
    guessed: bool = False  # an identifier only because nearly every record has a different value
    contains: str = ""  # contacts that some of its texts have inside
    shared: bool = False  # the number of a household, which tells its people not apart
    text: bool = False  # an identifier because its texts may say anything, names of people too
    shown: bool = False  # its values themselves show that it names people, whatever role it was given
    sure: bool = False  # by its name or by what its values are, and not only by how they repeat


class Proposals(tuple[Proposed, ...]):
    """The roles proposed for attributes, in their order."""

    def _repr_html_(self) -> str:
        rows = [[one.attribute, one.role.value, "; ".join(one.reasons)] for one in self]
        return table_view("Suggested roles", ["attribute", "role", "why"], rows)


def refuse_too_many(attributes: Sequence[str]) -> None:
    """Stop where attributes are more than are looked at one by one."""
    if len(attributes) > MOST_ATTRIBUTES:
        raise SchemaError(
            f"{len(attributes):,} attributes have no role, and suggestions are made for {MOST_ATTRIBUTES:,}.",
            hint="Give the roles yourself: --quasi-identifiers A,B --sensitive X, or a policy.",
        )


def propose(data: Data, attributes: Sequence[str] | None = None) -> Proposals:
    """A role for every attribute or some, from name, type, and how values look and repeat.

    >>> from divulge.questions.data import read
    >>> table = {"age": [34, 34, 57], "disease": ["flu", "cold", "flu"]}
    >>> [(proposed.attribute, proposed.role.value) for proposed in propose(read(table))]
    [('age', 'quasi-identifier'), ('disease', 'sensitive')]
    """
    attributes = data.schema.attributes if attributes is None else attributes
    refuse_too_many(attributes)
    data.schema.check(attributes)
    data.read_ahead(attributes)
    columns = [ObservedColumn.of(data, attribute) for attribute in attributes]
    found = Proposals(_proposed(column, _RULES) for column in columns)
    if data.schema.identifiers or any(one.role is Role.IDENTIFIER for one in found):
        return found
    return Proposals(_proposed(column, (*_RULES, _from_things)) for column in columns)


def refuse_doubtful_names(data: Data) -> None:
    """Refuse to print names that may be the values of a record: a first line that is unclear."""
    if any(isinstance(name, FirstLineName) for name in data.schema.attributes):
        raise SourceError(
            f"The first line of {data.source.name} ({counted(len(data.schema.attributes), 'field')}) may be "
            "a record, and a report would print it as column names.",
            hint="If it has column names, use one in a role (--quasi-identifiers A,B) or give --names a,b,c. "
            "If it is a record, give --no-header.",
        )


def roles_to_use(data: Data) -> Proposals:
    """The suggested roles, used if none are given; the same for every command.

    They are those proposed, but for identifiers that repeat and may tell others apart than the people of
    the table. Where none of them is a quasi-identifier, every attribute is one of which neither name nor
    values say anything: better too much in an attacker's hands than nothing. Where the first line may be a
    record, it is refused: its fields would be printed as names.

    >>> from divulge.questions.data import read
    >>> [(one.attribute, one.role.value) for one in roles_to_use(read({"q1": [1, 2], "q2": [3, 3]}))]
    [('q1', 'quasi-identifier'), ('q2', 'other')]
    """
    if data.weights is None:
        refuse_doubtful_names(data)
    weighing = Proposed(data.weights or "", Role.OTHER, ("it holds the weights of the records",))
    proposed = [weighing if one.attribute == data.weights else one for one in propose(data)]
    proposed = _counting(data, proposed)
    if any(one.role is Role.QUASI_IDENTIFIER for one in proposed):
        return Proposals(proposed)
    return Proposals(
        Proposed(one.attribute, Role.QUASI_IDENTIFIER, (*one.reasons, _TAKEN))
        if set(one.reasons) <= {_MEASURED, _UNKNOWN}
        else one
        for one in proposed
    )


def _counting(data: Data, proposed: list[Proposed]) -> list[Proposed]:
    """The proposals, whose identifiers leave records to be counted unless they number the people.

    An attribute with the role identifier tells people apart. One that was only suggested must not make
    records of several people one person's: a name or a doctor may repeat, and what is missing is nobody.
    The check of attributes that name people finds it whatever its role is.
    """
    named = [one.attribute for one in proposed if one.role is Role.IDENTIFIER]
    if not named or (data.distinct(named) >= NEARLY_ALL * data.records and _filled(data, named)):
        return proposed
    return [
        replace(one, role=Role.OTHER, reasons=(*one.reasons, _NOT_WHO))
        if one.attribute in named and not _tells_who(data, one.attribute)
        else one
        for one in proposed
    ]


def _filled(data: Data, named: Sequence[str]) -> bool:
    return any(data.summary(name).present >= NEARLY_ALL * data.records for name in named)


def _tells_who(data: Data, attribute: str) -> bool:
    """Whether an identifier has values nearly everywhere that are all different, or number people."""
    found = data.summary(attribute)
    enough = NEARLY_ALL * data.records
    return found.present >= enough and (found.distinct >= enough or of_people(attribute))


_Clue = tuple[Role, str]
_Rule = Callable[[ObservedColumn], Iterator[_Clue]]


def _proposed(column: ObservedColumn, rules: Sequence[_Rule]) -> Proposed:
    """The role of the first clue, with the reasons of all clues that agree."""
    followed = [(clue, rule in _SURE) for rule in rules for clue in rule(column)]
    clues = [clue for clue, _ in followed] or [_nothing(column)]
    role = clues[0][0]
    reasons = tuple(dict.fromkeys(why for whose, why in clues if whose == role))
    contains = column.contains if role is Role.IDENTIFIER else ""
    shared = any(why in (_SHARED, _PARTLY) for _, why in clues[:1])
    names, guessed = _leads_to_a_person(column, role)
    text = {_MOSTLY_DIFFERENT, _REMARKS, _TEXTS}.issuperset(why for _, why in clues[:1])
    shown = names and not guessed and not text and _shows_people(column)
    sure = any(known or clue[1] == _OF_BIRTH for clue, known in followed if clue[0] is role)
    return Proposed(column.name, role, reasons, names, guessed, contains, shared, text, shown, sure)


def _shows_people(column: ObservedColumn) -> bool:
    """Whether values are contacts, official numbers or names, and not only called so."""
    pattern = column.pattern(Role.IDENTIFIER)
    spelled = column.contains or column.has_full_names or looks_like_names(column.sample)
    return bool(spelled) or (pattern is not None and pattern.names)


def _leads_to_a_person(column: ObservedColumn, role: Role) -> tuple[bool, bool]:
    """Whether an identifier names someone, by its values or else its name, and whether that is a guess."""
    if role is not Role.IDENTIFIER:
        return False, False
    if (pattern := column.pattern(Role.IDENTIFIER)) is not None and not column.contains:
        return pattern.names, False
    if column.contains or column.has_full_names or column.is_called_names or column.is_written_freely:
        return True, False
    for meaning in meanings(column.name):
        if meaning.role is Role.IDENTIFIER and _believed(meaning, column):
            return meaning.names, False
    return looks_like_names(column.sample), True


def _from_sameness(column: ObservedColumn) -> Iterator[_Clue]:
    if column.present == 0:
        yield Role.OTHER, "no record has a value"
    elif column.distinct == 1 and column.present == column.records and not _named(column):
        yield Role.OTHER, "all records have the same value"


def _named(column: ObservedColumn) -> bool:
    """Whether the one value is an address, or is called the name of a person or a remark, and can be one."""
    return any(map(has_mail, column.sample)) or column.is_called_names or column.is_written_freely


def _from_patterns(column: ObservedColumn, *roles: Role) -> Iterator[_Clue]:
    if (pattern := column.pattern(*roles)) is not None:
        share = pattern.share(column.sample)
        yield pattern.role, f"{_percent(share)} of its values look like {pattern.looks_like}"


def _from_identifying_patterns(column: ObservedColumn) -> Iterator[_Clue]:
    if column.tells_people_apart:
        yield from _from_patterns(column, Role.IDENTIFIER)


def _from_other_patterns(column: ObservedColumn) -> Iterator[_Clue]:
    yield from _from_patterns(column, Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    words = {text.casefold() for text in column.sample}
    if len(words & _SEXES) > 1 and words <= _SEXES | _NEITHER:
        yield Role.QUASI_IDENTIFIER, "its values are those of sex or gender"


_SEXES = {"m", "f", "w", "male", "female", "man", "woman", "männlich", "weiblich", "homme", "femme"}
_SEXES |= {"hombre", "mujer", "maschio", "femmina"}
_NEITHER = {"d", "divers", "x", "o", "other", "u", "unknown", "non-binary"}


def _from_contacts(column: ObservedColumn) -> Iterator[_Clue]:
    if column.contains:
        yield Role.IDENTIFIER, f"some of its values contain {column.contains}"


def _from_full_names(column: ObservedColumn) -> Iterator[_Clue]:
    """Names of people are such, whatever the attribute is called and however often they repeat."""
    if column.has_full_names:
        yield Role.IDENTIFIER, "most of its values are spelled like full names, with common given names"
    if column.is_called_names:
        yield Role.IDENTIFIER, _CALLED_NAMES


def _from_free_text(column: ObservedColumn) -> Iterator[_Clue]:
    """Sentences can hold anything, the name of a person too, whatever the attribute is called."""
    if column.kind == "text" and column.present >= FEW and column.differing >= 0.5:
        words = sorted(len(text.split()) for text in column.sample)
        if words[len(words) // 2] >= WORDS:
            yield Role.IDENTIFIER, _MOSTLY_DIFFERENT
    if column.is_written_freely and of_free_text(column.name):
        yield Role.IDENTIFIER, _REMARKS


def _from_texts(column: ObservedColumn) -> Iterator[_Clue]:
    """Many texts of several words, of which nothing else says what they are."""
    if column.is_written_freely and naming(column.name) is None:
        yield Role.IDENTIFIER, _TEXTS


def _from_name(column: ObservedColumn) -> Iterator[_Clue]:
    """The first thing its name suggests that its values do not contradict."""
    for meaning in meanings(column.name):
        if _believed(meaning, column):
            shared = meaning.shared and column.differing < 1
            why = _PARTLY if column.differing > MANY_ALONE else _SHARED
            yield (Role.OTHER, why) if shared else (meaning.role, f"its name suggests {meaning.says}")
            return


def _believed(meaning: Meaning, column: ObservedColumn) -> bool:
    if meaning.vague:
        enough = 1 if column.present < FEW else 0.5
        return column.differing >= enough and column.kind != "decimal number"
    if meaning.role is Role.IDENTIFIER:
        return column.tells_people_apart
    return not (meaning.role is Role.QUASI_IDENTIFIER and column.is_free_text)


def _from_uniqueness(column: ObservedColumn) -> Iterator[_Clue]:
    every = column.differing == 1
    own = f"{'every' if every else 'nearly every'} record has a different value"
    if column.is_free_text:
        yield Role.IDENTIFIER, own
    elif column.kind == "text" and column.present >= FEW and column.differing >= 0.5:
        yield Role.QUASI_IDENTIFIER, "it has more than half as many texts as records"
    elif column.kind == "whole number" and column.present >= FEW and every:
        for like in _like_given_out(column):
            yield Role.IDENTIFIER, own
            yield Role.IDENTIFIER, like


def given_out(column: ObservedColumn) -> bool:
    """Whether an attribute has whole numbers that were given out, as far as they show it."""
    return column.kind == "whole number" and any(_like_given_out(column))


def _like_given_out(column: ObservedColumn) -> Iterator[str]:
    """How numbers that all differ show that they were given out and not measured."""
    numbers = [int(number) for text in column.sample if (number := written_number(text)) == number]
    lengths = {len(str(number)) for number in numbers}
    if max(numbers) - min(numbers) < 2 * column.distinct:
        yield "its numbers are consecutive, nearly without gaps"
    elif len(lengths) == 1 and max(lengths) > 5:
        yield "all its numbers have the same number of digits"


def _from_dates(column: ObservedColumn) -> Iterator[_Clue]:
    if column.kind == "date":
        years = sorted(found for text in column.sample if (found := year(text)) is not None)
        cut = len(years) // 20
        if years[-1 - cut] - years[cut] >= DECADES:
            yield Role.QUASI_IDENTIFIER, _OF_BIRTH
        else:
            yield Role.QUASI_IDENTIFIER, "its values are dates, which others may know"


def _nothing(column: ObservedColumn) -> _Clue:
    numbers = column.kind in ("whole number", "decimal number")
    if column.present >= FEW and numbers and column.differing >= 0.5:
        return Role.OTHER, _MEASURED
    return Role.OTHER, _UNKNOWN


_OF_BIRTH = "its dates span decades, as dates of birth do"
_SHARED = "its name suggests the number of a household, and records share it: it does not distinguish people"
_PARTLY = "its name suggests the number of a household; some records share it, others are alone by it"
MANY_ALONE = 0.55  # as many values for each record, and at least a tenth of the records are alone
_CALLED_NAMES = "it is called the name of a person, and its values are spelled like names"
_MOSTLY_DIFFERENT = "its values are free text, mostly different, and may name people"
_REMARKS = "it is called remarks or the like, and its values are texts that may name people"
_TEXTS = "most of its many values are texts of several words, which may name people"
_MEASURED = "its numbers mostly differ, as measurements do"
_UNKNOWN = "neither its name nor its values say that it identifies or is sensitive"
_NOT_WHO = (
    "it repeats or is often missing, and may not say whose record it is: records are counted, not people"
)
_TAKEN = "no attribute looks like what an attacker would know, so all are used"


def _from_things(column: ObservedColumn) -> Iterator[_Clue]:
    """Numbers and names that repeat: where nothing else identifies, they say whose record it is."""
    meaning = naming(column.name)
    if meaning and column.distinct >= THINGS and column.kind in ("whole number", "text"):
        yield meaning.role, f"its name suggests {meaning.says}"
        yield meaning.role, f"it distinguishes {column.distinct:,}, and no other attribute identifies people"


# In this order: what values are outweighs what a name says, and a name outweighs how values repeat.
_RULES: tuple[_Rule, ...] = (
    _from_sameness,
    _from_identifying_patterns,
    _from_contacts,
    _from_full_names,
    _from_free_text,
    _from_name,
    _from_other_patterns,
    _from_texts,
    _from_uniqueness,
    _from_dates,
)
_SURE = frozenset(_RULES[1:7]) - {_from_free_text}


def _percent(share: float) -> str:
    return "all" if share == 1 else f"{int(100 * share)} %"
