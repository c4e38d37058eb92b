"""Does an attribute name people? Names, contacts and official numbers do; keys of records only link."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from divulge._support.header import DoubtfulName
from divulge._support.wording import enumerated, shortened
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.naming import Naming, namings
from divulge.assessment.scope import Scope
from divulge.errors import counted
from divulge.policy import Demands
from divulge.questions.data import Data
from divulge.roles.declared_missing import as_written
from divulge.roles.free_text import free_texts
from divulge.table.schema import Role

WHY = (
    "A name, a contact or an official number identifies a person directly. A record number does so for "
    "anyone who has the list it comes from, and it links releases."
)
MOST_NAMED = 12  # attributes that are named one by one
LONGEST = 30  # signs of a name in a headline


def identifiers(
    demands: Demands, scope: Scope, given: Collection[str], suspected: Collection[str] = ()
) -> TableCheck:
    """The check of attributes that name people; ``given`` are those whose role someone chose.

    ``suspected`` are those that looked like names beside others, which may have been left out since.
    """
    data = as_written(scope.data)
    found = [
        replace(one, declared=one.given is None and one.attribute in demands.declared)
        for one in namings(data, given, suspected)
    ]
    idle, texts = _idle(data, found, demands), _unread(data, found, demands)

    def ask(changed: Scope) -> CheckAnswer:
        left = [one for one in found if one.attribute not in changed.given_up]
        unread = [name for name in texts if name not in changed.given_up]
        return answer(data if changed is scope else changed.data, left, demands, idle, unread)

    said = ask(scope)
    return TableCheck(
        "identifiers",
        "Attributes that name people",
        tuple(called_in_words(scope.data, one.attribute) for one in found if not _allowed(one, demands)),
        (),
        "none",
        0.0,
        WHY,
        ask,
        said,
    )


def answer(
    data: Data, found: Sequence[Naming], demands: Demands, idle: str = "", unread: Sequence[str] = ()
) -> CheckAnswer:
    """What the attributes that are left make of it, the worst first; ``idle`` is said beside it.

    ``unread`` are free texts with another role, in which names were not looked for.
    """
    allowed = [one.attribute for one in found if _allowed(one, demands)]
    left = [one for one in found if not _allowed(one, demands)]
    hint = " ".join(filter(None, [f"The policy allows {_quoted(allowed)}." if allowed else "", idle]))
    if not left:
        said = "No other attribute names people" if allowed else "No attribute names people"
        if unread:
            said += f", free text aside ({_quoted([called_in_words(data, one) for one in unread])})"
        text = f"none but {_quoted(allowed)}, which the policy allows" if allowed else "none"
        return CheckAnswer("pass", 0.0, 0, data.records, f"{said}.", hint=hint, text=text)
    fails = [one.attribute for one in left if one.outcome == "fail"]
    names = fails or [one.attribute for one in left]
    concerned = max(data.summary(name).present for name in names)
    left = [replace(one, attribute=called_in_words(data, one.attribute)) for one in left]
    return CheckAnswer(
        "fail" if fails else "warn",
        concerned / data.records,
        concerned,
        data.records,
        _said(left),
        _fix(left),
        hint,
        text=counted(len(fails), "attribute") if fails else _to_check(left),
        brief=_brief(left),
    )


def _brief(left: Sequence[Naming]) -> str:
    """What was found, for a headline: what may only be known of a person is no direct identifier."""
    fails = [one for one in left if one.outcome == "fail"]
    direct = [one.attribute for one in fails if not one.text or one.contains or one.declared]
    if fails:
        texts = _few_quoted([one.attribute for one in fails])
        return (
            f"direct identifiers found ({_few_quoted(direct)})"
            if direct
            else f"free text that may name people ({texts})"
        )
    names = _few_quoted([one.attribute for one in left])
    denied = _to_check(left).startswith("none")  # where it is but a record number
    return f"no direct identifier found, but check {names}" if denied else f"{names} may name people"


def _few_quoted(names: Sequence[str]) -> str:
    return enumerated([f"'{shortened(name, LONGEST)}'" for name in names], most=3)


def _to_check(left: Sequence[Naming]) -> str:
    """What only warns, in a few words: record numbers name nobody, anything else may."""
    keys = not any(one.names or one.unsure for one in left)
    return f"{'none, but check' if keys else 'perhaps'} {_quoted([one.attribute for one in left])}"


def called_in_words(data: Data, attribute: str) -> str:
    """What a sentence calls an attribute: by its place, where its name may be a value of a record."""
    if not isinstance(attribute, DoubtfulName):
        return attribute
    return f"column {data.schema.attributes.index(attribute) + 1}"


def _said(left: Sequence[Naming]) -> str:
    keys = [one.attribute for one in left if one.given is None and one.keys]
    differing = [one.attribute for one in left if one.differs]
    unsure = [one.attribute for one in left if one.unsure and not (one.often or one.called)]
    called = [one.attribute for one in left if one.called]
    often = [one.attribute for one in left if one.often]
    assigned = [one.attribute for one in left if one.assigned]
    inside = [one for one in left if one.contains]
    texts = [one.attribute for one in left if one.text and one.names and not one.contains]
    naming = (
        {one.attribute for one in left if one.names and not one.called}
        - {one.attribute for one in inside}
        - {*texts}
    )
    declared = [one.attribute for one in left if one.declared and not one.names]
    fails = [one.attribute for one in left if one.attribute in naming and one.given is None]
    others = [one for one in left if one.given is not None]
    parts = [f"{_quoted(fails)} {_form(fails, 'name')} people."] if fails else []
    parts += [f"'{one.attribute}' contains {one.contains}." for one in inside]
    if called:
        parts.append(f"{_quoted(called)} {_form(called, 'ha', 's', 've')} names of people for names.")
    if texts:
        is_, they = ("is", "it") if len(texts) == 1 else ("are", "they")
        parts.append(f"{_quoted(texts)} {is_} free text: {they} may name people.")
    if declared:
        what = "is an identifier" if len(declared) == 1 else "are identifiers"
        parts.append(f"{_quoted(declared)} {what} by the policy, and still in the table.")
    if keys:
        what = "is a record or household number" if len(keys) == 1 else "are record or household numbers"
        does = (
            f"{_form(keys, 'link')} releases, and {_form(keys, 'identif', 'ies', 'y')} a person for anyone "
            "who has the list"
        )
        parts.append(f"{_quoted(keys)} {what}: {'it' if len(keys) == 1 else 'they'} {does}.")
    parts += [
        f"'{one.attribute}' was given as {(one.given or Role.OTHER).value}, but "
        f"{'names people' if one.outcome == 'fail' else 'looks like an identifier'}."
        for one in others
        if not (one.contains or one.text or one.assigned)
    ]
    if differing:
        has, them = ("has", "it") if len(differing) == 1 else ("have", "one of them")
        parts.append(
            f"{_quoted(differing)} {has} no role and a different value in nearly every record: anyone who "
            f"knows {them} finds the record."
        )
    if unsure:
        what = "it a role" if len(unsure) == 1 else "them roles"
        parts.append(f"{_quoted(unsure)} {_form(unsure, 'look')} like names or places; give {what}.")
    if assigned:
        parts.append(
            f"{_quoted(assigned)} {_form(assigned, 'look')} like numbers or codes of people or places: "
            "nearly every value is on one record only."
        )
    if often:
        where = "but each value is on many records: of people, or of places or firms?"
        role = "it a role" if len(often) == 1 else "them roles"
        parts.append(f"{_quoted(often)} {_form(often, 'look')} like names or contacts, {where} Give {role}.")
    return " ".join(parts)


def _quoted(names: Sequence[str]) -> str:
    """Attributes in quotes: one called name would read as a word."""
    return enumerated([f"'{name}'" for name in names], most=MOST_NAMED)


def _form(names: Sequence[str], verb: str, one: str = "s", several: str = "") -> str:
    return verb + (one if len(names) == 1 else several)


def _fix(left: Sequence[Naming]) -> str:
    naming = [one.attribute for one in left if one.names and not (one.text and not one.contains)]
    texts = [one.attribute for one in left if one.names and one.text and not one.contains]
    declared = [one.attribute for one in left if one.declared and not one.names]
    keys = [one.attribute for one in left if one.keys and not one.declared]
    differing = [one.attribute for one in left if one.differs]
    unsure = [one.attribute for one in left if one.unsure]
    assigned = [one.attribute for one in left if one.assigned]
    parts = [f"Leave out {_quoted(naming)}."] if naming else []
    if texts:
        them = "it" if len(texts) == 1 else "them"
        parts.append(f"Leave out {_quoted(texts)}, or read {them} and allow {them} ([allow] identifiers).")
    if declared:
        them = "it" if len(declared) == 1 else "them"
        parts.append(f"Leave out {_quoted(declared)}, or allow {them} in the policy ([allow] identifiers).")
    if keys:
        them = "it" if len(keys) == 1 else "them"
        parts.append(
            f"Replace {_quoted(keys)} by a fresh random number for each release, or leave {them} out."
        )
    if differing:
        which = "it" if len(differing) == 1 else "them"
        parts.append(f"Give {_quoted(differing)} a role, or leave {which} out.")
    if assigned:
        parts.append(f"Leave out {_quoted(assigned)} if people or places can be found by it.")
    if unsure:
        parts.append(f"Leave out {_quoted(unsure)} if people are named there.")
    return " ".join(parts)


def _unread(data: Data, found: Sequence[Naming], demands: Demands) -> list[str]:
    """Free texts that nothing else is said of here."""
    known = {*demands.allowed, *(one.attribute for one in found)}
    return free_texts(data, [name for name in data.released_attributes if name not in known])


def _idle(data: Data, found: Sequence[Naming], demands: Demands) -> str:
    """That [allow] names attributes which do not name people, in words."""
    naming = {one.attribute for one in found}
    names = [name for name in demands.allowed if name in data.schema.attributes and name not in naming]
    texts = free_texts(data, names)  # allowed since they were read, which another check asks for
    names = [name for name in names if name not in texts]
    if not names:
        return ""
    one = len(names) == 1
    return (
        f"[allow] names {enumerated(names)}, which "
        f"{'is not an identifier' if one else 'are not identifiers'}."
    )


def _allowed(one: Naming, demands: Demands) -> bool:
    return demands.identifiers == "allow" or one.attribute in demands.allowed
